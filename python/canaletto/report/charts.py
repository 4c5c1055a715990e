"""Charts as Vega-Lite specifications, each for one run or many.

Colours are those of a light page (`colours.py`); everything else of the look belongs to the page, which follows light
and dark. Long lines are arrays that the chart itself flattens, so that a page stays small.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import altair as alt
import polars as pl

from canaletto.report import colours
from canaletto.report.units import axis_unit, words

if TYPE_CHECKING:
    from canaletto.results import Result

Spec: TypeAlias = dict[str, Any]
Data: TypeAlias = Mapping[str, Any]

_TAIL_POINTS_A_DECADE = 40
_BAR_HEIGHT = 22
_LINES = alt.Legend(symbolType="stroke", symbolStrokeWidth=3, symbolSize=250)
_PERCENTILES = "{'0.1': 'p90 · ', '0.01': 'p99 · ', '0.001': 'p99.9 · ', '0.0001': 'p99.99 · ', '0.00001': 'p99.999 · '}"


def tail(runs: Sequence["Result"]) -> Spec | None:
    """The share of requests slower than each latency, both logarithmic so that the tail can be read.

    One run: a line for reads, one for writes. Many: a line a fabric, and a switch. None if no request completed.
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
        alt.Chart(alt.Data(values=lines), height=340, width="container")
        .transform_flatten(["latency", "slower"])
        .mark_line(interpolate="step-after", strokeWidth=1.8)
        .encode(
            x=alt.X(
                "latency:Q",
                scale=alt.Scale(type="log", nice=False, padding=8),
                title=f"latency ({unit})",
                axis=alt.Axis(format=",~r", values=_log_ticks(line["latency"] for line in lines)),
            ),
            y=alt.Y(
                "slower:Q",
                scale=alt.Scale(type="log"),
                title="share of requests that take longer (%)",
                axis=alt.Axis(
                    values=[10.0**-power for power in range(10)],
                    labelExpr=f"({_PERCENTILES}[datum.value] || '') + format(datum.value * 100, '~r')",
                ),
            ),
            color=fabric_colour(fabrics) if several else _kind_colour(kinds),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.15)),
            detail="fabric:N",
            tooltip=[alt.Tooltip("fabric:N"), alt.Tooltip("kind:N", title="requests")],
        )
        .add_params(chosen)
    )
    if several and len(kinds) > 1:
        switch = alt.param("kind", value="all", bind=alt.binding_radio(options=kinds, name="requests"))
        chart = chart.add_params(switch).transform_filter("datum.kind === kind")
    return spec(chart)


