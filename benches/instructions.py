"""Instructions that a request costs, against their ceilings.

Each case of `case.py` runs under callgrind with 10,000 and with 30,000 requests (writes twice as many); a request costs
the difference, divided by its number of requests. More than a ceiling of `ceilings.toml` is a failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

BENCHES = Path(__file__).resolve().parent
ROOT = BENCHES.parent
HISTORY = ROOT / "docs/generated/speed-history/instructions.md"
# Without the interpreter's packages, of which the engine needs none, and with its hashes in one order.
CASE = [sys.executable, "-S", str(BENCHES / "case.py")]
ENVIRONMENT = {**os.environ, "PYTHONHASHSEED": "0"}

FEW, MANY = 10_000, 30_000
# Twice as many: the drive settles while it writes.
LONGER = ("C",)

# The first-level caches of present cores; the size of the last level decides nothing here.
CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"]

# The tables of `ceilings.toml`, with callgrind's name for what they bound and its options.
MEASURES = {"instructions": ("Ir", []), "l1_instruction_misses": ("I1mr", CACHES)}


def callgrind(case: str, requests: int, out: Path, options: list[str], native: Path | None = None) -> None:
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *options]
    command = [*valgrind, *CASE, case, str(requests), *([str(native)] if native else [])]
    ended = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"case {case} with {requests} requests failed under valgrind:\n{ended.stderr}")


def count(case: str, requests: int, options: list[str]) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        callgrind(case, requests, out, options)
        lines = dict(line.split(": ", 1) for line in out.read_text().splitlines() if ": " in line)
    totals = zip(lines["events"].split(), map(int, lines["totals"].split()), strict=True)
    return dict(totals)


def costs(ceilings: dict[str, dict[str, float]]) -> dict[tuple[str, str], float]:
    judged = [(measure, case) for measure, cases in ceilings.items() for case in cases]
    # A case is run once for all of its measures.
    options = {
        case: [option for measure, of in judged if of == case for option in MEASURES[measure][1]] for _, case in judged
    }
    few, many = ({case: number * (2 if case in LONGER else 1) for case in options} for number in (FEW, MANY))
    runs = [(case, requests[case]) for case in options for requests in (few, many)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        counted = dict(zip(runs, pool.map(lambda run: count(*run, options[run[0]]), runs), strict=True))

    def cost(measure: str, case: str) -> float:
        event, _ = MEASURES[measure]
        more = counted[case, many[case]][event] - counted[case, few[case]][event]
        return more / (many[case] - few[case])

    return {(measure, case): cost(measure, case) for measure, case in judged}


def record(found: dict[tuple[str, str], float], what: str) -> None:
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    figures = [f"{figure:,.0f}" for figure in found.values()]
    row = " | ".join([f"{datetime.now(UTC):%Y-%m-%d}", commit, *figures, what])
    HISTORY.write_text(HISTORY.read_text().rstrip("\n") + f"\n| {row} |\n")


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the instructions that a request costs.")
    parser.add_argument("--record", metavar="TEXT", help="add a row with this text to docs/generated/speed-history")
    parser.add_argument(
        "--profile", choices=("quick", "release"), default="quick", help="how the engine was compiled (make PROFILE=…)"
    )
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        needed = os.environ.get("CI") == "true"
        print(f"{'failed' if needed else 'skipped'}: counting instructions needs valgrind", file=sys.stderr)
        return int(needed)
    ceilings = tomllib.loads((BENCHES / "ceilings.toml").read_text())
    found = costs(ceilings[arguments.profile])
    above = False
    print(f"{'a request':24}{'case':>6}{'costs':>12}{'ceiling':>12}")
    for (measure, case), figure in found.items():
        ceiling = ceilings[arguments.profile][measure][case]
        above |= figure > ceiling
        verdict = "  too much" if figure > ceiling else ""
        print(f"{measure.replace('_', ' '):24}{case:>6}{figure:12,.1f}{ceiling:12,}{verdict}")
    if arguments.record:
        record(found, arguments.record)
    if above:
        print("Above a ceiling of benches/ceilings.toml: see what costs it with callgrind_annotate.", file=sys.stderr)
    return int(above)


if __name__ == "__main__":
    sys.exit(main())
