"""Makes the tables of docs/explanation/small-reads.md: `.venv/bin/python docs/small-reads.py --write`.

A few minutes on one core.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise
from typing import Any

import canaletto as cn
import tables
from canaletto._run import names
from canaletto_papers.flows import flow, workload

PAGE = tables.DOCS / "explanation/small-reads.md"
FABRICS = tuple(name for name in names.fabrics() if name not in tables.CHAINS)
SIZES = {"512 B": 512, "1 KiB": 1024, "2 KiB": 2048, "4 KiB": 4096, "8 KiB": 8192, "16 KiB": 16384}
MIXES = {"reads": 1.0, "90:10": 0.9}
PLACES = ("uniform", "half on one row")
ROWS = 8
DEPTH = 512
LOADS = (0.4, 0.6, 0.7, 0.8, 0.9, 1.0)

# Pins of the same rate for buses and links of networks, today's sequences, and no limit at the host.
KEYS = {
    "fabric.link_rate": "1.6GB/s",
    "fabric.network.link_rate": "1.6GB/s",
    "fabric.interface": "nv-ddr3",
    "fabric.sequences": "full",
    "link.lanes": 16,
    "link.lane_rate": "8GB/s",
    "host.queues_per_flow": 16,
    "ftl.mapping_unit": "512B",
}


@cache
def drive(fabric: str) -> cn.Design:
    return cn.design("performance-optimized").replace(fabric=fabric, **KEYS)


def work(
    place: str, reads: float, size: int, requests: int, rate: float | None = None, depth: int = DEPTH
) -> cn.Workload:
    def part(name: str, share: float, channels: list[int]) -> dict[str, Any]:
        pace = {"queue_depth": max(1, round(depth * share))} if rate is None else {}
        if rate is not None:
            pace = {"inter_arrival": f"{1e12 / (rate * share):.0f}ps"}
        shape = {"requests": max(1, round(requests * share)), "read_share": reads, "size": f"{size}B"}
        return flow(name, {**shape, "alignment": f"{min(size, 4096)}B", **pace}, channels=channels)

    if place == PLACES[0]:
        return workload("small", [part("all", 1.0, list(range(ROWS)))], partitioned=True)
    return workload("small", [part("hot row", 0.5, [0]), part("others", 0.5, list(range(1, ROWS)))], partitioned=True)


@cache
def peak(fabric: str, place: str, mix: str, size: str) -> dict[str, Any]:
    requests = 20_000 if SIZES[size] <= 4096 else 8_000
    return tables.result(drive(fabric), work(place, MIXES[mix], SIZES[size], requests))


@cache
def idle_us(fabric: str, size: str) -> float:
    alone = work(PLACES[0], 1.0, SIZES[size], 500, depth=1)
    return float(tables.result(drive(fabric), alone)["latency_us"]["all"]["mean"])


@cache
def curve(fabric: str, place: str, size: str) -> tuple[tuple[float, float, float], ...]:
    most = peak(fabric, place, "reads", size)["iops"]
    found = []
    for load in LOADS:
        made = work(place, 1.0, SIZES[size], 20_000, rate=load * most)
        latency = tables.result(drive(fabric), made)["latency_us"]["all"]
        found.append((load * most, latency["mean"], latency["p99"]))
    return tuple(found)


def knee(fabric: str, place: str, size: str) -> float | None:
    twice = 2 * idle_us(fabric, size)
    points = [(0.0, twice / 2), *((rate, mean) for rate, mean, _ in curve(fabric, place, size))]
    for (low, below), (high, above) in pairwise(points):
        if below <= twice < above:
            return low + (high - low) * (twice - below) / (above - below)
    return None


CHANGES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "ready pins instead of polls": {"fabric.status.ready": "pin"},
    "planes of a die read on their own": {"flash.independent_plane_reads": True},
    "planes of a die read together, any pages": {"flash.multi_plane": "any-page"},
    "commands before data": {"fabric.transfer_order": "commands-first"},
}


head, line = partial(tables.head, FABRICS), partial(tables.line, form=".3g")


def peaks() -> Iterator[str]:
    yield head("place, mix, size")
    for place in PLACES:
        for mix in MIXES:
            for size in SIZES:
                values = [peak(fabric, place, mix, size)["iops"] / 1e6 for fabric in FABRICS]
                yield line(f"{place}, {mix}, {size}", list(values))


def changes() -> Iterator[str]:
    yield head("change, size")
    for size in ("512 B", "1 KiB", "4 KiB"):
        for change, keys in CHANGES.items():
            made = work(PLACES[0], 1.0, SIZES[size], 20_000)
            found = [tables.result(drive(fabric).replace(**keys), made) for fabric in FABRICS]
            yield line(f"{change}, {size}", [each["iops"] / 1e6 for each in found])


def knees() -> Iterator[str]:
    yield head("place, size")
    for place in PLACES:
        for size in ("512 B", "4 KiB"):
            found = [knee(fabric, place, size) for fabric in FABRICS]
            yield line(f"{place}, {size}", [each and each / 1e6 for each in found])


def tail_at(fabric: str, place: str, size: str, rate: float) -> float | None:
    if rate > peak(fabric, place, "reads", size)["iops"]:
        return None
    made = work(place, 1.0, SIZES[size], 20_000, rate=rate)
    return float(tables.result(drive(fabric), made)["latency_us"]["all"]["p99"])


def tails() -> Iterator[str]:
    yield head("place, size, load")
    for place in PLACES:
        for size in ("512 B", "4 KiB"):
            own = [curve(fabric, place, size)[LOADS.index(0.8)][2] for fabric in FABRICS]
            yield line(f"{place}, {size}, 80 % of its own peak", list(own))
            rate = 0.8 * peak("bus", place, "reads", size)["iops"]
            yield line(
                f"{place}, {size}, 80 % of the bus's", [tail_at(fabric, place, size, rate) for fabric in FABRICS]
            )


def energy() -> Iterator[str]:
    yield head("size, nJ a read")
    for size in ("512 B", "4 KiB", "16 KiB"):
        found = [peak(fabric, PLACES[0], "reads", size) for fabric in FABRICS]
        for label, parts in ENERGIES.items():
            values = [
                sum(each["energy_mj"][part] for part in parts) * 1e6 / each["requests"]["completed"] for each in found
            ]
            yield line(f"{size}, {label}", list(values))


ENERGIES = {"wires and routers": ("fabric",), "drive": ("total",)}
TABLES = {
    "peaks": (PAGE, peaks),
    "changes": (PAGE, changes),
    "knees": (PAGE, knees),
    "tails": (PAGE, tails),
    "energy": (PAGE, energy),
}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
