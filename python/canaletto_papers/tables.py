"""Tables that `canaletto reproduce` prints."""

from collections.abc import Iterator

from canaletto._io.units import ABSENT, bare
from canaletto._report.terminal import plain_table
from rich.console import RenderableType
from rich.text import Text

from canaletto_papers.reproduce import Reproduced
from canaletto_papers.verdicts import in_short, with_notes

_SHORT = 30


def reproduced(found: Reproduced, *, quick: bool) -> Iterator[RenderableType]:
    if found.verdicts:
        table = plain_table("figure", "what", "ours", "published", "ratio", "verdict", right=(2, 3, 4))
        words, notes = with_notes(found.verdicts)
        for each, said in zip(found.verdicts, words, strict=True):
            ratio = ABSENT if each.ratio is None else f"{each.ratio:.2f}"
            table.add_row(each.figure, each.what, bare(each.ours), bare(each.published), ratio, Text(said))
        yield table
        yield from map(Text, notes)
        yield Text(in_short(found.verdicts, found.extent if quick else ""))
    judged = {name for each in found.verdicts for name in each.figure.split(", ")}
    for repeated in found.figures:
        rows = found.tables[repeated.name]
        tables, notes = repeated.short_tables(rows)
        for (first, *columns), lines in tables:
            table = plain_table(f"{repeated.name}: {first}", *columns, right=tuple(range(1, len(columns) + 1)))
            for name, numbers in lines:
                table.add_row(name, *map(bare, numbers))
            yield table
        yield from map(Text, notes)
        measured = any(row["ours"] is not None for row in rows)
        is_listed = repeated.by_effect or repeated.name not in judged
        if measured and not repeated.grids and is_listed and len(rows) <= _SHORT:
            columns = ["ours", *(["published"] if any(row["published"] is not None for row in rows) else [])]
            table = plain_table("figure", "what", *columns, right=(2, 3)[: len(columns)])
            for row in rows:
                what = ", ".join(str(value) for value in row.values() if isinstance(value, str))
                table.add_row(repeated.name, what, *(bare(row[column]) for column in columns))
            yield table
    if quick and not found.verdicts:
        yield Text(found.extent)
