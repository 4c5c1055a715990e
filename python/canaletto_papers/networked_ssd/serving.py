"""Systems without garbage collection (§III, §VII-B)."""

from collections.abc import Mapping
from functools import cache
from statistics import fmean
from typing import Any

from canaletto._run import config
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Label, Row
from canaletto_papers.flows import workload
from canaletto_papers.networked_ssd.collecting import SLOWED
from canaletto_papers.venice.evaluation import CLOSED, OWN, QUEUE_DEPTH, SKEWED, TABLE2, flows

BASE = "baseSSD"
SYSTEMS = {
    BASE: "bus",
    "pSSD": "packetized",
    "pnSSD": "omnibus",
    "pnSSD (+split)": "omnibus-split",
    "NoSSD (pin-constraint)": "mesh-2bit",
    "NoSSD (no constraint)": "mesh",
}

WORKLOADS = tuple(TABLE2)
"""Not all of the paper's traces are named."""

UNLIMITED: dict[str, Any] = {"link.lanes": 32, "controller.system_bus": "0B/s", "controller.dram": "0B/s"}
"""A host link of 64 GB/s, a system bus and DRAM that take no time: 0 B/s stands for that."""

AVERAGE, MOST = "average", "most"
TRAFFICS = (OWN, SKEWED)


@cache
def drive(system: str, **keys: Any) -> Design:
    return config.quiet_design("networked-ssd", fabric=SYSTEMS[system], **keys)


@cache
def traffic(name: str, kind: str, load: str, requests: int) -> Workload:
    """Open loop at its published rate if the drive can carry that."""
    if load == CLOSED:
        parts = flows(name, kind, requests, queue_depth=QUEUE_DEPTH)
    else:
        slowed = SLOWED.get(name)
        gap = float(slowed.removesuffix("us")) if slowed else TABLE2[name][2]
        parts = flows(name, kind, requests, inter_arrival_us=gap)
    return workload(name, parts, partitioned=kind == SKEWED)


def latency(data: Data) -> float:
    return float(data["latency_us"]["all"]["mean"])


def improvements(
    values: Mapping[Label, float], better_by: Mapping[Label, float], published: Mapping[tuple[str, str], float]
) -> list[Row]:
    """Then averages, and published maxima.

    published: by system and `AVERAGE` or `MOST`.
    """
    rows: list[Row] = []
    for kind, load, system in dict.fromkeys((label[0], label[1], label[3]) for label in values):
        mine = [label for label in values if (label[0], label[1], label[3]) == (kind, load, system)]
        shared = {"traffic": kind, "load": load, "system": system}
        rows += [
            {**shared, "workload": label[2], "measured": values[label], "ours": better_by[label], "published": None}
            for label in mine
        ]
        found = [better_by[label] for label in mine]
        for what, ours in ((AVERAGE, fmean(found)), (MOST, max(found))):
            known = published.get((system, what))
            if what == AVERAGE or known is not None:
                rows.append({**shared, "workload": what, "measured": None, "ours": ours, "published": known})
    return rows
