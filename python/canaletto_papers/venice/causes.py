"""Causes of the differences from the paper: one change at a time.

Method: the profiles of all 19 workloads on both SSDs, in a closed loop of 64 requests unless a change says otherwise.
`ours` is the speedup in execution time over the baseline, averaged over workloads, after a change of the drive or of
the traffic that the baseline and the system undergo alike (or each as the change says).

Assumptions: as in Fig. 9; fewer requests, one seed. Systems that a change does not concern are left out of it.
Published: the numbers of Fig. 9. Fig. 3 speaks against held paths: its two reads of one channel overlap their array
times (`fig3` has both).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from canaletto._report.charts import Spec
from canaletto._run.config import Workload

from canaletto_papers.bars import dots, fabric_colours
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import workload
from canaletto_papers.venice import fig9
from canaletto_papers.venice.evaluation import (
    AVERAGE,
    BASELINE,
    COST,
    MOST,
    OWN,
    PERFORMANCE,
    QUEUE_DEPTH,
    SKEWED,
    SSDS,
    SYSTEMS,
    TABLE2,
    UNIFORM,
    drive,
    flows,
    shown,
)

Keys = Mapping[str, Any]

UNLIMITED: Keys = {"link.lanes": 16, "link.lane_rate": "8GB/s"}

AGAINST_HELD = "against it: the example of Fig. 3 overlaps array times, which held paths do not allow (fig3)"

COMPARED = tuple(system for system in SYSTEMS if system != BASELINE)
SINGLE_PATH = ("pSSD", "pnSSD", "Venice", "ideal")
"""Packets of a mesh hold none, halves of a page take two."""


@dataclass(frozen=True)
class Change:
    keys: Keys = field(default_factory=dict)
    of: Mapping[str, Keys] = field(default_factory=dict)
    depth: int = QUEUE_DEPTH
    rate: float | None = None
    hot_share: float | None = None
    traffic: str = OWN
    systems: tuple[str, ...] = COMPARED
    ssds: tuple[str, ...] = (PERFORMANCE,)
    against: str | None = None
    """Words of the paper that do not fit it."""

    def drive_keys(self, system: str) -> dict[str, Any]:
        return {**self.keys, **self.of.get(system, {})}

    def workload(self, name: str, requests: int) -> Workload:
        kind = self.traffic if self.hot_share is None else SKEWED
        load = {"queue_depth": self.depth} if self.rate is None else {"inter_arrival_us": TABLE2[name][2] / self.rate}
        return _workload(name, kind, requests, hot_share=self.hot_share or 0.0, **load)


@cache
def _workload(name: str, kind: str, requests: int, **load: Any) -> Workload:
    return workload(name, flows(name, kind, requests, **load), partitioned=kind == SKEWED)


def _held(how: str, systems: tuple[str, ...]) -> dict[str, Keys]:
    return {system: {"fabric.hold_path": how} for system in systems}


BUSES = (BASELINE, "pSSD", "pnSSD")
ALL_HOLD = Change(of=_held("always", (BASELINE, *SINGLE_PATH)), systems=SINGLE_PATH, against=AGAINST_HELD)
READS_HOLD = replace(ALL_HOLD, of=_held("reads", (BASELINE, *SINGLE_PATH)))
BUSES_HOLD = Change(of=_held("always", BUSES), against=AGAINST_HELD)
BUSES_HOLD_READS = Change(UNLIMITED, of=_held("reads", BUSES), against=AGAINST_HELD)
SLOW = {"fabric.link_rate": "0.333GB/s"}

CHANGES: dict[str, Change] = {
    "none": Change(ssds=SSDS),
    "Table 2's means alone": Change(traffic=UNIFORM, ssds=SSDS),
    "no limit at the host": Change(UNLIMITED, ssds=SSDS),
    "links 1.2 GB/s": Change({"fabric.network.link_rate": "1.2GB/s"}, systems=("NoSSD", "Venice")),
    "channels and links 0.4 GB/s": Change({"fabric.link_rate": "0.4GB/s", "fabric.network.link_rate": "0.4GB/s"}),
    "channels 0.333 GB/s (MQSim's), links 1 GB/s": Change(SLOW, ssds=SSDS),
    "channels 0.166 GB/s, links 1 GB/s, no limit at the host": Change({**UNLIMITED, "fabric.link_rate": "0.166GB/s"}),
    "QD 8": Change(depth=8),
    "QD 256": Change(depth=256),
    "open loop": Change(rate=1, ssds=SSDS),
    "open loop, 10 times as fast": Change(rate=10, ssds=SSDS),
    "open loop, 30 times as fast": Change(rate=30),
    "open loop, 100 times as fast, no limit at the host": Change(UNLIMITED, rate=100),
    "commands first": Change({"fabric.transfer_order": "commands-first"}),
    "WCDP": Change({"ftl.allocation": "WCDP"}),
    "chips busy until data out": Change({"flash.busy_until_data_out": True}),
    "mapping cache 2 MiB": Change({"mapping.cache_capacity": "2MiB"}),
    "write cache 256 MiB": Change({"cache.capacity": "256MiB"}),
    "95 % of the addresses in use": Change({"precondition.occupancy": 0.95}),
    "ECC 5 us": Change({"controller.ecc_latency": "5us"}),
    "least-loaded controllers": Change({"fabric.mesh.controller": "least-loaded"}, systems=("NoSSD",)),
    "controllers on both edges": Change({"fabric.network.controllers": "alternating"}, systems=("NoSSD", "Venice")),
    "atomic scouts": Change({"fabric.venice.scouts": "atomic"}, systems=("Venice",)),
    "scouts at once again": Change({"fabric.venice.retry": "immediate"}, systems=("Venice",)),
    "scouts with an oracle": Change({"fabric.venice.retry": "oracle"}, systems=("Venice",)),
    "circuits end at once": Change({"fabric.venice.tear_down": "wire"}, systems=("Venice",)),
    "scouts with an oracle, circuits end at once": Change(
        {"fabric.venice.retry": "oracle", "fabric.venice.tear_down": "wire"}, systems=("Venice",)
    ),
    "1/2 on one row": Change(hot_share=1 / 2, ssds=SSDS),
    "7/8 on one row": Change(hot_share=7 / 8),
    "7/8 on one row, no limit at the host": Change(UNLIMITED, hot_share=7 / 8),
    "all hold": replace(ALL_HOLD, ssds=SSDS),
    "all hold, 1/2 on one row": replace(ALL_HOLD, hot_share=1 / 2),
    "all hold, open loop, 30 times as fast": replace(ALL_HOLD, rate=30),
    "all hold, open loop, 100 times as fast": replace(ALL_HOLD, rate=100),
    "reads hold": READS_HOLD,
    "reads hold, no limit at the host": replace(READS_HOLD, keys=UNLIMITED, ssds=SSDS),
    "buses hold, others release, open loop, 30 times as fast": replace(BUSES_HOLD, rate=30, ssds=SSDS),
    "buses hold reads, others release, no limit at the host": BUSES_HOLD_READS,
    "buses hold reads, others release, no limit at the host, open loop, 10 times as fast": replace(
        BUSES_HOLD_READS, rate=10, ssds=SSDS
    ),
    "Venice holds reads, others release": Change(
        of=_held("reads", ("Venice",)), systems=("Venice",), against=AGAINST_HELD
    ),
}

REQUESTS, QUICK = 10_000, 200


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (ssd, change, "", name, system, "1"): Run(
            drive(ssd, system, **how.drive_keys(system)), how.workload(name, scale.of(REQUESTS, QUICK))
        )
        for change, how in CHANGES.items()
        for ssd in how.ssds
        for name in shown(scale)
        for system in (BASELINE, *how.systems)
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "change": row["traffic"],
            "against": CHANGES[row["traffic"]].against,
            **{key: row[key] for key in ("ssd", "system", "workload", "ours", "published")},
        }
        for row in fig9.table(found)
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    shades = fabric_colours({system: SYSTEMS[system] for system in COMPARED})
    title = "speedup over Baseline (times, logarithmic)"
    drawn: dict[str, Spec] = {}
    for ssd in SSDS:
        here = [row for row in rows if row["ssd"] == ssd and row["workload"] == AVERAGE and row["system"] in shades]
        if here:
            drawn[f"{ssd}, averages over workloads; dashed: published"] = dots(here, "change", title, shades)
    return drawn


GRIDS = {
    f"{ssd}, {what}": Grid("change", "system", {"ssd": ssd, "workload": what})
    for ssd in (PERFORMANCE, COST)
    for what in (AVERAGE, MOST)
}

SETTINGS = Settings(("change",), of="fig9", beside=("ssd",), against="against")

FIGURE = Figure("causes", "Causes: one change at a time", __doc__, runs, table, chart, SETTINGS, GRIDS)
