"""Copies the tables of a reproduction into docs/generated.

`python tools/reproduction_tables.py OUT` after `canaletto reproduce SOURCE --out OUT`; names what was not made.
"""

import sys
from pathlib import Path

GENERATED = Path(__file__).parents[1] / "docs" / "generated"
MADE = "<!-- Made by `canaletto reproduce SOURCE --out OUT; python tools/reproduction_tables.py OUT` -->"


def included() -> list[Path]:
    return sorted(file for page in ("reproduction", "drives") for file in (GENERATED / page).glob("*.md"))


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/reproduction_tables.py OUT (the folder of `canaletto reproduce … --out OUT`)")
    for file in included():
        source = Path(sys.argv[1]) / "markdown" / file.name
        if source.exists():
            file.write_text(f"{MADE}\n\n{source.read_text(encoding='utf-8').strip()}\n", encoding="utf-8")
        else:
            print(f"{file.stem}: no {source}, unchanged", file=sys.stderr)


if __name__ == "__main__":
    main()
