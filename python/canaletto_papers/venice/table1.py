"""Evaluated configurations (Table 1).

Method: what the shipped presets `performance-optimized` and `cost-optimized` say, and what follows from it; the link of
Venice's network in the same way. A read of one page on the idle drive, measured, stands next to what the table says of
the parts.

Assumptions: geometry wins where the table contradicts itself: its chips hold 51.5 Gb and the drive 412 GB, the table
prints "128Gb die" and "240GB". The cost-optimized drive's 1024 blocks are a plane's ("blocks/die" as printed), which
with 512 pages per block, which the table does not print, make its 1 TB.
"""

from collections.abc import Callable, Mapping
from typing import Any

from canaletto._run import simulate

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.venice.evaluation import COST, PERFORMANCE, SSDS, drive

UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3}

PUBLISHED: dict[str, dict[str, float | None]] = {
    "capacity, GB": {PERFORMANCE: 240.0, COST: 1000.0},
    "die, Gb": {PERFORMANCE: 128.0, COST: None},
    "channels": {PERFORMANCE: 8.0, COST: 8.0},
    "chips a channel": {PERFORMANCE: 8.0, COST: 8.0},
    "dies a chip": {PERFORMANCE: 1.0, COST: 1.0},
    "planes a die": {PERFORMANCE: 2.0, COST: 2.0},
    "blocks a plane": {PERFORMANCE: 1024.0, COST: None},
    "pages a block": {PERFORMANCE: 768.0, COST: None},
    "page, KiB": {PERFORMANCE: 4.0, COST: 16.0},
    "read, us": {PERFORMANCE: 3.0, COST: 45.0},
    "program, us": {PERFORMANCE: 100.0, COST: 650.0},
    "erase, us": {PERFORMANCE: 1000.0, COST: 3500.0},
    "channel, GB/s": {PERFORMANCE: 1.2, COST: 1.2},
    "host link, GB/s": {PERFORMANCE: 8.0, COST: 8.0},
    "network link, GB/s": {PERFORMANCE: 1.0, COST: 1.0},
}
"""None: not printed, or not for this drive."""


def number(text: str, units: Mapping[str, float]) -> float:
    unit = max((unit for unit in units if text.endswith(unit)), key=len)
    return float(text.removesuffix(unit)) * units[unit]


RATES = {"GB/s": 1.0, "MB/s": 1e-3}
SIZES = {"KiB": 1.0, "MiB": 1024.0}

OURS: dict[str, Callable[[dict[str, Any]], float]] = {
    "capacity, GB": lambda keys: _bytes(keys) * _dies(keys) / 1e9,
    "die, Gb": lambda keys: _bytes(keys) * 8 / 1e9,
    "channels": lambda keys: keys["geometry"]["channels"],
    "chips a channel": lambda keys: keys["geometry"]["chips_per_channel"],
    "dies a chip": lambda keys: keys["geometry"]["dies_per_chip"],
    "planes a die": lambda keys: keys["geometry"]["planes_per_die"],
    "blocks a plane": lambda keys: keys["geometry"]["blocks_per_plane"],
    "pages a block": lambda keys: keys["geometry"]["pages_per_block"],
    "page, KiB": lambda keys: number(keys["geometry"]["page"], SIZES),
    "read, us": lambda keys: number(keys["flash"]["read"], UNITS),
    "program, us": lambda keys: number(keys["flash"]["program"], UNITS),
    "erase, us": lambda keys: number(keys["flash"]["erase"], UNITS),
    "channel, GB/s": lambda keys: number(keys["fabric"]["link_rate"], RATES),
    "host link, GB/s": lambda keys: keys["link"]["lanes"] * number(keys["link"]["lane_rate"], RATES),
    "network link, GB/s": lambda keys: number(keys["fabric"]["network"]["link_rate"], RATES),
}


def _bytes(keys: dict[str, Any]) -> float:
    shape = keys["geometry"]
    pages = shape["planes_per_die"] * shape["blocks_per_plane"] * shape["pages_per_block"]
    return float(pages * number(shape["page"], SIZES) * 1024)


def _dies(keys: dict[str, Any]) -> int:
    shape = keys["geometry"]
    return int(shape["channels"] * shape["chips_per_channel"] * shape["dies_per_chip"])


def runs(_: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for ssd in SSDS:
        page = drive(ssd, "Baseline").to_dict()["geometry"]["page"]
        read = flow("reads", {"requests": 200, "read_share": 1.0, "size": page, "alignment": page, "queue_depth": 1})
        found[(ssd,)] = Run(drive(ssd, "Baseline"), workload("reads", [read]))
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for ssd in SSDS:
        keys = drive(ssd, "Baseline").to_dict()
        for name, ours in OURS.items():
            rows.append({"ssd": ssd, "what": name, "ours": float(ours(keys)), "published": PUBLISHED[name][ssd]})
        bound = simulate.inspect(drive(ssd, "Baseline"), workload("reads", [_reads()]))["read_bounds"][0]
        latency = found[(ssd,)]["latency_us"]["all"]["mean"]
        rows.append({"ssd": ssd, "what": "measured: read of an idle page, us", "ours": latency, "published": None})
        what = f"most that reads get ({bound['resource']}), GB/s"
        rows.append({"ssd": ssd, "what": what, "ours": bound["limit_gb_s"], "published": None})
    return rows


def _reads() -> dict[str, Any]:
    return flow("reads", {"requests": 1, "read_share": 1.0, "size": "64KiB", "queue_depth": 1})


def chart(_: list[Row]) -> None:
    """The paper prints a table."""


FIGURE = Figure(
    "table1", "Table 1: evaluated configurations", __doc__, runs, table, chart, is_counted=True, is_given=True
)
