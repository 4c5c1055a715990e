"""Measured tables of pages, which the scripts next to this file make: `fabrics.py`, `beyond.py`, `bound.py`."""

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import canaletto as cn
from canaletto._run.simulate import run_once

DOCS = Path(__file__).parent

CHAINS = ("daisy-chain", "ring")
"""Their own table is by dies on a channel (fabrics.md)."""

# Sixteen data pins a controller at 1.2 GB/s for eight of them: one bus or trunk of 16, two of 8, links of 16 one way at
# a time, links of 8 each way. `ideal` has eight for each chip. `crossbar`: any chip on any free trunk of 16.
PINS: dict[str, dict[str, Any]] = {
    "bus": {"fabric.link_rate": "2.4GB/s"},
    "sca": {"fabric.link_rate": "2.4GB/s"},
    "packetized": {"fabric.link_rate": "1.2GB/s"},
    "omnibus": {"fabric.link_rate": "1.2GB/s"},
    "omnibus-split": {"fabric.link_rate": "1.2GB/s"},
    "mesh": {"fabric.network.link_rate": "1.2GB/s"},
    "venice": {"fabric.network.link_rate": "2.4GB/s"},
    "clusters": {"fabric.link_rate": "1.2GB/s"},
    "ideal": {"fabric.link_rate": "1.2GB/s"},
}

Table = tuple[Path, Callable[[], Iterable[str]]]
"""Page, and function that makes the table's lines."""


def main(about: str, tables: Mapping[str, Table]) -> None:
    """Makes the named tables, or all. `--write` writes them to docs/generated."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/generated")
    parser.add_argument("tables", nargs="*", choices=[[], *tables], help="tables to make; default: all")
    wanted = parser.parse_args()
    for name in wanted.tables or tables:
        page, lines = tables[name]
        table = "\n".join(lines())
        print(f"\n{name}\n{table}", flush=True)
        if wanted.write:
            place(page, name).write_text(file(name, table), encoding="utf-8")


def result(design: cn.Design, work: cn.Workload, seed: int = 1) -> dict[str, Any]:
    """A run without records, with root causes."""
    return run_once(design, work, seed, 0, False, None)[0]


def head(columns: Collection[str], label: str) -> str:
    names = " | ".join(f"`{name}`" for name in columns)
    return f"| {label} | {names} |\n" + "| --- " * (len(columns) + 1) + "|"


def line(label: str, values: Iterable[float | None], form: str = ".1f") -> str:
    cells = " | ".join("–" if value is None else f"{value:{form}}" for value in values)
    return f"| {label} | {cells} |"


def place(page: Path, name: str) -> Path:
    folder = DOCS / "generated" / Path(*page.relative_to(DOCS).with_suffix("").parts[1:])
    return folder / f"{name.removeprefix(page.stem + '-')}.md"


def file(name: str, table: str, script: str = "") -> str:
    """The first line is the command that makes it."""
    table = table.strip("\n")
    return f"<!-- Made by `python docs/{script or Path(sys.argv[0]).name} {name} --write` -->\n\n{table}\n"
