"""The drive of Tables I and II: as numbers for the formulas, and as a design for the engine.

The source's formula has every plane of a die read its own page, and program without the others: here each plane is its
own LUN, with separate commands, registers and programs. (`flash.independent_plane_reads` gives planes of a LUN separate
reads, while a program takes the whole LUN: a line of `table-changes`.) Blocks are few and small, so that collection
comes to its steady state within a run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from canaletto import bounds
from canaletto._io import _toml
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Scale
from canaletto_papers.flows import flow, workload

READ_US, PROGRAM_US, PAGE, PLANES = 5.0, 50.0, 4096, 6
CHANNEL_MB_S = 3600.0
READ_SHARE, AMPLIFICATION = 0.9, 3.0
"""Γ = 9 reads a write, and Φ (§III)."""


@dataclass(frozen=True)
class Shape:
    channels: int
    dies: int
    command_us: float


SHAPES = {
    "pessimistic": Shape(16, 3, 0.2),
    "baseline": Shape(20, 4, 0.15),
    "optimistic": Shape(24, 5, 0.1),
}


def numbers(shape: Shape, channel_mb_s: float = CHANNEL_MB_S) -> bounds.Drive:
    return bounds.Drive(
        fabric="bus",
        rows=shape.channels,
        columns=shape.dies,
        planes=PLANES,
        page_bytes=PAGE,
        read_us=READ_US,
        program_us=PROGRAM_US,
        program_planes=PLANES,
        independent_planes=True,
        reads_overlap=True,
        programs_overlap=True,
        link_rate=channel_mb_s,
        read_command_us=shape.command_us,
        program_command_us=PLANES * shape.command_us,
        controller=bounds.Controller(lookup_rate=40_000 / 8),  # 40 GB/s of DRAM, 8 B an entry (§III)
    )


def asked(size: int, read_share: float = READ_SHARE, amplification: float = AMPLIFICATION) -> bounds.Work:
    return bounds.Work(size=size, read_share=read_share, write_amplification=amplification, programmed_bytes=size)


def peak_millions(drive: bounds.Drive, work: bounds.Work, mix: bounds.Mix = "rates") -> float:
    return float(np.asarray(bounds.peak_iops(drive, work, mix=mix))) / 1e6


@cache
def _base() -> Design:
    shape = SHAPES["baseline"]
    keys: Mapping[str, Any] = {
        "name": "storage-next",
        "about": "SLC drive of arXiv 2511.03944, Table II, each plane its own LUN",
        "geometry": {
            "channels": shape.channels,
            "chips_per_channel": shape.dies,
            "dies_per_chip": PLANES,
            "planes_per_die": 1,
            "blocks_per_plane": 64,
            "pages_per_block": 16,
            "page": "4KiB",
        },
        "flash": {
            "cell": "slc",
            "read": "5us",
            "program": "50us",
            # A millisecond over 256 pages, in blocks of 16. Assumed; the source's formula has no erases.
            "erase": "62500ns",
            "cache_read": True,
            "cache_read_busy": "0us",
        },
        "fabric": {
            "kind": "sca",
            "link_rate": "3.6GB/s",
            "interface": "nv-lpddr4",
            "command_time": "150ns",
        },
        "host": {"queues_per_flow": 16},
        "link": {"lanes": 8, "lane_rate": "gen7"},
        # Writes fill whole pages together (§III), wherever the next one is programmed.
        "ftl": {"mapping_unit": "512B", "overprovisioning": 0.2, "write_placement": "dynamic"},
        # Assumed: they wait in memory that survives loss of power, two pages a plane. DRAM of 40 GB/s (§III), which has
        # many banks: no time for rows.
        "cache": {
            "capacity": "4MiB",
            "dram": {"rate": "40GB/s", "trcd": "0ns", "tcl": "0ns", "trp": "0ns"},
        },
        "precondition": {"kind": "steady"},
    }
    return Design.from_toml(_toml.dumps(dict(keys)), "storage-next")


def design(changes: Mapping[str, Any] | None = None, shape: Shape = SHAPES["baseline"], size: int = 512) -> Design:
    keys = {
        "ftl.mapping_unit": f"{size}B",
        "geometry.channels": shape.channels,
        "geometry.chips_per_channel": shape.dies,
        "fabric.command_time": f"{shape.command_us * 1e3:g}ns",
    }
    return _base().replace(**keys, **(changes or {}))


_WRITES = 400_000
DEPTH = 8_000
"""The host's queues are never empty."""


def extent(scale: Scale, read_share: float) -> int:
    return scale.of(150_000 if read_share == 1.0 else round(_WRITES / (1.0 - read_share)), 20_000)


def requests(number: int, size: int, read_share: float, **pace: Any) -> Workload:
    shape = {
        "requests": number,
        "read_share": read_share,
        "size": f"{size}B",
        "alignment": f"{size}B",
        **(pace or {"queue_depth": DEPTH}),
    }
    return workload("small", [flow("small", shape)])
