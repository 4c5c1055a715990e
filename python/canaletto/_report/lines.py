"""Charts of lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from canaletto._io.units import axis_unit
from canaletto._report import colours
from canaletto._report.charts import LINES, Data, Spec, fabric_colour, short, spec, unchecked

if TYPE_CHECKING:
    from canaletto._run.results import Result

_TAIL_POINTS_A_DECADE = 40
_PERCENTILES = "{'10': 'p90 · ', '1': 'p99 · ', '0.1': 'p99.9 · ', '0.01': 'p99.99 · ', '0.001': 'p99.999 · '}"


@unchecked
def tail(runs: Sequence["Result"]) -> Spec | None:
    """Share of requests slower than each latency, both logarithmic.

    One run: lines for reads and writes. Many: one line per fabric.
    """
    lines = [line for run in runs for line in _tail_lines(run)]
    if not lines:
        return None
    kinds = list(dict.fromkeys(line["kind"] for line in lines))
    unit, size = axis_unit(max(max(line["latency"]) for line in lines))
    for line in lines:
        line["latency"] = [short(latency / size) for latency in line["latency"]]
    several = len(runs) > 1
    fabrics = [run.to_dict()["fabric"] for run in runs]
    chosen = alt.selection_point(fields=["fabric" if several else "kind"], bind="legend")
    chart = (
        alt.Chart(alt.InlineData(lines), height=340, width="container")
        .transform_flatten(["latency", "slower"])
        .mark_line(interpolate="step-after", strokeWidth=1.8)
        .encode(
            x=alt.X(
                "latency:Q",
                scale=alt.Scale(type="log", nice=False, padding=8),
                title=f"latency ({unit})",
                # A count of ticks, or values would be thinned out.
                axis=alt.Axis(format=",~f", values=_log_ticks(line["latency"] for line in lines), tickCount=99),
            ),
            y=alt.Y(
                "slower:Q",
                scale=alt.Scale(type="log"),
                title="share of requests that take longer (%)",
                axis=alt.Axis(
                    values=[100, 10, 1, *(float(f"1e-{power}") for power in range(1, 8))],
                    labelExpr=f"({_PERCENTILES}[datum.value] || '') + format(datum.value, '~r')",
                ),
            ),
            color=fabric_colour(fabrics) if several else _kind_colour(kinds),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.15)),
            detail=alt.Detail("fabric:N"),
            tooltip=[alt.Tooltip("fabric:N"), alt.Tooltip("kind:N", title="requests")],
        )
        .add_params(chosen)
    )
    if several and len(kinds) > 1:
        switch = alt.param("kind", value="all", bind=alt.binding_radio(options=kinds, name="requests"))
        chart = chart.add_params(switch).transform_filter("datum.kind === kind")
    return spec(chart)


def over_time(runs: Sequence[Data], value: Callable[[Data], Iterable[float | None]], title: str) -> Spec | None:
    """Values that `value` makes of each run's series; `{unit}` in the title is a time's."""
    found = {
        run["fabric"]: (run["series"]["interval_us"], list(value(run["series"]))) for run in runs if run.get("series")
    }
    return over_intervals(found, title)


@unchecked
def over_intervals(found: Mapping[str, tuple[float, Sequence[float | None]]], title: str) -> Spec | None:
    """Intervals in microseconds, and a value for each. None if there is no value.

    `{unit}` in the title is the values' unit, then microseconds.
    """
    values = [each for _, line in found.values() for each in line if each is not None]
    if not values:
        return None
    time_unit, time_size = axis_unit(max(width * len(line) for width, line in found.values()))
    unit, size = axis_unit(max(values)) if "{unit}" in title else ("", 1.0)
    lines = [
        {
            "fabric": fabric,
            "time": [short(width * (place + 0.5) / time_size) for place in range(len(line))],
            "value": [None if each is None else short(each / size) for each in line],
        }
        for fabric, (width, line) in found.items()
    ]
    chosen = alt.selection_point(fields=["fabric"], bind="legend")
    chart = (
        alt.Chart(alt.InlineData(lines), height=190, width="container")
        .transform_flatten(["time", "value"])
        .mark_line(strokeWidth=1.4)
        .encode(
            x=alt.X(
                "time:Q",
                title=f"time since the run began ({time_unit})",
                scale=alt.Scale(nice=False, domainMin=0),
                axis=alt.Axis(format=",~f", grid=False),
            ),
            y=alt.Y("value:Q", title=title.format(unit=unit), axis=alt.Axis(format=",~f", tickCount=5)),
            color=fabric_colour(list(found), legend=len(found) > 1),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.12)),
            tooltip=alt.Tooltip("fabric:N"),
        )
        .add_params(chosen)
    )
    return spec(chart)


@unchecked
def valid_pages(runs: Sequence[Data]) -> Spec | None:
    found: dict[str, list[int]] = {}
    for run in runs:
        bins = ((run.get("flash") or {}).get("blocks") or {}).get("by_valid_share")
        if bins and sum(bins):
            found[run["fabric"]] = bins
    if not found:
        return None
    rows = [
        {
            "fabric": fabric,
            "valid": [100 * place / len(bins) for place in range(len(bins) + 1)],
            # A step line holds a value until the next: the last step ends at 100 %.
            "blocks": [short(100 * each / sum(bins)) for each in (*bins, bins[-1])],
        }
        for fabric, bins in found.items()
    ]
    several = len(rows) > 1
    chart = (
        alt.Chart(alt.InlineData(rows), height=190, width="container")
        .transform_flatten(["valid", "blocks"])
        .mark_area(interpolate="step-after", line={"strokeWidth": 1.4}, fillOpacity=0 if several else 0.25)
        .encode(
            x=alt.X(
                "valid:Q",
                title="valid pages of a block (%)",
                scale=alt.Scale(domain=[0, 100], nice=False),
                axis=alt.Axis(grid=False),
            ),
            y=alt.Y("blocks:Q", stack=None, title="full blocks (%)", axis=alt.Axis(format=",~f", tickCount=5)),
            color=fabric_colour(list(found), legend=several),
            tooltip=alt.Tooltip("fabric:N"),
        )
    )
    return spec(chart)


def _kind_colour(kinds: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=list(kinds), range=[colours.KINDS[kind] for kind in kinds])
    return alt.Color("kind:N", title=None, scale=scale, legend=LINES)


def _log_ticks(lines: Iterable[Sequence[float]]) -> list[float]:
    ends = [(line[0], line[-1]) for line in lines]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    ticks = (digit * 10.0**power for power in range(-7, 13) for digit in (1, 2, 5))
    return [tick for tick in ticks if low * 0.9 <= tick <= high * 1.1]


def _tail_lines(run: "Result") -> Iterator[dict[str, Any]]:
    data = run.to_dict()
    found = data.get("tail_us") or (_exact_tail(run.scan_requests()) if run.has_requests else _summary_tail(data))
    for kind in ("all", "read", "write"):
        points = [(slower, latency) for slower, latency in found.get(kind) or () if latency > 0]
        if points and not (kind != "all" and len(points) == len(found["all"]) and points == found["all"]):
            slower, latency = zip(*points, strict=True)
            yield {
                "fabric": data["fabric"],
                "kind": kind,
                "latency": list(latency),
                "slower": [short(100 * each, 3) for each in slower],
            }


def _exact_tail(rows: pl.LazyFrame) -> dict[str, list[tuple[float, float]]]:
    found, requests = {}, rows.select("op", "latency_us").collect()
    for kind in ("all", "read", "write"):
        chosen = requests if kind == "all" else requests.filter(pl.col("op") == kind)
        latencies = chosen["latency_us"].sort()
        count, last, points = latencies.len(), -1, []
        for step in range(_TAIL_POINTS_A_DECADE * len(str(count)) + 1 if count else 0):
            rank = min(int(count * (1 - 10 ** (-step / _TAIL_POINTS_A_DECADE))), count - 1)
            if rank > last:
                last = rank
                points.append(((count - rank) / count, float(latencies[rank])))
        found[kind] = points
    return found


def _summary_tail(data: Data) -> dict[str, list[tuple[float, float]]]:
    slower = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p99_9": 0.001, "p99_99": 0.0001}
    return {
        kind: [(part, row[key]) for key, part in slower.items() if row and row.get(key)]
        for kind, row in data["latency_us"].items()
    }
