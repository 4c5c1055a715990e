"""Charts of bars, with values at their ends."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from canaletto._io.units import axis_prefix, axis_unit, cause_label, digits
from canaletto._report import account, colours, maintenance, summary
from canaletto._report.account import Account
from canaletto._report.charts import Data, Spec, fabric_axis, fabric_colour, room, short, spec, unchecked
from canaletto._run.gains import Gain, Gains

_HEIGHT = 22
_MEASURES = {
    "execution_time": "execution time",
    "mean_latency": "mean latency",
    "p99_latency": "p99 latency",
    "iops": "IOPS",
}


@unchecked
def speedup(found: Gains) -> Spec | None:
    rows: list[dict[str, Any]] = [
        {"measure": label, "fabric": fabric, "speedup": short(gain.mean), "text": f"{summary.times(gain)} {fabric}"}
        | _interval(gain)
        for measure, label in _MEASURES.items()
        for fabric, measures in found.items()
        if (gain := measures.get(measure)) is not None
    ]
    if len(found) < 2 or not rows:
        return None
    fabrics = list(found)
    several = any("low" in row for row in rows)
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
    interval = ", 95 % intervals" if several else ""
    bars = shared.mark_bar().encode(
        x=alt.X(
            "speedup:Q",
            title=f"speedup over {fabrics[0]}{interval} (times; more is better)",
            scale=room(max(row.get("high", row["speedup"]) for row in rows), 165 if several else 115),
            axis=alt.Axis(format=",~f"),
        ),
        color=fabric_colour(fabrics, legend=False),
        tooltip=[alt.Tooltip("fabric:N"), alt.Tooltip("measure:N"), alt.Tooltip("speedup:Q", format=".4~r")],
    )
    figures = shared.mark_text(align="left", dx=4).encode(
        x=alt.X("high:Q" if several else "speedup:Q"), text=alt.Text("text:N")
    )
    one = alt.Chart(alt.InlineData([{}])).mark_rule(strokeDash=[4, 3], opacity=0.6).encode(x=alt.datum(1))
    height = len({row["measure"] for row in rows}) * max(20 * len(fabrics), 50)
    whiskers = [shared.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))] if several else []
    return spec(alt.layer(bars, one, *whiskers, figures).properties(width="container", height=height))


def _interval(gain: Gain) -> dict[str, float]:
    if gain.half_width is None:
        return {}
    return {"low": short(max(gain.mean - gain.half_width, 0)), "high": short(gain.mean + gain.half_width)}


@unchecked
def bars(rows: Sequence[tuple[str, float | None, str]], title: str, largest: float | None = None) -> Spec | None:
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
        shared.mark_text(align="left", dx=4).encode(text=alt.Text("text:N")),
    )
    return spec(chart.properties(width="container", height=_HEIGHT * len(found)))


def causes(
    runs: Sequence[Data], kind: str, shown: Account | None = None, *, shares: bool = False, to_scale: bool = False
) -> Spec | None:
    """Stacks by cause of the mean request (`all`) or the slowest hundredth (`p99`).

    shown: the account. None if nothing is charged, or if the scaled chart would be the same.
    """
    tables = {run["fabric"]: account.table(run, kind, shown) for run in runs}
    over = {"all": "mean request", "p99": "slowest 1 % of requests"}[kind]
    if shares:
        tables = {fabric: _percent(table) for fabric, table in tables.items()}
        return stacks(tables, colours.CAUSES, lambda _: ("%", 1.0), f"share of the latency of the {over}")
    longest = outlier_limit([_sum(table) for table in tables.values()])
    if to_scale and longest is None:
        return None
    return stacks(tables, colours.CAUSES, axis_unit, f"latency of the {over}", longest=None if to_scale else longest)


def outlier_limit(sums: Sequence[float]) -> float | None:
    """Length of the longest stack that is drawn whole. None if all are.

    An outlier is several times as long as the next shorter stack.
    """
    known = sorted(value for value in sums if value > 0)
    for shorter, longer in pairwise(known):
        if longer > _OUTLIER * shorter:
            return _BEYOND * shorter
    return None


_OUTLIER = 4.0
_BEYOND = 1.35


def collection(runs: Sequence[Data], kind: str) -> Spec | None:
    over = {"all": "mean request", "p99": "slowest 1 % of requests"}[kind]
    tables = {
        run["fabric"]: {cause: 100 * part for cause, part in maintenance.delay_shares(run, kind).items()}
        for run in runs
    }
    return stacks(tables, colours.CAUSES, lambda _: ("%", 1.0), f"share of the latency of the {over}")


def energy(runs: Sequence[Data], *, dynamic: bool = False) -> Spec | None:
    """None if no run has energies.

    dynamic: without static energy, which would hide the rest in a long run.
    """
    left_out = {"total", "static"} if dynamic else {"total"}
    tables = {
        run["fabric"]: {part: value for part, value in run["energy_mj"].items() if part not in left_out}
        for run in runs
        if run.get("energy_mj")
    }
    title = "dynamic energy" if dynamic else "energy"
    return stacks(tables, colours.ENERGIES, lambda top: axis_prefix(top, "J"), title)


@unchecked
def stacks(
    tables: Mapping[str, Mapping[str, float | None]],
    palette: Mapping[str, str],
    unit_of: Callable[[float], tuple[str, float]],
    title: str,
    *,
    longest: float | None = None,
) -> Spec | None:
    """None if there is nothing to stack.

    longest: longer stacks are shortened to it, and say so.
    """
    occurring = [part for table in tables.values() for part, value in table.items() if value]
    order = [*(part for part in palette if part in occurring)]
    order += [part for part in dict.fromkeys(occurring) if part not in palette]
    if not order:
        return None
    sums = {fabric: _sum(table) for fabric, table in tables.items()}
    top = max(sums.values()) if longest is None else longest
    unit, size = unit_of(top)
    drawn = {fabric: min(1.0, top / total) if total else 1.0 for fabric, total in sums.items()}
    rows = [
        {
            "fabric": fabric,
            "part": cause_label(part),
            "place": order.index(part),
            "value": short(value / size, 6),
            "length": short(value * drawn[fabric] / size, 6),
            "share": short(value / sums[fabric]),
        }
        for fabric, table in tables.items()
        for part, value in table.items()
        if value
    ]
    shortened = any(part < 1 for part in drawn.values())
    y = fabric_axis(list(tables))
    scale = room(top / size, 120 if shortened else 45)
    parts = (
        alt.Chart(alt.InlineData(rows))
        .mark_bar()
        .encode(
            y=y,
            x=alt.X("sum(length):Q", title=f"{title} ({unit})", scale=scale, axis=alt.Axis(format=",~f")),
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
    )
    marks = [_breaks(sums, drawn, size).encode(y=y)] if shortened else []
    totals = _totals(sums, drawn, size).encode(y=y)
    return spec(alt.layer(parts, *marks, totals).properties(width="container", height=_HEIGHT * len(tables)))


def _breaks(sums: Mapping[str, float], drawn: Mapping[str, float], size: float) -> alt.Chart:
    rows = [
        {"fabric": fabric, "length": short(0.9 * total * drawn[fabric] / size)}
        for fabric, total in sums.items()
        if drawn[fabric] < 1
    ]
    gaps = alt.Chart(alt.InlineData(rows)).mark_point(
        shape=_GAP, size=4 * (_HEIGHT / 2) ** 2, filled=True, color=colours.PAPER, opacity=1, strokeWidth=0
    )
    found: alt.Chart = gaps.encode(x=alt.X("length:Q"))
    return found


_GAP = "M-0.55,1L0.15,-1L0.55,-1L-0.15,1Z"


def _totals(sums: Mapping[str, float], drawn: Mapping[str, float], size: float) -> alt.Chart:
    ends = [
        {
            "fabric": fabric,
            "length": short(total * drawn[fabric] / size, 6),
            "text": f"{digits(total / size)}{'' if drawn[fabric] == 1 else f' {SHORTENED}'}",
        }
        for fabric, total in sums.items()
        if total
    ]
    texts = alt.Chart(alt.InlineData(ends)).mark_text(align="left", dx=4)
    found: alt.Chart = texts.encode(x=alt.X("length:Q"), text=alt.Text("text:N"))
    return found


SHORTENED = "(not to scale)"


def _sum(table: Mapping[str, float | None]) -> float:
    return sum(value or 0 for value in table.values())


def _percent(table: Mapping[str, float | None]) -> dict[str, float]:
    total = _sum(table)
    return {part: 100 * value / total for part, value in table.items() if value}
