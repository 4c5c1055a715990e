"""Running simulations."""

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io.files import awaiting_writers, is_special
from canaletto._io.progress import Bar, Progress, Row
from canaletto._report.units import listing, number_of
from canaletto._run import confidence, memory
from canaletto._run.config import Design, Workload, check_whole
from canaletto._run.config import design as load_design
from canaletto._run.config import workload as load_workload
from canaletto._run.fabric import Fabric
from canaletto._run.gc_policy import GcPolicy
from canaletto._run.own import Parts
from canaletto._run.results import Result
from canaletto._run.scheduler import Scheduler

if TYPE_CHECKING:
    from canaletto._io.rows import Rows


def run(
    design: Design | str | PathLike[str],
    workload: Workload | str | PathLike[str],
    *,
    seed: int = 1,
    warmup: int | Literal["auto"] = 0,
    seeds: int = 1,
    slowdowns: bool = False,
    root_causes: bool = True,
    check_wires: bool = False,
    records: bool = True,
    fabric: type[Fabric] | None = None,
    gc_policy: type[GcPolicy] | None = None,
    scheduler: type[Scheduler] | None = None,
    progress: bool | Callable[[int, int, int], object] | None = None,
) -> Result:
    """Simulates the drive under the workload.

    The interpreter's lock is released while the engine runs, and Ctrl-C stops it.

    Parameters
    ----------
    design
        A drive; or a preset's name or a TOML file, as for `design`.
    workload
        What the drive is asked to do; or a profile's name, a file or a trace, as for `workload`.
    seed
        Seed of all random streams. Same inputs and seed: same results, to the bit.
    warmup
        Number of requests at the start that the statistics leave out, fewer than there are. "auto" finds it in a run
        of its own, by MSER-5 (White, Cobb and Spratt, WSC 2000).
    seeds
        Number of seeds, counted up from `seed`. The result is that of the first, with the means and 95 % confidence
        intervals over all in `confidence`.
    slowdowns
        Whether to run each flow alone, too (with every seed), for `slowdown` of each of `flows` and for `fairness`.
    root_causes
        Whether to follow waits to their root causes. Without them a run takes a third less time, and with a million
        requests outstanding half the memory; verdicts and explanations then speak from `blame`.
    check_wires
        Whether to check everything that goes over the wires against the rules of a checker that shares nothing with the
        fabrics. A run that violates one is an error; the results of others are what they are without.
    records
        Whether to keep every single request (of the first seed) for `Result.requests`: in a temporary file where they
        are many.
    fabric
        A class of one's own that joins the chips, in place of the drive's fabric: a subclass of `Fabric`, of which an
        object is made for each run.
    gc_policy
        A class of one's own that chooses the blocks to collect, in place of `gc.policy`: a subclass of `GcPolicy`.
    scheduler
        A class of one's own that orders what waits for a LUN, in place of `scheduler.policy`: a subclass of
        `Scheduler`.
    progress
        Whether to show a bar; by default, when standard error is a terminal. Or a function, called with requests done,
        requests in all (0 if unknown) and simulated picoseconds; for flows alone from several threads.

    Returns
    -------
    Result
        Counts, latencies in microseconds, causes, and whatever else `canaletto run --json` prints.

    Raises
    ------
    ConfigError
        For what cannot be simulated.
    SimulationError
        For a run that stopped, and explains why; for one that violates a rule of the wires.
    OSError
        For a trace that cannot be read.

    Examples
    --------
    >>> import canaletto as cn
    >>> r = cn.run("performance-optimized", cn.workload("hm_0", requests=500))
    >>> r.request_counts.completed
    500
    >>> r.requests.shape[0]  # a Polars frame, one row a request
    500
    """
    design, workload = resolved(design, workload)
    parts = Parts(fabric, gc_policy, scheduler)
    design = parts.on(design)
    if parts.given and slowdowns:
        own = " and ".join(parts.given)
        raise ConfigError(f"slowdowns: got True beside {own} of one's own, expected one or the other")
    check_whole("seeds", seeds, 1, 10_000)
    check_whole("seed", seed, 0, 2**64 - seeds)
    if warmup == "auto":
        warmup = found_warmup(design, workload, seed, parts)
    check_whole("warmup", warmup, 0, 2**64 - 1)
    check_memory(f"{design.name}, {workload.name}: the run", [memory_needed([design], workload, records)])
    if slowdowns:
        check_rereadable(workload, "the run and those of single flows")
    results: list[dict[str, Any]] = []
    alone: list[dict[str, Any]] = []
    kept: Rows | None = None
    with Bar.when_wanted() if progress is None or progress is True else nullcontext() as bar:
        for number in range(seeds):
            report: Progress | None = progress if callable(progress) else None
            if bar is not None:
                seed_name = f"seed {number + 1} of {seeds}" if seeds > 1 else ""
                report = bar.task(listing([design.name, workload.name, seed_name]))
            keep = records and number == 0
            data, found = run_once(
                design,
                workload,
                seed + number,
                warmup,
                keep,
                report,
                root_causes=root_causes,
                check_wires=check_wires,
                parts=parts,
            )
            results.append(data)
            if slowdowns:
                from canaletto._run import slowdown

                rows = _rows(bar, data)
                alone += slowdown.add(
                    data, design, workload, seed + number, rows, report if callable(progress) else None
                )
            kept = found if number == 0 else kept
    data = over_seeds(results, seed, alone)
    options: dict[str, Any] = {"seed": seed, "seeds": seeds, "warmup": warmup}
    if slowdowns:
        options["slowdowns"] = True
    if not root_causes:
        options["root_causes"] = False
    return Result(data, design, workload, options | parts.names, kept, parts)


