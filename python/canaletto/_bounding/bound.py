"""Peak throughput, what limits it, and latencies of a design in closed form."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from canaletto import bounds
from canaletto._bounding import tasks
from canaletto._bounding.inputs import drive_of
from canaletto._bounding.saturated import Saturated, is_written, measured
from canaletto._bounding.work import in_queues, with_cache, with_size, work_of, work_of_size
from canaletto._engine import ConfigError, SimulationError
from canaletto._run import bound_fabrics
from canaletto._run.bound_drive import Drive, Work
from canaletto._run.config import Design, Workload
from canaletto._run.config import design as load_design
from canaletto._run.config import workload as load_workload
from canaletto._run.quantities import size_bytes
from canaletto._run.shown import Shown

LOADS = (0.7, 0.8, 0.9, 0.99)
PERCENTILES = (0.5, 0.99, 0.999)

CONTENTION = "contention"
_NEAR = 0.8
"""Least share of a part's limit at which that part limits a measured peak."""

_DEFAULT_SIZE = "4KiB"


@dataclass(frozen=True, repr=False)
class Bound(Shown):
    """Closed forms of a drive under a load."""

    design: str
    fabric: str
    size_bytes: float
    """Mean data of a request."""
    read_share: float
    write_amplification: float
    peak_iops: float
    """Requests per second at saturation. Where nothing is written: the least of the limits. Otherwise measured."""
    limit: str
    """Part that allows the least. "contention" if a measured peak is below 80 % of what that part allows."""
    limits_iops: dict[str, float]
    """Requests per second that each part alone allows in closed form, the least first."""
    unloaded_us: float
    """Latency of a request on the idle drive: a read of flash, unless nothing is read."""
    unloaded_read_us: float | None
    """Latency of a read of flash on the idle drive; None if nothing is read."""
    unloaded_write_us: float | None
    """Latency of a write on the idle drive; None if nothing is written."""
    mean_unloaded_us: float
    """Mean over all requests, some from the data cache."""
    service_us: float
    """Time that a request takes one server of the limiting part."""
    is_exact: bool
    """Whether the fabric has a closed form. Otherwise its limits are upper bounds."""
    simulated_requests: int = 0
    """Requests of the run that measured the peak; 0 for a closed form."""
    sustained_iops: float | None = None
    """Endless writing at most: at the write amplification below, without pseudo-SLC."""
    sustained_write_amplification: float | None = None

    @property
    def ceiling_iops(self) -> float:
        """The least of the limits, in closed form."""
        return min(self.limits_iops.values())

    @property
    def is_closed(self) -> bool:
        """Requests outstanding limit, so there is no load to vary."""
        return self.limit == bounds.QUEUE_DEPTH

    @property
    def bandwidth_mb_s(self) -> float:
        """User data at the peak, in 10^6 bytes per second."""
        return self.peak_iops * self.size_bytes / 1e6

    @property
    def knee_iops(self) -> float:
        """Requests per second at which the mean latency is twice the idle drive's (M/D/1)."""
        idle = self.mean_unloaded_us if self.simulated_requests else self.unloaded_us
        return float(bounds.knee(self.service_us, idle)) * self.peak_iops

    @property
    def knee_depth(self) -> float:
        """Least requests outstanding for the peak (Little's law)."""
        queues = (bounds.QUEUE_DEPTH, bounds.COMMANDS)
        parts = min(limit for part, limit in self.limits_iops.items() if part not in queues)
        peak = min(self.peak_iops, parts) if self.simulated_requests else parts
        return peak * self.mean_unloaded_us / 1e6

    def latency_us(self, load: float, percentile: float = 0.99) -> float:
        """Latency percentile at a load, in microseconds (M/D/1, see `canaletto.bounds.percentile_us`).

        Parameters
        ----------
        load
            Share of the peak, at least 0 and less than 1.
        percentile
            Share of the requests that are no slower, above 0 and less than 1.

        Returns
        -------
        float
            Microseconds.

        Raises
        ------
        ConfigError
            For a load or a percentile that is not allowed.
        """
        if not 0 <= load < 1:
            raise ConfigError(f"load: got {load}, expected a share of the peak of at least 0 and less than 1")
        if not 0 < percentile < 1:
            raise ConfigError(f"percentile: got {percentile}, expected a share above 0 and less than 1, such as 0.99")
        return float(bounds.percentile_us(self.service_us, load, percentile, self.unloaded_us))

    def to_dict(self) -> dict[str, Any]:
        """Returns what `canaletto bound --json` prints, without its schema's number."""
        tails = [
            {"load": load, **{f"p{100 * share:g}_us": self.latency_us(load, share) for share in PERCENTILES}}
            for load in ([] if self.is_closed else LOADS)
        ]
        more = {
            "ceiling_iops": self.ceiling_iops,
            "bandwidth_mb_s": self.bandwidth_mb_s,
            "knee_iops": self.knee_iops,
            "knee_depth": self.knee_depth,
        }
        return {**asdict(self), **more, "latency": tails}


