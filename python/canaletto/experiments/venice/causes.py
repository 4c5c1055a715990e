"""Causes of the differences from the paper: one change at a time.

Method: the profiles of all 19 workloads on the performance-optimized SSD in a closed loop of 64 requests; speedup in
execution time over the baseline, averaged over workloads, before and after one change of the drive or of the traffic
that both the baseline and the system undergo. Changes: the links of the networks as fast as the channels (1.2 instead
of 1 GB/s); channels and links of 0.4 GB/s; a host link that never limits; the path held through array time; other
queue depths; an open loop at the published rates, and faster ones; commands before data; striping over a row's chips
first (WCDP); half and seven eighths of the requests on one row; scouts that search at one moment; scouts sent again
at once; controllers on both edges; and some of them together.

Assumptions: those of Fig. 9; fewer requests, one seed. Systems that a change does not concern are left out of it.
Published: the averages of Fig. 9.
"""

from collections.abc import Mapping
from statistics import fmean
from typing import Any

from canaletto._report.charts import Spec
from canaletto.experiments.bars import fabric_colours, grouped
from canaletto.experiments.figure import Data, Figure, Label, Row, Run, Scale
from canaletto.experiments.flows import workload
from canaletto.experiments.venice import fig9
from canaletto.experiments.venice.evaluation import (
    AVERAGE,
    BASELINE,
    HOT_SHARE,
    OWN,
    PERFORMANCE,
    QUEUE_DEPTH,
    SKEWED,
    SYSTEMS,
    TABLE2,
    drive,
    execution_time,
    flows,
)

NONE, HELD, HELD_HOT = "none", "path held", "path held, 1/2 on one row"
UNLIMITED = {"link.lanes": 16, "link.lane_rate": "8GB/s"}
SLOW = {"fabric.link_rate": "0.4GB/s", "fabric.network.link_rate": "0.4GB/s"}

DRIVES: dict[str, dict[str, Any]] = {
    NONE: {},
    "links 1.2 GB/s": {"fabric.network.link_rate": "1.2GB/s"},
    "channels and links 0.4 GB/s": SLOW,
    "no limit at the host": UNLIMITED,
    HELD: {"fabric.hold_path": "always"},
    HELD_HOT: {"fabric.hold_path": "always"},
    "commands first": {"fabric.transfer_order": "commands-first"},
    "WCDP": {"ftl.allocation": "WCDP"},
    "atomic scouts": {"fabric.venice.scouts": "atomic"},
    "scouts at once again": {"fabric.venice.retry": "immediate"},
    "controllers on both edges": {"fabric.network.controllers": "alternating"},
    "7/8 on one row, no limit at the host": UNLIMITED,
    "7/8 on one row, links 1.2 GB/s, no limit at the host": {**UNLIMITED, "fabric.network.link_rate": "1.2GB/s"},
}
"""Changes of the drive."""

DEPTHS = {"QD 8": 8, "QD 256": 256}
RATES = {"open loop": 1, "open loop, 10 times as fast": 10, "open loop, 1,000 times as fast": 1000}
"""Arrival rates as multiples of Table 2's."""

HOT = {
    "1/2 on one row": 1 / 2,
    HELD_HOT: 1 / 2,
    "7/8 on one row": 7 / 8,
    "7/8 on one row, no limit at the host": 7 / 8,
    "7/8 on one row, links 1.2 GB/s, no limit at the host": 7 / 8,
}
"""Share of the requests on one row of eight."""

COMPARED = tuple(system for system in SYSTEMS if system != BASELINE)

ONLY = {
    **dict.fromkeys((HELD, HELD_HOT), ("pSSD", "pnSSD", "Venice", "ideal")),
    "links 1.2 GB/s": ("NoSSD", "Venice"),
    "controllers on both edges": ("NoSSD", "Venice"),
    "atomic scouts": ("Venice",),
    "scouts at once again": ("Venice",),
}
"""Systems that a change applies to, where not to all: packets of a mesh hold no path, halves of a page take two."""

CHANGES = tuple(dict.fromkeys([*DRIVES, *DEPTHS, *RATES, *HOT]))


def runs(scale: Scale) -> dict[Label, Run]:
    """Every workload (every third with --quick) under every change on every system."""
    found: dict[Label, Run] = {}
    for change in CHANGES:
        kind = SKEWED if change in HOT else OWN
        depth, hot_share = DEPTHS.get(change, QUEUE_DEPTH), HOT.get(change, HOT_SHARE)
        for name in list(TABLE2)[:: scale.of(1, 3)]:
            load: dict[str, Any] = {"queue_depth": depth}
            if change in RATES:
                load = {"inter_arrival_us": TABLE2[name][2] / RATES[change]}
            parts = flows(name, kind, scale.of(20_000, 200), hot_share=hot_share, **load)
            work = workload(name, parts, partitioned=kind == SKEWED)
            for system in (BASELINE, *ONLY.get(change, COMPARED)):
                found[change, name, system] = Run(drive(PERFORMANCE, system, **DRIVES.get(change, {})), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    """A line a change and system; `ours` is the average speedup after the change."""
    names = list(dict.fromkeys(label[1] for label in found))

    def speedup(change: str, system: str) -> float:
        each = [execution_time(found[change, name, system], found[change, name, BASELINE]) for name in names]
        return fmean(each)

    return [
        {
            "change": change,
            "system": system,
            "before": speedup(NONE, system),
            "ours": speedup(change, system),
            "published": fig9.PUBLISHED.get((PERFORMANCE, system, AVERAGE)),
        }
        for change in CHANGES
        for system in ONLY.get(change, COMPARED)
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    """Bars in groups of a change."""
    shades = fabric_colours(SYSTEMS)
    title = "speedup over Baseline, times"
    return {"averages over workloads, closed loop; red: published": grouped(rows, "change", title, shades)}


FIGURE = Figure("causes", "Causes: one change at a time", __doc__, runs, table, chart)
