"""Runs a source's figures and writes a page, CSV files and Markdown tables."""

import csv
import io
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TypeVar

from canaletto._io import files
from canaletto._io.units import count, time_us
from canaletto._report.charts import Spec
from canaletto._report.document import chart, document, note, section, table
from canaletto._run import names
from canaletto._run.laboratory import Report, carry_out

from canaletto_papers import figures, findings_of, markdown, names_of
from canaletto_papers.figure import Figure, Row, Scale, Simulation
from canaletto_papers.verdicts import RULE, Verdict, comes_near, in_short, is_stated, judged, with_notes

T = TypeVar("T")

INDICATIVE = "--quick, indicative only"

FLAT = 0.1
"""Numbers this near to no effect make a flat chart."""

MOST_ROWS = 80
"""Longer tables show rows with a published number; files have all."""


@dataclass(frozen=True)
class Reproduced:
    figures: Sequence[Figure]
    tables: Mapping[str, list[Row]]
    verdicts: Sequence[Verdict]
    extent: str


def reproduce(
    source: str, wanted: Sequence[str], out: Path, *, quick: bool, report: Report, seeds: int = 3
) -> Reproduced:
    """out: the folder for `SOURCE.html`, `SOURCE-FIGURE.csv`, `SOURCE-verdicts.csv`, `markdown` and `runs`.

    A later call continues.
    """
    chosen, scale = figures(source, wanted), Scale(quick, seeds)
    runs = {figure.name: figure.runs(scale) for figure in chosen}
    kept = out / "runs"
    kept.mkdir(parents=True, exist_ok=True)
    data = carry_out([run for found in runs.values() for run in found.values()], kept, report)
    tables = {
        figure.name: figure.table({label: data[run.key] for label, run in runs[figure.name].items()})
        for figure in chosen
    }
    verdicts = judged(chosen, tables, findings_of(source))
    for figure in chosen:
        _write(out / f"{source}-{figure.name}.csv", _csv(tables[figure.name]))
    if verdicts:
        _write(out / f"{source}-verdicts.csv", _csv([each.row() for each in verdicts]))
    written = out / "markdown"
    written.mkdir(exist_ok=True)
    extent = effort([run for found in runs.values() for run in found.values()], quick)
    for name, text in markdown.pages(chosen, tables, verdicts, extent, quick=quick).items():
        _write(written / f"{source}-{name}.md", text)
    related = {figure.name: _related(figure, chosen, figures(source)) for figure in chosen}
    sections = [
        _section(
            source,
            figure,
            tables[figure.name],
            runs[figure.name].values(),
            [each for each in verdicts if figure.name in each.figure.split(", ")],
            related[figure.name],
            quick=quick,
        )
        for figure in chosen
    ]
    title = f"{source}: ours and theirs" if verdicts else source
    opening = (
        f"<header><h1>{escape(title)}</h1></header>"
        f'<p class="summary">{escape(_opening(verdicts, tables, extent if quick else ""))}</p>{_names(source, tables)}'
    )
    _write(out / f"{source}.html", document(title, opening, [*_judged(verdicts), *sections], ["page.js"]))
    return Reproduced(chosen, tables, verdicts, extent)


def _opening(verdicts: Sequence[Verdict], tables: Mapping[str, Sequence[Row]], would: str) -> str:
    if verdicts:
        return in_short(verdicts, would)
    said = in_short(())
    if any(row["published"] for rows in tables.values() for row in rows):
        said = "Ours and published numbers. Their verdicts are on pages that also have the figures which print them."
    return f"{would}. {said}" if would else said


def _judged(verdicts: Sequence[Verdict]) -> list[str]:
    if not verdicts:
        return []
    words, notes = with_notes(verdicts)
    cells = [
        [
            escape(markdown.cell(value))
            for value in (f"{each.figure}: {each.what}", each.ours, each.published, each.ratio, word)
        ]
        for each, word in zip(verdicts, words, strict=True)
    ]
    said = [f"<p>{escape(text)}</p>" for text in (*notes, RULE)]
    listed = table(["published number", "ours", "published", "ratio", "verdict"], cells)
    return [section("verdicts", "Every published number", listed, *said)]


def _names(source: str, tables: Mapping[str, Sequence[Row]]) -> str:
    shown = {str(row.get("system")) for rows in tables.values() for row in rows}
    about = names.fabrics()
    rows = [[escape(theirs), ours, escape(about[ours])] for theirs, ours in names_of(source).items() if theirs in shown]
    found = table(["name there", "fabric", ""], rows) if rows else ""
    return f"<details><summary>Names of the systems</summary>{found}</details>" if found else ""


