"""The page of a sweep."""

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

import polars as pl
from canaletto._io.parsed import from_toml
from canaletto._io.units import axis_unit, count, factor, number_of
from canaletto._report import bars, colours
from canaletto._report.charts import Spec
from canaletto._report.document import chart, document, grid, note, section, table

from canaletto_extras.sweep_pages import charts as drawn
from canaletto_extras.sweep_pages.points import AMPLIFICATION, ENERGY, IOPS, P99, SAME, Measure, Points, cell, varies

if TYPE_CHECKING:
    from canaletto._sweeping.sweep import Sweep


MOST_ROWS = 40


def html(found: "Sweep") -> str:
    rows = found.table.filter(pl.col("error").is_null())
    points = Points(rows, [axis for axis in found.axes if axis != "seed"])
    stopped = found.table.height - rows.height
    opening = f"<header><h1>{escape(title(found))}</h1></header>" + note(
        f"{number_of(stopped, 'point')} stopped and are left out: column error of the table." if stopped else ""
    )
    if rows.height:
        opening += f'<p class="summary">{escape(verdict(points))}</p>'
    return document(title(found), opening, sections(points, _asked(found)) if rows.height else [], ["page.js"])


def _asked(found: "Sweep") -> Mapping[str, str]:
    file = found.path / "sweep.toml"
    return dict(from_toml(file.read_text(encoding="utf-8")).get("page", {})) if file.is_file() else {}


def title(found: "Sweep") -> str:
    different = found.table["key"].n_unique()
    again = f", {count(different)} different" if different < found.table.height else ""
    return f"Sweep: {number_of(found.table.height, 'point')}{again}"


def verdict(points: Points) -> str:
    told = []
    first = points.measures[0] if points.measures else None
    for measure in dict.fromkeys((first, IOPS, AMPLIFICATION)):
        if measure in points.measures and varies(points.rows, measure):
            best = points.best(measure)
            told.append(
                f"{'Highest' if measure.more_is_better else 'Lowest'} {measure.name}: "
                f"{measure.told(best[measure.column])} at point {best['point']} ({points.told(best)})."  # type: ignore[arg-type]
            )
    if first and points.axes:
        axis = max(points.axes, key=lambda name: points.strength(name, first))
        strength = points.strength(axis, first)
        if strength > SAME:
            told.append(f"The {first.name} depends most on {axis}: {factor(strength)} between its means.")
        else:
            told.append(f"No key changes the {first.name} by more than 1 %.")
    return " ".join(told)


LOADS = ("inter_arrival_us", "queue_depth", "speed")


def chosen_axes(points: Points, asked: Mapping[str, str]) -> tuple[str | None, str | None]:
    """By default a load, or the most important number, and fabrics."""
    first = points.measures[0] if points.measures else None
    ranked = sorted(points.axes, key=lambda axis: points.strength(axis, first) if first else 1, reverse=True)
    numbers = [axis for axis in ranked if points.rows[axis].dtype.is_numeric()]
    loads = [axis for axis in numbers if axis.rpartition(".")[2] in LOADS]
    x = _column(points, asked.get("x")) or next(iter([*loads, *numbers]), None)
    others = [axis for axis in ranked if axis != x]
    usual = "fabric" if "fabric" in others else next(iter(others), None)
    return (x if first else None), _column(points, asked.get("lines")) or usual


def _column(points: Points, key: str | None) -> str | None:
    names = [axis for axis in points.axes if key and re.fullmatch(rf"{re.escape(key)}(\.kind|_[a-z_]+)?", axis)]
    return next(iter(names), "fabric" if key == "fabric.kind" else None)


def sections(points: Points, asked: Mapping[str, str] | None = None) -> Iterator[str]:
    first = points.measures[0] if points.measures else None
    x, by = chosen_axes(points, asked or {})
    if x is not None:
        yield section(
            "lines",
            f"Results by {x}",
            _views("lines-chart", f"A line for each {by}" if by else "", points, _curves, x, by),
            about="Means over all other keys and all seeds. [page] of the sweep's file chooses the keys: x and lines.",
        )
    ranked = sorted(points.axes, key=lambda axis: points.strength(axis, first) if first else 1, reverse=True)
    yield section(
        "effects",
        "Main effects",
        grid(*(_views(f"effect-{number}", axis, points, _effect, axis) for number, axis in enumerate(ranked))),
        about="Mean of all points with that value, over all values of the other keys and all seeds.",
    )
    if len(ranked) > 1:
        yield section(
            "heat",
            "Heat map",
            _views("heat-map", f"{ranked[0]} and {ranked[1]}", points, _heat, *ranked[:2]),
            about=f"The two keys on which the {first.name if first else 'result'} depends most; means over all others.",
        )
    yield _pareto(points)
    axis = by or next(iter(ranked), None)
    if points.causes and axis is not None:
        stacked = bars.stacks(points.mean_causes(axis), colours.CAUSES, axis_unit, "latency of the mean request")
        yield section("causes", f"Latency by root cause for each {axis}", chart("causes-stacks", "", stacked))
    if len(points.axes) > 1:
        yield section(
            "parallel",
            "Parallel coordinates",
            chart("parallel-lines", "a line a point", drawn.parallel(points)),
            about=f"Each key and result from its least value (bottom) to its largest (top){_sampled(points)}.",
        )


def _sampled(points: Points) -> str:
    more = points.rows.height - drawn.MOST_LINES
    return f"; {count(drawn.MOST_LINES)} points, spread evenly over all" if more > 0 else ""


def _views(name: str, heading: str, points: Points, draw: Callable[..., Spec], *axes: str | None) -> str:
    views = {measure.column: draw(points, measure, *axes) for measure in points.measures}
    first, *others = views.values()
    words = [measure.name.replace(" ", "_") for measure in points.measures[1:]]
    return chart(name, heading, first, **dict(zip(words, others, strict=True)))


def _effect(points: Points, measure: Measure, axis: str) -> Spec:
    is_number = points.rows[axis].dtype.is_numeric()
    return drawn.effect(points.effect(axis, measure), axis, measure.title, is_number=is_number)


def _curves(points: Points, measure: Measure, x: str, lines: str | None) -> Spec:
    return drawn.curves(points, measure, x, lines)


def _heat(points: Points, measure: Measure, x: str, y: str) -> Spec:
    return drawn.heat(points, measure, x, y)


def _pareto(points: Points) -> str:
    pairs = [pair for pair in ((P99, IOPS), (P99, ENERGY)) if all(each in points.measures for each in pair)]
    charts = [
        chart(f"pareto-{number}", f"{y.name} and {x.name}", drawn.scatter(points, x, y, points.front(x, y)))
        for number, (y, x) in enumerate(pairs)
    ]
    if not pairs:
        return ""
    best = points.front(IOPS, P99)
    headings = [
        "point",
        *map(escape, points.axes),
        *(measure.name for measure in points.measures),
        "root cause",
    ]
    rows = [
        [
            str(row["point"]),
            *(escape(cell(row[axis])) for axis in points.axes),
            *(escape(measure.told(row[measure.column])) for measure in points.measures),
            escape(points.largest_cause(row)),
        ]
        for row in best.head(MOST_ROWS).iter_rows(named=True)
    ]
    return section(
        "pareto",
        "Pareto front",
        grid(*charts),
        table(headings, rows),
        about=f"Points than which no other is better in both. Of IOPS and p99 latency: {count(best.height)}.",
    )
