"""Makes docs/generated/keys/, a row per key: `.venv/bin/python docs/key_reference.py --write`."""

import sys
from functools import partial
from pathlib import Path

import tables

sys.path.append(str(Path(__file__).with_name("site")))

import keys

PAGE = Path(__file__).parent / "reference/keys.md"
ROOT = Path(__file__).parents[1]

TABLES: dict[str, tables.Table] = {
    kind: (PAGE, partial(keys.in_short, kind, ROOT)) for kind in ("design", "workload", "pc")
}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
