"""Latency against throughput, from idle to saturated.

Open loops: arrivals are scaled to a number of loads, up to somewhat more than the drive can carry by its own
arithmetic. Closed loops: the queue depth doubles. The knee is where the mean latency is twice the mean of single
requests.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from canaletto._engine import ConfigError
from canaletto._report import account
from canaletto._run import config, simulate
from canaletto._run.config import Design, Workload, WorkloadOptions
from canaletto._run.equal import Equal
from canaletto._run.hot_spots import OWN
from canaletto._run.laboratory import Data, Report, Run, carry_out
from canaletto._run.links import interconnect
from canaletto._run.own import Parts

BEYOND = 1.2
"""Over the drive's arithmetic, which errs where both directions are free."""

UNLOADED = "unloaded"

Axis: TypeAlias = Literal["arrivals", "queue_depth"]

ARRIVALS: Final = "arrivals"
QUEUE_DEPTH: Final = "queue_depth"

Row: TypeAlias = dict[str, Any]
RUNS = "runs"

AT = {"idle": "idle, one request at a time", "knee": "near the knee", "busy": "busiest without saturation"}


@dataclass(frozen=True)
class Curve:
    rows: list[Row]
    at: Mapping[str, tuple[Row, Data]]
    interconnect: Mapping[str, Any]


Curves = Mapping[str, Curve]


def discard(out: Path) -> None:
    if (out / RUNS).is_dir():
        shutil.rmtree(out / RUNS)


def measure(
    drives: Mapping[str, Design],
    workload: Workload,
    out: Path,
    *,
    loads: int,
    seed: int,
    report: Report,
    axis: Axis | None = None,
    widths: Mapping[str, int] | None = None,
    parts: Mapping[str, Parts] | None = None,
) -> Curves:
    """By fabric.

    The folder `out` keeps the results for a later call. By default depth grows if all flows are closed loops, otherwise
    rate (`axis`). widths: data wires of links that differ from a fabric's paper. parts: user-defined parts.
    """
    if axis is None:
        axis = QUEUE_DEPTH if all(closed is not None for closed in _closed(workload)) else ARRIVALS
    if axis == ARRIVALS:
        _check_open(workload)
    simulate.check_rereadable(workload, "every load")
    kept = out / RUNS
    kept.mkdir(parents=True, exist_ok=True)
    single = config.shaped(workload, WorkloadOptions(queue_depth=1))
    own = {fabric: (parts or {}).get(fabric, Parts()) for fabric in drives}
    idle = {fabric: Run(drive, single, seed, parts=own[fabric], root_causes=True) for fabric, drive in drives.items()}
    first = carry_out(idle.values(), kept, lambda *_: None)
    runs: dict[str, list[tuple[float, Run]]] = {}
    for fabric, drive in drives.items():
        alone = first[idle[fabric].key]
        tried = _depths(loads, alone) if axis == QUEUE_DEPTH else _rates(loads, drive, workload, alone)
        runs[fabric] = [(load, Run(drive, _loaded(workload, axis, load), seed, parts=own[fabric])) for load in tried]
    found = carry_out([run for each in runs.values() for _, run in each], kept, report)
    rows = {
        fabric: [
            _row(fabric, axis, 0, None, first[idle[fabric].key]),
            *(_row(fabric, axis, place, load, found[run.key]) for place, (load, run) in enumerate(each, 1)),
        ]
        for fabric, each in runs.items()
    }
    chosen = {
        fabric: {
            name: (row, idle[fabric] if not row["load"] else _explained(runs[fabric][row["load"] - 1][1]))
            for name, row in _told(each).items()
        }
        for fabric, each in rows.items()
    }
    causes = carry_out([run for each in chosen.values() for _, run in each.values()], kept, lambda *_: None)
    curves = {}
    for fabric, drive in drives.items():
        at = {name: (row, causes[run.key]) for name, (row, run) in chosen[fabric].items()}
        _, near = at.get("knee", at["idle"])
        width = (widths or {}).get(fabric)
        counted = interconnect(drive.to_dict(), near, own=own[fabric].fabric, width=width)
        curves[fabric] = Curve(rows[fabric], at, counted)
    return curves


def _explained(run: Run) -> Run:
    return replace(run, root_causes=True)


def _told(rows: list[Row]) -> dict[str, Row]:
    idle, *loaded = rows
    at = knee(rows)
    steady = [row for row in loaded if not row["saturated"]]
    near = [row for row in steady if at is None or row["load"] <= at["load"]]
    found = {"idle": idle}
    if at is not None and near:
        found["knee"] = near[-1]
    if steady and steady[-1] is not found.get("knee"):
        found["busy"] = steady[-1]
    return found


def _closed(workload: Workload) -> list[tuple[str, Any] | None]:
    found: list[tuple[str, Any] | None] = []
    for flow in workload.to_dict()["flow"]:
        kind = next(kind for kind in ("synthetic", "trace", "mix") if kind in flow)
        given = [(key, flow[kind][key]) for key in ("queue_depth", "as_fast_as_possible") if flow[kind].get(key)]
        found.append((f"{kind}.{given[0][0]}", given[0][1]) if given else None)
    return found


def _check_open(workload: Workload) -> None:
    for number, (flow, closed) in enumerate(zip(workload.to_dict()["flow"], _closed(workload), strict=True)):
        if closed is not None:
            key, value = closed
            expected = "inter_arrival" if key.startswith("synthetic") else "its requests at their times"
            raise ConfigError(
                f"{workload.label}: flow.{number}.{key}: got {json.dumps(value)} for flow {flow['name']}, expected "
                f"{expected}, which load scales; --axis queue_depth makes all flows closed loops"
            )


