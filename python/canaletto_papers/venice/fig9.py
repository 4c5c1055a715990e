"""Performance of every system on both SSDs (Fig. 9).

Method: execution time, from the first arrival to the last completion, of the 19 workloads of Table 2 on both drives of
Table 1. Drives are in the steady state of greedy collection, without write cache. Speedup is the baseline's execution
time over each system's, and averages are means of these ratios over workloads. The headline is traffic of the profiles,
open loop at Table 2's rates. Next to it stand a closed loop of 64 requests, and both loops with uniform traffic (Table
2's three means alone) and with skewed traffic (half of the requests go to one row of eight).

Assumptions: CWDP allocation (MQSim's default); 70 % of the addresses hold data (MQSim's sample workloads); 7 %
over-provisioning; bus 1.2 GB/s and links 1 GB/s (Table 1). The skew's share is ours. Full runs: 100,000 requests and
three seeds for the headline (bars on averages are their 95 % confidence intervals); 20,000 and one seed for other runs.
"Venice over X" is the mean of the ratios of execution times; "within 45 %" of the ideal SSD is also printed, against a
ratio of the printed means of 2.65 / 4.0.
"""

from collections.abc import Mapping, Sequence

from canaletto._report.charts import Spec

from canaletto_papers.bars import fabric_colours, grouped
from canaletto_papers.figure import Data, Figure, Label, Row
from canaletto_papers.venice.evaluation import (
    AS_PUBLISHED,
    AVERAGE,
    BASELINE,
    COST,
    FLAT,
    LOADS,
    MOST,
    OPEN,
    OWN,
    PERFORMANCE,
    SYSTEMS,
    against,
    compared,
    execution_time,
    matrix,
)

PUBLISHED = {
    (PERFORMANCE, "pSSD", AVERAGE): 1.27,
    (PERFORMANCE, "pnSSD", AVERAGE): 1.30,
    (PERFORMANCE, "NoSSD", AVERAGE): 1.35,
    (PERFORMANCE, "Venice", AVERAGE): 2.65,
    (PERFORMANCE, "Venice", MOST): 7.10,
    (PERFORMANCE, "ideal", AVERAGE): 4.0,
    (PERFORMANCE, "ideal", MOST): 11.74,
    (COST, "Venice", AVERAGE): 1.67,
    (COST, "Venice", MOST): 3.68,
}
"""Speedups over the baseline (§1, §3.3, §6.1)."""

VENICE_OVER = {
    "pSSD": {(PERFORMANCE, "Venice", AVERAGE): 2.10, (COST, "Venice", AVERAGE): 1.52},
    "pnSSD": {(PERFORMANCE, "Venice", AVERAGE): 2.00, (COST, "Venice", AVERAGE): 1.55},
    "NoSSD": {
        (PERFORMANCE, "Venice", AVERAGE): 1.92,
        (PERFORMANCE, "Venice", MOST): 4.30,
        (COST, "Venice", AVERAGE): 1.47,
        (COST, "Venice", MOST): 2.90,
    },
    "ideal": {(PERFORMANCE, "Venice", AVERAGE): 2.65 / 4.0},
}
"""Speedups of Venice over others (§1, §6.1); over the ideal SSD the ratio of the printed means."""


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows = compared(found, execution_time, PUBLISHED)
    for other, published in VENICE_OVER.items():
        rows += against(found, execution_time, published, other)
    return [row for row in rows if row["system"] != BASELINE]


def charts(rows: Sequence[Row], title: str, *, one: bool = True) -> dict[str, Spec]:
    shades = {name: shade for name, shade in fabric_colours(SYSTEMS).items() if any(r["system"] == name for r in rows)}
    drawn: dict[str, Spec] = {}
    for ssd in dict.fromkeys(row["ssd"] for row in rows):
        here = [row for row in rows if row["ssd"] == ssd and row["system"] in shades and row["workload"] != MOST]
        for load in LOADS:
            shown = [row for row in here if (row["traffic"], row["load"]) == (OWN, load)]
            at = "open loop at Table 2's rates" if load == OPEN else load
            drawn[f"{ssd}, {at}; red: published"] = grouped(shown, "workload", title, shades, one=one)
        averages = [{**row, "kind": f"{row['traffic']}, {row['load']}"} for row in here if row["workload"] == AVERAGE]
        drawn[f"{ssd}, averages over workloads; red: published"] = grouped(averages, "kind", title, shades, one=one)
    return drawn


def chart(rows: list[Row]) -> dict[str, Spec]:
    return charts(rows, "speedup over Baseline, times")


FIGURE = Figure("fig9", "Fig. 9: performance on both SSDs", __doc__, matrix, table, chart, AS_PUBLISHED, flat=FLAT)
