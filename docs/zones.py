"""Makes the tables of docs/explanation/zones.md: `.venv/bin/python docs/zones.py --write`.

Some minutes on one core.
"""

import statistics
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import canaletto as cn
import tables
from canaletto_papers.flows import flow, workload

PAGE = tables.DOCS / "explanation/zones.md"

PINS = {name: tables.PINS[name] for name in ("bus", "packetized", "omnibus", "mesh", "venice", "ideal")}
WIDTHS: dict[str, tuple[int, int]] = {
    "1 die": (1, 1),
    "8 dies of one channel": (8, 1),
    "8 dies, one of each channel": (8, 8),
    "64 dies": (64, 8),
}
DIE_BYTES = 2 * 768 * 4096
SEEDS = (1, 2)
"""Of the runs with handles: how much is copied differs from seed to seed."""


@cache
def zoned(fabric: str, width: str) -> dict[str, Any]:
    dies, channels = WIDTHS[width]
    keys = {
        **{"zns.zone_size": f"{dies * DIE_BYTES}B", "zns.stripe.dies": dies, "zns.stripe.channels": channels},
        **{"cache.capacity": "4MiB", "cache.power_loss_protection": True},
        **{"precondition.kind": "steady", "precondition.occupancy": 0.5},
    }
    design = cn.design("performance-optimized").replace(fabric=fabric, **PINS[fabric]).replace(**keys)
    common = {"requests": 1_000_000, "stop": "10ms"}
    reads = {"read_share": 1.0, "size": "4KiB", "queue_depth": 64, "working_set": 0.5}
    appends = {"read_share": 0.0, "size": "16KiB", "queue_depth": 64, "zone_work": "append", "zones": 4}
    # Zones behind the full ones.
    appends["working_set_offset"] = f"{200 * 2**30}B"
    return tables.result(design, workload("both", [flow("reads", common | reads), flow("appends", common | appends)]))


head, line = partial(tables.head, PINS), tables.line


def zones() -> Iterator[str]:
    yield head("zone")
    for width in WIDTHS:
        found = [zoned(fabric, width)["flows"] for fabric in PINS]
        yield line(f"{width}: reads, p99 in µs", [each[0]["latency_us"]["all"]["p99"] for each in found], ".0f")
        yield line(f"{width}: reads, GB/s", [each[0]["bandwidth_mb_s"] / 1e3 for each in found], ".2f")
        yield line(f"{width}: appends, GB/s", [each[1]["bandwidth_mb_s"] / 1e3 for each in found], ".2f")


@cache
def placed(fabric: str, handles: int) -> list[dict[str, Any]]:
    keys = {
        **{"geometry.blocks_per_plane": 48, "geometry.pages_per_block": 16, "ftl.overprovisioning": 0.15},
        **{"ftl.superblock": "drive", "fdp.handles": 2},
        **{"precondition.kind": "replay", "precondition.occupancy": 1.0},
    }
    design = cn.design("performance-optimized").replace(fabric=fabric, **PINS[fabric]).replace(**keys)
    common = {"requests": 1_000_000, "stop": "120ms"}
    writes = common | {"read_share": 0.0, "queue_depth": 16}
    reads = common | {"read_share": 1.0, "size": "4KiB", "queue_depth": 64}
    objects = writes | {"size": "4KiB", "working_set": 0.1}
    log = writes | {"size": "16KiB", "addresses": "sequential", "working_set": 1.0, "working_set_offset": "36MiB"}
    own = {"handle": 1} if handles == 2 else {}
    flows = [flow("reads", reads), flow("objects", objects), flow("log", log, **own)]
    return [tables.result(design, workload("cache", flows), seed) for seed in SEEDS]


FIGURES: tuple[tuple[str, str, Callable[[dict[str, Any]], float]], ...] = (
    ("reads, p99 in µs", ".0f", lambda run: run["flows"][0]["latency_us"]["all"]["p99"]),
    ("reads, GB/s", ".2f", lambda run: run["flows"][0]["bandwidth_mb_s"] / 1e3),
    ("writes, GB/s", ".2f", lambda run: sum(flow["bandwidth_mb_s"] for flow in run["flows"][1:]) / 1e3),
    ("write amplification", ".2f", lambda run: run["flash"]["write_amplification"]),
)


def fdp() -> Iterator[str]:
    yield head("handles")
    for handles, label in ((1, "one handle"), (2, "two handles")):
        found = [placed(fabric, handles) for fabric in PINS]
        for what, form, of in FIGURES:
            yield line(f"{label}: {what}", [statistics.fmean(map(of, runs)) for runs in found], form)


TABLES = {"zones": (PAGE, zones), "fdp": (PAGE, fdp)}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
