"""Running simulations."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from os import PathLike
from typing import TYPE_CHECKING, Any

from canaletto import _engine, confidence, memory
from canaletto._engine import ConfigError
from canaletto.config import Design, Workload, check_whole
from canaletto.config import design as load_design
from canaletto.config import workload as load_workload
from canaletto.progress import Bar, Progress
from canaletto.results import Result

if TYPE_CHECKING:
    import polars as pl

    from canaletto.frames import Columns


def run(
    design: Design | str | PathLike[str],
    workload: Workload | str | PathLike[str],
    *,
    seed: int = 1,
    warmup: int = 0,
    seeds: int = 1,
    records: bool = True,
    progress: bool | Callable[[int, int, int], object] | None = None,
) -> Result:
    """Simulates the drive under the workload.

    seed: same inputs and seed, same results, to the bit. warmup: this many requests at the start are left out of the
    statistics. seeds: repeat with so many seeds, counted up from `seed`; the result is that of the first, with the
    means and 95 % confidence intervals over all in `confidence`. records: keep every single request (of the first
    seed) for `Result.requests`; some 100 bytes each. progress: show a bar (by default, when standard error is a
    terminal), or call a function with requests done, requests in all (0 if unknown) and simulated picoseconds.

    The interpreter's lock is released while the engine runs, and Ctrl-C stops it.

    Raises ConfigError for what cannot be simulated, SimulationError for a run that stopped and explained why, OSError
    for a trace that cannot be read.
    """
    if not isinstance(design, Design):
        design = load_design(design)
    if not isinstance(workload, Workload):
        workload = load_workload(workload)
    check_whole("seeds", seeds, 1, 10_000)
    check_whole("seed", seed, 0, 2**64 - seeds)
    check_whole("warmup", warmup, 0, 2**64 - 1)
    _check_memory(design, workload, records)
    results: list[dict[str, Any]] = []
    columns: Columns | None = None
    with Bar.when_wanted() if progress is None or progress is True else nullcontext() as bar:
        for number in range(seeds):
            report: Progress | None = progress if callable(progress) else None
            if bar is not None:
                report = bar.task(design.name, workload.name, number, seeds)
            options = {"seed": seed + number, "warmup": warmup, "records": records and number == 0}
            text, found = _engine.run(design.to_toml(), workload.to_toml(), json.dumps(options), report)
            results.append(json.loads(text))
            if number == 0:
                columns = found if records else None
    data = results[0]
    if seeds > 1:
        data["confidence"] = confidence.intervals(range(seed, seed + seeds), results)
        data["cost"] = _total_cost(results)
    return Result(data, design, workload, {"seed": seed, "seeds": seeds, "warmup": warmup}, frame_of(data, columns))


def frame_of(data: dict[str, Any], columns: "Columns | None") -> "Callable[[], pl.DataFrame] | None":
    """What makes the frame of requests out of the engine's columns, when it is asked for."""
    if columns is None:
        return None

    def make() -> "pl.DataFrame":
        from canaletto import frames

        return frames.requests(columns, [flow["name"] for flow in data["flows"]])

    return make


def inspect(design: Design, workload: Workload, *, records: bool = False) -> dict[str, Any]:
    """What can be said before running: capacity, bandwidth bounds, predicted bottlenecks and memory.

    Bounds are of user data, the lowest first. records: whether single requests are to be kept.
    Raises ConfigError for what cannot be simulated.
    """
    found: dict[str, Any] = json.loads(_engine.inspect(design.to_toml(), workload.to_toml(), records))
    bottlenecks = {kind: found[f"{kind}_bounds"][0]["resource"] for kind in ("read", "write")}
    return {**found, "bottleneck": bottlenecks}


def _check_memory(design: Design, workload: Workload, records: bool) -> None:
    """Raises ConfigError for a run that this machine has not the memory for."""
    needed = inspect(design, workload, records=records)["memory_mb"] * 1e6
    free = memory.available_bytes()
    if free is not None and needed > free:
        hint = " (fewer without the single requests)" if records else ""
        raise ConfigError(
            f"{design.name}, {workload.name}: the run may take {needed / 1e9:.1f} GB of memory{hint}, "
            f"expected at most the {free / 1e9:.1f} GB that are free: use fewer requests (--requests)"
        )


def _total_cost(results: list[dict[str, Any]]) -> dict[str, Any]:
    """What all the runs took together."""
    costs = [result["cost"] for result in results]
    total = {key: sum(cost[key] for cost in costs) for key in ("wall_s", "cpu_s", "events")}
    completed = sum(result["requests"]["completed"] for result in results)
    return {
        **total,
        "requests_per_cpu_s": completed / total["cpu_s"] if total["cpu_s"] else None,
        "peak_rss_mb": max(cost["peak_rss_mb"] for cost in costs),
    }
