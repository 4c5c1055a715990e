"""The charts of a trace's picture."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import altair as alt
from canaletto._io.units import axis_unit
from canaletto._report import colours
from canaletto._report.charts import LINES, Spec, short, spec

_POINTS = 400


def sizes(found: Mapping[str, Any]) -> Spec | None:
    reads, writes = found["sizes"]
    lines = [
        {"kind": kind, **_cumulative(((size / 1024, number) for size, number in counts), number)}
        for kind, counts, number in (("read", reads, found["reads"]), ("write", writes, found["writes"]))
        if number
    ]
    if not lines:
        return None
    return _distribution(lines, "request size (KiB)", "share of requests (%)", 4)


def gaps(found: Mapping[str, Any]) -> Spec | None:
    counts = [(gap, number) for gap, number in found["inter_arrivals"] if gap > 0]
    if not counts:
        return None
    total = sum(number for _, number in found["inter_arrivals"])
    together = total - sum(number for _, number in counts)
    unit, size = axis_unit(max(gap for gap, _ in counts) / 100)
    lines = [{"kind": "all", **_cumulative(((gap / size, number) for gap, number in counts), total, together)}]
    return _distribution(lines, f"time since the request before ({unit})", "share of requests (%)")


def reuse(found: Mapping[str, Any]) -> Spec | None:
    reuse = found["reuse"]
    if not reuse["distances"]:
        return None
    lines = [{"kind": "all", **_cumulative(map(tuple, reuse["distances"]), reuse["page_accesses"])}]
    return _distribution(lines, "distance (page accesses)", "share of page accesses (%)", whole=False)


def addresses(found: Mapping[str, Any], kind: str) -> Spec | None:
    maps = found["map"]
    parts = [maps[place] for place, name in enumerate(("read", "write")) if kind in (name, "all")]
    cells: dict[tuple[float, float], int] = {}
    time_width = max(part["time_us"] for part in maps)
    width = max(part["bytes"] for part in maps)
    for part in parts:
        # Scales are powers of two of the same beginnings, so that cells of one lie in cells of the other.
        for time, place, number in part["cells"]:
            at = (int(time * part["time_us"] // time_width), int(place * part["bytes"] // width))
            cells[at] = cells.get(at, 0) + number
    if not cells:
        return None
    unit, size = axis_unit(time_width * (1 + max(time for time, _ in cells)))
    data = {
        "time": [short(time * time_width / size, 6) for time, _ in cells],
        "until": [short((time + 1) * time_width / size, 6) for time, _ in cells],
        "from": [short(place * width / 2**30, 6) for _, place in cells],
        "to": [short((place + 1) * width / 2**30, 6) for _, place in cells],
        "requests": list(cells.values()),
    }
    drawn = (
        alt.Chart(alt.InlineData([data]), height=340, width="container")
        .transform_flatten(list(data))
        .mark_rect()
        .encode(
            x=alt.X(
                "time:Q",
                title=f"time since the first request ({unit})",
                scale=alt.Scale(nice=False),
                axis=alt.Axis(format=",~f", grid=False),
            ),
            x2="until:Q",
            y=alt.Y(
                "from:Q",
                title="address (GiB)",
                scale=alt.Scale(nice=False),
                axis=alt.Axis(format=",~f", grid=False),
            ),
            y2="to:Q",
            color=alt.Color(
                "requests:Q",
                title="requests",
                scale=alt.Scale(type="log", range=list(colours.SEQUENTIAL)),
                legend=alt.Legend(format="~s", tickCount=4),
            ),
            tooltip=["requests:Q"],
        )
    )
    return spec(drawn)


def channels(found: Mapping[str, Any]) -> Spec:
    rows = [
        {"channel": channel, "kind": kind, "pages": number}
        for channel, pages in enumerate(found["pages"])
        for kind, number in zip(("read", "write"), pages, strict=True)
    ]
    drawn = (
        alt.Chart(alt.InlineData(rows), height=220, width="container")
        .mark_bar()
        .encode(
            x=alt.X("channel:O", title="channel", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("sum(pages):Q", title="pages", axis=alt.Axis(format="~s")),
            color=_kinds(["read", "write"], alt.Legend()),
            tooltip=["channel:O", "kind:N", alt.Tooltip("pages:Q", format=",")],
        )
    )
    return spec(drawn)


def _distribution(lines: Sequence[Mapping[str, Any]], x: str, y: str, base: int = 10, *, whole: bool = True) -> Spec:
    """Ticks at the powers of `base`.

    whole: the axis of shares goes to 100 %.
    """
    kinds = [line["kind"] for line in lines]
    values = [value for line in lines for value in line["value"]]
    powers = range(math.floor(math.log(min(values), base)), math.ceil(math.log(max(values), base)) + 1)
    drawn = (
        alt.Chart(alt.InlineData(list(lines)), height=260, width="container")
        .transform_flatten(["value", "share"])
        .mark_line(interpolate="step-after", strokeWidth=1.8)
        .encode(
            x=alt.X(
                "value:Q",
                title=x,
                scale=alt.Scale(type="log", nice=False, padding=8),
                axis=alt.Axis(format=",~r", values=[float(base) ** power for power in powers], tickCount=99),
            ),
            y=alt.Y(
                "share:Q",
                title=y,
                scale=alt.Scale(domainMin=0, domainMax=100 if whole else alt.Undefined),
                axis=alt.Axis(format=",~f"),
            ),
            color=_kinds(kinds, LINES if len(kinds) > 1 else None),
            tooltip=[alt.Tooltip("kind:N", title="requests")],
        )
    )
    return spec(drawn)


def _kinds(kinds: Sequence[str], legend: alt.Legend | None) -> alt.Color:
    scale = alt.Scale(domain=list(kinds), range=[colours.KINDS[kind] for kind in kinds])
    return alt.Color("kind:N", title=None, scale=scale, legend=legend)


def _cumulative(counts: Iterable[tuple[float, float]], total: float, before: float = 0) -> dict[str, list[float]]:
    ordered = sorted(counts)
    shares = [100 * reached / total for reached in accumulate((number for _, number in ordered), initial=before)][1:]
    points = [(short(value, 6), short(share, 4)) for (value, _), share in zip(ordered, shares, strict=True)]
    step = max(1, len(points) // _POINTS)
    kept = points[::step] if (len(points) - 1) % step == 0 else [*points[::step], points[-1]]
    # A line needs two points, and one that starts from what is below the first value.
    start = (kept[0][0], short(100 * before / total))
    return {"value": [start[0], *(value for value, _ in kept)], "share": [start[1], *(share for _, share in kept)]}
