"""The page of a search."""

from collections.abc import Mapping
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any

import polars as pl
from canaletto._io.units import number_of
from canaletto._report.document import chart, document, grid, note, section, table

from canaletto_extras.searching.terminal import alike, interval, worded
from canaletto_extras.sweep_pages.charts import scatter
from canaletto_extras.sweep_pages.points import Measure, Points, cell

if TYPE_CHECKING:
    from canaletto_extras.searching.document import Search as Asked
    from canaletto_extras.searching.found import Search


def html(asked: "Asked", found: "Search") -> str:
    front = found.front
    title = f"Search: {number_of(front.height, 'design')} of {number_of(found.table.height, 'point')}"
    opening = f'<header><h1>{escape(title)}</h1></header><p class="summary">{escape(verdict(asked, found))}</p>' + note(
        conditions(asked, found)
    )
    axes = axes_of(asked, found.table)
    judges = [worded(each) for each in asked.objectives]
    sections = [_front(found, axes, judges), _designs(asked, found, axes)]
    return document(title, opening, sections, ["page.js"])


def axes_of(asked: "Asked", rows: pl.DataFrame) -> list[str]:
    keys = {axis.column for axis in asked.points.grid.all_axes}
    return [name for name in rows.columns if name in keys or (name == "fabric" and "fabric.kind" in keys)]


def verdict(asked: "Asked", found: "Search") -> str:
    rows = found.table.filter(pl.col("feasible"))
    if not rows.height:
        return "No tried point keeps all constraints."
    axes, told = axes_of(asked, found.table), []
    for objective in map(worded, asked.objectives):
        best = rows.sort(objective.column, descending=objective.more_is_better).row(0, named=True)
        values = ", ".join(f"{axis} {cell(best[axis])}" for axis in axes)
        kind = "Highest" if objective.more_is_better else "Lowest"
        told.append(
            f"{kind} {objective.name}: {objective.told(best[objective.column])} at point {best['point']} ({values})."
        )
    return " ".join(told)


def conditions(asked: "Asked", found: "Search") -> str:
    kept = ", ".join(each.told for each in asked.constraints)
    pruned = int(found.table["pruned"].sum())
    spared = f" {number_of(pruned, 'point')} not run: by closed forms they cannot keep them." if pruned else ""
    limits = f" Constraints: {kept}.{spared}" if kept else ""
    return f"{number_of(asked.trials, 'trial')} of {asked.sampler}, seed {asked.sampler_seed}.{limits}"


def _front(found: "Search", axes: list[str], judges: list[Measure]) -> str:
    rows = found.table.filter(pl.col("feasible"))
    if len(judges) < 2 or not rows.height:
        return ""
    points = Points(rows, axes, judges)
    charts = [
        chart(f"front-{number}", f"{y.name} and {x.name}", scatter(points, x, y, points.front(x, y)))
        for number, (y, x) in enumerate(combinations(judges, 2))
    ]
    return section(
        "front", "Pareto front", grid(*charts), about="Feasible points; those on the line are beaten by none."
    )


def _designs(asked: "Asked", found: "Search", axes: list[str]) -> str:
    shown = list(dict.fromkeys([*asked.objectives, *(each.measure for each in asked.constraints)]))
    judges = [worded(each) for each in shown]
    seeds = asked.seeds if found.table["seeds"].count() else 0
    rows = [
        [
            f"designs/{row['point']}.toml" if row["front"] is not None else f"point {row['point']}",
            *(escape(cell(row[axis])) for axis in axes),
            *(_told(row, each) for each in judges),
            *([", ".join(map(str, row["alike"] or ()))] if seeds else []),
        ]
        for row in (*found.front.iter_rows(named=True), *alike(found.table).iter_rows(named=True))
    ]
    headings = ["design", *map(escape, axes), *(escape(each.name) for each in judges)]
    about = "Best by the first objective first."
    if seeds:
        headings.append("within noise of")
        about += (
            f" Means of {seeds} seeds ± 95 % intervals. Within noise of: better points that no objective distinguishes."
        )
    return section("designs", "Best designs", table(headings, rows), about=about) if rows else ""


def _told(row: Mapping[str, Any], measure: Measure) -> str:
    if row[measure.column] is None:
        return "–"
    repeated = f"{measure.column}_mean" in row
    return escape(interval(row, measure.column, measure.told) if repeated else measure.told(row[measure.column]))
