"""Drives of the papers, and tasks that keep them busy."""

from collections.abc import Mapping
from typing import Any

from canaletto._run.config import Design, Workload, design
from canaletto._run.laboratory import Data

from canaletto_papers.flows import flow, workload

PAGE_KIB = 16


def drive(channels: int, link_gb_s: float, **changes: Any) -> Design:
    """A drive of eight dies of two planes per channel of 1.2 GB/s, which read 16 KiB in 22.5 us."""
    keys: Mapping[str, Any] = {
        "geometry.channels": channels,
        "geometry.page": f"{PAGE_KIB}KiB",
        "flash.read": "22.5us",
        "link.lanes": 1,
        "link.lane_rate": f"{link_gb_s}GB/s",
        "host.queue_entries": 4096,
        "host.fetch_limit": 2048,
        "controller.pages_in_flight": 0,
        **changes,
    }
    return design("performance-optimized", **{key: value for key, value in keys.items() if value is not None})


def tasks(requests: int, size_kib: int, depth: int, **compute: Any) -> Workload:
    shape = {
        "requests": requests,
        "read_share": 1.0,
        "size": f"{size_kib}KiB",
        "queue_depth": depth,
        "addresses": "sequential",
    }
    return workload("tasks", [flow("tasks", shape, compute=compute)])


def operand_rate(found: Data) -> float:
    report = found["flows"][0]["compute"]
    return float(report["operand_bytes"] / (found["execution_time_us"] * 1e-6))


def energy_per_byte(found: Data) -> float:
    """Nanojoules of arrays, fabric and units per byte of operands; what is drawn all the time is left out."""
    report, energy = found["flows"][0]["compute"], found["energy_mj"]
    return float((energy["array"] + energy["fabric"] + report["energy_mj"]) * 1e6 / report["operand_bytes"])
