"""Causes of the differences from Fig. 14: one change at a time.

Method: the traffic of Fig. 14 in a closed loop of 64 on the drive of Table II, fresh. `ours` is the improvement of the
mean latency over baseSSD, averaged over the 19 workloads, after a change that baseSSD and the system undergo alike.
Changes: what limits data besides the channels (host link, system bus, DRAM), depth, the controller that serves a chip
of NoSSD, the allocation, imbalance, an open loop.

Assumptions: as in Fig. 14; fewer requests. Published: the averages of Fig. 14.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canaletto._report.charts import Spec

from canaletto_papers.bars import dots, fabric_colours
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import workload
from canaletto_papers.networked_ssd import fig14
from canaletto_papers.networked_ssd.collecting import SLOWED
from canaletto_papers.networked_ssd.serving import AVERAGE, BASE, SYSTEMS, UNLIMITED, WORKLOADS, drive
from canaletto_papers.venice.evaluation import OWN, QUEUE_DEPTH, SKEWED, TABLE2, UNIFORM, flows

HOST = {"link.lanes": UNLIMITED["link.lanes"]}
INSIDE = {key: value for key, value in UNLIMITED.items() if key not in HOST}
LEAST_LOADED = {"fabric.mesh.controller": "least-loaded"}


@dataclass(frozen=True)
class Change:
    keys: Mapping[str, Any] = field(default_factory=dict)
    depth: int | None = QUEUE_DEPTH
    """None: open loop at Table 2's rates."""
    traffic: str = OWN


CHANGES = {
    "none": Change(),
    "Table 2's means alone": Change(traffic=UNIFORM),
    "no limit at the host": Change(HOST),
    "no limit at system bus and DRAM": Change(INSIDE),
    "no limit at host, system bus and DRAM": Change(UNLIMITED),
    "no limit at host, system bus and DRAM; Table 2's means alone": Change(UNLIMITED, traffic=UNIFORM),
    "no limit at host, system bus and DRAM; QD 32": Change(UNLIMITED, depth=32),
    "no limit at host, system bus and DRAM; QD 16": Change(UNLIMITED, depth=16),
    "no limit at host, system bus and DRAM; least-loaded controllers": Change({**UNLIMITED, **LEAST_LOADED}),
    "least-loaded controllers": Change(LEAST_LOADED),
    "QD 8": Change(depth=8),
    "QD 256": Change(depth=256),
    "PWCD": Change({"ftl.allocation": "PWCD"}),
    "open loop": Change(depth=None),
    "open loop, no limit at host, system bus and DRAM": Change(UNLIMITED, depth=None),
    "1/2 on one row": Change(traffic=SKEWED),
    "1/2 on one row, no limit at host, system bus and DRAM": Change(UNLIMITED, traffic=SKEWED),
}


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for change, how in CHANGES.items():
        for name in WORKLOADS[:: scale.of(1, 6)]:
            gap = float(SLOWED[name].removesuffix("us")) if name in SLOWED else TABLE2[name][2]
            load: dict[str, Any] = {"inter_arrival_us": gap} if how.depth is None else {"queue_depth": how.depth}
            parts = flows(name, how.traffic, scale.of(10_000, 200), **load)
            work = workload(name, parts, partitioned=how.traffic == SKEWED)
            for system in SYSTEMS:
                found[change, "", name, system] = Run(drive(system, **how.keys), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {"change": row["traffic"], **{key: row[key] for key in ("system", "workload", "measured", "ours", "published")}}
        for row in fig14.table(found)
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    shown = [row for row in rows if row["workload"] == AVERAGE]
    title = "improvement of mean latency (times, logarithmic)"
    shades = {name: shade for name, shade in fabric_colours(SYSTEMS).items() if name != BASE}
    return {"averages over workloads; dashed: published": dots(shown, "change", title, shades)}


SETTINGS = Settings(("change",), of="fig14")
GRIDS = {"average": Grid("change", "system", {"workload": AVERAGE})}

FIGURE = Figure("causes", "Causes: I/O without collection", __doc__, runs, table, chart, SETTINGS, GRIDS)
