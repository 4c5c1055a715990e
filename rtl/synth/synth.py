"""Cells, area and critical path of the routers and of the arbiter, all measured the same way.

SystemVerilog ──► Yosys (slang, generic synthesis) ──► flip-flops and gates ──► ABC ──► cells of OSU 0.18 um

Results go to `rtl/synth/results.json`, from which the simulator and the reproduction of Table 4 take them.
"""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import tools

RESULTS = Path(__file__).with_name("results.json")
# Area of a flip-flop and of a gate with two inputs, um2 (osu018_stdcells.lib: DFFPOSX1, NAND2X1).
FLIP_FLOP, NAND2 = 96.0, 24.0


@dataclass(frozen=True)
class Design:
    """Something to be synthesised. Memories stay memories; their bits are counted apart."""

    name: str
    folder: str
    top: str
    parameters: tuple[str, ...] = ()
    # Memory bits that the top has next to its gates.
    memory_bits: int = 0


DESIGNS = [
    Design("venice router", "venice", "venice_router"),
    Design("venice choice", "venice", "venice_choice"),
    Design("venice crossbar", "venice", "venice_crossbar"),
    Design("venice controller", "venice", "venice_controller"),
    Design("venice dispatch", "venice", "venice_dispatch"),
    Design("nossd router", "nossd", "nossd_router", memory_bits=5 * 16384 * 8),
    Design("omnibus control", "omnibus", "omnibus_control"),
    Design("omnibus arbiter", "omnibus", "omnibus_arbiter"),
]

MAPPING = "strash; dc2; dch -f; map -B 0.9; topo; buffer -c; upsize; dnsize; stime"


def synthesise(design: Design) -> dict[str, float | int | str]:
    folder = tools.BUILD / "synth" / design.top
    folder.mkdir(parents=True, exist_ok=True)
    for path in tools.sources(tools.RTL / design.folder):
        shutil.copy(path, folder)
    files = " ".join(path.name for path in tools.sources(tools.RTL / design.folder))
    # Memories are macros: their pins become the design's own.
    box, memories = "", ""
    if design.memory_bits:
        box, memories = "--blackboxed-module nossd_memory", "expose -evert t:*nossd_memory*\n"
    script = f"""read_slang --threads 1 {box} --top {design.top} {files}
hierarchy -top {design.top}
{memories}synth -flatten -noabc -top {design.top}
dfflegalize -cell $_DFF_P_ x
techmap
opt_clean
write_blif {design.top}.blif
"""
    tools.yosys(script, folder)
    flip_flops = sum(line.startswith(".latch") for line in (folder / f"{design.top}.blif").read_text().splitlines())
    shutil.copy(tools.CELLS, folder / "cells.lib")
    command = [tools.ABC, "-c", f"read_lib -w cells.lib; read_blif {design.top}.blif; {MAPPING}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    found = re.search(r"Gates =\s*(\d+).*?Area =\s*([\d.]+).*?Delay =\s*([\d.]+) ps", said)
    if found is None:
        raise SystemExit(f"abc: {folder}\n{said[-2000:]}")
    gates, area, delay = int(found[1]), float(found[2]), float(found[3])
    total = area + flip_flops * FLIP_FLOP
    return {
        "gates": gates,
        "flip_flops": flip_flops,
        "area_um2": round(total, 1),
        "nand2_equivalents": round(total / NAND2),
        "critical_path_ps": round(delay),
        "memory_bits": design.memory_bits,
    }


def run() -> bool:
    if shutil.which(tools.ABC) is None:
        raise tools.MissingError(f"{tools.ABC}: apt-get install {tools.ABC}")
    if not tools.CELLS.exists():
        raise tools.MissingError(f"{tools.CELLS}: apt-get install qflow-tech-osu018")
    found = {design.name: synthesise(design) for design in DESIGNS}
    for name, result in found.items():
        print(f"{name:18}", *(f"{value:>9} {key}" for key, value in result.items()))
    document = {
        "cells": "OSU 0.18 um (Debian qflow-tech-osu018), typical corner, no wires",
        "tools": "Yosys 0.70 with slang; Debian berkeley-abc",
        "shape": "8 x 8 chips, 8 controllers",
        "designs": found,
    }
    text = json.dumps(document, indent=2) + "\n"
    same = RESULTS.exists() and RESULTS.read_text() == text
    if not same:
        RESULTS.write_text(text)
        print(f"{RESULTS}: written anew")
    return True
