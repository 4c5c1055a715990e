"""Tables of pages in this folder, which the scripts beside them make: `fabrics.py`, `beyond.py`, `bound.py`."""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

Table = tuple[Path, Callable[[], Iterable[str]]]
"""Page that has a table between `<!-- NAME -->` and `<!-- end -->`, and what makes its lines."""


def main(about: str, tables: Mapping[str, Table]) -> None:
    """Makes the tables that the command line names, or all; with `--write` it puts them into their pages."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--write", action="store_true", help="put the tables into their pages")
    parser.add_argument("tables", nargs="*", choices=[[], *tables], help="tables to make; default: all")
    wanted = parser.parse_args()
    for name in wanted.tables or tables:
        page, lines = tables[name]
        table = "\n".join(lines())
        print(f"\n{name}\n{table}", flush=True)
        if wanted.write:
            put(page, name, table)


def put(page: Path, name: str, table: str) -> None:
    """Puts a table into its place in a page."""
    place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    text, found = place.subn(lambda old: f"{old[1]}{table}\n{old[2]}", page.read_text(encoding="utf-8"))
    if found != 1:
        raise SystemExit(f"{page}: {found} places for table {name}, expected one")
    page.write_text(text, encoding="utf-8")
