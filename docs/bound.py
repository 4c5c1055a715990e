"""Checks `canaletto bound` against the simulator: `.venv/bin/python docs/bound.py --write`.

Simulates drawn designs and workloads briefly: the distribution of simulated over bounded throughput is in the tables of
docs/explanation/bound.md. Some minutes on one core.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import canaletto as cn
import numpy as np
import tables
from canaletto._bounding.saturated import rate
from canaletto._run import names
from canaletto._run.simulate import run_once

PAGE = tables.DOCS / "explanation/bound.md"
SEED = 17
WRITES_SEED = 60
SUSPENDED_SEED = 61
DESIGNS = 1000
WRITTEN = 828
SUSPENDED = 48
FABRICS = [name for name in names.fabrics() if name not in tables.CHAINS]
# Interfaces and rates that go with them, GB/s.
INTERFACES = {"nv-ddr2": (0.4,), "nv-ddr3": (0.8, 1.2, 1.6), "nv-lpddr4": (1.6, 2.4, 3.6), "toggle": (2.4, 3.6, 4.8)}

FLOW = """name = "drawn"
partitioned = true
[[flow]]
name = "a"
{where}
[flow.synthetic]
requests = {requests}
read_share = {reads}
size = "{size}B"
alignment = "{size}B"
queue_depth = {depth}
"""


@dataclass(frozen=True)
class Compared:
    fabric: str
    bound: cn.Bound
    depth: int
    reads: float
    place: str
    planes: str
    simulated: float

    @property
    def ratio(self) -> float:
        return self.simulated / self.bound.peak_iops

    @property
    def is_deep(self) -> bool:
        return self.bound.limit != "queue depth" and self.depth >= 4 * self.bound.knee_depth

    @property
    def is_shallow(self) -> bool:
        return self.depth <= self.bound.knee_depth / 4


def drawn(random: Random, fabric: str) -> Compared:
    interface = random.choice(list(INTERFACES))
    planes = random.choice((1, 2, 4))
    keys: dict[str, Any] = {
        "fabric": fabric,
        "fabric.interface": interface,
        "fabric.link_rate": f"{random.choice(INTERFACES[interface])}GB/s",
        "fabric.network.link_rate": f"{random.choice((1, 1.6, 2.4))}GB/s",
        "fabric.sequences": random.choice(("short", "full")),
        "geometry.channels": random.choice((2, 4, 8, 16)),
        "geometry.chips_per_channel": random.choice((1, 2, 4, 8)),
        "geometry.dies_per_chip": random.choice((1, 2, 4)),
        "geometry.planes_per_die": planes,
        "geometry.blocks_per_plane": 64,
        "geometry.pages_per_block": 128,
        "geometry.page": random.choice(("4KiB", "16KiB")),
        "flash.read": f"{random.choice((3, 5, 20, 40))}us",
        "flash.program": f"{random.choice((50, 100, 400))}us",
        "flash.multi_plane": random.choice(("off", "same-page", "any-page")),
        "link.lanes": random.choice((4, 16)),
        "link.lane_rate": random.choice(("gen4", "gen6")),
    }
    size = random.choice((512, 4096, 16384))
    place = random.choice(("uniform", "uniform", "one row"))
    depth = random.choice((1, 16, 128, 512))
    reads = random.choice((1.0, 1.0, 0.9, 0.5, 0.0))
    requests = max(1_500, 8 * depth) if reads == 1.0 else max(800, 6 * depth)
    where = "channels = [0]" if place == "one row" else ""
    text = FLOW.format(where=where, requests=requests, reads=reads, size=size, depth=depth)
    work = cn.Workload.from_toml(text, "drawn")
    design = cn.design("performance-optimized").replace(**keys)
    served = run_once(design, work, 1, 0, False, None)[0]
    counts = served["requests"]
    # The share of reads that this seed drew: of some hundred requests it is a few percent off.
    share = counts["reads"] / (counts["reads"] + counts["writes"])
    found = cn.bound(design, work, read_share=share, write_amplification=1.0)
    return Compared(fabric, found, depth, reads, place, keys["flash.multi_plane"], served["iops"])


@cache
def drawings() -> tuple[Compared, ...]:
    random = Random(SEED)
    return tuple(drawn(random, FABRICS[number % len(FABRICS)]) for number in range(DESIGNS))


@dataclass(frozen=True)
class Written:
    fabric: str
    reads: float
    state: str
    bound: cn.Bound
    simulated: float

    @property
    def ratio(self) -> float:
        return self.simulated / self.bound.peak_iops

    @property
    def of_ceiling(self) -> float:
        return self.simulated / self.bound.ceiling_iops


def written(random: Random, fabric: str, **given: Any) -> Written:
    keys, size, reads, depth = drawn_writes(random, fabric)
    keys |= given
    design = cn.design("performance-optimized").replace(**keys)
    found = cn.bound(design, size=f"{size}B", read_share=reads, queue_depth=depth)
    # What a fresh drive serves depends on how much is written.
    requests = found.simulated_requests * (1 if keys["precondition.kind"] == "none" else 2)
    text = FLOW.format(where="", requests=requests, reads=reads, size=size, depth=depth)
    text = text.replace(f'alignment = "{size}B"', f'alignment = "{min(size, 4096)}B"')
    work = cn.Workload.from_toml(text.replace("partitioned = true\n", ""), "drawn")
    served = run_once(design, work, 2, requests // 2, False, None, root_causes=False)[0]
    return Written(fabric, reads, keys["precondition.kind"], found, rate(served))


def drawn_writes(random: Random, fabric: str) -> tuple[dict[str, Any], int, float, int]:
    interface = random.choice(list(INTERFACES))
    suspended = random.choice(("none", "none", "program", "both"))
    keys: dict[str, Any] = {
        "fabric": fabric,
        "fabric.interface": interface,
        "fabric.link_rate": f"{random.choice(INTERFACES[interface])}GB/s",
        "fabric.network.link_rate": f"{random.choice((1, 1.6, 2.4))}GB/s",
        "fabric.sequences": random.choice(("short", "full")),
        "geometry.channels": random.choice((2, 4, 8)),
        "geometry.chips_per_channel": random.choice((1, 2, 4, 8)),
        "geometry.dies_per_chip": random.choice((1, 2)),
        "geometry.planes_per_die": random.choice((1, 2, 4)),
        "geometry.blocks_per_plane": random.choice((64, 128)),
        "geometry.pages_per_block": random.choice((32, 64, 128)),
        "geometry.page": random.choice(("4KiB", "16KiB")),
        "flash.cell": "tlc",
        "flash.read": f"{random.choice((3, 20, 40, 60))}us",
        "flash.program": f"{random.choice((50, 100, 400, 600))}us",
        "flash.erase": random.choice(("1ms", "3.5ms")),
        "flash.multi_plane": random.choice(("off", "same-page", "any-page")),
        "flash.cache_read": random.random() < 0.3,
        "flash.cache_program": random.random() < 0.3 and suspended == "none",
        "flash.suspend.operations": suspended,
        "flash.pslc.static_size": "0B",
        "flash.pslc.program": "40us",
        "flash.pslc.read": "3us",
        "ftl.overprovisioning": random.choice((0.2, 0.28, 0.35)),
        "ftl.mapping_unit": random.choice(("0B", "4KiB")),
        "ftl.allocation": random.choice(("CWDP", "PCWD")),
        "gc.preemptible": random.random() < 0.8,
        "cache.capacity": random.choice(("0B", "0B", "1MiB", "8MiB")),
        "precondition.kind": random.choice(("none", "steady", "steady", "steady")),
    }
    if random.random() < 0.25:
        parts = (
            "channels",
            "chips_per_channel",
            "dies_per_chip",
            "planes_per_die",
            "blocks_per_plane",
            "pages_per_block",
        )
        pages = math.prod(keys[f"geometry.{part}"] for part in parts)
        keys["flash.pslc.static_size"] = f"{pages * int(keys['geometry.page'].removesuffix('KiB')) // 100}KiB"
    size, reads = random.choice((4096, 4096, 16384, 65536)), random.choice((0.0, 0.15, 0.3, 0.45, 0.6, 0.7))
    return keys, size, reads, random.choice((256, 1024))


@cache
def all_written() -> tuple[Written, ...]:
    random = Random(WRITES_SEED)
    return tuple(written(random, FABRICS[number % len(FABRICS)]) for number in range(WRITTEN))


@cache
def all_suspended() -> tuple[Written, ...]:
    """Drawings above have one of both."""
    random, both = Random(SUSPENDED_SEED), {"flash.cache_program": True, "flash.suspend.operations": "both"}
    return tuple(written(random, FABRICS[number % len(FABRICS)], **both) for number in range(SUSPENDED))


def writes() -> Iterator[str]:
    yield "| 30 to 100 % writes | designs | least | 10 % | median | 90 % | most | within 15 % |\n" + "| --- " * 8 + "|"
    shares = sorted({each.reads for each in all_written()}, reverse=True)
    labels = [
        "fresh",
        "steady state",
        *(f"{1 - reads:.0%} writes" for reads in shares),
        *(f"`{fabric}`" for fabric in FABRICS),
    ]
    groups: dict[str, list[float]] = {label: [] for label in ("all", *labels)}
    for each in all_written():
        state = "fresh" if each.state == "none" else "steady state"
        for label in ("all", state, f"{1 - each.reads:.0%} writes", f"`{each.fabric}`"):
            groups[label].append(each.ratio)
    groups["others, with suspension and cache programs"] = [each.ratio for each in all_suspended()]
    groups["over the least limit of a part"] = [each.of_ceiling for each in all_written()]
    for label, ratios in groups.items():
        low, median, high = np.quantile(ratios, (0.1, 0.5, 0.9))
        cells = " | ".join(f"{cell:.2f}" for cell in (min(ratios), low, median, high, max(ratios)))
        yield f"| {label} | {len(ratios)} | {cells} | {np.mean([within(ratio) for ratio in ratios]):.0%} |"


def within(ratio: float) -> bool:
    return abs(1 / ratio - 1) <= 0.15


def line(label: str, ratios: Sequence[float]) -> str:
    if not ratios:
        return f"| {label} | 0 |  |  |  |  |  |  |"
    low, median, high = np.quantile(ratios, (0.1, 0.5, 0.9))
    cells = [min(ratios), low, median, high, max(ratios)]
    above = sum(ratio > 1.02 for ratio in ratios) / len(ratios)
    return f"| {label} | {len(ratios)} | " + " | ".join(f"{cell:.2f}" for cell in cells) + f" | {above:.0%} |"


HEAD = "| {} | designs | least | 10 % | median | 90 % | most | above 1.02 |\n" + "| --- " * 8 + "|"


def by_fabric() -> Iterator[str]:
    kinds = {
        "reads, deep queue": lambda each: each.reads == 1 and each.is_deep,
        "reads, shallow queue": lambda each: each.reads == 1 and each.is_shallow,
        "reads, between": lambda each: each.reads == 1 and not each.is_deep and not each.is_shallow,
        "mixed and writes, deep queue": lambda each: each.reads < 1 and each.is_deep,
        "mixed and writes, others": lambda each: each.reads < 1 and not each.is_deep,
    }
    for number, (title, belongs) in enumerate(kinds.items()):
        yield ("\n" if number else "") + HEAD.format(title)
        for fabric in FABRICS:
            ratios = [each.ratio for each in drawings() if each.fabric == fabric and belongs(each)]
            yield line(f"`{fabric}`", ratios)


def by_cause() -> Iterator[str]:
    yield HEAD.format("of all designs")
    groups: dict[str, list[float]] = {}
    for each in drawings():
        limited = f"limited by {each.bound.limit}"
        mixed = f"{each.reads:.0%} reads"
        for label in (limited, each.place, f'`multi_plane = "{each.planes}"`', mixed):
            groups.setdefault(label, []).append(each.ratio)
    for label in sorted(groups):
        yield line(label, groups[label])


TABLES = {
    "by-fabric": (PAGE, by_fabric),
    "by-cause": (PAGE, by_cause),
    "writes": (PAGE, writes),
    "designs": (PAGE, lambda: [f"{DESIGNS:,} designs, seed {SEED}."]),
}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
