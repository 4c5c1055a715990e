"""Carries runs out, several at a time, and keeps their results, so that what was interrupted goes on where it was."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Event, Lock
from typing import Any

from canaletto._io import files
from canaletto._run import parallel
from canaletto.experiments.figure import Data, Simulation

Report = Callable[[int, int], object]
"""Called with runs that are done and runs in all."""

_REQUESTS_A_SECOND = 200_000
"""Of a busy drive, in simulated time, roughly: only the order of runs depends on it."""


def carry_out(runs: Iterable[Simulation], kept: Path, report: Report) -> Mapping[str, Data]:
    """The results of runs, by their keys. Those in the folder `kept` are not run again; the others are kept there.

    Raises ConfigError, SimulationError or OSError as `canaletto.run` does; Ctrl-C stops all of them.
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
    """Relative duration of a run, in requests."""
    return run.requests if run.until_s is None else run.until_s * _REQUESTS_A_SECOND


def _essence(data: dict[str, Any]) -> Data:
    """A result without its pictures of flows, wires and time: thousands of results must fit into memory."""
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
    """A result that was kept; None if there is none, or it is not what was kept: then it is made again."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        data: Data = stored["result"]
        return data if stored["checksum"] == _checksum(data) else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _checksum(data: Data) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
