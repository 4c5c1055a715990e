"""Makes the tables of docs/explanation/numbering.md: `.venv/bin/python docs/numbering.py --write`.

Ten minutes on one core.
"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import pairwise
from typing import Any

import canaletto as cn
import tables
from canaletto._run.equal import CROSSBAR, equalised
from canaletto_papers.flows import flow, workload

PAGE = tables.DOCS / "explanation/numbering.md"

FABRICS = (*tables.PINS, CROSSBAR)
NO_HOST_LIMIT = {"link.lanes": 16, "link.lane_rate": "8GB/s", "host.queues_per_flow": 16}
PLACES: dict[str, dict[str, Any]] = {
    "uniform": {},
    "half on a channel": {"hot_spot": {"at": "channel", "share": 0.5}},
    "half on the worst line": {"hot_spot": {"at": "worst-line", "share": 0.5}},
    "a quarter on a chip": {"hot_spot": {"at": "chip", "share": 0.25}},
}
ORDERS = {"data": "data-first", "commands": "commands-first"}
NUMBERINGS = ("row-major", "latin")
SIZES = {"4 KiB": 4096, "16 KiB": 16384}
LOADS = (0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
DEPTH = 256


@cache
def drive(fabric: str, order: str, numbering: str, size: str) -> cn.Design:
    keys = {"fabric.transfer_order": ORDERS[order], "ftl.numbering": numbering, "geometry.page": f"{SIZES[size]}B"}
    return at_equal_pins(fabric).replace(**NO_HOST_LIMIT, **keys)


def at_equal_pins(fabric: str) -> cn.Design:
    base = cn.design("performance-optimized")
    if fabric == CROSSBAR:
        return equalised([base.replace(fabric="packetized", **tables.PINS["packetized"])], "pins=16", "pins").crossbar
    return base.replace(fabric=fabric, **tables.PINS[fabric])


def reads(place: str, size: str, requests: int, pace: dict[str, Any]) -> cn.Workload:
    keys = {"requests": requests, "read_share": 1.0, "size": f"{SIZES[size]}B", "alignment": f"{SIZES[size]}B"}
    return workload("reads", [flow("reads", {**keys, **PLACES[place], **pace})])


@cache
def peak(fabric: str, order: str, numbering: str, place: str, size: str) -> float:
    requests = 30_000 if size == "4 KiB" else 10_000
    made = reads(place, size, requests, {"queue_depth": DEPTH})
    return float(tables.result(drive(fabric, order, numbering, size), made)["iops"])


def knee(fabric: str, order: str, numbering: str, place: str) -> float | None:
    design = drive(fabric, order, numbering, "4 KiB")
    idle = tables.result(design, reads("uniform", "4 KiB", 500, {"queue_depth": 1}))["latency_us"]["all"]["mean"]
    points = [(0.0, idle)]
    for load in LOADS:
        rate = load * peak(fabric, order, numbering, place, "4 KiB")
        made = reads(place, "4 KiB", 10_000, {"inter_arrival": f"{1e12 / rate:.0f}ps"})
        points.append((rate, tables.result(design, made)["latency_us"]["all"]["mean"]))
    for (low, below), (high, above) in pairwise(points):
        if below <= 2 * idle < above:
            return low + (high - low) * (2 * idle - below) / (above - below)
    return None


head, line = partial(tables.head, FABRICS), tables.line


def peaks() -> Iterator[str]:
    yield head("reads, first, numbering")
    for size, pages in SIZES.items():
        for place in PLACES:
            for order in ORDERS:
                for numbering in NUMBERINGS:
                    values = [peak(fabric, order, numbering, place, size) * pages / 1e9 for fabric in FABRICS]
                    yield line(f"{size}, {place}, {order}, {numbering}", list(values))


def knees() -> Iterator[str]:
    yield head("4 KiB reads, first, numbering")
    for place in PLACES:
        for order in ORDERS:
            for numbering in NUMBERINGS:
                found = [knee(fabric, order, numbering, place) for fabric in FABRICS]
                yield line(f"{place}, {order}, {numbering}", [rate and rate * 4096 / 1e9 for rate in found])


BOUNDS: dict[str, dict[str, Any]] = {
    "data": {},
    "commands": {"fabric.transfer_order": "commands-first"},
    "commands, 100 us": {"fabric.transfer_order": "commands-first", "fabric.order_bound": "100us"},
    "commands, 20 us": {"fabric.transfer_order": "commands-first", "fabric.order_bound": "20us"},
    "commands, 5 us": {"fabric.transfer_order": "commands-first", "fabric.order_bound": "5us"},
}


def bounds() -> Iterator[str]:
    yield head("first, bound")

    def both(fabric: str, keys: dict[str, Any]) -> list[dict[str, Any]]:
        design = drive(fabric, "data", "row-major", "4 KiB").replace(**{"flash.program": "10us", **keys})
        shape = {"requests": 1_000_000, "stop": "5ms", "size": "4KiB"}
        loops = [
            flow("reads", {**shape, "read_share": 1.0, "queue_depth": 64}),
            flow("writes", {**shape, "read_share": 0.0, "queue_depth": 256}),
        ]
        return list(tables.result(design, workload("both", loops))["flows"])

    def alone(fabric: str, keys: dict[str, Any]) -> float:
        design = drive(fabric, "data", "row-major", "4 KiB").replace(**keys)
        found = tables.result(design, reads("uniform", "4 KiB", 30_000, {"queue_depth": DEPTH}))
        return float(found["bandwidth_mb_s"]) / 1e3

    found = {(fabric, label): both(fabric, keys) for fabric in FABRICS for label, keys in BOUNDS.items()}
    for label in BOUNDS:
        flows = [found[fabric, label] for fabric in FABRICS]
        yield line(f"reads alone, GB/s: {label}", [alone(fabric, BOUNDS[label]) for fabric in FABRICS])
        yield line(f"reads, GB/s: {label}", [each[0]["bandwidth_mb_s"] / 1e3 for each in flows])
        yield line(f"writes, GB/s: {label}", [each[1]["bandwidth_mb_s"] / 1e3 for each in flows])
        yield line(f"reads, p99.9 in µs: {label}", [each[0]["latency_us"]["all"]["p99_9"] for each in flows], ".0f")


PRESETS = ("pcie3-z-nand", "pcie4-tlc", "pcie4-qlc", "pcie5-tlc", "pcie3-3d-xpoint")
LOOPS: dict[str, tuple[float, str, int, int]] = {
    "4 KiB reads, 256": (1.0, "4KiB", 256, 30_000),
    "128 KiB reads, 32": (1.0, "128KiB", 32, 2_000),
    "70:30 of 4 KiB, 64": (0.7, "4KiB", 64, 30_000),
}


def presets() -> Iterator[str]:
    yield "| preset, outstanding | IOPS | p99 | IOPS, 20 µs | p99, 20 µs |\n" + "| --- " * 5 + "|"
    for preset in PRESETS:
        for loop, (share, size, depth, requests) in LOOPS.items():
            keys = {"requests": requests, "read_share": share, "size": size, "queue_depth": depth}
            work = workload("loop", [flow("loop", keys)])

            def measured(keys: dict[str, Any], preset: str = preset, work: cn.Workload = work) -> tuple[float, float]:
                found = tables.result(cn.design(preset).replace(**keys), work)
                return found["iops"], found["latency_us"]["read"]["p99"]

            plain = measured({"fabric.transfer_order": "data-first"})
            cells = [
                f"{100 * (value / base - 1):+.1f} %"
                for label in ("commands", "commands, 20 us")
                for value, base in zip(measured(BOUNDS[label]), plain, strict=True)
            ]
            yield f"| `{preset}`, {loop} | " + " | ".join(cells) + " |"


TABLES = {"peaks": (PAGE, peaks), "knees": (PAGE, knees), "order-bounds": (PAGE, bounds), "presets": (PAGE, presets)}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
