"""Limits of tasks (`flow.compute`): limits of reads, as far as a task's data use each part, and of units."""

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from canaletto._engine import ConfigError
from canaletto._io import _toml
from canaletto._run.config import Design, Workload
from canaletto._run.quantities import rate, size_bytes

_SECTOR = 512
_WITHIN = ("chip", "array")


def are_in(workload: Workload) -> bool:
    return any("compute" in flow for flow in workload.to_dict()["flow"])


def of_tasks(
    design: Design, workload: Workload, size: float, limits_of: Callable[[Workload], dict[str, float]]
) -> dict[str, Any]:
    """Differences of the bound of tasks from the bound of their reads, which have that size."""
    task = workload.to_dict()["flow"][0]["compute"]
    gathers, at = task["kind"] == "gather", task["at"]
    operands = task.get("operands", 2) if gathers else 1
    results = {"scan": task["returned"] * size, "gather": size, "reduce": size_bytes(task["result"])}
    result = size * operands if at == "host" else results[task["kind"]]
    small = max(_SECTOR, math.ceil(result / operands / _SECTOR) * _SECTOR)
    returned = limits_of(reads(workload, small))
    ways = _Ways.of(design, task, operands, size)
    limits: dict[str, float] = {}
    for part, limit in limits_of(reads(workload)).items():
        if "link" in part:
            limits[part] = returned.get(part, math.inf) / operands
        elif part == "dies":
            limits[part] = limit / (ways.sensed if gathers else operands)
        elif part not in ("queue depth", "commands in the drive"):
            limits[part] = limit / ways.crossings(part, result / size)
    limits |= _units(design, at, size * operands)
    finite = {part: limit for part, limit in limits.items() if math.isfinite(limit)}
    ordered = dict(sorted(finite.items(), key=lambda each: each[1]))
    limit_of = next(iter(ordered))
    return {
        "size_bytes": size * operands,
        "peak_iops": ordered[limit_of],
        "limit": limit_of,
        "limits_iops": ordered,
        "service_us": 1e6 / ordered[limit_of],
        "is_exact": False,
    }


@dataclass(frozen=True)
class _Ways:
    """What pages of a task cross.

    moved: operands that are not in the chip where most are. direct: share that goes from chip to chip.
    sensed: reads of arrays.
    """

    within: bool
    gathers: bool
    operands: int
    moved: float
    direct: float
    sensed: float

    @classmethod
    def of(cls, design: Design, task: dict[str, Any], operands: int, size: float) -> "_Ways":
        keys, within = design.to_dict(), task["at"] in _WITHIN
        distance = size_bytes(task["distance"]) if "distance" in task else None
        together = task["at"] == "array" and distance is not None
        sensed = math.ceil(operands / keys["compute"]["array"]["operands"]) if together else operands
        moved = _moved(keys, operands, None if distance is None else round(distance / size))
        return cls(within, task["kind"] == "gather", operands, moved, _direct(keys), sensed)

    def crossings(self, part: str, result: float) -> float:
        if not self.within:
            return float(self.operands)
        if not self.gathers:
            return max(result, 1e-9)
        if part == "planes":
            return max(self.moved, 1e-9) if self.sensed == self.operands else 1e-9
        if part == "chip ports":
            each = 1.0
        elif part in ("row and column buses", "inner buses"):
            each = 2.0 - self.direct
        else:
            # Out to a controller and in again, perhaps over wires of one direction.
            each = (1.0 if "from chips" in part else 2.0) * (1.0 - self.direct)
        return self.moved * each + result


def _direct(keys: dict[str, Any]) -> float:
    """Share of the ways between two chips that need no controller."""
    kind, geometry = keys["fabric"]["kind"], keys["geometry"]
    rows, chips = geometry["channels"], geometry["channels"] * geometry["chips_per_channel"]
    if kind in ("omnibus", "omnibus-split"):
        return float((rows - 1) / max(1, chips - 1))
    if kind == "clusters":
        return 1.0  # Of chips of one switch: no more than all.
    over_network = kind in ("venice", "mesh", "mesh-2bit") and keys["fabric"]["network"]["chip_to_chip"]
    return 1.0 if over_network or kind == "scheduled-mesh" else 0.0


def _moved(keys: dict[str, Any], operands: int, distance: int | None) -> float:
    """The mean number of operands in other chips than most, at random pages or at a distance of pages.

    Pages lie as an untouched drive is found.
    """
    geometry = keys["geometry"]
    sizes = {
        "C": geometry["channels"],
        "W": geometry["chips_per_channel"],
        "D": geometry["dies_per_chip"],
        "P": geometry["planes_per_die"],
    }
    planes = math.prod(sizes.values())

    def chip(page: int) -> tuple[int, int]:
        at = {}
        for letter in keys["ftl"]["allocation"]:
            page, at[letter] = divmod(page, sizes[letter])
        return at["C"], at["W"]

    draw = random.Random(1)
    tasks = range(_SAMPLES if distance is None else min(planes, _SAMPLES))
    starts = [draw.randrange(planes) for _ in tasks] if distance is None else list(tasks)
    moved = 0
    for start in starts:
        pages = [draw.randrange(planes) if distance is None else start + i * distance for i in range(1, operands)]
        moved += operands - max(Counter(map(chip, [start, *pages])).values())
    return moved / len(starts)


_SAMPLES = 1000


def _units(design: Design, at: str, bytes_per_task: float) -> dict[str, float]:
    if at == "array":
        return {}
    keys = design.to_dict()
    channels, chips = keys["geometry"]["channels"], keys["geometry"]["chips_per_channel"]
    count = {"host": 1, "drive": 1, "channel": channels, "chip": channels * chips}[at]
    return {f"units at {at}": 1e6 * rate(keys["compute"][at]["rate"]) * count / bytes_per_task}


def reads(workload: Workload, size: int | None = None) -> Workload:
    """The one flow of a workload with reads instead of tasks, perhaps of another size.

    Raises ConfigError for other flows next to it.
    """
    keys: dict[str, Any] = workload.to_dict()
    if len(keys["flow"]) != 1 or "synthetic" not in keys["flow"][0]:
        raise ConfigError(f"{workload.label}: got tasks next to other flows, expected one flow of generated tasks")
    flow = {name: value for name, value in keys["flow"][0].items() if name != "compute"}
    if size is not None:
        flow["synthetic"] = {**flow["synthetic"], "size": f"{size}B", "alignment": f"{size}B"}
    return Workload.from_toml(_toml.dumps({**keys, "flow": [flow]}), "reads.toml")
