"""Collection from chip to chip, next to host requests: spatial on Omnibus, and over Venice's circuits (Venice §8).

Method: half reads and half writes of 4 KiB at random places, 64 outstanding, on drives in their steady state. 16 data
pins per controller. `ours` is the mean over seeds, `half_width` of its 95 % confidence interval.

Assumptions: neither paper prints this comparison. The drive is the performance-optimized one of Venice with 64 blocks
of 64 pages per plane, so that a run sees several epochs, and 15 % of spare capacity.
"""

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any

from canaletto._run import confidence
from canaletto._run.config import Design, design

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import flow, workload

CASES: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "omnibus, through controllers": ("omnibus", "parallel", {"fabric.link_rate": "1.2GB/s"}),
    "omnibus, spatial": ("omnibus", "spatial", {"fabric.link_rate": "1.2GB/s"}),
    "venice, through controllers": ("venice", "parallel", {"fabric.network.link_rate": "2.4GB/s"}),
    "venice, circuits between chips": (
        "venice",
        "parallel",
        {"fabric.network.link_rate": "2.4GB/s", "fabric.network.chip_to_chip": True},
    ),
    "venice, circuits, spatial": (
        "venice",
        "spatial",
        {"fabric.network.link_rate": "2.4GB/s", "fabric.network.chip_to_chip": True},
    ),
}
QUANTITIES: Mapping[str, Callable[[Data], float]] = {
    "thousand requests per second": lambda data: data["iops"] / 1e3,
    "99th percentile of reads in us": lambda data: data["latency_us"]["read"]["p99"],
    "copied from chip to chip in %": lambda data: (
        100 * data["flash"]["gc"]["pages_copied_chip_to_chip"] / max(1, data["flash"]["gc"]["pages_copied"])
    ),
}


def drive(case: str) -> Design:
    fabric, scope, pins = CASES[case]
    small = {"geometry.blocks_per_plane": 64, "geometry.pages_per_block": 64, "ftl.overprovisioning": 0.15}
    steady = {"gc.scope": scope, "ftl.write_placement": "dynamic", "precondition.kind": "steady"}
    return design("performance-optimized", fabric=fabric, **pins, **small, **steady)


def runs(scale: Scale) -> dict[Label, Run]:
    shape = {"requests": scale.of(30_000, 10_000), "read_share": 0.5, "size": "4KiB", "queue_depth": 64}
    work = workload("mixed", [flow("host", shape)])
    seeds = (1,) if scale.quick else range(1, scale.seeds + 1)
    return {(case, str(seed)): Run(drive(case), work, seed) for case in CASES for seed in seeds}


def table(found: Mapping[Label, Data]) -> list[Row]:
    """One line per way of collecting and quantity."""
    rows: list[Row] = []
    for quantity, measured in QUANTITIES.items():
        for case in CASES:
            values = [measured(data) for (name, _), data in found.items() if name == case]
            rows.append(
                {
                    "system": case,
                    "quantity": quantity,
                    "ours": fmean(values),
                    "half_width": confidence.half_width(values),
                    "published": None,
                }
            )
    return rows


FIGURE = Figure(
    "collection",
    "Collection from chip to chip on Omnibus and on Venice, next to host requests",
    __doc__,
    runs,
    table,
    lambda _: None,
    settings=Settings(("system",)),
)
