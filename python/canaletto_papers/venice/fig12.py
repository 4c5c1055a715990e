"""Performance of mixed workloads (Fig. 12).

Method: the six mixes of Table 3 on the performance-optimized SSD: a flow for each constituent, all at the same time.
All times between arrivals are divided by one factor so that the mix arrives at Table 3's mean. Next to it stand the
mixes at their constituents' own rates, a closed loop of 64 requests, and scaled mixes of skewed traffic. Speedup is in
execution time over the baseline.

Assumptions: as in Fig. 9 and Table 3. Constituents send requests in the proportion of their rates, so that all are
active for about the whole run.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.bars import fabric_colours, grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.venice.evaluation import (
    AVERAGE,
    BASELINE,
    OWN,
    PERFORMANCE,
    SKEWED,
    SYSTEMS,
    against,
    compared,
    drive,
    execution_time,
    extent,
    seeds,
)
from canaletto_papers.venice.mixes import CLOSED, SCALED, TABLE3, UNSCALED, mixed

SHOWN = ((OWN, SCALED), (OWN, UNSCALED), (OWN, CLOSED), (SKEWED, SCALED))
HEADLINE = SHOWN[0]

VENICE_OVER = {"Baseline": 1.83, "pSSD": 1.81, "pnSSD": 1.80, "NoSSD": 1.63}
"""Mean speedups of Venice over these (§6.2)."""


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (PERFORMANCE, kind, load, name, system, str(seed)): Run(
            drive(PERFORMANCE, system), mixed(name, load, extent(scale, (kind, load) == HEADLINE), kind), seed
        )
        for kind, load in SHOWN
        for name in list(TABLE3)[:: scale.of(1, 3)]
        for system in SYSTEMS
        for seed in seeds(scale, (kind, load) == HEADLINE)
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows = [row for row in compared(found, execution_time, {}) if row["system"] != BASELINE]
    for other, published in VENICE_OVER.items():
        rows += against(found, execution_time, {(PERFORMANCE, "Venice", AVERAGE): published}, other)
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    shades = fabric_colours(SYSTEMS)
    title = "speedup over Baseline, times"
    drawn: dict[str, Spec] = {}
    for kind, load in SHOWN:
        shown = [
            {**row, "published": VENICE_OVER["Baseline"]}
            if (row["system"], row["workload"]) == ("Venice", AVERAGE)
            else row
            for row in rows
            if (row["traffic"], row["load"]) == (kind, load) and row["system"] in shades
        ]
        drawn[f"{kind}, {load}; red: published"] = grouped(shown, "workload", title, shades)
    return drawn


STATED = Settings(("traffic", "load"), (OWN, SCALED))

FIGURE = Figure("fig12", "Fig. 12: mixed workloads", __doc__, runs, table, chart, STATED)
