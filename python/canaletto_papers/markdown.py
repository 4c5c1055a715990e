"""A figure's tables in Markdown, as `tools/reproduction_tables.py` puts them into the documentation."""

from collections.abc import Iterator, Mapping, Sequence

from canaletto._io.units import bare

from canaletto_papers.figure import Figure, Row
from canaletto_papers.verdicts import Verdict, in_short, with_notes

VERDICTS, EXTENT = "verdicts", "extent"


def pages(
    figures: Sequence[Figure],
    tables: Mapping[str, list[Row]],
    verdicts: Sequence[Verdict],
    extent: str,
    *,
    quick: bool,
) -> dict[str, str]:
    said = f"{extent[0].upper()}{extent[1:]}.\n"
    # Of few requests: a table must not be taken for more than that wherever it stands.
    beside = f"\n{said}" if quick else ""
    found = {figure.name: f"{_figure(figure, tables[figure.name])}{beside}" for figure in figures}
    found[EXTENT] = said
    if verdicts:
        found[VERDICTS] = _judged(verdicts, extent if quick else "")
    return found


def _judged(verdicts: Sequence[Verdict], would: str) -> str:
    words, notes = with_notes(verdicts)
    rows = [
        {**{key: value for key, value in each.row().items() if key not in ("because", "changed")}, "verdict": word}
        for each, word in zip(verdicts, words, strict=True)
    ]
    return f"{in_short(verdicts, would)}.\n\n" + _table(rows) + "".join(f"\n{note}\n" for note in notes)


def _figure(figure: Figure, rows: list[Row]) -> str:
    if figure.grids:
        tables, notes = figure.short_tables(rows)
        drawn = ["".join(_lines(heading, [[name, *map(cell, of)] for name, of in lines])) for heading, lines in tables]
        return "\n".join([*drawn, *(f"{note}\n" for note in notes)])
    columns = [column for column in rows[0] if column.startswith("published")]
    known = [row for row in rows if any(row[column] is not None for column in columns)]
    return _table(known or rows)


def _table(rows: Sequence[Row]) -> str:
    columns = list(rows[0])
    return "".join(_lines(columns, [[cell(row[column]) for column in columns] for row in rows]))


def _lines(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for cells in (heading, ["---"] * len(heading), *rows):
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"


def cell(value: object) -> str:
    """Three digits, without an exponent for large numbers."""
    if isinstance(value, float) and abs(value) >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return bare(value) if value is None or isinstance(value, float) else str(value)
