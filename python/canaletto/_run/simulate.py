"""Running simulations."""

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io.files import awaiting_writers, is_special
from canaletto._io.progress import Progress
from canaletto._io.units import number_of
from canaletto._run import confidence, memory
from canaletto._run.config import Design, Workload, located
from canaletto._run.config import design as load_design
from canaletto._run.config import workload as load_workload
from canaletto._run.own import Parts

if TYPE_CHECKING:
    from canaletto._io.rows import Rows


def resolved(design: Design | str | PathLike[str], workload: Workload | str | PathLike[str]) -> tuple[Design, Workload]:
    drive = design if isinstance(design, Design) else load_design(design)
    return drive, workload if isinstance(workload, Workload) else load_workload(workload)


def found_warmup(design: Design, workload: Workload, seed: int, parts: Parts | None = None) -> int:
    from canaletto._run import warmup

    check_rereadable(workload, "the run and the one that finds its warm-up")
    _, rows = run_once(design, workload, seed, 0, True, None, root_causes=False, parts=parts)
    assert rows is not None
    latencies = rows.scan().select("latency_us").collect()["latency_us"].to_numpy()
    found = warmup.mser(latencies) if len(latencies) else None
    if found is None:
        raise ConfigError(
            f"warmup: got auto, but in {len(latencies):,} requests latencies do not settle in the first half: "
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
    """One run, with its requests if they must be kept."""
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
    with awaiting_writers(workload.traces()), located(design, workload):
        if not records:
            return {**_checked(_engine.run(*configuration, report, None, parts)[0], warmup, alone), **called}, None
        from canaletto._io.rows import Rows

        rows = Rows([flow["name"] for flow in workload.to_dict()["flow"]])
        text, last = _engine.run(*configuration, report, rows.add, parts)
        return {**_checked(text, warmup, alone), **called}, rows.end(last)


def _checked(text: str, warmup: int, alone: int | None) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text)
    if alone is None:
        _check_left(warmup, data["requests"]["completed"])
    return data


def _check_left(warmup: int, requests: int | None) -> None:
    if warmup and requests is not None and warmup >= requests:
        raise ConfigError(
            f"warmup: got {warmup}, but the run has only {number_of(requests, 'request')}; expected fewer"
        )


def _most_requests(workload: Workload) -> int | None:
    counts = [flow.get("synthetic", {}).get("requests") for flow in workload.to_dict()["flow"]]
    return None if None in counts else sum(counts)


def over_seeds(results: list[dict[str, Any]], seed: int, alone: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """The first of the seeds' results, with intervals and cost of all."""
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
        Whether single requests must be kept, which takes memory.

    Returns
    -------
    dict
        What `canaletto run --dry-run --json` prints next to the configuration. Bounds are of user data, in 10^6 bytes
        per second, the lowest first; `memory` is in 10^6 bytes, by part.

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
    with located(design, workload):
        found: dict[str, Any] = json.loads(_engine.inspect(design.to_toml(), workload.to_toml(), records, look))
    bottlenecks = {kind: found[f"{kind}_bounds"][0]["resource"] for kind in ("read", "write")}
    return {**found, "bottleneck": bottlenecks}


def memory_needed(designs: Sequence[Design], workload: Workload, records: bool) -> int:
    """Bytes of runs side by side in one process."""
    parts = [inspect(design, workload, records=records)["memory"] for design in designs]
    runs = sum(sum(part.values()) - part["process_mb"] for part in parts)
    return int((max(part["process_mb"] for part in parts) + runs) * 1e6)


def check_memory(what: str, choices: Sequence[int]) -> int:
    """Place of the first need that this machine can meet.

    Raises ConfigError if it can meet none.
    """
    free = memory.available_bytes()
    for number, needed in enumerate(choices):
        if free is None or needed <= free:
            return number
    raise ConfigError(
        f"{what} may take {choices[-1] / 1e9:.1f} GB of memory, expected at most the {(free or 0) / 1e9:.1f} GB "
        "that are free: use fewer requests in flight (--queue-depth), smaller ones, fewer in all (--requests), or a "
        "smaller drive (--dry-run --json shows what needs it)"
    )


def check_rereadable(workload: Workload, what: str) -> None:
    for trace in workload.traces():
        if is_special(Path(trace)):
            raise ConfigError(f"{trace}: not a regular file, which only one run can read; expected one for {what}")


def _total_cost(results: list[dict[str, Any]]) -> dict[str, Any]:
    costs = [result["cost"] for result in results]
    total = {key: sum(cost[key] for cost in costs) for key in ("wall_s", "cpu_s", "events")}
    completed = sum(result["requests"]["completed"] for result in results)
    return {
        **total,
        "requests_per_cpu_s": completed / total["cpu_s"] if total["cpu_s"] else None,
        "peak_rss_mb": max(cost["peak_rss_mb"] for cost in costs),
    }
