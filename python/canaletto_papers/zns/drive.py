"""The ZN540 as a zoned drive, the host that measured it, and the measured lines.

The design is the preset `pcie4-tlc-zn540` with zones. Sources of its keys: Western Digital's data sheet by way of
NVMeVirt's model (snu-csl/nvmevirt, ssd_config.h, WD_ZN540: zones of 2 GiB over all 32 dies) and the set-up of
Doekemeijer et al., "Performance Characterization of NVMe Flash Devices with Zoned Namespaces (ZNS)", CLUSTER 2023
(904 zones, 1,077 MiB writable, 14 open and active zones).
"""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from canaletto._io import _toml
from canaletto._run.config import Design

MEASURED_MB_S = 1228.6
"""Appends alone: the rate of which the measured jobs were given shares."""

RESET_S = 16.19e-3
"""Reset of a full zone: CLUSTER 2023, section 3.6."""

HOSTS: Mapping[str, Mapping[str, Any]] = {
    # A kernel thread and fio, which are one core here. Calibrated: reads of 4 KiB alone end at 324,000/s (424,000/s
    # by SPDK), and a read of 8 KiB takes 5 us more than by SPDK.
    "io_uring": {"submit_time": "1.54us", "complete_time": "1.54us", "interrupt_latency": "2.1us"},
    "spdk": {"submit_time": "150ns"},
}
"""Hosts of the measured lines: those of writes are by SPDK."""

_KEYS: Mapping[str, Any] = {
    "base": "pcie4-tlc-zn540",
    "name": "zn540-zoned",
    "zns": {
        **{"zone_size": "2GiB", "zone_capacity": "1077MiB", "max_open": 14, "max_active": 14},
        # 96 KiB of a die at once (NVMeVirt's model, ONESHOT_PAGE_SIZE).
        "pages_per_program": 3,
    },
    # 904 of 910 blocks of each plane.
    "ftl": {"overprovisioning": 0.0065},
    # Nothing is collected.
    "gc": {"threshold": 0.0, "hard_threshold": 0.0},
    # The preset's are calibrated for reads at great depths and for writes without zones.
    "controller": {
        "firmware_per_request": "2us",
        "firmware_per_page": "0us",
        # Calibrated: a write of 4 KiB alone takes 10.5 us by SPDK.
        "write_latency": "1.3us",
        # 5.6 us of a write (NVMeVirt's model, FW_WBUF_LATENCY0), of which firmware_per_request has 2 us.
        "firmware_per_write": "3.6us",
        # Calibrated: 4 KiB to eight zones at depth 1, 134,252 appends/s and 185,852 writes/s.
        "firmware_per_append": "2.1us",
    },
    # Chosen by reads alone: their 99th percentiles at depth 64 are 4 % below the measured ones, with "fifo" 36 % above.
    "fabric": {"data_queue": "oldest-request"},
    "flash": {
        # Calibrated: 32 dies at MEASURED_MB_S, the rate of appends, take 853 us for each 32 KiB, of which 61 us cross
        # the bus. Published are 575 us of this flash and 561 us in NVMeVirt's model.
        "program": "792us",
        "suspend": {
            "operations": "both",
            # Calibrated from reads next to finishes without a pause (read-on-finish), which no figure counts: means,
            # medians, 95th and 99th percentiles at depths 1 to 128 are 10 % off on average, with 10 to 14 suspensions.
            # No source states any of the three for this die.
            **{"suspend_time": "110us", "max_suspensions": 11, "max_suspended_time": "100us"},
        },
    },
    "precondition": {"kind": "steady", "occupancy": 0.5},
}


@cache
def design(host: str = "io_uring") -> Design:
    return Design.from_toml(_toml.dumps({**_KEYS, "host": dict(HOSTS[host])}), "zn540-zoned")


@cache
def measured() -> tuple[Mapping[str, str], ...]:
    """Measured lines: stonet-research/systor-confznsplusplus-artifact 06f8c71d, MIT; fio's percentiles, in us."""
    text = files(__package__).joinpath("measured.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))
