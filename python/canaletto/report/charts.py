"""Charts as Vega-Lite specifications."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from canaletto.report import terminal
from canaletto.report.units import words

if TYPE_CHECKING:
    from canaletto.results import Result

_TAIL_POINTS_A_DECADE = 40


def tail(result: "Result") -> dict[str, Any] | None:
    """The share of requests slower than each latency, both logarithmic so that the tail can be read.

    None if no request completed.
    """
    points = list(_exact_tail(result.requests) if result.has_requests else _summary_tail(result.to_dict()))
    if not points:
        return None
    frame = pl.DataFrame(points, schema=["kind", "latency_us", "slower"], orient="row")
    chart = (
        alt.Chart(frame, height=280, width="container")
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("latency_us:Q", scale=alt.Scale(type="log", nice=False, padding=10), title="latency (µs)"),
            y=alt.Y(
                "slower:Q",
                scale=alt.Scale(type="log"),
                title="share of requests slower",
                axis=alt.Axis(format="~%", values=[10.0**-power for power in range(10)]),
            ),
            color=alt.Color("kind:N", title=None, sort=["all", "read", "write"]),
            tooltip=[
                alt.Tooltip("kind:N", title="requests"),
                alt.Tooltip("latency_us:Q", title="latency (µs)", format=".4~r"),
                alt.Tooltip("slower:Q", title="share slower", format=".3~%"),
            ],
        )
    )
    return _spec(chart)


def blame(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where the time of the mean request and of the slowest hundredth went. None if nothing is charged."""
    rows = [
        (words(cause), kind, value, part)
        for cause, *pairs in terminal.blame_rows(data)
        for kind, (value, part) in zip(("mean", "slowest 1 %"), pairs, strict=True)
    ]
    if not rows:
        return None
    frame = pl.DataFrame(rows, schema=["cause", "kind", "time_us", "share"], orient="row")
    causes = list(dict.fromkeys(row[0] for row in rows))
    chart = (
        alt.Chart(frame, height=alt.Step(12), width="container")
        .mark_bar()
        .encode(
            y=alt.Y("cause:N", sort=causes, title=None),
            yOffset=alt.YOffset("kind:N", sort=["mean", "slowest 1 %"]),
            x=alt.X("time_us:Q", title="time of a request (µs)"),
            color=alt.Color("kind:N", title=None, sort=["mean", "slowest 1 %"]),
            tooltip=[
                alt.Tooltip("cause:N"),
                alt.Tooltip("kind:N", title="over"),
                alt.Tooltip("time_us:Q", title="time (µs)", format=".4~r"),
                alt.Tooltip("share:Q", title="share", format=".1%"),
            ],
        )
    )
    return _spec(chart)


def _exact_tail(requests: pl.DataFrame) -> Iterator[tuple[str, float, float]]:
    for kind in ("all", "read", "write"):
        chosen = requests if kind == "all" else requests.filter(pl.col("op") == kind)
        if kind != "all" and chosen.height in (0, requests.height):
            continue  # It would repeat the line of all.
        latencies = chosen["latency_us"].sort()
        count, last = latencies.len(), -1
        for step in range(_TAIL_POINTS_A_DECADE * len(str(count)) + 1):
            slower = 10 ** (-step / _TAIL_POINTS_A_DECADE)
            rank = min(int(count * (1 - slower)), count - 1)
            if rank > last:
                last = rank
                yield kind, max(float(latencies[rank]), 1e-6), (count - rank) / count


def _summary_tail(data: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    slower = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p99_9": 0.001, "p99_99": 0.0001}
    for kind, row in data["latency_us"].items():
        for key, part in slower.items():
            if row and row.get(key):
                yield kind, row[key], part


def _spec(chart: alt.Chart) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("config", None)  # Colours belong to the page, which follows light and dark.
    return spec
