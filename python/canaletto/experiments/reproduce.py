"""Runs the figures of a source and writes them down: a page with charts, and a CSV file a figure."""

import csv
import io
from collections.abc import Sequence
from html import escape
from pathlib import Path

from canaletto import files
from canaletto.experiments import figures
from canaletto.experiments.figure import Figure, Row, Scale
from canaletto.experiments.laboratory import Report, carry_out
from canaletto.report.document import chart, document, note, section, table
from canaletto.report.units import ABSENT

INDICATIVE = "--quick: few requests, indicative only"


def reproduce(source: str, wanted: Sequence[str], out: Path, *, quick: bool, report: Report) -> dict[str, list[Row]]:
    """Repeats figures of a source; their tables, by the figures' names.

    out: the folder for `SOURCE.html`, `SOURCE-FIGURE.csv` and, in `runs`, the results so far.
    Raises ConfigError for a source or a figure that there is not, and what `laboratory.carry_out` raises.
    """
    chosen, scale = figures(source, wanted), Scale(quick)
    runs = {figure.name: figure.runs(scale) for figure in chosen}
    kept = out / "runs"
    kept.mkdir(parents=True, exist_ok=True)
    data = carry_out([run for found in runs.values() for run in found.values()], kept, report)
    tables = {
        figure.name: figure.table({label: data[run.key] for label, run in runs[figure.name].items()})
        for figure in chosen
    }
    for figure in chosen:
        _write(out / f"{source}-{figure.name}.csv", _csv(tables[figure.name]))
    _write(out / f"{source}.html", _page(source, chosen, tables, quick))
    return tables


def _write(path: Path, text: str) -> None:
    with files.whole(path) as out:
        out.write(text.encode())


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _page(source: str, chosen: Sequence[Figure], tables: dict[str, list[Row]], quick: bool) -> str:
    title = f"{source}: ours and theirs"
    sections = [f"<h1>{escape(title)}</h1>{note(INDICATIVE if quick else '')}"]
    for figure in chosen:
        rows = tables[figure.name]
        heading = f"{figure.title} ({INDICATIVE})" if quick else figure.title
        method = "".join(f"<p>{escape(part)}</p>" for part in figure.about.strip().split("\n\n")[1:])
        cells = [[escape(_cell(value)) for value in row.values()] for row in rows]
        sections.append(
            section(
                figure.name,
                heading,
                chart(f"{figure.name}-chart", "bars: ours; red: what was published", figure.chart(rows)),
                table([escape(column) for column in rows[0]], cells),
                method,
            )
        )
    return document(title, sections, ["page.js"])


def _cell(value: object) -> str:
    if value is None:
        return ABSENT
    return f"{value:.4g}" if isinstance(value, float) else str(value)
