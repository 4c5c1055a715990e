"""A stack of high-bandwidth flash with the times of a source, and reads that fill it."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from canaletto._run.config import Design, Workload, design

from canaletto_papers.flows import flow, workload

PAGE = 4096


@cache
def _base() -> Design:
    """No source here counts ECC."""
    return design(
        "hbf-3072",
        **{"controller.ecc_latency": "0us", "controller.pages_in_flight": 0, "fabric.transfer_order": "commands-first"},
    )


def stack(channels: int, units: int, read: str, **changes: Any) -> Design:
    keys: Mapping[str, Any] = {
        "geometry.channels": channels,
        "geometry.chips_per_channel": units,
        "flash.read": read,
        "fabric.link_rate": "192GB/s",
        **changes,
    }
    return _base().replace(**keys)


def stream(pages: int, requests: int, depth: int) -> Workload:
    shape = {
        "requests": requests,
        "read_share": 1.0,
        "size": f"{pages * PAGE}B",
        "alignment": f"{pages * PAGE}B",
        "queue_depth": depth,
    }
    return workload("stream", [flow("stream", shape)])


def strided(pages: int, stride: int) -> Workload:
    shape = {"requests": 1, "read_share": 1.0, "size": f"{PAGE}B", "queue_depth": 1, "working_set_size": f"{PAGE}B"}
    at = [{**shape, "working_set_offset": f"{page * stride * PAGE}B"} for page in range(pages)]
    return workload("strided", [flow(f"page-{number}", keys) for number, keys in enumerate(at)])
