"""Checks `canaletto bound` against the simulator: `.venv/bin/python docs/bound.py --write`.

Draws designs and workloads with a seed, simulates each briefly, and puts the distribution of simulated over bounded
throughput into the tables of docs/explanation/bound.md. Without `--write` it only prints. A thousand designs take some
minutes on one core. Everything is seeded: the tables change only when models do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import canaletto as cn
import numpy as np
import tables
from canaletto._run import names
from canaletto._run.simulate import run_once

PAGE = tables.DOCS / "explanation/bound.md"
SEED = 17
DESIGNS = 1000
FABRICS = list(names.fabrics())
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
    """A drawn drive: what the closed form says, and what the simulator serves."""

    fabric: str
    bound: cn.Bound
    depth: int
    reads: float
    place: str
    planes: str
    simulated: float

    @property
    def ratio(self) -> float:
        """Simulated throughput over the bound."""
        return self.simulated / self.bound.peak_iops

    @property
    def is_deep(self) -> bool:
        """Whether four times as many requests are outstanding as the peak needs."""
        return self.bound.limit != "queue depth" and self.depth >= 4 * self.bound.knee_depth

    @property
    def is_shallow(self) -> bool:
        """Whether a quarter of them are."""
        return self.depth <= self.bound.knee_depth / 4


def drawn(random: Random, fabric: str) -> Compared:
    """A design and a workload, bounded and simulated."""
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
    found = cn.bound(design, work, read_share=counts["reads"] / (counts["reads"] + counts["writes"]))
    return Compared(fabric, found, depth, reads, place, keys["flash.multi_plane"], served["iops"])


@cache
def drawings() -> tuple[Compared, ...]:
    """All of them, each fabric in turn."""
    random = Random(SEED)
    return tuple(drawn(random, FABRICS[number % len(FABRICS)]) for number in range(DESIGNS))


def line(label: str, ratios: Sequence[float]) -> str:
    """A line of a table: number, quantiles and extremes of ratios."""
    if not ratios:
        return f"| {label} | 0 |  |  |  |  |  |  |"
    low, median, high = np.quantile(ratios, (0.1, 0.5, 0.9))
    cells = [min(ratios), low, median, high, max(ratios)]
    above = sum(ratio > 1.02 for ratio in ratios) / len(ratios)
    return f"| {label} | {len(ratios)} | " + " | ".join(f"{cell:.2f}" for cell in cells) + f" | {above:.0%} |"


HEAD = "| {} | designs | least | 10 % | median | 90 % | most | above 1.02 |\n" + "| --- " * 8 + "|"


def by_fabric() -> Iterator[str]:
    """Reads where the queue is deep: what the peak itself is worth; then everything else."""
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
    """The same by what limits, by place, by planes and by mix."""
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
    "designs": (PAGE, lambda: [f"{DESIGNS:,} designs, seed {SEED}."]),
}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