def resolved(design: Design | str | PathLike[str], workload: Workload | str | PathLike[str]) -> tuple[Design, Workload]:
    """The drive and its work, by their names or files where these are given."""
    drive = design if isinstance(design, Design) else load_design(design)
    return drive, workload if isinstance(workload, Workload) else load_workload(workload)


def found_warmup(design: Design, workload: Workload, seed: int, parts: Parts | None = None) -> int:
    """The number of requests that a run needs to come to rest, from a run of its own.

    Raises ConfigError if it does not come to rest, or is too short to tell.
    """
    from canaletto._run import warmup

    check_rereadable(workload, "the run and the one that finds its warm-up")
    _, rows = run_once(design, workload, seed, 0, True, None, root_causes=False, parts=parts)
    assert rows is not None
    latencies = rows.scan().select("latency_us").collect()["latency_us"].to_numpy()
    found = warmup.mser(latencies) if len(latencies) else None
    if found is None:
        raise ConfigError(
            f"warmup: got auto, but in {len(latencies):,} requests latencies do not come to rest before the half: "
            "expected a longer run (--requests), or a number of requests to leave out"
        )
    return found


def run_once(
    design: Design,
    workload: Workload,
    seed: int,
    warmup: int,
    records: bool,
    report: Progress | None,
    *,
    alone: int | None = None,
    root_causes: bool = True,
    check_wires: bool = False,
    parts: Parts | None = None,
) -> "tuple[dict[str, Any], Rows | None]":
    """One run of the engine, with options that are in range: its results, and its requests if they are to be kept.

    alone: the number of the only flow that makes its requests. parts: classes in place of the engine's.
    """
    options = {
        "seed": seed,
        "warmup": warmup,
        "records": records,
        "alone": alone,
        "root_causes": root_causes,
        "check_wires": check_wires,
    }
    if alone is None:
        _check_left(warmup, _most_requests(workload))
    configuration = design.to_toml(), workload.to_toml(), json.dumps(options)
    called = {} if parts is None or parts.fabric_name is None else {"fabric": parts.fabric_name}
    with awaiting_writers(workload.traces()):
        if not records:
            return {**_checked(_engine.run(*configuration, report, None, parts)[0], warmup, alone), **called}, None
        from canaletto._io.rows import Rows

        rows = Rows([flow["name"] for flow in workload.to_dict()["flow"]])
        text, last = _engine.run(*configuration, report, rows.add, parts)
        return {**_checked(text, warmup, alone), **called}, rows.end(last)


