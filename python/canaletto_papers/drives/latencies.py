"""Distribution of latencies, measured and ours.

Method: 4 KiB random reads of the 980 PRO by io_uring on one core, some 10,000 measured latencies a depth, next to the
preset's under the same job. Both are from the end of submission to completion. Requests are paired in the order of
their latencies, in 200 equal parts. Shown are the share of pairs that differ by at most 10 %, their mean difference
(Wasserstein distance), and the largest difference of the cumulative distributions (Kolmogorov-Smirnov).

Assumptions: as in `table-reads`. SPDK's percentiles on the same drive have two modes, 12.5 us apart, as two
sensing times of a page have; io_uring's have four, each of these twice, 5 us apart. That pair is the host's, then,
and one interrupt time for all requests has no such thing.
"""

from collections.abc import Mapping, Sequence

import altair as alt
from canaletto._report.charts import Spec, lines

from canaletto_papers.drives.drive import CUTS, HOSTS, IO_URING, TLC980, WithQuantiles, design, extent, requests
from canaletto_papers.drives.latencies_measured import quantiles_us
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Scale, seconds

MEASURED, OURS = "measured", "ours"
SHADES = {MEASURED: "#c1121f", OURS: "#2a6f97"}
DISTANCE, QUANTILE = "distance", "quantile"
WITHIN = 0.1


def runs(scale: Scale) -> dict[Label, WithQuantiles]:
    return {
        (str(depth),): WithQuantiles(design(TLC980, IO_URING), requests(extent(scale), "4KiB", depth))
        for depth in quantiles_us()
    }


def after_submission(data: Data) -> list[float] | None:
    found = data.get("quantiles_us")
    if found is None:
        return None
    submission = seconds(HOSTS[TLC980, IO_URING]["host.submit_time"]) * 1e6
    return [cut - submission for cut in found]


def share_within(ours: Sequence[float], measured: Sequence[float]) -> float:
    near = [abs(a / b - 1) <= WITHIN for a, b in zip(ours, measured, strict=True)]
    return sum(near) / len(near)


def wasserstein(ours: Sequence[float], measured: Sequence[float]) -> float:
    return sum(abs(a - b) for a, b in zip(ours, measured, strict=True)) / len(ours)


def kolmogorov_smirnov(ours: Sequence[float], measured: Sequence[float]) -> float:
    places = sorted([*ours, *measured])
    return max(abs(_below(ours, place) - _below(measured, place)) for place in places)


def _below(quantiles: Sequence[float], place: float) -> float:
    return sum(cut <= place for cut in quantiles) / len(quantiles)


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []

    def add(kind: str, depth: str, what: str, system: str, at: float | None, ours: float | None) -> None:
        rows.append(
            {
                "kind": kind,
                "depth": f"depth {depth}",
                "what": what,
                "system": system,
                "share": at,
                "ours": ours,
                "published": None,
            }
        )

    for (depth,), data in found.items():
        mine, theirs = after_submission(data), quantiles_us()[int(depth)]
        distances = {
            "share within 10 %": share_within,
            "Kolmogorov-Smirnov distance": kolmogorov_smirnov,
            "Wasserstein distance, us": wasserstein,
        }
        for what, distance in distances.items():
            add(DISTANCE, depth, what, OURS, None, None if mine is None else distance(mine, theirs))
    for (depth,), data in found.items():
        both = {MEASURED: quantiles_us()[int(depth)], OURS: after_submission(data) or ()}
        for system, quantiles in both.items():
            for number, cut in enumerate(quantiles):
                add(QUANTILE, depth, "latency, us", system, (number + 0.5) / CUTS, cut)
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn = [row for row in rows if row["kind"] == QUANTILE]
    x = alt.X("ours:Q", title="latency, us", scale=alt.Scale(zero=False, domain=[40, 140], clamp=True))
    y = alt.Y("share:Q", title="share of requests up to it", scale=alt.Scale(domain=[0, 1]))
    return {
        f"4 KiB random reads of the 980 PRO by io_uring, {depth}": lines(
            [row for row in drawn if row["depth"] == depth], x, y, SHADES, order="share"
        )
        for depth in dict.fromkeys(row["depth"] for row in drawn)
    }


FIGURE = Figure(
    "latencies",
    "Distribution of latencies",
    __doc__,
    runs,
    table,
    chart,
    grids={"": Grid("what", "depth", {"kind": DISTANCE})},
)
