"""Improvement by faster flash channels (Fig. 4).

Method: traffic of the 19 published profiles, and the same with half of the requests on one row of chips. They run on
the conventional drive of Table II with channels of 1, 1.25, 1.5, 1.75 and 2 GB/s. Improvements over 1 GB/s are shown
for the mean latency in an open loop at the published rates (RocksDB slowed to what the drive can carry) and for the
throughput in a closed loop of 64.

Assumptions: the paper does not say what its "performance" is, nor name its workloads; the closed loop is taken as for
Fig. 14. The host link, system bus and DRAM stay at Table II's 8 GB/s, which is also what eight channels of 1 GB/s
carry; a fresh drive, on which nothing is collected.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.networked_ssd.serving import (
    AVERAGE,
    BASE,
    MOST,
    TRAFFICS,
    WORKLOADS,
    drive,
    improvements,
    latency,
    traffic,
)
from canaletto_papers.venice.evaluation import CLOSED, LOADS, OPEN, OWN

RATES = ("1GB/s", "1.25GB/s", "1.5GB/s", "1.75GB/s", "2GB/s")
PUBLISHED = {("2GB/s", AVERAGE): 1.85, ("2GB/s", MOST): 6.0}
"""§III-B: twice the bandwidth gives 85 % on average and up to 6 times."""

SHADES = dict(zip(RATES, ("#c9d7e3", "#9cb8cf", "#6f99bb", "#437aa6", "#165b92"), strict=True))


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (kind, load, name, rate): Run(
            drive(BASE, **{"fabric.link_rate": rate}), traffic(name, kind, load, scale.of(30_000, 200))
        )
        for kind in TRAFFICS
        for load in LOADS
        for name in WORKLOADS[:: scale.of(1, 3)]
        for rate in RATES
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    values = {label: latency(data) if label[1] == OPEN else data["iops"] for label, data in found.items()}
    better: dict[Label, float] = {}
    for label, value in values.items():
        first = values[(*label[:3], RATES[0])]
        better[label] = first / value if label[1] == OPEN else value / first
    return improvements(values, better, PUBLISHED)


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for kind in TRAFFICS:
        for load in LOADS:
            shown = [row for row in rows if (row["traffic"], row["load"]) == (kind, load) and row["workload"] != MOST]
            what = "mean latency" if load == OPEN else "throughput"
            title = f"improvement of {what}, times"
            drawn[f"{kind}, {load}; red: published average"] = grouped(shown, "workload", title, SHADES)
    return drawn


STATED = Settings(("traffic", "load"), (OWN, CLOSED))

FIGURE = Figure("fig4", "Fig. 4: channels of up to twice the bandwidth", __doc__, runs, table, chart, STATED)