def _checked(text: str, warmup: int, alone: int | None) -> dict[str, Any]:
    """A result. Raises ConfigError if the warm-up left nothing of it; of a flow alone it may."""
    data: dict[str, Any] = json.loads(text)
    if alone is None:
        _check_left(warmup, data["requests"]["completed"])
    return data


def _check_left(warmup: int, requests: int | None) -> None:
    """Raises ConfigError if a warm-up leaves nothing of so many requests (None: not known)."""
    if warmup and requests is not None and warmup >= requests:
        raise ConfigError(
            f"warmup: got {warmup}, but the run has only {number_of(requests, 'request')}; expected fewer"
        )


def _most_requests(workload: Workload) -> int | None:
    """The most requests that a run has; None for traces, whose length is not known before they are read."""
    counts = [flow.get("synthetic", {}).get("requests") for flow in workload.to_dict()["flow"]]
    return None if None in counts else sum(counts)


def over_seeds(results: list[dict[str, Any]], seed: int, alone: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """The first of the results of seeds counted up from `seed`, with the intervals over all and the cost of all.

    alone: further runs that were needed.
    """
    data = results[0]
    if len(results) > 1:
        data["confidence"] = confidence.intervals(range(seed, seed + len(results)), results)
    if len(results) > 1 or alone:
        data["cost"] = _total_cost([*results, *alone])
    return data


def inspect(
    design: Design | str | PathLike[str], workload: Workload | str | PathLike[str], *, records: bool = False
) -> dict[str, Any]:
    """Looks at a run without one: capacity, bandwidth bounds, predicted bottlenecks, memory.

    Parameters
    ----------
    design
        A drive; or a preset's name or a TOML file, as for `design`.
    workload
        What the drive is asked to do; or a profile's name, a file or a trace, as for `workload`. Its first requests are
        looked at.
    records
        Whether single requests are to be kept, which takes memory.

    Returns
    -------
    dict
        What `canaletto run --dry-run --json` prints beside the configuration. Bounds are of user data, in 10^6 bytes a
        second, the lowest first; `memory` is in 10^6 bytes, by part.

    Raises
    ------
    ConfigError
        For what cannot be simulated.

    Examples
    --------
    >>> import canaletto as cn
    >>> cn.inspect("performance-optimized", "hm_0")["bottleneck"]["read"]
    'host link'
    """
    design, workload = resolved(design, workload)
    look = not any(is_special(Path(trace)) for trace in workload.traces())
    found: dict[str, Any] = json.loads(_engine.inspect(design.to_toml(), workload.to_toml(), records, look))
    bottlenecks = {kind: found[f"{kind}_bounds"][0]["resource"] for kind in ("read", "write")}
    return {**found, "bottleneck": bottlenecks}


def memory_needed(designs: Sequence[Design], workload: Workload, records: bool) -> int:
    """Memory in bytes that runs of these designs side by side may take, in one process.

    Raises ConfigError for what cannot be simulated.
    """
    parts = [inspect(design, workload, records=records)["memory"] for design in designs]
    runs = sum(sum(part.values()) - part["process_mb"] for part in parts)
    return int((max(part["process_mb"] for part in parts) + runs) * 1e6)


def check_memory(what: str, choices: Sequence[int]) -> int:
    """The first of several needs of memory, in bytes, that this machine can meet, as its place among them.

    what: who needs it, for the error. Raises ConfigError if it can meet none.
    """
    free = memory.available_bytes()
    for number, needed in enumerate(choices):
        if free is None or needed <= free:
            return number
    raise ConfigError(
        f"{what} may take {choices[-1] / 1e9:.1f} GB of memory, expected at most the {(free or 0) / 1e9:.1f} GB "
        "that are free: use fewer requests in flight (--queue-depth), smaller ones, fewer in all (--requests), or a "
        "smaller drive (--dry-run --json says what takes it)"
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