def _loaded(workload: Workload, axis: Axis, load: float) -> Workload:
    if axis == QUEUE_DEPTH:
        return config.shaped(workload, WorkloadOptions(queue_depth=int(load)))
    return config.shaped(workload, WorkloadOptions(inter_arrival=f"{1e12 / load:.0f}ps"))


def _rates(loads: int, drive: Design, workload: Workload, single: Data) -> list[float]:
    limit = BEYOND * limit_iops(drive, workload, single)
    return [limit * number / loads for number in range(1, loads + 1)]


def _depths(loads: int, single: Data) -> list[float]:
    """Each twice the one before. A quarter of the requests must not be outstanding at once."""
    most = max(2, single["requests"]["completed"] // 4)
    return [depth for depth in (2.0**number for number in range(1, loads + 1)) if depth <= most]


def limit_iops(drive: Design, workload: Workload, single: Data) -> float:
    requests = single["requests"]
    moved = requests["reads"] + requests["writes"]
    if not moved or not requests["bytes"]:
        raise ConfigError(f"{workload.label}: moves no data, expected reads or writes, whose rate can be raised")
    found = simulate.inspect(drive, workload)
    size = requests["bytes"] / moved
    shares = {"read": requests["reads"] / moved, "write": requests["writes"] / moved}
    # What reads and writes both use serves a byte of the mix in the mean of their times.
    times: dict[str, float] = {}
    for kind, part in shares.items():
        for bound in found[f"{kind}_bounds"]:
            times[bound["resource"]] = times.get(bound["resource"], 0.0) + part / bound["limit_gb_s"]
    return float(1e9 / size / max(times.values()))


def _row(fabric: str, axis: Axis, place: int, load: float | None, data: Data) -> Row:
    latency, rate = data["latency_us"]["all"], load if axis == ARRIVALS else None
    size = data["bandwidth_mb_s"] / data["iops"] if data["iops"] else 0.0
    served = data["bandwidth_mb_s"] / 1e3
    completed, energy = data["requests"]["completed"], (data.get("energy_mj") or {}).get("total")
    return {
        "system": fabric,
        "load": place,
        "offered_iops": rate,
        "queue_depth": None if axis == ARRIVALS else int(load or 1),
        "served_iops": None if load is None else data["iops"],
        "offered_gb_s": 0.0 if rate is None else rate * size / 1e3,
        "served_gb_s": served if load is not None or axis == QUEUE_DEPTH else 0.0,
        "ours": latency["mean"],
        "p99_us": latency["p99"],
        "p99_99_us": latency["p99_99"],
        "saturated": axis == ARRIVALS and data["load"]["saturated"],
        "failed_share": data["requests"]["failed"] / max(1, completed),
        "energy_mj": energy and energy / max(1, completed),
    }


def knee(rows: Sequence[Row]) -> Row | None:
    """Interpolated between two loads; None if nowhere."""
    idle = rows[0]["ours"]
    for low, high in pairwise(rows):
        if low["ours"] <= 2 * idle < high["ours"]:
            part = (2 * idle - low["ours"]) / (high["ours"] - low["ours"])
            numbers = {key: (low[key], high[key]) for key in low if _is_number(low[key]) and _is_number(high[key])}
            return {**low, **{key: a + part * (b - a) for key, (a, b) in numbers.items()}, "ours": 2 * idle}
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def plain(found: Curves) -> list[dict[str, Any]]:
    return [_plain(fabric, curve) for fabric, curve in found.items()]


def _plain(fabric: str, curve: Curve) -> dict[str, Any]:
    rows = curve.rows
    at = knee(rows)
    idle, *loaded = rows
    return {
        "fabric": fabric,
        "idle_latency_us": idle["ours"],
        "knee": at and {"bandwidth_mb_s": at["served_gb_s"] * 1e3, "iops": _iops_at(at, loaded)},
        "most_served_iops": max(row["served_iops"] for row in loaded),
        "failed_share": max(row["failed_share"] for row in rows),
        "energy_mj_per_request": curve.at.get("knee", curve.at["idle"])[0]["energy_mj"],
        "interconnect": dict(curve.interconnect),
        "root_cause_us": {
            name: {"served_iops": data["iops"], "all": account.table(data, "all")}
            for name, (_, data) in curve.at.items()
        },
        "points": [
            {
                "offered_iops": row["offered_iops"],
                "served_iops": row["served_iops"],
                "bandwidth_mb_s": row["served_gb_s"] * 1e3,
                "mean_latency_us": row["ours"],
                "p99_latency_us": row["p99_us"],
                "p99_99_latency_us": row["p99_99_us"],
                "saturated": row["saturated"],
                "queue_depth": row["queue_depth"],
                "energy_mj_per_request": row["energy_mj"],
            }
            for row in loaded
        ],
    }


def _iops_at(knee: Row, loaded: Sequence[Row]) -> float | None:
    """In requests of the mean size."""
    size = next((row["served_gb_s"] / row["served_iops"] for row in loaded if row["served_iops"]), None)
    return knee["served_gb_s"] / size if size else None


def about(found: Mapping[str, Curves], design: str, workload: str, equal: Equal | None) -> dict[str, Any]:
    told = {place: plain(each) for place, each in found.items()}
    own = told.pop(OWN)
    counted = {} if equal is None else {"equal": equal.to_dict()}
    spots = {"hot_spots": told} if told else {}
    return {"schema": 1, "design": design, "workload": workload, **counted, "curves": own, **spots}
