"""Measured tables of pages, which the scripts next to this file make: `fabrics.py`, `beyond.py`, `bound.py`."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

DOCS = Path(__file__).parent

CHAINS = ("daisy-chain", "ring")
"""Their own table is by dies on a channel (fabrics.md)."""

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


def place(page: Path, name: str) -> Path:
    folder = DOCS / "generated" / Path(*page.relative_to(DOCS).with_suffix("").parts[1:])
    return folder / f"{name.removeprefix(page.stem + '-')}.md"


def file(name: str, table: str, script: str = "") -> str:
    """The first line is the command that makes it."""
    table = table.strip("\n")
    return f"<!-- Made by `python docs/{script or Path(sys.argv[0]).name} {name} --write` -->\n\n{table}\n"
