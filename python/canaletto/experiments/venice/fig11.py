"""Tail latency of two workloads (Fig. 11).

Method: the distribution of latency, arrival to completion, of src1_0 and hm_0 in the runs of Fig. 9 on the
performance-optimized SSD; the curves are those of the profiles at Table 2's rates, the mean over seeds at each
percentile. Beside it Venice's reduction of the 99th percentile below each system's, in percent, with every traffic
and load.

Assumptions: those of Fig. 9.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import altair as alt

from canaletto._report.charts import Spec
from canaletto.experiments.bars import fabric_colours, grouped, lines
from canaletto.experiments.figure import Data, Figure, Label, Row, Run, Scale
from canaletto.experiments.venice.evaluation import LOADS, OPEN, OWN, PERFORMANCE, SYSTEMS, TRAFFICS, matrix

WORKLOADS = ("src1_0", "hm_0")

PUBLISHED = {
    ("src1_0", "Baseline"): 32.0,
    ("src1_0", "pSSD"): 31.0,
    ("src1_0", "pnSSD"): 30.0,
    ("src1_0", "NoSSD"): 27.0,
    ("hm_0", "Baseline"): 22.0,
    ("hm_0", "pSSD"): 21.0,
    ("hm_0", "pnSSD"): 18.0,
    ("hm_0", "NoSSD"): 17.0,
}
"""Percent by which Venice's 99th percentile is below (§6.1)."""

PERCENTILES = (*range(90, 99), *(99 + tenth / 10 for tenth in range(0, 10)))


def runs(scale: Scale) -> dict[Label, Run]:
    """The two workloads on the performance-optimized drive."""
    return {label: run for label, run in matrix(scale, [PERFORMANCE]).items() if label[3] in WORKLOADS}


def percentile(tail: Sequence[tuple[float, float]], percent: float) -> float:
    """The latency that this share of requests does not exceed, from the points (share slower, latency) of a tail."""
    return next((latency for slower, latency in tail if slower <= 1 - percent / 100 + 1e-12), tail[-1][1])


def table(found: Mapping[Label, Data]) -> list[Row]:
    """A line a workload, traffic, load, system and percentile (of the headline; else the 99th alone)."""
    rows: list[Row] = []
    for name in WORKLOADS:
        for kind in TRAFFICS:
            for load in LOADS:
                for percent in PERCENTILES if (kind, load) == (OWN, OPEN) else (99.0,):
                    at = {
                        system: fmean(
                            data["latency_us"]["all"]["p99"] if percent == 99 else percentile(data["tail_us"], percent)
                            for label, data in found.items()
                            if label[1:5] == (kind, load, name, system)
                        )
                        for system in SYSTEMS
                    }
                    rows += [
                        {
                            "workload": name,
                            "traffic": kind,
                            "load": load,
                            "system": f"Venice below {system}, %" if percent == 99 else system,
                            "percentile": float(percent),
                            "latency_us": latency,
                            "ours": 100 * (1 - at["Venice"] / latency),
                            "published": PUBLISHED.get((name, system)) if percent == 99 else None,
                        }
                        for system, latency in at.items()
                    ]
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    """The upper end of each distribution."""
    shades = fabric_colours(SYSTEMS)
    drawn: dict[str, Spec] = {}
    for name in WORKLOADS:
        shown = [
            {**row, "system": row["system"].removeprefix("Venice below ").removesuffix(", %")}
            for row in rows
            if (row["workload"], row["traffic"], row["load"]) == (name, OWN, OPEN)
        ]
        x = alt.X("latency_us:Q", title="latency (us)", scale=alt.Scale(zero=False))
        y = alt.Y("percentile:Q", title="requests no slower (%)", scale=alt.Scale(domain=[90, 100]))
        drawn[f"{name}, open loop at Table 2's rates"] = lines(shown, x, y, shades, order="percentile")
        reductions = [
            {"system": row["system"], "ours": row["ours"], "published": row["published"]}
            for row in shown
            if row["percentile"] == 99 and row["published"] is not None
        ]
        drawn[f"{name}: how far Venice's 99th percentile is below; red: published"] = reduction(reductions)
    return drawn


def reduction(rows: list[Row]) -> Spec:
    """A bar a system."""
    return grouped(
        [{**row, "what": "99th percentile"} for row in rows],
        "what",
        "Venice below it, %",
        fabric_colours(SYSTEMS),
        one=False,
    )


FIGURE = Figure("fig11", "Fig. 11: tail latency of two workloads", __doc__, runs, table, chart)
