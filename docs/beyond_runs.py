from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import canaletto as cn
from canaletto._run.equal import CROSSBAR, Equalised, equalised
from canaletto._run.simulate import run_once
from canaletto_papers.flows import flow, workload

LATE = "late split"
PINS = 16
PAGE_BYTES = 4096

# Nothing but the fabric limits: all wires as fast as those of buses, a host that takes everything, and commands first.
BASE: dict[str, Any] = {
    "fabric.transfer_order": "commands-first",
    "fabric.network.link_rate": "1.2GB/s",
    "link.lanes": 16,
    "link.lane_rate": "8GB/s",
    "host.queues_per_flow": 16,
}

PAPERS = ("bus", "sca", "packetized", "omnibus", "omnibus-split", "mesh", "venice")
OURS: dict[str, dict[str, Any]] = {
    LATE: {"fabric": "omnibus", "fabric.omnibus.late_split": "1KiB"},
    "scheduled-mesh": {"fabric": "scheduled-mesh"},
    "clusters": {"fabric": "clusters"},
}
KEYS: dict[str, dict[str, Any]] = {**{name: {"fabric": name} for name in PAPERS}, **OURS}
FABRICS = (*KEYS, "ideal", CROSSBAR)


@dataclass(frozen=True)
class Kind:
    reads: float
    requests: int
    keys: tuple[tuple[str, Any], ...] = ()


# Programs of 10 us, so that 128 planes take more writes than the wires carry (100 us: 5.2 GB/s).
QUICK = {"flash.program": "10us"}
# 128 planes of 64 blocks of 32 pages, in the steady state of collection.
FULL = {
    **QUICK,
    "flash.erase": "100us",
    "geometry.blocks_per_plane": 64,
    "geometry.pages_per_block": 32,
    "ftl.overprovisioning": 0.25,
    "gc.threshold": 0.1,
    "gc.hard_threshold": 0.05,
    "precondition.kind": "steady",
}
KINDS = {
    "reads": Kind(1.0, 60_000),
    "writes": Kind(0.0, 60_000, tuple(QUICK.items())),
    "mixed": Kind(0.5, 60_000, tuple(QUICK.items())),
    "collecting": Kind(0.5, 60_000, tuple(FULL.items())),
}

ROW = {"hot_spot": {"at": "channel", "share": 0.5}}
LATIN = {"ftl.numbering": "latin"}
PLACES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "uniform": ({}, {}),
    "half on a row": (ROW, {}),
    "half on a row, Latin": (ROW, LATIN),
    "a quarter on a chip": ({"hot_spot": {"at": "chip", "share": 0.25}}, {}),
    "half on the worst line": ({"hot_spot": {"at": "worst-line", "share": 0.5}}, LATIN),
}

DEPTH = 256
STEPS = 8


def at_equal_pins(base: cn.Design) -> dict[str, cn.Design]:
    found = counted(base)
    designs = dict(zip(KEYS, found.designs, strict=True))
    return {**designs, "ideal": base.replace(fabric="ideal"), CROSSBAR: found.crossbar}


def counted(base: cn.Design) -> Equalised:
    return equalised([base.replace(**keys) for keys in KEYS.values()], f"pins={PINS}", "pins")


@cache
def drives(kind: str, place: str) -> Mapping[str, cn.Design]:
    keys = {**BASE, **dict(KINDS[kind].keys), **PLACES[place][1]}
    return at_equal_pins(cn.design("performance-optimized").replace(**keys))


def result(design: cn.Design, work: cn.Workload) -> dict[str, Any]:
    return run_once(design, work, 1, 0, False, None)[0]


def work(kind: str, place: str, pace: Mapping[str, Any], requests: int | None = None) -> cn.Workload:
    page = {"size": f"{PAGE_BYTES}B", "alignment": f"{PAGE_BYTES}B", **PLACES[place][0]}
    shape = {"requests": requests or KINDS[kind].requests, "read_share": KINDS[kind].reads}
    return workload(kind, [flow(kind, {**shape, **page, **pace})])


def between(rate: float) -> str:
    return f"{1e12 / rate:.0f}ps"


@cache
def closed(fabric: str, kind: str, place: str) -> dict[str, Any]:
    return result(drives(kind, place)[fabric], work(kind, place, {"queue_depth": DEPTH}))


@cache
def idle_us(fabric: str, kind: str) -> float:
    alone = work(kind, "uniform", {"queue_depth": 1}, 500)
    return mean_us(result(drives(kind, "uniform")[fabric], alone))


@cache
def opened(fabric: str, kind: str, place: str, rate: float) -> dict[str, Any] | None:
    if rate > closed(fabric, kind, place)["iops"]:
        return None
    return result(drives(kind, place)[fabric], work(kind, place, {"inter_arrival": between(rate)}))


@cache
def knee(fabric: str, kind: str, place: str, idle_of: str = "") -> float:
    def waits(rate: float) -> float:
        return waits_us(fabric, kind, place, rate)

    return highest(waits, 2 * idle_us(idle_of or fabric, kind), closed(fabric, kind, place)["iops"])


@cache
def waits_us(fabric: str, kind: str, place: str, rate: float) -> float:
    return mean_us(result(drives(kind, place)[fabric], work(kind, place, {"inter_arrival": between(rate)})))


def mean_us(found: Mapping[str, Any]) -> float:
    return float(found["latency_us"]["all"]["mean"])


def highest(waits: Callable[[float], float], limit: float, most: float) -> float:
    """The highest rate up to `most` within a limit of waiting, to 1/256."""
    if waits(most) <= limit:
        return most
    low, high = 0.0, most
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if waits(middle) <= limit else (low, middle)
    return low


def gb(rate: float) -> float:
    return rate * PAGE_BYTES / 1e9
