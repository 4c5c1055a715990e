"""The page of a sweep: which key matters how much, which points are best, and all of them at a glance."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import polars as pl

from canaletto._report import sweep_charts
from canaletto._report.charts import Spec
from canaletto._report.document import chart, document, grid, note, section, table
from canaletto._report.units import ABSENT, count, factor, number_of, scaled, thousandths, time_us

if TYPE_CHECKING:
    from canaletto._sweeping.sweep import Sweep


@dataclass(frozen=True)
class Measure:
    """A result that points are judged by."""

    column: str
    name: str
    title: str
    """Title of an axis, with the unit."""
    more_is_better: bool = False

    def told(self, value: float | None) -> str:
        """A value in words."""
        if self.column == "pins":
            return count(value)
        if self.column.endswith("_us"):
            return time_us(value)
        return thousandths(value, "J") if self.column.endswith("_mj") else scaled(value)


P99 = Measure("latency_p99_us", "p99 latency", "p99 latency (µs)")
IOPS = Measure("iops", "IOPS", "requests a second", more_is_better=True)
ENERGY = Measure("energy_total_mj", "energy", "energy (mJ)")
MEAN = Measure("latency_mean_us", "mean latency", "mean latency (µs)")
MEASURES = (P99, IOPS, MEAN, ENERGY)

MOST_LEVELS = 12
"""An axis of more values than these is shown in as many classes as `CLASSES`, of equal numbers of points."""
CLASSES = 8

MOST_ROWS = 40


class Points:
    """Points of a sweep, seeds averaged."""

    def __init__(self, rows: pl.DataFrame, axes: Sequence[str], measures: Sequence[Measure] = MEASURES) -> None:
        """rows: of the sweep's table, without those that stopped. axes: columns of what differs, seeds aside."""
        self.axes = list(axes)
        measured = [measure for measure in measures if rows[measure.column].null_count() < rows.height]
        self.measures = [measure for measure in measured if rows.height]
        means = [pl.col(measure.column).mean() for measure in self.measures]
        grouped = rows.group_by(axes, maintain_order=True) if axes else rows.group_by(pl.lit(0).alias("all"))
        self.rows = grouped.agg(pl.col("point").first(), *means).sort("point")
        self.levels = {axis: levels(self.rows[axis]) for axis in self.axes}

    def effect(self, axis: str, measure: Measure) -> list[tuple[str, float]]:
        """The mean of a measure at each level of an axis."""
        level, order = self.levels[axis]
        means = (
            pl.DataFrame({"level": level, "value": self.rows[measure.column]})
            .group_by("level")
            .agg(pl.col("value").mean())
        )
        found = dict(means.iter_rows())
        return [(name, found[name]) for name in order if found.get(name) is not None]

    def strength(self, axis: str, measure: Measure) -> float:
        """Ratio of the largest mean of a measure at any level of an axis to the smallest."""
        values = [value for _, value in self.effect(axis, measure)]
        return max(values) / min(values) if values and min(values) > 0 else 1.0

    def best(self, measure: Measure) -> Mapping[str, object]:
        """The best point by one measure."""
        return self.rows.sort(measure.column, descending=measure.more_is_better, nulls_last=True).row(0, named=True)

    def front(self, first: Measure, second: Measure) -> pl.DataFrame:
        """Points than which no other is better in one of two measures and no worse in the other, best first."""
        rows = self.rows.drop_nulls([first.column, second.column]).sort(
            first.column, second.column, descending=[first.more_is_better, second.more_is_better]
        )
        sign = -1 if second.more_is_better else 1
        least = (rows[second.column] * sign).cum_min().shift(1)
        return rows.filter(least.is_null() | (rows[second.column] * sign < least))

    def told(self, row: Mapping[str, object]) -> str:
        """A point's values in words."""
        return ", ".join(f"{axis} {cell(row[axis])}" for axis in self.axes) or "the only one"


def levels(values: pl.Series) -> tuple[list[str], list[str]]:
    """The level of each value as text, and all levels in order. Many numbers are put into classes."""
    if values.dtype.is_numeric() and values.n_unique() > MOST_LEVELS:
        ends = [values.quantile(n / CLASSES, "nearest") for n in range(1, CLASSES)]
        edges = sorted({end for end in ends if end is not None and end < values.max()})  # type: ignore[operator]
        names = [f"to {cell(end)}" for end in edges] + [f"above {cell(edges[-1])}"]
        placed = [ABSENT if value is None else names[sum(value > end for end in edges)] for value in values]
        return placed, [*names, *([ABSENT] if values.null_count() else [])]
    order = values.drop_nulls().unique(maintain_order=True)
    order = order.sort() if values.dtype.is_numeric() else order
    return [cell(value) for value in values], [cell(value) for value in [*order, *[None] * bool(values.null_count())]]