def bound(
    design: Design | str | PathLike[str],
    workload: Workload | str | PathLike[str] | None = None,
    *,
    size: str | None = None,
    read_share: float | None = None,
    write_amplification: float | None = None,
    queue_depth: int | None = None,
    mix: bounds.Mix = "times",
) -> Bound:
    """Peak throughput of a drive, the part that limits it, and latencies under load.

    The limits of parts are closed forms, with times of commands as in a run (`sequences`). ECC retries, times of the
    data cache and misses of a cached mapping table are not counted. Writes have no closed form: collection,
    suspension and waits. So the peak of requests that write is measured in a short run at saturation, which begins
    in the state that the design has (`precondition.kind`) and takes up to some seconds.

    Parameters
    ----------
    design
        A drive; or a preset's name or a TOML file, as for `design`.
    workload
        Generated requests; or a profile's name or a file, as for `workload`. None: requests of `size` at random places.
    size
        Size of every request, such as "512B", instead of the workload's. Default without a workload: "4KiB".
    read_share
        Share of the requests that read, instead of the workload's. Default without a workload: 1.
    write_amplification
        Programs of the drive over what the host writes, at least 1, for closed forms alone. Default: as measured.
    queue_depth
        Requests outstanding at the most, instead of the workload's. Default without a workload: no limit.
    mix
        How reads and programs share a part: "times" adds up what they take; "rates" is the mean of "Five-Minute Rule 40
        Years Later" (arXiv 2511.03944), see `canaletto.bounds.limits_iops`.

    Returns
    -------
    Bound
        Requests per second, limits by part, knee, and latencies by load.

    Raises
    ------
    ConfigError
        For a design or a workload that has no closed form, or a number that is not allowed.

    Examples
    --------
    >>> import canaletto as cn
    >>> found = cn.bound("pcie4-tlc", size="512B")
    >>> found.limit, round(found.peak_iops / 1e6, 1)
    ('dies', 0.6)
    """
    drive = design if isinstance(design, Design) else load_design(design)
    _check(write_amplification, read_share, queue_depth)
    made = load_workload(workload) if isinstance(workload, str | PathLike) else workload
    if made is not None and tasks.are_in(made):
        reads = bound(drive, tasks.reads(made))
        changed = tasks.of_tasks(drive, made, reads.size_bytes, lambda work: bound(drive, work).limits_iops)
        return replace(reads, **changed)
    if made is not None:
        work = work_of(drive, made, write_amplification or 1.0)
    else:
        work = work_of_size(drive, write_amplification or 1.0)
        size = _DEFAULT_SIZE if size is None else size
    work = _changed(drive, work, size, read_share, queue_depth)
    if write_amplification is None and mix == "times" and is_written(work):
        is_changed = size is not None or read_share is not None
        drive_of(drive, work)  # refuses what has no closed form, before the run
        return _of_run(drive, measured(drive, None if is_changed else made, work), work)
    return of_numbers(drive_of(drive, work), drive_of(drive, work, is_alone=True), work, drive.name, mix)


