"""Running simulations."""

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto import _engine, confidence, memory
from canaletto._engine import ConfigError
from canaletto.config import Design, Workload, check_whole
from canaletto.config import design as load_design
from canaletto.config import workload as load_workload
from canaletto.files import is_special
from canaletto.progress import Bar, Progress, Row
from canaletto.report.units import listing
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
    slowdowns: bool = False,
    records: bool = True,
    progress: bool | Callable[[int, int, int], object] | None = None,
) -> Result:
    """Simulates the drive under the workload.

    seed: same inputs and seed, same results, to the bit. warmup: this many requests at the start are left out of the
    statistics. seeds: repeat with so many seeds, counted up from `seed`; the result is that of the first, with the
    means and 95 % confidence intervals over all in `confidence`. slowdowns: run each flow alone, too (with every seed),
    for `slowdown` of each of `flows` and `fairness`, which are None otherwise. records: keep every single request (of
    the first seed) for `Result.requests`; some 100 bytes each. progress: show a bar (by default, when standard error is
    a terminal), or call a function with requests done, requests in all (0 if unknown) and simulated picoseconds; for
    flows alone from several threads.

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
    check_memory(f"{design.name}, {workload.name}: the run", [memory_bytes(design, workload, records)], records)
    if slowdowns:
        check_rereadable(workload, "the run and those of single flows")
    results: list[dict[str, Any]] = []
    alone: list[dict[str, Any]] = []
    columns: Columns | None = None
    with Bar.when_wanted() if progress is None or progress is True else nullcontext() as bar:
        for number in range(seeds):
            report: Progress | None = progress if callable(progress) else None
            if bar is not None:
                seed_name = f"seed {number + 1} of {seeds}" if seeds > 1 else ""
                report = bar.task(listing([design.name, workload.name, seed_name]))
            data, found = run_once(design, workload, seed + number, warmup, records and number == 0, report)
            results.append(data)
            if slowdowns:
                from canaletto import slowdown

                rows = _rows(bar, data)
                alone += slowdown.add(
                    data, design, workload, seed + number, rows, report if callable(progress) else None
                )
            columns = found if number == 0 else columns
    data = results[0]
    if seeds > 1:
        data["confidence"] = confidence.intervals(range(seed, seed + seeds), results)
    if seeds > 1 or alone:
        data["cost"] = _total_cost([*results, *alone])
    options = {"seed": seed, "seeds": seeds, "warmup": warmup} | ({"slowdowns": True} if slowdowns else {})
    return Result(data, design, workload, options, frame_of(data, columns))


def run_once(
    design: Design,
    workload: Workload,
    seed: int,
    warmup: int,
    records: bool,
    report: Progress | None,
    *,
    alone: int | None = None,
) -> "tuple[dict[str, Any], Columns | None]":
    """One run of the engine, with options that are in range: its results, and its requests if they are to be kept.

    alone: the number of the only flow that makes its requests.
    """
    options = {"seed": seed, "warmup": warmup, "records": records, "alone": alone}
    text, columns = _engine.run(design.to_toml(), workload.to_toml(), json.dumps(options), report)
    return json.loads(text), columns if records else None


def frame_of(data: dict[str, Any], columns: "Columns | None") -> "Callable[[], pl.DataFrame] | None":
    """Makes the frame of requests out of the engine's columns, when it is asked for."""
    if columns is None:
        return None

    def make() -> "pl.DataFrame":
        from canaletto import frames

        return frames.requests(columns, [flow["name"] for flow in data["flows"]])

    return make


def inspect(design: Design, workload: Workload, *, records: bool = False) -> dict[str, Any]:
    """Returns capacity, bandwidth bounds, predicted bottlenecks and memory without a run.

    Bounds are of user data, the lowest first. records: whether single requests are to be kept.
    Raises ConfigError for what cannot be simulated.
    """
    found: dict[str, Any] = json.loads(_engine.inspect(design.to_toml(), workload.to_toml(), records))
    bottlenecks = {kind: found[f"{kind}_bounds"][0]["resource"] for kind in ("read", "write")}
    return {**found, "bottleneck": bottlenecks}


def memory_bytes(design: Design, workload: Workload, records: bool) -> int:
    """Memory that a run may take. Raises ConfigError for what cannot be simulated."""
    return int(inspect(design, workload, records=records)["memory_mb"] * 1e6)


def check_memory(what: str, choices: Sequence[int], records: bool) -> int:
    """The first of several needs of memory, in bytes, that this machine can meet, as its place among them.

    what: who needs it, for the error. records: whether single requests are to be kept.
    Raises ConfigError if it can meet none.
    """
    free = memory.available_bytes()
    for number, needed in enumerate(choices):
        if free is None or needed <= free:
            return number
    hint = " (fewer without the single requests)" if records else ""
    raise ConfigError(
        f"{what} may take {choices[-1] / 1e9:.1f} GB of memory{hint}, "
        f"expected at most the {(free or 0) / 1e9:.1f} GB that are free: use fewer requests (--requests)"
    )


def check_rereadable(workload: Workload, what: str) -> None:
    """Raises ConfigError for a trace that only one run can read; `what`: those that are to read it."""
    for trace in workload.traces():
        if is_special(Path(trace)):
            raise ConfigError(f"{trace}: not a regular file, which only one run can read; expected one for {what}")


def _rows(bar: Bar | None, data: dict[str, Any]) -> Sequence[Row | None]:
    """A bar for each flow alone."""
    names = [f"{flow['name']} alone" for flow in data["flows"]]
    return [None] * len(names) if bar is None else bar.tasks(names)


def _total_cost(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Cost of all runs together."""
    costs = [result["cost"] for result in results]
    total = {key: sum(cost[key] for cost in costs) for key in ("wall_s", "cpu_s", "events")}
    completed = sum(result["requests"]["completed"] for result in results)
    return {
        **total,
        "requests_per_cpu_s": completed / total["cpu_s"] if total["cpu_s"] else None,
        "peak_rss_mb": max(cost["peak_rss_mb"] for cost in costs),
    }
