"""Results of fio (`--output-format=json`) as measured points.

From submission to completion (`lat_ns`); percentiles of completion alone (`clat_ns`) get the mean time of submission
added.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from canaletto._engine import ConfigError
from canaletto._io import fio, fio_options
from canaletto._io.fio_values import DEPTHS, PROCESSES, Given, decimal
from canaletto._io.parsed import within

from canaletto_extras.calibrating.measured import BELOW, OPS, QUANTILES, Job, Point, name_of, positive

Keys = Mapping[str, Any]

_ENDS = ("runtime", "timeout", "time_based", "number_ios", "io_size", "io_limit", "loops", "startdelay", "ramp_time")


def points(text: str, label: str) -> list[Point]:
    """A point per job and direction."""
    try:
        document = within(text, "jobs")
    except ValueError:
        raise ConfigError(f"{label}: not JSON, expected what `fio --output-format=json` printed") from None
    jobs = document.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        raise ConfigError(f"{label}: no list of jobs, expected what `fio --output-format=json` printed")
    shared = document.get("global options", {})
    found = [point for job in jobs for point in _of_job(job, shared, label, len(jobs))]
    if not found:
        raise ConfigError(f"{label}: no job has read or written anything, expected one that has")
    return found


def _of_job(entry: Any, shared: Any, label: str, jobs: int) -> Iterator[Point]:
    name = entry.get("jobname") if isinstance(entry, dict) else None
    place = f"{label}: job {name!r}" if name else label
    own = entry.get("job options") if isinstance(entry, dict) else None
    if not isinstance(own, Mapping) or not isinstance(shared, Mapping):
        raise ConfigError(f"{place}: no job options, expected a result of fio 3, which has rw, bs and iodepth in them")
    if entry.get("error"):
        raise ConfigError(f"{place}: ended with error {entry['error']}, expected a job that ended well")
    job = job_of({**shared, **own}, place)
    if job.processes > 1 and jobs >= job.processes and not {"group_reporting"} & {*shared, *own}:
        raise ConfigError(f"{place}: {job.processes} processes apart, expected one result of all (group_reporting=1)")
    for op in OPS:
        side = entry.get(op)
        if isinstance(side, Mapping) and side.get("total_ios"):
            yield Point(f"{label} {name}", job, op, _statistics(side, f"{place}: {op}"))


def job_of(options: Mapping[str, Any], place: str) -> Job:
    kept = {}
    for key, value in options.items():
        text = "" if value is None else str(value)
        if "\n" in text or not isinstance(key, str):
            raise ConfigError(f"{place}: {key}: got {text!r}, expected a value of one line")
        if key not in (*_ENDS, "name"):
            kept[key] = text

    def given(default: str, *names: str) -> Given:
        found = next((name for name in names if name in kept), names[0])
        return Given(place, found, kept.get(found, default))

    depth, processes = given("1", "iodepth").whole(*DEPTHS), given("1", "numjobs").whole(*PROCESSES)
    if given("psync", "ioengine").text in fio_options.SYNCHRONOUS:
        depth = 1
    kind = given("read", "rw", "readwrite").text
    size = given("4k", "bs", "blocksize")
    try:
        told = f"{size.size()}B"
    except ConfigError:
        told = size.text
    zones = given("none", "zonemode")
    if zones.text != "none":
        raise zones.wrong("expected none: commands of zones are not calibrated")
    if "bssplit" in kept or "bsrange" in kept or "blocksize_range" in kept:
        told = kept.get("bssplit") or kept.get("bsrange") or kept["blocksize_range"]
    job = Job(kept, processes, depth, told, kind)
    fio.workload(job_text(job, 1000), place)  # what has no counterpart shows before anything is run
    return job


def job_text(job: Job, requests: int) -> str:
    lines = [f"{key}={value}" if value else key for key, value in job.options.items()]
    return "\n".join(["[job]", *lines, f"number_ios={max(requests // job.processes, 1)}"])


def _statistics(side: Mapping[str, Any], place: str) -> dict[str, float]:
    for key, unit in (("lat", "microseconds"), ("clat", "microseconds"), ("clat_us", "microseconds")):
        if key in side and "clat_ns" not in side:
            raise ConfigError(
                f"{place}: {key}: got latencies in {unit}, as fio before 3.0 has them; expected clat_ns and lat_ns"
            )
    total, completion = _table(side, "lat_ns", place), _table(side, "clat_ns", place)
    mean = _number(total, "mean", f"{place}: lat_ns")
    if mean < 100:
        raise ConfigError(
            f"{place}: lat_ns.mean: got {mean:g}, expected nanoseconds: no drive answers in less than 100 of them"
        )
    if isinstance(total.get("percentile"), Mapping):
        cuts, before = total["percentile"], 0.0
    elif isinstance(completion.get("percentile"), Mapping):
        cuts, before = completion["percentile"], max(mean - _number(completion, "mean", f"{place}: clat_ns"), 0.0)
    else:
        raise ConfigError(
            f"{place}: clat_ns has no percentiles, expected them: they are off (clat_percentiles=0, gtod_reduce=1, "
            "disable_clat=1) or nothing completed"
        )
    _check_possible(total, completion, cuts, place)
    known = {_percent(key, place): key for key in cuts}
    found = {"iops": _number(side, "iops", place), "mean_us": mean / 1e3}
    for quantile in QUANTILES:
        cut = known.get(round(quantile * 100, 6))
        if cut is not None and cuts[cut]:
            found[name_of(quantile)] = (_number(cuts, cut, f"{place}: percentile") + before) / 1e3
    if len(found) == 2:
        wanted = ", ".join(f"{quantile * 100:g}" for quantile in QUANTILES)
        raise ConfigError(f"{place}: percentiles {', '.join(cuts)}, expected some of {wanted} (percentile_list)")
    return found


ROUNDING = 1.05
"""The middle of a bin may be above the largest latency."""


def _check_possible(total: Keys, completion: Keys, cuts: Keys, place: str) -> None:
    """A request's time (lat) is submission (slat) and completion (clat)."""

    def wrong(what: str) -> ConfigError:
        return ConfigError(
            f"{place}: {what}; fio 3.32 is known for such results: expected another version, or percentiles "
            "of lat (lat_percentiles=1)"
        )

    for key in ("mean", "max"):
        whole, part = positive(total.get(key)), positive(completion.get(key))
        if whole is not None and part is not None and part > whole * ROUNDING:
            raise wrong(f"clat_ns.{key}: got {part:.0f}, above lat_ns.{key}, {whole:.0f}, of which it is a part")
    # Markov: half of the latencies cannot be above twice their mean.
    bounds = [(100.0, positive(total.get("max")), "the largest latency")]
    bounds.append((50.0, 2 * (positive(total.get("mean")) or BELOW), "twice the mean latency"))
    last = 0.0
    for percent, cut in sorted((_percent(key, place), positive(cut) or 0.0) for key, cut in cuts.items()):
        for most, bound, name in bounds:
            if percent <= most and bound is not None and cut > bound * ROUNDING:
                raise wrong(f"percentile {percent:g}: got {cut:.0f}, above {name}, {bound:.0f}")
        if 0 < cut < last:
            raise wrong(f"percentile {percent:g}: got {cut:.0f}, below a lower percentile, {last:.0f}")
        last = max(last, cut)


def _table(side: Mapping[str, Any], key: str, place: str) -> Mapping[str, Any]:
    found = side.get(key)
    if not isinstance(found, Mapping):
        raise ConfigError(f"{place}: no {key}, expected a result of fio 3 in JSON (--output-format=json)")
    return found


def _percent(key: str, place: str) -> float:
    try:
        return round(decimal(key), 6)
    except ValueError:
        raise ConfigError(f"{place}: percentile: got {key!r}, expected a percentage such as 99.000000") from None


def _number(table: Mapping[str, Any], key: str, place: str) -> float:
    found = positive(table.get(key))
    if found is None:
        raise ConfigError(f"{place}: {key}: got {table.get(key)!r}, expected a number above 0 and below {BELOW:g}")
    return found
