"""Throughput of every system on both SSDs (Fig. 10).

Method: requests a second of simulated time in the runs of Fig. 9, as a share of the ideal SSD's; then by how many
percent Venice's exceed each other system's, the mean over workloads of the ratios, less 100 %.

Assumptions: those of Fig. 9. The paper says that Venice comes "within 30 %" (performance-optimized) and "within 10 %"
(cost-optimized) of the ideal SSD: read as 0.7 and 0.9 of its throughput, averaged over workloads.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec
from canaletto.experiments.figure import Data, Figure, Label, Row
from canaletto.experiments.venice import fig9
from canaletto.experiments.venice.evaluation import AVERAGE, COST, PERFORMANCE, compared, matrix

PUBLISHED = {(PERFORMANCE, "Venice", AVERAGE): 0.7, (COST, "Venice", AVERAGE): 0.9}
"""Shares of the ideal SSD's throughput (§6.1): at least."""

VENICE_OVER = {
    "Baseline": {PERFORMANCE: 176.0, COST: 76.0},
    "pSSD": {PERFORMANCE: 120.0, COST: 58.0},
    "pnSSD": {PERFORMANCE: 113.0, COST: 61.0},
    "NoSSD": {PERFORMANCE: 102.0, COST: 51.0},
}
"""Percent by which Venice's throughput exceeds these (§6.1)."""


def throughput(data: Data, other: Data) -> float:
    """A run's requests a second over another's."""
    return float(data["iops"] / other["iops"])


def table(found: Mapping[Label, Data]) -> list[Row]:
    """Shares of the ideal SSD's throughput, then Venice's lead in percent."""
    rows = [row for row in compared(found, throughput, PUBLISHED, "ideal") if row["system"] != "ideal"]
    for other, published in VENICE_OVER.items():
        pair = {label: data for label, data in found.items() if label[4] in ("Venice", other)}
        for row in compared(pair, throughput, {}, other):
            if row["system"] != "Venice" or row["workload"] != AVERAGE:
                continue
            half = row["half_width"]
            percent = {"ours": 100 * (row["ours"] - 1), "half_width": None if half is None else 100 * half}
            rows.append({**row, **percent, "system": f"Venice over {other}, %", "published": published[row["ssd"]]})
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    """Bars in groups as in the paper."""
    return fig9.charts(rows, "IOPS over the ideal SSD's, times")


FIGURE = Figure("fig10", "Fig. 10: throughput on both SSDs", __doc__, matrix, table, chart)