def speedup(speedups: Mapping[str, Mapping[str, float | None]]) -> Spec | None:
    """How many times better each fabric is than the first, by four measures. None if there is nothing to compare."""
    names = {"execution_time": "execution time", "mean_latency": "mean latency", "p99_latency": "p99 latency"}
    names["iops"] = "IOPS"
    rows = [
        {"measure": label, "fabric": fabric, "speedup": short(value), "text": f"{value:.2f} {fabric}"}
        for measure, label in names.items()
        for fabric, found in speedups.items()
        if (value := found.get(measure)) is not None
    ]
    if len(speedups) < 2 or not rows:
        return None
    fabrics = list(speedups)
    shared = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y(
            "measure:N",
            sort=list(names.values()),
            title=None,
            axis=alt.Axis(ticks=False, domain=False),
            scale=alt.Scale(paddingInner=0.18, paddingOuter=0.06),
        ),
        yOffset=alt.YOffset("fabric:N", sort=fabrics),
    )
    bars = shared.mark_bar().encode(
        x=alt.X(
            "speedup:Q",
            title=f"speedup over {fabrics[0]} (times; more is better)",
            scale=alt.Scale(domain=[0, max(row["speedup"] for row in rows) * 1.35], nice=False),
            axis=alt.Axis(format=",~r"),
        ),
        color=fabric_colour(fabrics, legend=False),
        tooltip=["fabric:N", "measure:N", alt.Tooltip("speedup:Q", format=".4~r")],
    )
    figures = shared.mark_text(align="left", dx=4).encode(x="speedup:Q", text="text:N")
    one = alt.Chart(alt.Data(values=[{}])).mark_rule(strokeDash=[4, 3], opacity=0.6).encode(x=alt.datum(1))
    chart = alt.layer(bars, one, figures).properties(width="container", height=alt.Step(max(16, 40 // len(fabrics))))
    return spec(chart)


def bars(rows: Sequence[tuple[str, float | None, str]], title: str, largest: float | None = None) -> Spec | None:
    """A bar a fabric with its value printed at its end: (fabric, value, text). None if all values are absent."""
    found = [{"fabric": name, "value": short(value), "text": text} for name, value, text in rows if value is not None]
    if not found:
        return None
    top = largest if largest is not None else max(row["value"] for row in found) or 1
    scale = alt.Scale(domain=[0, top * 1.22], nice=False)
    ticks = {"values": [top * tick / 4 for tick in range(5)]} if largest is not None else {}
    shared = alt.Chart(alt.Data(values=found)).encode(
        y=_fabric_axis([row["fabric"] for row in found]),
        x=alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(format=",~r", **ticks)),
    )
    chart = alt.layer(
        shared.mark_bar().encode(color=fabric_colour([row["fabric"] for row in found], legend=False)),
        shared.mark_text(align="left", dx=4).encode(text="text:N"),
    )
    return spec(chart.properties(width="container", height=alt.Step(_BAR_HEIGHT)))


def blame(runs: Sequence[Data], kind: str, *, shares: bool = False) -> Spec | None:
    """Where the time of the mean request (`all`) or of the slowest hundredth (`p99`) went, a stack a fabric.

    The causes of a stack sum to its latency, as shares to 100 %. None if nothing is charged.
    """
    tables = {run["fabric"]: run["blame_us"].get(kind) or {} for run in runs}
    over = {"all": "mean request", "p99": "slowest 1 % of requests"}[kind]
    if shares:
        tables = {fabric: _percent(table) for fabric, table in tables.items()}
        return stacks(tables, colours.CAUSES, lambda _: ("%", 1.0), f"share of the time of the {over}")
    return stacks(tables, colours.CAUSES, axis_unit, f"time of the {over}")


def _percent(table: Mapping[str, float | None]) -> dict[str, float]:
    total = sum(value or 0 for value in table.values())
    return {part: 100 * value / total for part, value in table.items() if value}


def energy(runs: Sequence[Data]) -> Spec | None:
    """Energy by where it goes, a stack a fabric. None if no run knows its energy."""
    tables = {
        run["fabric"]: {part: value for part, value in run["energy_mj"].items() if part != "total"}
        for run in runs
        if run.get("energy_mj")
    }
    return stacks(tables, colours.ENERGIES, lambda top: ("mJ", 1.0) if top < 1e4 else ("J", 1e3), "energy")


def stacks(
    tables: Mapping[str, Mapping[str, float | None]],
    palette: Mapping[str, str],
    unit_of: Callable[[float], tuple[str, float]],
    title: str,
) -> Spec | None:
    """One stacked bar a fabric, its sum printed at its end. None if there is nothing to stack."""
    occurring = [part for table in tables.values() for part, value in table.items() if value]
    order = [*(part for part in palette if part in occurring)]
    order += [part for part in dict.fromkeys(occurring) if part not in palette]
    if not order:
        return None
    sums = {fabric: sum(value or 0 for value in table.values()) for fabric, table in tables.items()}
    unit, size = unit_of(max(sums.values()))
    rows = [
        {
            "fabric": fabric,
            "part": words(part),
            "place": order.index(part),
            "value": short(value / size, 6),
            "share": short(value / sums[fabric]),
        }
        for fabric, table in tables.items()
        for part, value in table.items()
        if value
    ]
    shared = alt.Chart(alt.Data(values=rows)).encode(y=_fabric_axis(list(tables)))
    parts = shared.mark_bar().encode(
        x=alt.X(
            "sum(value):Q",
            title=f"{title} ({unit})",
            scale=alt.Scale(domain=[0, max(sums.values()) / size * 1.15], nice=False),
            axis=alt.Axis(format=",~r"),
        ),
        color=alt.Color(
            "part:N",
            title=None,
            scale=alt.Scale(
                domain=[words(part) for part in order], range=[palette.get(part, "#666666") for part in order]
            ),
        ),
        order=alt.Order("place:Q"),
        tooltip=[
            alt.Tooltip("fabric:N"),
            alt.Tooltip("part:N", title="where"),
            alt.Tooltip("value:Q", title=unit, format=".4~r"),
            alt.Tooltip("share:Q", format=".1%"),
        ],
    )
    totals = shared.mark_text(align="left", dx=4).encode(
        x=alt.X("sum(value):Q", stack=None), text=alt.Text("sum(value):Q", format=",.3~r")
    )
    return spec(alt.layer(parts, totals).properties(width="container", height=alt.Step(_BAR_HEIGHT)))


def over_time(runs: Sequence[Data], value: Callable[[Data], Iterable[float | None]], title: str) -> Spec | None:
    """A line a fabric over the run, of what `value` makes of its series; `{unit}` in the title stands for a time's.

    None if no run has a series of it.
    """
    found = {run["fabric"]: (run["series"]["interval_us"], list(value(run["series"]))) for run in runs if run.get("series")}
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
        alt.Chart(alt.Data(values=lines), height=190, width="container")
        .transform_flatten(["time", "value"])
        .mark_line(strokeWidth=1.4)
        .encode(
            x=alt.X(
                "time:Q",
                title=f"time since the run began ({time_unit})",
                scale=alt.Scale(nice=False, domainMin=0),
                axis=alt.Axis(format=",~r", grid=False),
            ),
            y=alt.Y("value:Q", title=title.format(unit=unit), axis=alt.Axis(format=",~r", tickCount=5)),
            color=fabric_colour(list(found), legend=len(found) > 1),
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.12)),
            tooltip="fabric:N",
        )
        .add_params(chosen)
    )
    return spec(chart)


