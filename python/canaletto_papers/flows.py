"""Workloads of synthetic flows."""

from collections.abc import Iterable, Mapping
from typing import Any

from canaletto._io import _toml
from canaletto._run.config import Workload


def flow(name: str, keys: Mapping[str, Any], **outside: Any) -> dict[str, Any]:
    """`outside`: keys of the flow itself, such as `channels`."""
    return {"name": name, **outside, "synthetic": dict(keys)}


def workload(name: str, flows: Iterable[Mapping[str, Any]], **keys: Any) -> Workload:
    """`keys`: of the workload, such as `partitioned`."""
    return Workload.from_toml(_toml.dumps({"name": name, **keys, "flow": list(flows)}), f"{name}.toml")
