"""I/O latency without garbage collection (Fig. 14).

Method: traffic of the 19 published profiles on the drive of Table II with each interconnect of Table III; the
improvement is the mean latency of baseSSD divided by each system's. A closed loop of 64. Next to it an open loop at the
published rates (RocksDB slowed to what the drive can carry), and both with half of the requests on one row of chips.

Assumptions: the paper does not say how its traces are replayed. Its improvements of latency (1.69, 1.82) equal its
improvements of throughput (Fig. 15), as in a closed loop, where one is the other's inverse (Little's law). So a closed
loop is taken as stated, and 64 as its depth assumed. The traces are not all named; PCWD allocation; a fresh drive:
nothing is collected. "Approximately 4x performance degradation" is read as 0.25.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.bars import fabric_colours, grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.networked_ssd.serving import (
    AVERAGE,
    BASE,
    SYSTEMS,
    TRAFFICS,
    WORKLOADS,
    drive,
    improvements,
    latency,
    traffic,
)
from canaletto_papers.venice.evaluation import CLOSED, LOADS, OWN

PUBLISHED = {
    ("pSSD", AVERAGE): 1.69,
    ("pnSSD", AVERAGE): 1.60,
    ("pnSSD (+split)", AVERAGE): 1.82,
    ("NoSSD (no constraint)", AVERAGE): 1.40,
    ("NoSSD (pin-constraint)", AVERAGE): 0.25,
}
"""§VII-B."""


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (kind, load, name, system): Run(drive(system), traffic(name, kind, load, scale.of(30_000, 200)))
        for kind in TRAFFICS
        for load in LOADS
        for name in WORKLOADS[:: scale.of(1, 3)]
        for system in SYSTEMS
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    values = {label: latency(data) for label, data in found.items()}
    better = {label: values[(*label[:3], BASE)] / value for label, value in values.items()}
    return [row for row in improvements(values, better, PUBLISHED) if row["system"] != BASE]


def bars(rows: list[Row], title: str) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for kind in TRAFFICS:
        for load in LOADS:
            shown = [row for row in rows if (row["traffic"], row["load"]) == (kind, load)]
            caption = f"{kind}, {load}; red: published averages"
            drawn[caption] = grouped(shown, "workload", title, fabric_colours(SYSTEMS))
    return drawn


def chart(rows: list[Row]) -> dict[str, Spec]:
    return bars(rows, "improvement of mean latency, times")


STATED = Settings(("traffic", "load"), (OWN, CLOSED))

FIGURE = Figure("fig14", "Fig. 14: I/O latency without garbage collection", __doc__, runs, table, chart, STATED)
