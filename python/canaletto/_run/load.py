"""Latency against throughput of any design under any workload, open loop, from idle to saturated.

The arrivals of the workload are scaled to a number of loads, up to somewhat more than what the wires, the host link and
the arrays can carry of its reads and writes by the drive's own arithmetic. The knee is where the mean latency is twice
the latency of single requests.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from canaletto._engine import ConfigError
from canaletto._run import config, simulate
from canaletto._run.config import Design, Workload, WorkloadOptions
from canaletto._run.equal import Equal
from canaletto._run.hot_spots import OWN
from canaletto._run.laboratory import Data, Report, Run, carry_out

BEYOND = 1.2
"""Highest load, as a multiple of what the drive can carry by its arithmetic: it errs where both directions are free."""

UNLOADED = "unloaded"
"""Load of a point of single requests."""

Row: TypeAlias = dict[str, Any]
"""A point of a curve. `ours` is the mean latency in microseconds."""

Curves = Mapping[str, list[Row]]
"""The rows of each fabric, from idle to saturated."""


RUNS = "runs"
"""Folder of the results."""


def discard(out: Path) -> None:
    """Removes the results in a folder, from which a later call would continue."""
    if (out / RUNS).is_dir():
        shutil.rmtree(out / RUNS)


def measure(
    drives: Mapping[str, Design], workload: Workload, out: Path, *, loads: int, seed: int, report: Report
) -> Curves:
    """The curve of each drive, by its fabric's name.

    The folder `out` keeps the results, from which a later call continues.
    Raises ConfigError for what cannot be simulated or has no arrivals to scale, SimulationError for a run that stopped.
    """
    _check_open(workload)
    simulate.check_rereadable(workload, "every load")
    kept = out / RUNS
    kept.mkdir(parents=True, exist_ok=True)
    single = config.shaped(workload, WorkloadOptions(queue_depth=1))
    idle = {fabric: Run(drive, single, seed) for fabric, drive in drives.items()}
    first = carry_out(idle.values(), kept, lambda *_: None)
    loaded: dict[tuple[str, float], Run] = {}
    for fabric, drive in drives.items():
        limit = BEYOND * limit_iops(drive, workload, first[idle[fabric].key])
        for number in range(1, loads + 1):
            rate = limit * number / loads
            gap = config.shaped(workload, WorkloadOptions(inter_arrival=f"{1e12 / rate:.0f}ps"))
            loaded[fabric, rate] = Run(drive, gap, seed)
    found = carry_out(loaded.values(), kept, report)
    rows: dict[str, list[Row]] = {fabric: [_row(fabric, None, first[run.key])] for fabric, run in idle.items()}
    for (fabric, rate), run in loaded.items():
        rows[fabric].append(_row(fabric, rate, found[run.key]))
    return rows


def _check_open(workload: Workload) -> None:
    """Raises ConfigError for a flow in a closed loop: its rate follows from the drive, and is none that is offered."""
    for number, flow in enumerate(workload.to_dict()["flow"]):
        kind = next(kind for kind in ("synthetic", "trace", "mix") if kind in flow)
        for key in ("queue_depth", "as_fast_as_possible"):
            if flow[kind].get(key):
                expected = "inter_arrival" if kind == "synthetic" else "its requests at their times"
                raise ConfigError(
                    f"{workload.label}: flow.{number}.{kind}.{key}: got {json.dumps(flow[kind][key])} for flow "
                    f"{flow['name']}, expected {expected}: load scales the arrivals of every flow"
                )


def limit_iops(drive: Design, workload: Workload, single: Data) -> float:
    """Requests a second that a drive can carry of a workload's mix, by its arithmetic. single: a result of that mix."""
    requests = single["requests"]
    moved = requests["reads"] + requests["writes"]
    if not moved or not requests["bytes"]:
        raise ConfigError(f"{workload.label}: moves no data, expected reads or writes, whose rate is to be raised")
    found = simulate.inspect(drive, workload)
    size = requests["bytes"] / moved
    shares = {"read": requests["reads"] / moved, "write": requests["writes"] / moved}
    # What reads and writes both use serves a byte of the mix in the mean of their times.
    times: dict[str, float] = {}
    for kind, part in shares.items():
        for bound in found[f"{kind}_bounds"]:
            times[bound["resource"]] = times.get(bound["resource"], 0.0) + part / bound["limit_gb_s"]
    return float(1e9 / size / max(times.values()))


def _row(fabric: str, rate: float | None, data: Data) -> Row:
    """A point of a curve, with the columns that the curves of the experiments have."""
    size = data["bandwidth_mb_s"] / data["iops"] if data["iops"] else 0.0
    served = data["bandwidth_mb_s"] / 1e3
    return {
        "system": fabric,
        "load": UNLOADED if rate is None else f"{rate:.6g}",
        "offered_iops": rate,
        "served_iops": None if rate is None else data["iops"],
        "offered_gb_s": 0.0 if rate is None else rate * size / 1e3,
        "served_gb_s": 0.0 if rate is None else served,
        "ours": data["latency_us"]["all"]["mean"],
        "p99_us": data["latency_us"]["all"]["p99"],
        "saturated": data["load"]["saturated"],
        "failed_share": data["requests"]["failed"] / max(1, data["requests"]["completed"]),
    }


def plain(found: Curves) -> list[dict[str, Any]]:
    """Curves for machines, with their knees."""
    return [_plain(fabric, rows) for fabric, rows in found.items()]


def _plain(fabric: str, rows: list[Row]) -> dict[str, Any]:
    at = knee(rows)
    idle, *loaded = rows
    return {
        "fabric": fabric,
        "idle_latency_us": idle["ours"],
        "knee": at and {"bandwidth_mb_s": at["served_gb_s"] * 1e3, "iops": _iops_at(at, loaded)},
        "most_served_iops": max(row["served_iops"] for row in loaded),
        "failed_share": max(row["failed_share"] for row in rows),
        "points": [
            {
                "offered_iops": row["offered_iops"],
                "served_iops": row["served_iops"],
                "bandwidth_mb_s": row["served_gb_s"] * 1e3,
                "mean_latency_us": row["ours"],
                "p99_latency_us": row["p99_us"],
                "saturated": row["saturated"],
            }
            for row in loaded
        ],
    }


def _iops_at(knee: Row, loaded: Sequence[Row]) -> float | None:
    """The rate at the knee: its bandwidth in requests of the mean size."""
    size = next((row["served_gb_s"] / row["served_iops"] for row in loaded if row["served_iops"]), None)
    return knee["served_gb_s"] / size if size else None


def knee(rows: list[Row]) -> Row | None:
    """Point at which the mean latency is twice that of the idle drive, between two loads; None if nowhere."""
    idle = rows[0]["ours"]
    for low, high in pairwise(rows):
        if low["ours"] <= 2 * idle < high["ours"]:
            part = (2 * idle - low["ours"]) / (high["ours"] - low["ours"])
            between = {key: low[key] + part * (high[key] - low[key]) for key in ("offered_gb_s", "served_gb_s")}
            return {**low, **between, "ours": 2 * idle}
    return None


def about(found: Mapping[str, Curves], design: str, workload: str, equal: Equal | None) -> dict[str, Any]:
    """All of it for machines. found: curves by place of load, first where the workload has it."""
    told = {place: plain(each) for place, each in found.items()}
    own = told.pop(OWN)
    counted = {} if equal is None else {"equal": equal.to_dict()}
    spots = {"hot_spots": told} if told else {}
    return {"schema": 1, "design": design, "workload": workload, **counted, "curves": own, **spots}