def fabric_colour(fabrics: Sequence[str], *, legend: bool = True) -> alt.Color:
    """The encoding that gives each fabric its colour; the legend, if any, is of lines."""
    shown = {"legend": _LINES if legend else None}
    scale = alt.Scale(domain=list(fabrics), range=[colours.fabric(name) for name in fabrics])
    return alt.Color("fabric:N", title=None, scale=scale, **shown)


def spec(chart: alt.Chart | alt.LayerChart) -> Spec:
    """A chart as plain data, without a look of its own."""
    found: Spec = chart.to_dict()
    found.pop("config", None)
    found["autosize"] = {"type": "fit-x", "contains": "padding"}
    return found


def short(value: float, digits: int = 4) -> float:
    """Few enough digits for a page."""
    return float(f"{value:.{digits}g}")


def _log_ticks(lines: Iterable[Sequence[float]]) -> list[float]:
    """1, 2, 5, 10, … over what the lines span."""
    ends = [(line[0], line[-1]) for line in lines]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    ticks = (digit * 10.0**power for power in range(-7, 13) for digit in (1, 2, 5))
    return [tick for tick in ticks if low * 0.9 <= tick <= high * 1.1]


def _fabric_axis(fabrics: Sequence[str]) -> alt.Y:
    return alt.Y("fabric:N", sort=list(fabrics), title=None, axis=alt.Axis(ticks=False, domain=False))


def _kind_colour(kinds: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=list(kinds), range=[colours.KINDS[kind] for kind in kinds])
    return alt.Color("kind:N", title=None, scale=scale, legend=_LINES)


def _tail_lines(run: "Result") -> Iterator[dict[str, Any]]:
    data = run.to_dict()
    found = data.get("tail_us") or (_exact_tail(run.requests) if run.has_requests else _summary_tail(data))
    for kind in ("all", "read", "write"):
        points = [(slower, latency) for slower, latency in found.get(kind) or () if latency > 0]
        if points and not (kind != "all" and len(points) == len(found["all"]) and points == found["all"]):
            slower, latency = zip(*points, strict=True)
            yield {
                "fabric": data["fabric"],
                "kind": kind,
                "latency": list(latency),
                "slower": [short(each, 3) for each in slower],
            }


def _exact_tail(requests: pl.DataFrame) -> dict[str, list[tuple[float, float]]]:
    found = {}
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
