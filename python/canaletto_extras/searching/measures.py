"""Objectives and constraints: results of a point, and what is known of a design without a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from canaletto._run.confidence import lookup
from canaletto._run.config import Design, Workload
from canaletto._run.simulate import inspect
from canaletto.traces import info


@dataclass(frozen=True)
class Measure:
    """A figure that designs are judged by."""

    name: str
    column: str
    """Its column in the table, with the unit."""
    title: str
    path: str = ""
    """Its field in a result; empty for those known without a run."""
    more_is_better: bool = False


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("p99", "latency_p99_us", "p99 latency (µs)", "latency_us.all.p99"),
        Measure("mean_latency", "latency_mean_us", "mean latency (µs)", "latency_us.all.mean"),
        Measure("iops", "iops", "requests a second", "iops", more_is_better=True),
        Measure("energy", "energy_total_mj", "energy (mJ)", "energy_mj.total"),
        Measure("power", "average_power_mw", "average power (mW)", "average_power_mw"),
        Measure("endurance", "lifetime_bytes", "bytes written until worn out", "flash.wear.lifetime_bytes", True),
        Measure("write_amplification", "write_amplification", "write amplification", "flash.write_amplification"),
        Measure("area", "area_vs_channels", "area of the wires, of those of the bus"),
        Measure("pins", "pins", "pins of the flash controllers"),
    )
}

DESIGN_ONLY = ("area", "pins")
"""Measures that are known without a run."""

_PINS = {
    "bus": 18,
    "sca": 16,
    "packetized": 18,
    "omnibus": 18,
    "omnibus-split": 18,
    "mesh": 16,
    "mesh-2bit": 4,
    "venice": 8,
}
"""Pins of a flash controller towards the chips.

NV-DDR4 has 18 signals, 8 of them data (Networked SSD Table I); packets use the same pins, which the Omnibus topology
parts into a row's and a column's (§IV, §V). JESD230G has command and address pins, which are added here, instead of two
of the 18 (CLE and ALE), and gives WE# and CE# other tasks. Networks of routers have links of 8 or 2 data pins and no
control signals: one for each direction in a mesh, one for both in Venice, whose circuits are used one way at a time.
"""


def pins(design: Mapping[str, Any]) -> int | None:
    """Pins of all flash controllers of a design. None for a fabric of which nobody says."""
    fabric, geometry = design["fabric"]["kind"], design["geometry"]
    if fabric == "ideal":
        # Its own channel for each chip.
        return int(_PINS["bus"] * geometry["channels"] * geometry["chips_per_channel"])
    if fabric == "scheduled-mesh":
        # The links of Venice, and pins and clock of a row's grants. Strobes are not counted, as of no network here.
        return int((_PINS["venice"] + design["fabric"]["scheduled_mesh"]["grant_width"] + 1) * geometry["channels"])
    if fabric == "custom":
        fabric = "venice"
    if fabric not in _PINS:
        return None
    more = design["fabric"]["sca"]["ca_width"] if fabric == "sca" else 0
    return int((_PINS[fabric] + more) * geometry["channels"])


def area(design: Mapping[str, Any]) -> float | None:
    """Area of the wires of a design, as a share of that of the bus's channels. None where nobody published it."""
    fabric, geometry = design["fabric"]["kind"], design["geometry"]
    if fabric == "bus":
        return 1.0
    if fabric == "sca":
        # The same wires but for those of commands and addresses.
        return float((_PINS["sca"] + design["fabric"]["sca"]["ca_width"]) / _PINS["bus"])
    if fabric not in ("mesh", "mesh-2bit", "venice", "scheduled-mesh", "custom"):
        return None
    rows, columns = geometry["channels"], geometry["chips_per_channel"]
    links = rows * (columns - 1) + columns * (rows - 1)
    # A mesh has a link for each direction; each is compared with the channels of as many rows.
    width = {"mesh": 2.0, "mesh-2bit": 0.5}.get(fabric, 1.0)
    return float(links * width * design["area"]["link_vs_channel"] / rows)


def value(measure: Measure, design: Mapping[str, Any], result: Mapping[str, Any]) -> float | None:
    """A measure of a point; None if it does not apply."""
    if measure.name == "pins":
        return pins(design)
    if measure.name == "area":
        return area(design)
    found = lookup(result, measure.path)
    return None if found is None else float(found)


def most_iops(design: Design, workload: Workload) -> float | None:
    """More requests per second than a design can serve, by its closed forms. None if its requests have no size."""
    size = _mean_bytes(workload)
    found = inspect(design, workload)
    # Reads and writes share less than all: only their sum is surely not exceeded.
    limit = sum(min(bound["limit_gb_s"] for bound in found[f"{kind}_bounds"]) for kind in ("read", "write"))
    return float(limit * 1e9 / size) if size else None


@lru_cache(64)
def _mean_bytes(workload: Workload) -> float | None:
    """Mean size of a workload's requests."""
    found: float | None = info(workload)["size_bytes"]["mean"]
    return found