def _of_run(design: Design, run: Saturated, work: Work) -> Bound:
    def closed(amplification: float, written: float) -> Bound:
        used = replace(work, write_amplification=max(1.0, amplification), written_bytes=written)
        used = with_cache(design.to_dict(), used)
        alone = drive_of(design, used, is_alone=True)
        return of_numbers(drive_of(design, used), alone, used, design.name)

    written = run.requests * float(work.size) * float(work.writes)
    found = closed(run.write_amplification, min(written, float(work.written_bytes)))
    endless = None if run.long_run is None else closed(run.long_run, np.inf)
    return replace(
        found,
        peak_iops=run.iops,
        limit=found.limit if run.iops >= _NEAR * found.ceiling_iops else CONTENTION,
        simulated_requests=run.requests,
        sustained_iops=None if endless is None else min(endless.ceiling_iops, run.iops),
        sustained_write_amplification=run.long_run,
    )


def of_run(design: Design, workload: Workload) -> Bound | None:
    """None for requests or drives without closed form."""
    try:
        return bound(design, workload)
    except (ConfigError, SimulationError):
        return None


def of_numbers(drive: Drive, alone: Drive, work: Work, name: str, mix: bounds.Mix = "times") -> Bound:
    unloaded = float(bounds.unloaded_us(alone, work))
    limits = {part: float(limit) for part, limit in bounds.limits_iops(drive, work, mix=mix).items()}
    servers = bounds.servers(drive, work)
    finite = {part: limit for part, limit in limits.items() if np.isfinite(limit)}
    inner = min(finite, key=lambda part: finite[part])
    queues = {name: float(limit) for name, limit in bounds.queue_limits_iops(alone, work).items()}
    finite |= {name: limit for name, limit in queues.items() if np.isfinite(limit)}
    ordered = dict(sorted(finite.items(), key=lambda each: each[1]))
    limit = next(iter(ordered))
    return Bound(
        design=name,
        fabric=drive.fabric,
        size_bytes=float(work.size) * (1.0 - float(work.other_share)),
        read_share=float(work.reads),
        write_amplification=float(work.write_amplification),
        peak_iops=ordered[limit],
        limit=limit,
        limits_iops=ordered,
        unloaded_us=unloaded,
        unloaded_read_us=_unloaded(alone, work, read_share=1.0),
        unloaded_write_us=_unloaded(alone, work, read_share=0.0),
        mean_unloaded_us=float(bounds.mean_unloaded_us(alone, work)),
        service_us=1e6 * float(servers[inner]) / finite[inner],
        is_exact=all(part.is_exact for part in bound_fabrics.wires(drive, work)),
    )


def _unloaded(alone: Drive, work: Work, *, read_share: float) -> float | None:
    asked = work.reads if read_share else work.writes
    if float(asked) <= 0:
        return None
    return float(bounds.unloaded_us(alone, replace(work, read_share=read_share, other_share=0.0)))


def _changed(design: Design, work: Work, size: str | None, read_share: float | None, queue_depth: int | None) -> Work:
    keys = design.to_dict()
    if size is not None:
        work = with_size(design, work, _size(size))
    if read_share is not None:
        work = replace(work, read_share=read_share, other_share=0.0)
    if queue_depth is not None:
        work = in_queues(keys, replace(work, queue_depth=float(queue_depth)), 1)
    return with_cache(keys, work)


def _size(text: str) -> float:
    try:
        found = size_bytes(text)
    except (KeyError, ValueError):
        found = 0.0
    if found <= 0 or found % 512:
        raise ConfigError(f'size: got "{text}", expected a multiple of 512 B with its unit, such as "512B" or "4KiB"')
    return found


def _check(write_amplification: float | None, read_share: float | None, queue_depth: int | None) -> None:
    ranges: Sequence[tuple[str, float | None, float, float]] = (
        ("write_amplification", write_amplification, 1, 1000),
        ("read_share", read_share, 0, 1),
        ("queue_depth", queue_depth, 1, 2**63),
    )
    for name, given, least, most in ranges:
        if given is not None and not least <= given <= most:
            raise ConfigError(f"{name}: got {given}, expected a number from {least} to {most}")
