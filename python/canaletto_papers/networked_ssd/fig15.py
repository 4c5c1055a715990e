"""Throughput without garbage collection (Fig. 15).

Method: requests per second of simulated time in the runs of Fig. 14, divided by baseSSD's. An open loop asks for the
same on every system, so that only the closed loop tells them apart where none is saturated.

Assumptions: as in Fig. 14; the paper does not say how its traces are replayed. "13.5x" is pnSSD (+split) over NoSSD
(pin-constraint).
"""

from collections.abc import Mapping
from statistics import fmean

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Label, Row
from canaletto_papers.networked_ssd import fig14
from canaletto_papers.networked_ssd.serving import AVERAGE, BASE, SYSTEMS, TRAFFICS, improvements
from canaletto_papers.venice.evaluation import LOADS

PUBLISHED = {("pSSD", AVERAGE): 1.69, ("pnSSD (+split)", AVERAGE): 1.82}
SPLIT, PIN = "pnSSD (+split)", "NoSSD (pin-constraint)"
SPLIT_OVER_PIN = 13.5
"""§VII-B."""


def table(found: Mapping[Label, Data]) -> list[Row]:
    values = {label: float(data["iops"]) for label, data in found.items()}
    better = {label: value / values[(*label[:3], BASE)] for label, value in values.items()}
    rows = [row for row in improvements(values, better, PUBLISHED) if row["system"] != BASE]
    names = list(dict.fromkeys(label[2] for label in found))
    for kind in TRAFFICS:
        for load in LOADS:
            each = [values[kind, load, name, SPLIT] / values[kind, load, name, PIN] for name in names]
            shared = {"traffic": kind, "load": load, "system": f"{SPLIT} over {PIN}", "workload": AVERAGE}
            rows.append({**shared, "measured": None, "ours": fmean(each), "published": SPLIT_OVER_PIN})
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    return fig14.bars([row for row in rows if row["system"] in SYSTEMS], "improvement of throughput, times")


FIGURE = Figure(
    "fig15", "Fig. 15: throughput without garbage collection", __doc__, fig14.runs, table, chart, fig14.STATED
)
