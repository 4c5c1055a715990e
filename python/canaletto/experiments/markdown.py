"""A figure's tables in Markdown, as `tools/reproduction_tables.py` puts them into the documentation."""

from collections.abc import Iterator, Mapping, Sequence

from canaletto._report.units import ABSENT
from canaletto.experiments.figure import Figure, Grid, Row
from canaletto.experiments.verdicts import Verdict, with_notes

VERDICTS, EXTENT = "verdicts", "extent"
"""Names of the table of verdicts and of the line that says how much was run, among those of the figures."""


def pages(
    figures: Sequence[Figure], tables: Mapping[str, list[Row]], verdicts: Sequence[Verdict], extent: str
) -> dict[str, str]:
    """The tables by name: every published number with its verdict, those of the figures, and how much was run."""
    found = {figure.name: _figure(figure, tables[figure.name]) for figure in figures}
    found[EXTENT] = f"{extent[0].upper()}{extent[1:]}.\n"
    if verdicts:
        found[VERDICTS] = _judged(verdicts)
    return found


def _judged(verdicts: Sequence[Verdict]) -> str:
    words, notes = with_notes(verdicts)
    rows = [
        {**{key: value for key, value in each.row().items() if key != "because"}, "verdict": word}
        for each, word in zip(verdicts, words, strict=True)
    ]
    return _table(rows) + "".join(f"\n{note}\n" for note in notes)


def _figure(figure: Figure, rows: list[Row]) -> str:
    if figure.grids:
        return "\n".join(_grid(caption, grid, rows) for caption, grid in figure.grids.items())
    known = [row for row in rows if row["published"] is not None]
    return _table(known or rows)


def _grid(caption: str, grid: Grid, rows: list[Row]) -> str:
    columns, lines = grid.cells(rows)
    heading = f"{grid.line} ({caption})" if caption else grid.line
    return "".join(_lines([heading, *columns], [[name, *map(_cell, numbers)] for name, numbers in lines]))


def _table(rows: Sequence[Row]) -> str:
    return "".join(_lines(list(rows[0]), [[_cell(value) for value in row.values()] for row in rows]))


def _lines(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for cells in (heading, ["---"] * len(heading), *rows):
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"


def _cell(value: object) -> str:
    if value is None:
        return ABSENT
    return f"{value:.3g}" if isinstance(value, float) else str(value)
