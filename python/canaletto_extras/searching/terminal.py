"""The table that `canaletto search` prints."""

import polars as pl
from canaletto._report.tables import value
from canaletto._report.terminal import plain_table
from rich.console import RenderableType
from rich.text import Text

from canaletto_extras.searching.document import Search


def table(asked: Search, front: pl.DataFrame) -> RenderableType:
    """The best designs, the first objective's best first."""
    if not front.height:
        return Text("no point that was tried keeps all constraints")
    keys = dict.fromkeys(axis.column for axis in asked.points.grid.all_axes if axis.column in front.columns)
    judges = [each.column for each in asked.objectives]
    found = plain_table("design", *keys, *judges, right=tuple(range(len(keys) + 1, len(keys) + 1 + len(judges))))
    for row in front.iter_rows(named=True):
        cells = [value(row[name]) if name in keys else f"{row[name]:.4g}" for name in [*keys, *judges]]
        found.add_row(f"designs/{row['point']}.toml", *cells)
    return found
