"""Limits of tasks (`flow.compute`): limits of reads, as far as a task's data use each part, and of units."""

import math
from collections.abc import Callable
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
    """Differences of the bound of tasks from the bound of their reads, which have that size.

    Operands at random places cross twice.
    """
    task = workload.to_dict()["flow"][0]["compute"]
    gathers, at = task["kind"] == "gather", task["at"]
    operands = task.get("operands", 2) if gathers else 1
    results = {"scan": task["returned"] * size, "gather": size, "reduce": size_bytes(task["result"])}
    result = size * operands if at == "host" else results[task["kind"]]
    small = max(_SECTOR, math.ceil(result / operands / _SECTOR) * _SECTOR)
    returned = limits_of(reads(workload, small))
    limits: dict[str, float] = {}
    for part, limit in limits_of(reads(workload)).items():
        if "link" in part:
            limits[part] = returned.get(part, math.inf) / operands
        elif part == "dies":
            limits[part] = limit / operands
        elif part not in ("queue depth", "commands in the drive"):
            limits[part] = limit / _crossings(at, gathers, operands, result / size)
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


def _crossings(at: str, gathers: bool, operands: int, result: float) -> float:
    if at not in _WITHIN:
        return float(operands)
    # All but one operand out and in again, and the result.
    return 2.0 * (operands - 1) + result if gathers else max(result, 1e-9)


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
