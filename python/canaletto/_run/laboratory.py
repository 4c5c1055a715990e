"""Carries runs out and keeps their results, so that an interrupted call continues."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from threading import Event, Lock
from typing import Any, Protocol, TypeAlias

from canaletto._io import files
from canaletto._io.progress import Progress
from canaletto._run import parallel, simulate
from canaletto._run.config import Design, Workload
from canaletto._run.identity import hash_of, key_of, traffic
from canaletto._run.own import Parts

Data: TypeAlias = Mapping[str, Any]

Report = Callable[[int, int], object]
_REQUESTS_A_SECOND = 200_000
"""In simulated time: only the order of runs depends on it."""


class Simulation(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def requests(self) -> int: ...
    @property
    def until_s(self) -> float | None: ...

    def simulate(self, report: Progress) -> dict[str, Any]:
        """Carries it out."""


@dataclass(frozen=True)
class Run:
    design: Design
    workload: Workload
    seed: int = 1
    alone: int | None = None
    """The number of the only flow that makes its requests."""
    warmup: int = 0
    parts: Parts | None = None
    root_causes: bool = False
    """Following waits takes memory on a drive that falls ever further behind."""

    @cached_property
    def key(self) -> str:
        """Any change of configuration, traces or engine gives another key."""
        made = traffic(self.workload, {file: hash_of(file) for file in self.workload.traces()})
        followed = ["root causes"] if self.root_causes else []
        own = [json.dumps(self.parts.names)] if self.parts and self.parts.given else []
        return key_of(self.design.to_toml(), made, str(self.seed), str(self.alone), str(self.warmup), *followed, *own)

    @property
    def requests(self) -> int:
        return _requests(self.workload)

    @property
    def until_s(self) -> float | None:
        """Simulated time that ends the run, if no number of requests does."""
        stops = [made.get("synthetic", {}).get("stop") for made in self.workload.to_dict()["flow"]]
        return max(seconds(stop) for stop in stops) if all(stops) else None

    def simulate(self, report: Progress) -> dict[str, Any]:
        asked = self.design, self.workload, self.seed, self.warmup, False, report
        return simulate.run_once(*asked, alone=self.alone, root_causes=self.root_causes, parts=self.parts)[0]


def seconds(duration: str) -> float:
    digits = duration.rstrip("npums")
    return float(digits) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}[duration[len(digits) :]]


@cache
def _requests(workload: Workload) -> int:
    made = [flow.get("synthetic") or flow.get("trace") or {} for flow in workload.to_dict()["flow"]]
    return sum(each.get("requests") or 100_000 for each in made)


def carry_out(runs: Iterable[Simulation], kept: Path, report: Report) -> Mapping[str, Data]:
    """Results by key; those in the folder `kept` are not run again.

    Raises what `canaletto.run` raises; Ctrl-C stops all.
    """
    wanted = {run.key: run for run in runs}
    found: dict[str, Data] = {key: data for key in wanted if (data := _read(kept / f"{key}.json")) is not None}
    # The longest first, so that no processor has to wait for one at the end.
    missing = sorted((run for key, run in wanted.items() if key not in found), key=_size, reverse=True)
    lock = Lock()
    report(len(found), len(wanted))

    def job(run: Simulation) -> Callable[[Event], None]:
        def work(stop: Event) -> None:
            def look(*_: int) -> None:
                if stop.is_set():
                    raise parallel.StoppedError

            look()
            data = _essence(run.simulate(look))
            with files.whole(kept / f"{run.key}.json") as out:
                out.write(json.dumps({"checksum": _checksum(data), "result": data}).encode())
            with lock:
                found[run.key] = data
                report(len(found), len(wanted))

        return work

    parallel.in_threads([job(run) for run in missing], parallel.processors())
    return found


def _size(run: Simulation) -> float:
    return run.requests if run.until_s is None else run.until_s * _REQUESTS_A_SECOND


def _essence(data: dict[str, Any]) -> Data:
    flows = [{key: value for key, value in flow.items() if key not in ("series", "tail_us")} for flow in data["flows"]]
    small = {key: value for key, value in data.items() if key not in ("map", "cost")}
    return {
        **small,
        "flows": flows,
        "series": {key: data["series"][key] for key in ("interval_us", "arrivals", "latency_us")},
        "tail_us": data["tail_us"]["all"],
        "flash": {key: value for key, value in data["flash"].items() if key != "series"},
    }


def _read(path: Path) -> Data | None:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        data: Data = stored["result"]
        return data if stored["checksum"] == _checksum(data) else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _checksum(data: Data) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
