"""One simulation and the record of its result."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from canaletto import _engine
from canaletto._engine import ConfigError, SimulationError
from canaletto._io.progress import Progress
from canaletto._run import identity, simulate
from canaletto._run.config import Design, Workload
from canaletto._sweeping.tasks import Task

_NAMES = ("schema", "design", "workload", "seed", "cost")
_PICTURES = ("map", "series", "tail_us", "utilisation")


def compute(task: Task, report: Progress | None = None) -> bytes:
    """Returns a simulation's record.

    A run that stops also has a record: it would stop there every time. Raises OSError or ConfigError if trace or engine
    is not the task's.
    """
    check(task)
    design, workload = Design(task.design, "design"), Workload(task.workload, "workload")
    try:
        data, _ = simulate.run_once(design, workload, task.seed, task.warmup, False, report)
    except (ConfigError, SimulationError) as error:
        return record(task.key, {"error": " ".join(str(error).split())}, {})
    return record(task.key, _essence(data), data["cost"])


def check(task: Task) -> None:
    if task.build != identity.build():
        raise ConfigError(
            f"another build of canaletto: got {_engine.version()} ({identity.build()[:12]}), "
            f"expected the one that the sweep was started with ({task.build[:12]})"
        )
    for file, expected in task.traces.items():
        found = identity.hash_of(file)
        if found != expected:
            raise ConfigError(f"{file}: the trace has changed since the sweep began: got {found}, expected {expected}")


def record(key: str, result: Mapping[str, Any], cost: Mapping[str, Any]) -> bytes:
    """A line that shows whether the rest is whole, the result, and its cost.

    The result's line is the same bytes wherever it was computed.
    """
    lines = [json.dumps(part, separators=(",", ":"), allow_nan=False) for part in (result, cost)]
    body = "".join(f"{line}\n" for line in lines).encode()
    return f"{_checksum(key, body)}\n".encode() + body


def opened(key: str, content: bytes) -> tuple[dict[str, Any], dict[str, Any]] | None:
    checksum, _, body = content.partition(b"\n")
    if checksum.decode(errors="replace") != _checksum(key, body):
        return None
    result, cost = map(json.loads, body.splitlines())
    return result, cost


def _checksum(key: str, body: bytes) -> str:
    return hashlib.sha256(f"canaletto point 1 {key}\n".encode() + body).hexdigest()


def _essence(data: Mapping[str, Any]) -> dict[str, Any]:
    """A hundred thousand of them must fit on a disk."""
    found = {key: value for key, value in data.items() if key not in (*_NAMES, *_PICTURES)}
    found["flash"] = {key: value for key, value in data["flash"].items() if key not in ("series", "blocks")}
    found["flows"] = [
        {key: flow[key] for key in ("name", "requests", "iops", "bandwidth_mb_s", "latency_us") if key in flow}
        for flow in data["flows"]
    ]
    # A trace is known by its content: its path is another one on each machine.
    for replay in found.get("replays") or ():
        replay["traces"] = [{key: value for key, value in trace.items() if key != "file"} for trace in replay["traces"]]
    return found
