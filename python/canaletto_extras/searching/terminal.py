"""The table that `canaletto search` prints."""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl
from canaletto._report.tables import value
from canaletto._report.terminal import plain_table
from rich.console import Group, RenderableType
from rich.text import Text

from canaletto_extras.searching import measures
from canaletto_extras.searching.document import Search
from canaletto_extras.sweep_pages.points import ENERGY, IOPS, MEAN, P99, Measure

_WORDED = {each.column: each for each in (P99, IOPS, MEAN, ENERGY)}


def worded(measure: measures.Measure) -> Measure:
    return _WORDED.get(measure.column) or Measure(
        measure.column, measure.name.replace("_", " "), measure.title, measure.more_is_better
    )


def alike(rows: pl.DataFrame) -> pl.DataFrame:
    """Not on the front, but within noise."""
    return rows.filter(pl.col("front").is_null() & (pl.col("alike").list.len() > 0))


def table(asked: Search, rows: pl.DataFrame) -> RenderableType:
    front = rows.filter(pl.col("front").is_not_null()).sort("front")
    if not front.height:
        return Text("no tried point keeps all constraints")
    keys = dict.fromkeys(axis.column for axis in asked.points.grid.all_axes if axis.column in front.columns)
    judges = [worded(each) for each in asked.objectives]
    seeds = asked.seeds if front["seeds"].count() else 0
    # A key's last word: the table has 80 columns for all of them.
    words = [key.rpartition(".")[2] for key in keys]
    heads = [name if words.count(name) == 1 else key for name, key in zip(words, keys, strict=True)]
    heads += [*(each.name for each in judges), *(["within noise of"] if seeds else [])]
    found = plain_table("point", *heads, right=tuple(range(len(keys) + 1, len(keys) + 1 + len(judges))))
    for row in (*front.iter_rows(named=True), *alike(rows).iter_rows(named=True)):
        figures = [interval(row, each.column, each.told) for each in judges]
        noise = [", ".join(map(str, row["alike"] or ()))] if seeds else []
        name = str(row["point"])
        found.add_row(name, *(value(row[name]) for name in keys), *figures, *noise)
    about = "The first points are on the front: designs/N.toml." if alike(rows).height else "Designs: designs/N.toml."
    if seeds:
        about += f" Means of {seeds} seeds ± 95 % intervals. Within noise of: points that no objective separates."
    return Group(found, Text(about, "dim"))


def interval(row: Mapping[str, Any], column: str, words: Callable[[float], str]) -> str:
    mean, half_width = row[f"{column}_mean"], row[f"{column}_half_width"]
    if mean is None or not half_width:
        return words(row[column] if mean is None else mean)
    (number, *unit), (wide, *other) = words(mean).split(), words(half_width).split()
    return " ".join([number, "±", wide, *unit] if unit == other else [number, *unit, "±", wide, *other])
