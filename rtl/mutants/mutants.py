"""Mutants of the hardware: the comparison with the model, or an assertion, must notice each."""

import sys

import tools

sys.path[:0] = [str(tools.RTL / "compare"), str(tools.RTL / "mutants")]

from compare import Case, build, compare  # noqa: E402
from weave import weave  # noqa: E402

# A choice among three outputs needs a router whose only way nearer is the one back, which 3 x 3 chips do not have.
CASES = [
    Case(3, 4, "alternating", "immediate", 20_000, 2),
    Case(3, 4, "alternating", "oracle", 20_000, 2),
]


def run() -> bool:
    tools.build_model()
    woven = tools.BUILD / "woven"
    mutants = weave(tools.SOURCES, woven)
    program = build(3, 4, "alternating", tools.BUILD / "mutants", woven, "+define+VENICE_MUTANTS -Wno-fatal")
    missed = []
    for number, mutant in enumerate([{"name": "no mutant"}, *mutants]):
        for case in CASES:
            same, says = compare(program, case, (f"+mutant={number}",))
            if not same:
                break
        print(f"{number:3} {'same' if same else 'seen'} {mutant['name']}: {says}", flush=True)
        if same != (number == 0):
            missed.append(mutant["name"])
    print(f"{len(mutants)} mutants, {len(mutants) - len(missed)} noticed", *(f"\nmissed: {name}" for name in missed))
    return not missed
