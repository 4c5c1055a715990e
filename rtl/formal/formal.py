"""Proof by induction that the assertions of the hardware hold for ever (`formal_top.sv` holds the invariant).

SystemVerilog ──► Yosys (slang) ──► one step of induction, and the first cycles after reset ──► its own SAT solver
"""

import shutil
import sys
from pathlib import Path

import tools

sys.path[:0] = [str(tools.RTL / "mutants")]

from weave import changed  # noqa: E402

HERE = Path(__file__).parent
# The solver takes minutes for this one, and did not answer for 2 x 3 chips.
SHAPES = [(2, 2)]
STEP, RESET = "-tempinduct-inductonly -maxsteps 1", "-tempinduct-baseonly -maxsteps 2"
# Breaks the exclusive use of links: there must be no proof of it.
MUTANT = "links that the neighbour holds look free"


def proves(rows: int, columns: int, sources: Path, options: str, name: str) -> bool:
    """Returns whether Yosys proves all assertions of a shape."""
    folder = tools.BUILD / "formal" / name
    folder.mkdir(parents=True, exist_ok=True)
    files = [*tools.sources(sources), HERE / "formal_top.sv"]
    for path in files:
        shutil.copy(path, folder)
    shape = f"-G ROWS={rows} -G COLUMNS={columns} --top formal_top"
    script = f"""read_slang --threads 1 -D VENICE_ASSERT {shape} {" ".join(path.name for path in files)}
hierarchy -top formal_top
proc
flatten
opt_clean
async2sync
chformal -lower
setundef -anyseq
opt_clean
sat -prove-asserts -tempinduct {options}
"""
    return "SUCCESS!" in tools.yosys(script, folder)


def run() -> bool:
    """Proves each shape, and fails to prove a mutant. Returns whether both came out."""
    good = True
    for rows, columns in SHAPES:
        name = f"{rows}x{columns}"
        proven = all(proves(rows, columns, tools.SOURCES, how, name) for how in (RESET, STEP))
        print(f"{rows} x {columns}: {'proven' if proven else 'NOT PROVEN'}", flush=True)
        good &= proven
    mutated = changed(tools.SOURCES, tools.BUILD / "formal" / "sources", MUTANT)
    found = not proves(2, 2, mutated, STEP, "2x2-mutant")
    print(f"mutant, {MUTANT}: {'not proven, as it should be' if found else 'PROVEN'}")
    return good and found
