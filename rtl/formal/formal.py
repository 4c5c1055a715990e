"""Proof by induction that the assertions of the hardware hold for ever (`formal_top.sv` holds the invariant).

SystemVerilog ──► Yosys (slang) ──► and-inverter graph ──► two cycles in a row ──► CaDiCaL
"""

import importlib.util
import shutil
import sys
import time
from pathlib import Path

from induction import Circuit

import tools

sys.path[:0] = [str(tools.RTL / "mutants")]

from weave import changed  # noqa: E402

HERE = Path(__file__).parent
SHAPES = [(2, 2), (2, 3)]
# Breaks the exclusive use of links: there must be no proof of it.
MUTANT = "links that the neighbour holds look free"


def circuit(rows: int, columns: int, sources: Path, name: str) -> Circuit:
    folder = tools.BUILD / "formal" / name
    folder.mkdir(parents=True, exist_ok=True)
    files = [*tools.sources(sources), *tools.sources(HERE)]
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
techmap
opt_expr
dffunmap
aigmap
opt_clean
write_aiger -ascii gates.aag
"""
    tools.yosys(script, folder)
    return Circuit.read(folder / "gates.aag")


def run() -> bool:
    if importlib.util.find_spec("pysat") is None:
        raise tools.MissingError("python-sat: pip install -r rtl/requirements.txt")
    good = True
    for rows, columns in SHAPES:
        gates = circuit(rows, columns, tools.SOURCES, f"{rows}x{columns}")
        began = time.process_time()
        proven = gates.holds_first and gates.holds_next
        says = "proven" if proven else "NOT PROVEN"
        spent = time.process_time() - began
        print(f"{rows} x {columns}: {len(gates.bad)} assertions {says}, {spent:.0f} s of the solver", flush=True)
        good &= proven
    mutated = changed(tools.SOURCES, tools.BUILD / "formal" / "sources", MUTANT)
    found = not circuit(2, 2, mutated, "2x2-mutant").holds_next
    print(f"mutant, {MUTANT}: {'not proven, as it should be' if found else 'PROVEN'}")
    return good and found
