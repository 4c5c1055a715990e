"""Puts the tables of a reproduction into docs/reproduction.md and docs/drives.md.

`python tools/reproduction_tables.py OUT` takes each block of these pages between `<!-- table: NAME -->` and
`<!-- end -->` from `OUT/markdown/NAME.md`, which `canaletto reproduce SOURCE --out OUT` wrote. A block whose table is
not there stays as it is, and is named.
"""

import re
import sys
from pathlib import Path

PAGES = [Path(__file__).parents[1] / "docs" / name for name in ("reproduction.md", "drives.md")]
BLOCK = re.compile(r"(<!-- table: (?P<name>[\w.-]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def main() -> None:
    """Rewrites the pages."""
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/reproduction_tables.py OUT (the folder of `canaletto reproduce … --out OUT`)")
    folder = Path(sys.argv[1]) / "markdown"

    def filled(block: re.Match[str]) -> str:
        source = folder / f"{block['name']}.md"
        if not source.exists():
            print(f"{block['name']}: no {source}, left as it is", file=sys.stderr)
            return block[0]
        return f"{block[1]}\n{source.read_text(encoding='utf-8')}\n{block[3]}"

    for page in PAGES:
        page.write_text(BLOCK.sub(filled, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
