"""Objectives and constraints."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from canaletto._run.confidence import lookup
from canaletto._run.config import Design, Workload
from canaletto._run.links import interconnect
from canaletto._run.simulate import inspect
from canaletto.traces import info


@dataclass(frozen=True)
class Measure:
    name: str
    column: str
    """Its column in the table, with the unit."""
    title: str
    path: str = ""
    more_is_better: bool = False


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("p99", "latency_p99_us", "p99 latency (µs)", "latency_us.all.p99"),
        Measure("mean_latency", "latency_mean_us", "mean latency (µs)", "latency_us.all.mean"),
        Measure("iops", "iops", "requests per second", "iops", more_is_better=True),
        Measure("energy", "energy_total_mj", "energy (mJ)", "energy_mj.total"),
        Measure("power", "average_power_mw", "average power (mW)", "average_power_mw"),
        Measure("endurance", "lifetime_bytes", "bytes written until worn out", "flash.wear.lifetime_bytes", True),
        Measure("write_amplification", "write_amplification", "write amplification", "flash.write_amplification"),
        Measure("area", "area_mm2", "area of pads, routers, switches and on-die controllers (mm²)"),
        Measure("pins", "pins", "data pins of the flash controllers"),
        Measure("wires", "wire_length_pitches", "length of all data wires (chip pitches)"),
    )
}

DESIGN_ONLY = ("area", "pins", "wires")


def of_design(design: Mapping[str, Any]) -> dict[str, float | None]:
    """Nobody published the area of a mesh's routers."""
    found = interconnect(design)
    return {
        "area": found["area_mm2"],
        "pins": found["data_pins_per_controller"] * design["geometry"]["channels"],
        "wires": found["wire_length_pitches"],
    }


def value(measure: Measure, design: Mapping[str, Any], result: Mapping[str, Any]) -> float | None:
    if measure.name in DESIGN_ONLY:
        return of_design(design)[measure.name]
    found = lookup(result, measure.path)
    return None if found is None else float(found)


def most_iops(design: Design, workload: Workload) -> float | None:
    """An upper bound by closed forms. None if requests have no size."""
    size = _mean_bytes(workload)
    found = inspect(design, workload)
    # Reads and writes share less than all: only their sum is surely not exceeded.
    limit = sum(min(bound["limit_gb_s"] for bound in found[f"{kind}_bounds"]) for kind in ("read", "write"))
    return float(limit * 1e9 / size) if size else None


@lru_cache(64)
def _mean_bytes(workload: Workload) -> float | None:
    found: float | None = info(workload)["size_bytes"]["mean"]
    return found