def cell(value: object) -> str:
    """A value of an axis as text."""
    if value is None:
        return ABSENT
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def html(found: "Sweep") -> str:
    """The page."""
    rows = found.table.filter(pl.col("error").is_null())
    points = Points(rows, [axis for axis in found.axes if axis != "seed"])
    stopped = found.table.height - rows.height
    opening = f"<header><h1>{escape(title(found))}</h1></header>" + note(
        f"{number_of(stopped, 'point')} stopped and are left out: column error of the table." if stopped else ""
    )
    if rows.height:
        opening += f'<p class="summary">{escape(verdict(points))}</p>'
    return document(title(found), opening, sections(points) if rows.height else [], ["page.js"])


def title(found: "Sweep") -> str:
    """Title of the page."""
    return f"Sweep: {number_of(found.table.height, 'point')}"


def verdict(points: Points) -> str:
    """The best points, and what matters most."""
    told = []
    for measure in (P99, IOPS):
        if measure in points.measures:
            best = points.best(measure)
            told.append(
                f"{'Highest' if measure.more_is_better else 'Lowest'} {measure.name}: "
                f"{measure.told(best[measure.column])} at point {best['point']} ({points.told(best)})."  # type: ignore[arg-type]
            )
    if P99 in points.measures and points.axes:
        axis = max(points.axes, key=lambda name: points.strength(name, P99))
        told.append(f"The p99 latency depends most on {axis}: {factor(points.strength(axis, P99))} between its means.")
    return " ".join(told)


def sections(points: Points) -> Iterator[str]:
    """The page's sections."""
    ranked = sorted(points.axes, key=lambda axis: points.strength(axis, P99) if points.measures else 1, reverse=True)
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
            about="The two keys on which the p99 latency depends most; means over all others.",
        )
    yield _pareto(points)
    if len(points.axes) > 1:
        yield section(
            "parallel",
            "Parallel coordinates",
            chart("parallel-lines", "a line a point", sweep_charts.parallel(points)),
            about=f"Each key and result from its least value (bottom) to its largest (top){_sampled(points)}.",
        )


def _sampled(points: Points) -> str:
    more = points.rows.height - sweep_charts.MOST_LINES
    return f"; {count(sweep_charts.MOST_LINES)} points, spread evenly over all" if more > 0 else ""


def _views(name: str, heading: str, points: Points, draw: Callable[..., Spec], *axes: str) -> str:
    """A chart of the first measure, with the others behind buttons."""
    drawn = {measure.column: draw(points, measure, *axes) for measure in points.measures}
    first, *others = drawn.values()
    words = [measure.name.replace(" ", "_") for measure in points.measures[1:]]
    return chart(name, heading, first, **dict(zip(words, others, strict=True)))


def _effect(points: Points, measure: Measure, axis: str) -> Spec:
    is_number = points.rows[axis].dtype.is_numeric()
    return sweep_charts.effect(points.effect(axis, measure), axis, measure.title, is_number=is_number)


def _heat(points: Points, measure: Measure, x: str, y: str) -> Spec:
    return sweep_charts.heat(points, measure, x, y)


def _pareto(points: Points) -> str:
    """Latency against rate, and energy against latency, each with its front."""
    pairs = [pair for pair in ((P99, IOPS), (P99, ENERGY)) if all(each in points.measures for each in pair)]
    charts = [
        chart(f"pareto-{number}", f"{y.name} and {x.name}", sweep_charts.scatter(points, x, y, points.front(x, y)))
        for number, (y, x) in enumerate(pairs)
    ]
    if not pairs:
        return ""
    best = points.front(IOPS, P99)
    headings = ["point", *map(escape, points.axes), *(measure.name for measure in points.measures)]
    rows = [
        [
            str(row["point"]),
            *(escape(cell(row[axis])) for axis in points.axes),
            *(escape(measure.told(row[measure.column])) for measure in points.measures),
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
