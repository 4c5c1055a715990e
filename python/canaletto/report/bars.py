"""Charts of bars: a bar or a stack a fabric, with its value at its end."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from canaletto.report import colours, maintenance
from canaletto.report.charts import Data, Spec, fabric_axis, fabric_colour, room, short, spec
from canaletto.report.units import axis_prefix, axis_unit, cause_label, factor

_HEIGHT = 22
_MEASURES = {
    "execution_time": "execution time",
    "mean_latency": "mean latency",
    "p99_latency": "p99 latency",
    "iops": "IOPS",
}


def speedup(speedups: Mapping[str, Mapping[str, float | None]]) -> Spec | None:
    """Speedup of each fabric over the first, by four measures. None if there is nothing to compare."""
    rows: list[dict[str, Any]] = [
        {
            "measure": label,
            "fabric": fabric,
            "speedup": short(value),
            "text": f"{factor(value)} {fabric}",
        }
        for measure, label in _MEASURES.items()
        for fabric, found in speedups.items()
        if (value := found.get(measure)) is not None
    ]
    if len(speedups) < 2 or not rows:
        return None
    fabrics = list(speedups)
    shared = alt.Chart(alt.InlineData(rows)).encode(
        y=alt.Y(
            "measure:N",
            sort=list(_MEASURES.values()),
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
            scale=room(max(row["speedup"] for row in rows), 115),
            axis=alt.Axis(format=",~f"),
        ),
        color=fabric_colour(fabrics, legend=False),
        tooltip=["fabric:N", "measure:N", alt.Tooltip("speedup:Q", format=".4~r")],
    )
    figures = shared.mark_text(align="left", dx=4).encode(x="speedup:Q", text="text:N")
    one = alt.Chart(alt.InlineData([{}])).mark_rule(strokeDash=[4, 3], opacity=0.6).encode(x=alt.datum(1))
    height = len({row["measure"] for row in rows}) * max(20 * len(fabrics), 50)
    chart = alt.layer(bars, one, figures).properties(width="container", height=height)
    return spec(chart)


def bars(rows: Sequence[tuple[str, float | None, str]], title: str, largest: float | None = None) -> Spec | None:
    """A bar a fabric with its value printed at its end: (fabric, value, text). None if all values are absent."""
    found: list[dict[str, Any]] = [
        {"fabric": name, "value": short(value), "text": text} for name, value, text in rows if value is not None
    ]
    if not found:
        return None
    top = largest if largest is not None else max(row["value"] for row in found) or 1
    scale = room(top, 65)
    axis = alt.Axis(format=",~f")
    if largest is not None:
        axis.values = [largest * tick / 4 for tick in range(5)]
    shared = alt.Chart(alt.InlineData(found)).encode(
        y=fabric_axis([row["fabric"] for row in found]),
        x=alt.X("value:Q", title=title, scale=scale, axis=axis),
    )
    chart = alt.layer(
        shared.mark_bar().encode(color=fabric_colour([row["fabric"] for row in found], legend=False)),
        shared.mark_text(align="left", dx=4).encode(text="text:N"),
    )
    return spec(chart.properties(width="container", height=_HEIGHT * len(found)))


def blame(runs: Sequence[Data], kind: str, *, shares: bool = False) -> Spec | None:
    """Latency of the mean request (`all`) or of the slowest hundredth (`p99`) by cause, a stack a fabric.

    The causes of a stack sum to its latency, as shares to 100 %. None if nothing is charged.
    """
    tables = {run["fabric"]: run["blame_us"].get(kind) or {} for run in runs}
    over = {"all": "mean request", "p99": "slowest 1 % of requests"}[kind]
    if shares:
        tables = {fabric: _percent(table) for fabric, table in tables.items()}
        return stacks(tables, colours.CAUSES, lambda _: ("%", 1.0), f"share of the latency of the {over}")
    return stacks(tables, colours.CAUSES, axis_unit, f"latency of the {over}")


def collection(runs: Sequence[Data], kind: str) -> Spec | None:
    """Share of collection in the time of the mean request (`all`) or of the slowest hundredth (`p99`)."""
    over = {"all": "mean request", "p99": "slowest 1 % of requests"}[kind]
    tables = {
        run["fabric"]: {cause: 100 * part for cause, part in maintenance.delay_shares(run, kind).items()}
        for run in runs
    }
    return stacks(tables, colours.CAUSES, lambda _: ("%", 1.0), f"share of the latency of the {over}")


def energy(runs: Sequence[Data]) -> Spec | None:
    """Energy by consumer, a stack a fabric. None if no run has energies."""
    tables = {
        run["fabric"]: {part: value for part, value in run["energy_mj"].items() if part != "total"}
        for run in runs
        if run.get("energy_mj")
    }
    return stacks(tables, colours.ENERGIES, lambda top: axis_prefix(top, "J"), "energy")


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
            "part": cause_label(part),
            "place": order.index(part),
            "value": short(value / size, 6),
            "share": short(value / sums[fabric]),
        }
        for fabric, table in tables.items()
        for part, value in table.items()
        if value
    ]
    shared = alt.Chart(alt.InlineData(rows)).encode(y=fabric_axis(list(tables)))
    parts = shared.mark_bar().encode(
        x=alt.X(
            "sum(value):Q",
            title=f"{title} ({unit})",
            scale=room(max(sums.values()) / size, 45),
            axis=alt.Axis(format=",~f"),
        ),
        color=alt.Color(
            "part:N",
            title=None,
            scale=alt.Scale(
                domain=[cause_label(part) for part in order], range=[palette.get(part, "#666666") for part in order]
            ),
        ),
        order=alt.Order("place:Q"),
        tooltip=[
            alt.Tooltip("fabric:N"),
            alt.Tooltip("part:N", title="part"),
            alt.Tooltip("value:Q", title=unit, format=".4~r"),
            alt.Tooltip("share:Q", format=".1%"),
        ],
    )
    totals = shared.mark_text(align="left", dx=4).encode(
        x=alt.X("sum(value):Q", stack=None), text=alt.Text("sum(value):Q", format=",.3r")
    )
    return spec(alt.layer(parts, totals).properties(width="container", height=_HEIGHT * len(tables)))


def _percent(table: Mapping[str, float | None]) -> dict[str, float]:
    total = sum(value or 0 for value in table.values())
    return {part: 100 * value / total for part, value in table.items() if value}
