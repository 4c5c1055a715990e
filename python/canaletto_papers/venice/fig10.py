"""Throughput of every system on both SSDs (Fig. 10).

Method: requests per second of simulated time in the runs of Fig. 9, as a share of the ideal SSD's. Then follows
Venice's over each other system's, the mean over workloads of the ratios. The paper prints these less one, in percent
("176 %").

Assumptions: as in Fig. 9. The paper says that Venice comes "within 30 %" (performance-optimized) and "within 10 %"
(cost-optimized) of the ideal SSD: read as 0.7 and 0.9 of its throughput, averaged over workloads.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Label, Row
from canaletto_papers.venice import fig9
from canaletto_papers.venice.evaluation import AS_PUBLISHED, AVERAGE, COST, FLAT, PERFORMANCE, against, compared, matrix

PUBLISHED = {(PERFORMANCE, "Venice", AVERAGE): 0.7, (COST, "Venice", AVERAGE): 0.9}
"""Shares of the ideal SSD's throughput (§6.1): at least."""

VENICE_OVER = {
    "Baseline": {PERFORMANCE: 2.76, COST: 1.76},
    "pSSD": {PERFORMANCE: 2.20, COST: 1.58},
    "pnSSD": {PERFORMANCE: 2.13, COST: 1.61},
    "NoSSD": {PERFORMANCE: 2.02, COST: 1.51},
}
"""Venice's throughput over these (§6.1: 176, 120, 113 and 102 % more; 76, 58, 61 and 51 %)."""


def throughput(data: Data, other: Data) -> float:
    return float(data["iops"] / other["iops"])


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows = [row for row in compared(found, throughput, PUBLISHED, "ideal") if row["system"] != "ideal"]
    for other, published in VENICE_OVER.items():
        known = {(ssd, "Venice", AVERAGE): ratio for ssd, ratio in published.items()}
        rows += against(found, throughput, known, other)
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    return fig9.charts(rows, "IOPS over the ideal SSD's, times")


FIGURE = Figure("fig10", "Fig. 10: throughput on both SSDs", __doc__, matrix, table, chart, AS_PUBLISHED, flat=FLAT)