_REFERENCE = re.compile(r"\b(?:Fig\.|Table) [0-9]+")


def _related(figure: Figure, chosen: Sequence[Figure], there: Sequence[Figure]) -> list[Figure]:
    """And those that theirs refer to."""
    found: list[Figure] = []
    texts = [figure.about]
    while texts:
        references = set(_REFERENCE.findall(texts.pop()))
        for other in there:
            named = other.title.split(":")[0] in references
            if named and other not in (figure, *chosen, *found):
                found.append(other)
                texts.append(other.about)
    return found


def effort(runs: Collection[Simulation], quick: bool) -> str:
    if not runs:
        return "computed, nothing is run"
    different = {run.key: run for run in runs}.values()
    counted = sorted(run.requests for run in different if run.until_s is None)
    timed = sorted(run.until_s for run in different if run.until_s is not None)
    parts = [f"{_number(len(counted), 'run')} of {_span(counted, count)} requests"] if counted else []
    if timed:
        parts.append(f"{_number(len(timed), 'run')} of {_span(timed, lambda s: time_us(s * 1e6))} simulated")
    seeds = len({run.seed for run in different})
    words = f"{' and '.join(parts)}, {_number(seeds, 'seed')}"
    return f"{INDICATIVE}: {words}" if quick else words


def _span(values: Sequence[T], word: Callable[[T], str]) -> str:
    ends = [word(value) for value in (values[0], values[-1])]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _number(of: int, what: str) -> str:
    return f"{count(of)} {what}{'' if of == 1 else 's'}"


def _write(path: Path, text: str) -> None:
    with files.whole(path) as out:
        out.write(text.encode())


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _section(
    source: str,
    figure: Figure,
    rows: list[Row],
    runs: Collection[Simulation],
    verdicts: Sequence[Verdict],
    related: Sequence[Figure],
    *,
    quick: bool,
) -> str:
    said = effort(runs, quick)
    short = in_short(verdicts, said if quick else "") if verdicts else said
    charts = [
        chart(f"{figure.name}-chart{number or ''}", caption, _said(spec, said) if quick else spec)
        for number, (caption, spec) in enumerate(figure.charts(rows).items())
    ]
    return section(
        figure.name,
        figure.title,
        _flat(figure, rows),
        *charts,
        *_listed(source, figure, rows),
        *(f"<p>{escape(part)}</p>" for part in _paragraphs(figure)),
        *(_explained(other) for other in related),
        about=short if quick or not verdicts else f"{said}. {short}",
    )


def _flat(figure: Figure, rows: Sequence[Row]) -> str:
    """Where no system gains or loses much."""
    shown = [row["ours"] for row in rows if row["published"] and row["ours"] is not None and is_stated(figure, row)]
    flat = figure.flat and shown and all(comes_near(ours, figure.neutral, FLAT) for ours in shown)
    return f"<p>{escape(figure.flat)}</p>" if flat else ""


def _listed(source: str, figure: Figure, rows: list[Row]) -> list[str]:
    """In short forms if there are some."""
    file = f"{source}-{figure.name}.csv"
    if figure.grids:
        tables, notes = figure.short_tables(rows)
        drawn = [
            table(
                [escape(column) for column in heading], [[escape(name), *map(markdown.cell, of)] for name, of in lines]
            )
            for heading, lines in tables
        ]
        said = [note(text) for text in notes]
        return [*drawn, *said, note(f"All {count(len(rows))} rows are in {file}.")]
    shown = rows if len(rows) <= MOST_ROWS else [row for row in rows if row["published"] is not None]
    columns = [column for column in rows[0] if column != "published" or any(row[column] for row in rows)]
    cells = [[escape(markdown.cell(row[column])) for column in columns] for row in shown]
    listed = f'<div class="words">{table([escape(column) for column in columns], cells)}</div>' if shown else ""
    more = f"{count(len(rows) - len(shown))} more rows, for which nothing is published, are in {file}."
    return [listed, note(more if len(shown) < len(rows) else "")]


def _paragraphs(figure: Figure) -> list[str]:
    return figure.about.strip().split("\n\n")[1:]


def _explained(figure: Figure) -> str:
    name = figure.title.split(":")[0]
    text = "".join(f"<p>{escape(part)}</p>" for part in _paragraphs(figure))
    return f"<details><summary>{escape(name)}, which is not on this page</summary>{text}</details>"


def _said(spec: Spec, said: str) -> Spec:
    return {
        **spec,
        "title": {"text": said, "anchor": "start", "fontWeight": "normal", "fontSize": 11, "color": "#808080"},
    }
