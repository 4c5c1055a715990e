"""The hardware against the simulator's model, every register in every cycle, under random requests."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import tools


@dataclass(frozen=True)
class Case:
    """A shape, where its controllers sit, when scouts go again, and for how long."""

    rows: int
    columns: int
    edge: str
    retry: str
    cycles: int
    load: int
    seed: int = 1

    @property
    def arguments(self) -> list[str]:
        return [str(x) for x in (self.rows, self.columns, self.edge, self.retry, self.cycles, self.seed, self.load)]

    def __str__(self) -> str:
        return f"{self.rows} x {self.columns} {self.edge} {self.retry}"


# A larger shape is compared before the mutants are: that of their build, all of them asleep.
SHORT = [
    Case(2, 3, "west", "immediate", 30_000, 3),
    Case(2, 3, "west", "oracle", 30_000, 3),
]
# More than a million cycles in all. The last shape has flits of two bytes.
FULL = [
    Case(rows, columns, edge, retry, cycles, load, seed)
    for rows, columns, edge, cycles, load in [
        (2, 2, "west", 150_000, 3),
        (2, 3, "west", 100_000, 3),
        (3, 3, "alternating", 100_000, 3),
        (4, 5, "west", 80_000, 3),
        (8, 8, "west", 120_000, 2),
        (5, 13, "west", 20_000, 2),
    ]
    for seed, retry in enumerate(["immediate", "oracle"], 1)
]


def build(rows: int, columns: int, edge: str, folder: Path, sources: Path = tools.SOURCES, flags: str = "") -> Path:
    variables = tools.environment() | {"RTL_SOURCES": str(sources), "RTL_FLAGS": flags}
    command = [str(tools.RTL / "compare" / "build"), str(rows), str(columns), edge, str(folder)]
    subprocess.run(command, env=variables, check=True)
    return folder / "cycles"


def compare(program: Path, case: Case, arguments: tuple[str, ...] = ()) -> tuple[bool, str]:
    with tools.model(case.arguments) as model:
        done = subprocess.run([program, *arguments], stdin=model.stdout, capture_output=True, text=True, timeout=3600)
        assert model.stdout is not None
        model.stdout.close()
    lines = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode == 0, lines[0] if lines else f"ended with {done.returncode}"


def run(short: bool) -> bool:
    tools.build_model()
    cycles, equal = 0, True
    for case in SHORT if short else FULL:
        same, says = compare(built(case), case)
        print(f"{case}: {says}", flush=True)
        equal &= same
        cycles += case.cycles
    print(f"{cycles:,} cycles compared: {'no difference' if equal else 'DIFFERENT'}")
    return equal


def built(case: Case) -> Path:
    folder = tools.BUILD / f"compare-{case.rows}x{case.columns}-{case.edge}"
    if not is_current(folder / "cycles"):
        build(case.rows, case.columns, case.edge, folder)
    return folder / "cycles"


def is_current(program: Path) -> bool:
    made_of = [*tools.SOURCES.glob("*.sv"), *(tools.RTL / "compare").glob("*")]
    made_of = [path for path in made_of if path.is_file()]
    return program.exists() and all(path.stat().st_mtime < program.stat().st_mtime for path in made_of)
