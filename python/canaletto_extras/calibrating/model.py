"""The design's answers to the measured jobs."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from threading import Event
from typing import TYPE_CHECKING, Any

from canaletto._engine import ConfigError
from canaletto._io import fio
from canaletto._run import parallel, simulate
from canaletto._run.config import Design, Workload, workload
from canaletto._sweeping.axes import quantity

from canaletto_extras.calibrating.fio_results import job_text
from canaletto_extras.calibrating.measured import QUANTILES, Job, Point, name_of

if TYPE_CHECKING:
    import numpy as np

Statistics = Mapping[str, float]


@cache
def _workload(text: str, label: str) -> Workload:
    return Workload.from_toml(fio.workload(text, label)[0], label)


def workload_of(job: Job, requests: int) -> Workload:
    return _workload(job_text(job, requests), "the measured job")


def check_fits(design: Design, points: Sequence[Point], capacity_bytes: float | None) -> None:
    there = simulate.inspect(design, workload("hm_0", requests=1))["logical_bytes"]
    for point in points:
        reach = max(_reach(flow["synthetic"]) for flow in workload_of(point.job, 1).to_dict()["flow"])
        if reach > there:
            raise ConfigError(
                f"{point.name}: the measured job reaches to {reach / 1e9:,.1f} GB, which does not fit the design: its "
                f"geometry gives the host {there / 1e9:,.1f} GB; expected the geometry of the measured drive"
            )
    if capacity_bytes is not None and abs(capacity_bytes / there - 1) > CAPACITY_WITHIN:
        raise ConfigError(
            f"capacity: the measured drive has {capacity_bytes / 1e9:,.1f} GB, and the design's geometry gives the "
            f"host {there / 1e9:,.1f} GB; expected them within {CAPACITY_WITHIN:.0%} (geometry, ftl.overprovisioning)"
        )


CAPACITY_WITHIN = 0.1
"""Spare space differs between drives of one geometry."""


def _reach(synthetic: Mapping[str, Any]) -> float:
    return sum(bytes_of(synthetic.get(key)) for key in ("working_set_offset", "working_set_size"))


def bytes_of(size: object) -> float:
    found = quantity(size) if isinstance(size, str) else None
    return 0.0 if found is None or found.dimension != "size" else found.in_column * 1024


def answers(design: Design, points: Sequence[Point], requests: int, seed: int) -> list[Statistics]:
    """Shared jobs are simulated once, side by side."""
    jobs = {job_text(point.job, requests): point.job for point in points}

    def task(job: Job) -> Any:
        def run(stop: Event) -> Any:
            def look(*_: int) -> None:
                if stop.is_set():
                    raise parallel.StoppedError

            return simulated(design, job, requests, seed, look)

        return run

    found = parallel.in_threads([task(job) for job in jobs.values()], parallel.processors())
    by_text = dict(zip(jobs, found, strict=True))
    return [_statistics(by_text[job_text(point.job, requests)], point.op) for point in points]


Simulated = tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]", float]


def simulated(design: Design, job: Job, requests: int, seed: int, report: Any) -> Simulated:
    """Without the first tenth, in which the drive fills."""
    work = workload_of(job, requests)
    data, rows = simulate.run_once(design, work, seed, 0, True, report, root_causes=False)
    assert rows is not None
    frame = rows.scan().select("op", "latency_us", "completed_us").collect()
    kept = frame.slice(frame.height // 10)
    done = kept["completed_us"].to_numpy()
    took = float(done[-1] - frame["completed_us"][frame.height // 10 - 1]) if frame.height >= 20 else float(done[-1])
    return kept["latency_us"].to_numpy(), (kept["op"] == "read").to_numpy(), took or data["execution_time_us"]


def _statistics(run: Simulated, op: str) -> Statistics:
    import numpy as np

    latencies, are_reads, took_us = run
    own = latencies[are_reads if op == "read" else ~are_reads]
    if not len(own):
        return {}
    cuts = np.quantile(own, QUANTILES)
    found = {"iops": len(own) / took_us * 1e6, "mean_us": float(own.mean())}
    return found | {name_of(quantile): float(cut) for quantile, cut in zip(QUANTILES, cuts, strict=True)}


def errors(points: Sequence[Point], found: Sequence[Statistics]) -> list[dict[str, float]]:
    return [
        {
            name: math.log(ours[name] / measured)
            for name, measured in point.statistics.items()
            if name in ours and ours[name] > 0
        }
        for point, ours in zip(points, found, strict=True)
    ]


def flat(found: Sequence[Mapping[str, float]]) -> list[float]:
    return [value for each in found for value in each.values()]


def rms(values: Sequence[float]) -> float | None:
    return math.sqrt(sum(value**2 for value in values) / len(values)) if values else None
