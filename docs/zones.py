"""Makes the tables of docs/explanation/zones.md: `.venv/bin/python docs/zones.py --write`.

Some 60 short runs, minutes on one core. Without `--write` it only prints; names of tables select these.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import canaletto as cn
import tables
from canaletto._run.simulate import run_once
from canaletto_papers.flows import flow, workload

PAGE = tables.DOCS / "explanation/zones.md"

# Sixteen data pins a controller at 1.2 GB/s for eight of them, as in docs/numbering.py.
PINS: dict[str, dict[str, Any]] = {
    "bus": {"fabric.link_rate": "2.4GB/s"},
    "packetized": {"fabric.link_rate": "1.2GB/s"},
    "omnibus": {"fabric.link_rate": "1.2GB/s"},
    "mesh": {"fabric.network.link_rate": "1.2GB/s"},
    "venice": {"fabric.network.link_rate": "2.4GB/s"},
    "ideal": {"fabric.link_rate": "1.2GB/s"},
}
WIDTHS: dict[str, tuple[int, int]] = {
    "1 die": (1, 1),
    "8 dies of one channel": (8, 1),
    "8 dies, one of each channel": (8, 8),
    "64 dies": (64, 8),
}
"""Dies and channels of a zone."""
DIE_BYTES = 2 * 768 * 4096
"""A block of each plane of a die."""


def result(design: cn.Design, work: cn.Workload) -> dict[str, Any]:
    return run_once(design, work, 1, 0, False, None)[0]


@cache
def zoned(fabric: str, width: str) -> dict[str, Any]:
    """Reads at random places of full zones, next to appends to four zones."""
    dies, channels = WIDTHS[width]
    keys = {
        **{"zns.zone_size": f"{dies * DIE_BYTES}B", "zns.stripe.dies": dies, "zns.stripe.channels": channels},
        **{"cache.capacity": "4MiB", "cache.power_loss_protection": True},
        **{"precondition.kind": "steady", "precondition.occupancy": 0.5},
    }
    design = cn.design("performance-optimized").replace(fabric=fabric, **PINS[fabric]).replace(**keys)
    common = {"requests": 1_000_000, "stop": "20ms"}
    reads = {"read_share": 1.0, "size": "4KiB", "queue_depth": 64, "working_set": 0.5}
    appends = {"read_share": 0.0, "size": "16KiB", "queue_depth": 64, "zone_work": "append", "zones": 4}
    # Zones behind the full ones.
    appends["working_set_offset"] = f"{200 * 2**30}B"
    return result(design, workload("both", [flow("reads", common | reads), flow("appends", common | appends)]))


@cache
def placed(fabric: str, handles: int) -> dict[str, Any]:
    """Reads next to a flash cache's writes, whose log has its own handle or not."""
    keys = {
        **{"geometry.blocks_per_plane": 64, "geometry.pages_per_block": 16, "ftl.overprovisioning": 0.2},
        **{"ftl.superblock": "drive", "fdp.handles": 2, "ftl.unwritten_reads": "assume-page-written"},
    }
    design = cn.design("performance-optimized").replace(fabric=fabric, **PINS[fabric]).replace(**keys)
    writes = {"read_share": 0.0, "size": "4KiB", "queue_depth": 64, "requests": 300_000}
    objects = flow("objects", writes | {"working_set": 0.04})
    log = {"addresses": "sequential", "working_set": 0.9, "working_set_offset": "64MiB"}
    flows = [objects, flow("log", writes | log, **({"handle": 1} if handles == 2 else {}))]
    reads = {"read_share": 1.0, "size": "4KiB", "queue_depth": 16, "requests": 200_000}
    return result(design, workload("cache", [*flows, flow("reads", reads)]))


def head(label: str) -> str:
    return f"| {label} | " + " | ".join(f"`{name}`" for name in PINS) + " |\n" + "| --- " * (len(PINS) + 1) + "|"


def line(label: str, values: list[float], form: str) -> str:
    return f"| {label} | " + " | ".join(f"{value:{form}}" for value in values) + " |"


def zones() -> Iterator[str]:
    yield head("zone")
    for width in WIDTHS:
        found = [zoned(fabric, width)["flows"] for fabric in PINS]
        yield line(f"{width}: reads, p99 in µs", [each[0]["latency_us"]["all"]["p99"] for each in found], ".0f")
        yield line(f"{width}: reads, GB/s", [each[0]["bandwidth_mb_s"] / 1e3 for each in found], ".2f")
        yield line(f"{width}: appends, GB/s", [each[1]["bandwidth_mb_s"] / 1e3 for each in found], ".2f")


def handles() -> Iterator[str]:
    yield head("handles")
    for number in (1, 2):
        found = [placed(fabric, number) for fabric in PINS]
        yield line(f"{number}: write amplification", [each["flash"]["write_amplification"] for each in found], ".2f")
        yield line(
            f"{number}: reads, p99 in µs", [each["flows"][2]["latency_us"]["all"]["p99"] for each in found], ".0f"
        )
        rates = [sum(flow["bandwidth_mb_s"] for flow in each["flows"][:2]) / 1e3 for each in found]
        yield line(f"{number}: writes, GB/s", rates, ".2f")


TABLES = {"zones": (PAGE, zones), "handles": (PAGE, handles)}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
