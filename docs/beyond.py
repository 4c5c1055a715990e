"""Makes the tables and the chart of docs/explanation/beyond.md: `.venv/bin/python docs/beyond.py --write`.

Some 9,000 short runs, twenty minutes on one core. Without `../shared/traces` the table of real traces stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import canaletto as cn
import tables
from beyond_chart import chart
from beyond_runs import (
    BASE,
    FABRICS,
    KEYS,
    KINDS,
    OURS,
    PAPERS,
    PINS,
    PLACES,
    at_equal_pins,
    between,
    drives,
    gb,
    knee,
    mean_us,
    opened,
    result,
    work,
)
from canaletto._run.equal import CROSSBAR
from canaletto._run.links import Links, links_of
from canaletto_papers.flows import flow, workload
from canaletto_papers.venice.evaluation import TABLE2

PAGE = tables.DOCS / "explanation/beyond.md"
TRACES = Path(__file__).resolve().parents[2] / "shared" / "traces"


@dataclass(frozen=True)
class Grid:
    """None where a fabric does not get there."""

    title: str
    rows: dict[str, dict[str, float | None]]
    form: str
    more_is_better: bool

    def lines(self) -> Iterator[str]:
        fabrics = list(next(iter(self.rows.values())))
        yield f"| {self.title} | " + " | ".join(named(name) for name in fabrics) + " |"
        yield "| --- " * (len(fabrics) + 1) + "|"
        for label, values in self.rows.items():
            cells = ["–" if values[name] is None else f"{values[name]:{self.form}}" for name in fabrics]
            yield f"| {label} | " + " | ".join(cells) + " |"


def named(fabric: str) -> str:
    return f"`{fabric}`" if fabric not in OURS or KEYS[fabric]["fabric"] == fabric else f"`omnibus`, {fabric}"


CASES = [(kind, place) for kind in KINDS for place in PLACES]


@cache
def knees() -> Grid:
    rows = {f"{kind}, {place}": {fabric: gb(knee(fabric, kind, place)) for fabric in FABRICS} for kind, place in CASES}
    return Grid("knee, GB/s", rows, ".1f", True)


@cache
def rates() -> Grid:
    rows = {
        f"{kind}, {place}": {fabric: gb(knee(fabric, kind, place, "omnibus")) for fabric in FABRICS}
        for kind, place in CASES
    }
    return Grid("GB/s at a common mean", rows, ".1f", True)


@cache
def shares() -> Grid:
    rows = {
        label: {fabric: 100 * (values[fabric] or 0) / (values[CROSSBAR] or 1) for fabric in FABRICS[:-1]}
        for label, values in rates().rows.items()
    }
    return Grid("% of the crossbar's", rows, ".0f", True)


@cache
def tails() -> Grid:
    rows = {}
    for kind, place in CASES:
        rate = 0.7 * knee("omnibus", kind, place)
        found = {fabric: opened(fabric, kind, place, rate) for fabric in FABRICS}
        values = {fabric: each and float(each["latency_us"]["all"]["p99"]) for fabric, each in found.items()}
        rows[f"{kind}, {place}, {gb(rate):.1f} GB/s"] = values
    return Grid("99th percentile, µs", rows, ".0f", False)


ENERGY_RATE = 4e9 / 4096


@cache
def energy() -> Grid:
    rows = {}
    for kind in KINDS:
        found = {fabric: opened(fabric, kind, "uniform", ENERGY_RATE) for fabric in FABRICS[:-1]}
        for label, part in {"wires, routers, switches": "fabric", "drive": "total"}.items():
            rows[f"{kind}, {label}"] = {
                fabric: each and each["energy_mj"][part] * 1e6 / each["requests"]["completed"]
                for fabric, each in found.items()
            }
    return Grid("nJ a request", rows, ".0f", False)


CONTROLLERS = 8


def budgets() -> Iterator[str]:
    pins = ("wires per link", "pins per controller", "per chip")
    columns = ("fabric", *pins, "wires × pitches", "mm²", "mm² beside dies")
    yield "| " + " | ".join(columns) + " |\n" + "| --- " * len(columns) + "|"
    kinds = {**KEYS, "mesh-2bit": {"fabric": "mesh-2bit"}, "ideal": {"fabric": "ideal"}}
    for name, keys in kinds.items():
        links, beside = links_with(keys), links_with({**keys, "area.on_die_controller": 0.0})
        width = links.width if name == "ideal" else PINS * CONTROLLERS // links.at_controllers
        cells = [width, links.at_controllers * width // CONTROLLERS, links.at_chip * width, f"{links.length * width:,}"]
        areas = [f"{each.area.at(width):,.0f}" if each.area else "–" for each in (links, beside)]
        yield f"| {named(name)} | " + " | ".join(map(str, [*cells, *areas])) + " |"


def links_with(keys: Mapping[str, Any]) -> Links:
    found = links_of(cn.design("performance-optimized").replace(**BASE, **keys).to_dict())
    assert found is not None
    return found


COMPARED = (*KEYS, CROSSBAR)


@cache
def at_work() -> dict[str, cn.Design]:
    return at_equal_pins(cn.design("performance-optimized").replace(**BASE))


def speedups(load: cn.Workload, measure: str) -> dict[str, float | None]:
    found = {fabric: result(at_work()[fabric], load) for fabric in COMPARED}
    values = {
        fabric: each["iops"] if measure == "iops" else 1 / each["latency_us"]["all"][measure]
        for fabric, each in found.items()
    }
    return {fabric: value / values["bus"] for fabric, value in values.items()}


PACES: dict[str, tuple[dict[str, Any], str]] = {
    "own times, mean": ({}, "mean"),
    "own times, p99": ({}, "p99"),
    "64 outstanding, IOPS": ({"queue_depth": 64}, "iops"),
}


@cache
def profiles() -> Grid:
    rows = {
        f"{name}, {label}": speedups(cn.workload(name, requests=20_000, **pace), measure)
        for label, (pace, measure) in PACES.items()
        for name in TABLE2
    }
    return Grid("speedup over `bus`", rows, ".2f", True)


AT_ONCE = {
    "fabric.clusters.grant_rate": "1TB/s",
    "fabric.clusters.grant_width": 8,
    "fabric.clusters.setup": "0ps",
    "fabric.clusters.delay": "0ps",
}
AT_ONCE_IN_A_MESH = {
    "fabric.scheduled_mesh.search_step": "0ps",
    "fabric.scheduled_mesh.grant_rate": "1TB/s",
    "fabric.scheduled_mesh.grant_width": 8,
    "fabric.scheduled_mesh.setup": "0ps",
}
OWN_BUSES = {"fabric.clusters.inner_buses": 8}
ALL_TRUNKS = {"fabric.clusters.trunks": 8}
PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "`packetized`": ("packetized", {}),
    "`clusters`": ("clusters", {}),
    "grants, set-up and switches take no time": ("clusters", AT_ONCE),
    "an inner bus for each chip": ("clusters", OWN_BUSES),
    "every trunk at every switch": ("clusters", ALL_TRUNKS),
    "all of these": ("clusters", {**AT_ONCE, **OWN_BUSES, **ALL_TRUNKS}),
    "`scheduled-mesh`": ("scheduled-mesh", {}),
    "search, grants and set-up take no time": ("scheduled-mesh", AT_ONCE_IN_A_MESH),
}
LOST = ("YCSB_B", "src2_1", "ssd-00")


def parts() -> Iterator[str]:
    rows: dict[str, dict[str, float | None]] = {}
    for label, (fabric, keys) in PARTS.items():
        found = {name: result(at_work()[fabric].replace(**keys), cn.workload(name, requests=20_000)) for name in LOST}
        rows[label] = {name: mean_us(each) for name, each in found.items()}
    yield from Grid("mean at own times, µs", rows, ",.2f", False).lines()


FILES = (
    "cloudphysics/*.csv.gz",
    "heimdall/*.trace.gz",
    "mqsim/*.trace",
    "msr/*.csv.gz",
    "msr/*.trace.gz",
    "systor17/*.csv.gz",
    "tencent/*.csv.gz",
    "umass_spc/*.ascii.gz",
    "ycsb_rocksdb/*.gz",
)


def traces() -> Iterator[str]:
    files = sorted(file for pattern in FILES for file in TRACES.glob(pattern))
    rows = {
        f"{file.name.removesuffix('.gz')}, {label}": speedups(
            cn.workload(file, requests=20_000, out_of_range="wrap", devices="offset", **pace), measure
        )
        for label, (pace, measure) in PACES.items()
        for file in files
    }
    yield from Grid("speedup over `bus`", rows, ".2f", True).lines()


BOUNDS: dict[str, dict[str, Any]] = {
    "data": {"fabric.transfer_order": "data-first"},
    "commands": {},
    "commands, 100 µs": {"fabric.order_bound": "100us"},
    "commands, 20 µs": {"fabric.order_bound": "20us"},
    "commands, 5 µs": {"fabric.order_bound": "5us"},
}


def bounds() -> Iterator[str]:
    columns = ("packetized", "omnibus", *OURS, CROSSBAR)
    shape = {"requests": 1_000_000, "stop": "5ms", "size": "4KiB"}
    loops = [
        flow("reads", {**shape, "read_share": 1.0, "queue_depth": 64}),
        flow("writes", {**shape, "read_share": 0.0, "queue_depth": 256}),
    ]
    load = workload("both", loops)
    found = {
        label: {name: result(drives("mixed", "uniform")[name].replace(**keys), load)["flows"] for name in columns}
        for label, keys in BOUNDS.items()
    }
    rows: dict[str, dict[str, float | None]] = {}
    for label, each in found.items():
        for place, kind in enumerate(("reads", "writes")):
            rows[f"{kind}, GB/s: {label}"] = {name: each[name][place]["bandwidth_mb_s"] / 1e3 for name in columns}
        rows[f"reads, p99.9 in µs: {label}"] = {name: each[name][0]["latency_us"]["all"]["p99_9"] for name in columns}
    yield from Grid("first, bound", rows, ".1f", True).lines()


FAILED = {"links": ((0, 1, 2, 4, 8), 0.7), "controllers": ((0, 1, 2, 4), 0.35)}
PLACEMENTS = 16


def failed(part: str) -> Iterator[str]:
    counts, share = FAILED[part]
    yield "| load, fabric | " + " | ".join(f"{count} failed" for count in counts) + " |"
    yield "| --- " * (len(counts) + 1) + "|"
    for place in ("uniform", "half on a row", "half on the worst line"):
        rate = share * min(knee(fabric, "reads", place) for fabric in ("venice", "scheduled-mesh"))
        for fabric in ("venice", "scheduled-mesh"):
            peaks, slow = [], []
            for count in counts:
                found = [
                    drives("reads", place)[fabric].replace(
                        **{f"fabric.failures.{part}": count, "fabric.failures.placement": placement}
                    )
                    for placement in range(PLACEMENTS if count else 1)
                ]
                most = [result(each, work("reads", place, {"queue_depth": 256}))["iops"] * 4096 / 1e9 for each in found]
                late = [
                    result(each, work("reads", place, {"inter_arrival": between(rate)}))["latency_us"]["all"]["p99"]
                    for each in found
                ]
                peaks.append(f"{fmean(most):.2f} ({min(most):.2f} to {max(most):.2f})")
                slow.append(f"{fmean(late):.1f} ({min(late):.1f} to {max(late):.1f})")
            yield f"| {place}, `{fabric}`, peak in GB/s | " + " | ".join(peaks) + " |"
            yield f"| {place}, `{fabric}`, p99 in µs at {gb(rate):.1f} GB/s | " + " | ".join(slow) + " |"


FAILING = {
    "bus": ("buses",),
    "packetized": ("buses",),
    "omnibus": ("buses", "controllers"),
    "omnibus-split": ("buses",),
    "mesh": ("links", "routers"),
    "venice": ("links", "routers", "controllers"),
    "scheduled-mesh": ("links", "routers", "controllers"),
    "clusters": ("controllers", "buses", "switches"),
}
FAILED_PARTS = (0, 1, 2, 4)
WHOLE_PLACEMENTS = 4


def failed_parts() -> Iterator[str]:
    yield "| fabric, parts | " + " | ".join(f"{count} failed" for count in FAILED_PARTS) + " |"
    yield "| --- " * (len(FAILED_PARTS) + 1) + "|"
    for fabric, parts in FAILING.items():
        for part in parts:
            yield f"| `{fabric}`, {part} | " + " | ".join(without(fabric, part, count) for count in FAILED_PARTS) + " |"


def without(fabric: str, part: str, count: int) -> str:
    keys = {f"fabric.failures.{part}": count, "fabric.failures.spare_chips": False}
    load = work("reads", "uniform", {"queue_depth": 256}, 20_000)
    found = [
        result(drives("reads", "uniform")[fabric].replace(**keys, **{"fabric.failures.placement": placement}), load)
        for placement in range(WHOLE_PLACEMENTS if count else 1)
    ]
    shares = [each["requests"]["failed"] / each["requests"]["completed"] for each in found]
    served = [each["iops"] * (1 - share) for each, share in zip(found, shares, strict=True)]
    lost = f", {100 * fmean(shares):.1f} % fail" if any(shares) else ""
    return f"{gb(fmean(served)):.2f}{lost}"


BEHIND = 0.02
"""Knees are found to 1/256."""

LISTED = ("scheduled-mesh", "clusters")


def losses() -> Iterator[str]:
    grids = (knees(), rates(), tails(), energy(), profiles())
    yield "| rows lost, the worst | of | " + " | ".join(named(name) for name in OURS) + " |"
    yield "| --- " * (len(OURS) + 2) + "|"
    compared = {grid.title: {label: margins(grid, values) for label, values in grid.rows.items()} for grid in grids}
    for title, rows in compared.items():
        cells = [lost([found[name] for _, found in rows.values()]) for name in OURS]
        yield f"| {title} | {len(rows)} | " + " | ".join(cells) + " |"
    yield ""
    yield "| lost | best of the papers | " + " | ".join(f"`{name}`" for name in LISTED) + " |"
    yield "| --- " * (len(LISTED) + 2) + "|"
    for title, rows in compared.items():
        for label, (best, found) in rows.items():
            if min(found[name] for name in LISTED) < -BEHIND:
                cells = [f"{100 * found[name]:+.1f} %" for name in LISTED]
                yield f"| {title}: {label} | `{best}` | " + " | ".join(cells) + " |"


def lost(found: Sequence[float]) -> str:
    behind = [each for each in found if each < -BEHIND]
    return f"{len(behind)}, {100 * min(behind):+.0f} %" if behind else "0"


def margins(grid: Grid, values: Mapping[str, float | None]) -> tuple[str, dict[str, float]]:
    sign = 1 if grid.more_is_better else -1
    worst = float("-inf")

    def worth(name: str) -> float:
        value = values[name]
        return worst if value is None else sign * value

    best = max(PAPERS, key=worth)
    return best, {
        name: -1.0 if values[name] is None else (worth(name) - worth(best)) / abs(worth(best)) for name in OURS
    }


TABLES: dict[str, tables.Table] = {
    "losses": (PAGE, losses),
    "budgets": (PAGE, budgets),
    "chart": (PAGE, lambda: chart(shares().rows, PLACES)),
    "knees": (PAGE, lambda: knees().lines()),
    "rates": (PAGE, lambda: rates().lines()),
    "shares": (PAGE, lambda: shares().lines()),
    "tails": (PAGE, lambda: tails().lines()),
    "energy": (PAGE, lambda: energy().lines()),
    "profiles": (PAGE, lambda: profiles().lines()),
    "parts": (PAGE, parts),
    "order-bounds": (PAGE, bounds),
    "failed-links": (PAGE, lambda: failed("links")),
    "failed-controllers": (PAGE, lambda: failed("controllers")),
    "failed-parts": (PAGE, failed_parts),
}
if TRACES.is_dir():
    TABLES["traces"] = (PAGE, traces)


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
