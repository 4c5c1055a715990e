"""Characteristics of the workloads (Table 2).

Method: what the shipped profiles' generators made in the runs of Fig. 9 (baseline, performance-optimized, open loop):
share of reads, mean request size, and mean time between arrivals, counted over the run's arrivals.

Assumptions: the paper's KB are 1,000 bytes. The profiles are traffic like the traces', not the traces; what of them is
published, fitted or assumed, the presets say.
"""

from collections.abc import Mapping
from statistics import fmean

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.venice.evaluation import BASELINE, OPEN, OWN, PERFORMANCE, TABLE2, matrix

WHAT = ("reads, %", "mean size, KB", "mean time between arrivals, us")


def runs(scale: Scale) -> dict[Label, Run]:
    found = matrix(scale, [PERFORMANCE], [BASELINE])
    return {label: run for label, run in found.items() if label[1:3] == (OWN, OPEN)}


def measured(data: Data) -> tuple[float, float, float]:
    made = data["requests"]
    arrivals, interval = data["series"]["arrivals"], data["series"]["interval_us"]
    # Arrivals end within the last interval that has any; those before it are whole.
    whole = max(place for place, count in enumerate(arrivals) if count)
    between = whole * interval / sum(arrivals[:whole]) if whole else data["execution_time_us"] / made["generated"]
    return 100 * made["reads"] / made["completed"], made["bytes"] / made["completed"] / 1e3, between


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for name in dict.fromkeys(label[3] for label in found):
        published = TABLE2[name]
        each = [measured(data) for label, data in found.items() if label[3] == name]
        for what, ours, theirs in zip(WHAT, zip(*each, strict=True), published, strict=True):
            rows.append({"workload": name, "what": what, "ours": fmean(ours), "published": float(theirs)})
    return rows


def chart(_: list[Row]) -> None:
    """The paper prints a table."""


FIGURE = Figure(
    "table2", "Table 2: characteristics of the workloads", __doc__, runs, table, chart, is_counted=True, is_given=True
)
