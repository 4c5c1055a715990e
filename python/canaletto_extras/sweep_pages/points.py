"""Points and their results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from canaletto._io.units import ABSENT, cause_label, count, scaled, share, thousandths, time_us


@dataclass(frozen=True)
class Measure:
    column: str
    name: str
    title: str
    more_is_better: bool = False

    def told(self, value: float | None) -> str:
        if self.column in ("pins", "wire_length_pitches"):
            return count(value)
        if self.column.endswith("_us"):
            return time_us(value)
        return thousandths(value, "J") if self.column.endswith("_mj") else scaled(value)


P99 = Measure("latency_p99_us", "p99 latency", "p99 latency (µs)")
IOPS = Measure("iops", "IOPS", "requests per second", more_is_better=True)
ENERGY = Measure("energy_total_mj", "energy", "energy (mJ)")
MEAN = Measure("latency_mean_us", "mean latency", "mean latency (µs)")
AMPLIFICATION = Measure("write_amplification", "write amplification", "write amplification")
MEASURES = (P99, MEAN, IOPS, ENERGY, AMPLIFICATION)
"""Latency comes first: an open loop's rate is its arrivals' rate."""

SAME = 1.01
"""Least ratio of a measure's values that shows a change."""

MOST_LEVELS = 12
"""More values are shown in `CLASSES` classes of equal numbers of points."""
CLASSES = 8


class Points:
    measures: list[Measure]
    """With a value for any point: p99 needs 1,000 requests."""

    def __init__(self, rows: pl.DataFrame, axes: Sequence[str], measures: Sequence[Measure] = MEASURES) -> None:
        self.axes = list(axes)
        measured = [measure for measure in measures if rows[measure.column].null_count() < rows.height]
        self.measures = [each for each in measured if rows.height and (each != AMPLIFICATION or varies(rows, each))]
        self.causes = [name for name in rows.columns if name.startswith("root_")]
        means = [pl.col(name).mean() for name in (*(measure.column for measure in self.measures), *self.causes)]
        grouped = rows.group_by(axes, maintain_order=True) if axes else rows.group_by(pl.lit(0).alias("all"))
        self.rows = grouped.agg(pl.col("point").first(), *means).sort("point")
        self.levels = {axis: levels(self.rows[axis]) for axis in self.axes}

    def effect(self, axis: str, measure: Measure) -> list[tuple[str, float]]:
        level, order = self.levels[axis]
        means = (
            pl.DataFrame({"level": level, "value": self.rows[measure.column]})
            .group_by("level")
            .agg(pl.col("value").mean())
        )
        found = dict(means.iter_rows())
        return [(name, found[name]) for name in order if found.get(name) is not None]

    def curves(self, x: str, lines: str | None, measure: Measure) -> pl.DataFrame:
        level = self.levels[lines][0] if lines else [""] * self.rows.height
        chosen = pl.DataFrame({"x": self.rows[x], "line": level, "value": self.rows[measure.column]})
        means = chosen.group_by("x", "line", maintain_order=True).agg(pl.col("value").mean())
        return means.drop_nulls().sort("x")

    def mean_causes(self, axis: str) -> dict[str, dict[str, float]]:
        level, order = self.levels[axis]
        means = self.rows.select(self.causes).with_columns(pl.Series("level", level)).group_by("level").mean()
        found = {row.pop("level"): row for row in means.iter_rows(named=True)}
        known = [name for name in order if name in found]
        return {name: {_cause(column): time for column, time in found[name].items() if time} for name in known}

    def largest_cause(self, row: Mapping[str, object]) -> str:
        times = {name: time for name in self.causes if isinstance(time := row[name], float) and time > 0}
        if not times:
            return ABSENT
        most = max(times, key=lambda name: times[name])
        return f"{cause_label(_cause(most))}, {share(times[most] / sum(times.values()))}"

    def strength(self, axis: str, measure: Measure) -> float:
        values = [value for _, value in self.effect(axis, measure)]
        return max(values) / min(values) if values and min(values) > 0 else 1.0

    def best(self, measure: Measure) -> Mapping[str, object]:
        return self.rows.sort(measure.column, descending=measure.more_is_better, nulls_last=True).row(0, named=True)

    def front(self, first: Measure, second: Measure) -> pl.DataFrame:
        rows = self.rows.drop_nulls([first.column, second.column]).sort(
            first.column, second.column, descending=[first.more_is_better, second.more_is_better]
        )
        sign = -1 if second.more_is_better else 1
        least = (rows[second.column] * sign).cum_min().shift(1)
        return rows.filter(least.is_null() | (rows[second.column] * sign < least))

    def told(self, row: Mapping[str, object]) -> str:
        return ", ".join(f"{axis} {cell(row[axis])}" for axis in self.axes) or "the only one"


def varies(rows: pl.DataFrame, measure: Measure) -> bool:
    values = rows[measure.column].drop_nulls().to_list()
    return bool(values) and max(values) > SAME * min(values)


def _cause(column: str) -> str:
    return column.removeprefix("root_").removesuffix("_us")


def levels(values: pl.Series) -> tuple[list[str], list[str]]:
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
    if value is None:
        return ABSENT
    return f"{value:.6g}" if isinstance(value, float) else str(value)
