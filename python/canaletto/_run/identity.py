"""A name for all that the results of a simulation depend on."""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from canaletto import _engine
from canaletto._run.config import Design, Workload


def key_of(*parts: str) -> str:
    return hashlib.sha256("\0".join((build(), *parts)).encode()).hexdigest()[:32]


@cache
def build() -> str:
    """The engine's build: its version may stay while the engine changes."""
    return hashlib.sha256(Path(_engine.__file__).read_bytes()).hexdigest()


def hash_of(trace: str) -> str:
    state = os.stat(trace)
    return _hash(trace, state.st_ino, state.st_size, state.st_mtime_ns)


@cache
def _hash(trace: str, *state: int) -> str:
    return _engine.hash_trace(trace)


def drive(design: Design) -> str:
    return _text({key: value for key, value in design.to_dict().items() if key not in ("name", "about")})


def traffic(workload: Workload, traces: Mapping[str, str]) -> str:
    """Without descriptions, and with the content of traces instead of their paths."""
    keys = {**workload.to_dict(), "name": "", "about": ""}
    flows = [{**flow, "synthetic": _undescribed(flow.get("synthetic"))} for flow in keys["flow"]]
    return _text(with_traces({**keys, "flow": flows}, traces))


def _undescribed(synthetic: dict[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (synthetic or {}).items() if key != "origin"}


def with_traces(part: Any, others: Mapping[str, str]) -> Any:
    if isinstance(part, list):
        return [with_traces(each, others) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: others[value] if key == "file" and value in others else with_traces(value, others)
        for key, value in part.items()
    }


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, sort_keys=True)
