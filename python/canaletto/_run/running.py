"""`canaletto.run`: a design under a workload, once or with several seeds."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from canaletto._engine import ConfigError
from canaletto._io.progress import Bar, Progress, Row
from canaletto._io.units import listing
from canaletto._run import slowdown
from canaletto._run.config import Design, Workload, check_whole
from canaletto._run.fabric import Fabric
from canaletto._run.gc_policy import GcPolicy
from canaletto._run.own import Parts
from canaletto._run.results import Result
from canaletto._run.scheduler import Scheduler
from canaletto._run.simulate import (
    check_memory,
    check_rereadable,
    found_warmup,
    memory_needed,
    over_seeds,
    resolved,
    run_once,
)

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
        Number of requests at the start that the statistics leave out, fewer than there are. "auto" finds it in its own
        run, by MSER-5 (White, Cobb and Spratt, WSC 2000).
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
        A user-defined class that joins the chips, instead of the drive's fabric: a subclass of `Fabric`, of which an
        object is made for each run.
    gc_policy
        A user-defined class that chooses the blocks to collect, instead of `gc.policy`: a subclass of `GcPolicy`.
    scheduler
        A user-defined class that orders what waits for a LUN, instead of `scheduler.policy`: a subclass of `Scheduler`.
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
        raise ConfigError(f"slowdowns: got True together with a user-defined {own}, expected one or the other")
    check_whole("seeds", seeds, 1, 10_000)
    check_whole("seed", seed, 0, 2**64 - seeds)
    if warmup == "auto":
        warmup = found_warmup(design, workload, seed, parts)
    check_whole("warmup", warmup, 0, 2**64 - 1)
    check_memory(f"{design.name}, {workload.name}: the run", [memory_needed([design], workload, records)])
    if slowdowns:
        check_rereadable(workload, "the run and the single flows' runs")
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


def _rows(bar: Bar | None, data: dict[str, Any]) -> Sequence[Row | None]:
    names = [f"{flow['name']} alone" for flow in data["flows"]]
    return [None] * len(names) if bar is None else bar.tasks(names)
