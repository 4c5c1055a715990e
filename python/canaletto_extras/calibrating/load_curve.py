"""Curves of latency against load as measured points: CSV with a line per rate.

Of a job that reads and writes, latencies have names such as `read_p50_us`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from canaletto._engine import ConfigError

from canaletto_extras.calibrating.fio_results import job_of
from canaletto_extras.calibrating.measured import OPS, QUANTILES, Job, Point, name_of, positive
from canaletto_extras.calibrating.model import workload_of

RATE, SERVED, DATA_SHEET = "rate_iops", "iops", "data_sheet_iops"
_CUTS = tuple(name_of(quantile) for quantile in QUANTILES)
_LATENCIES = ("mean_us", *_CUTS)
_ABOVE_SHEET = 1.25
"""Drives exceed their data sheets, but not by more than this."""
_ABOVE_RATE = 1.05


def is_one(text: str) -> bool:
    return RATE in _cells(text.lstrip("\ufeff").partition("\n")[0])


def points(text: str, label: str, options: Mapping[str, Any]) -> list[Point]:
    """A point per line and direction.

    options: fio's job, and `data_sheet_iops`, which no rate may exceed by more than a quarter.
    """
    sheet = options.get(DATA_SHEET)
    if sheet is not None and positive(sheet) is None:
        raise ConfigError(f"{label}: {DATA_SHEET}: got {sheet!r}, expected requests/s")
    given = {key: value for key, value in options.items() if key != DATA_SHEET}
    for needed in ("rw", "bs", "iodepth"):
        if needed not in given:
            raise ConfigError(f"{label}: {needed}: missing, expected rw, bs and iodepth: a curve has none")
    header, *lines = text.lstrip("\ufeff").splitlines()
    names, shares = _cells(header), _shares(given, label)
    known = (RATE, SERVED, *(f"{_prefix(op, shares)}{name}" for op in shares for name in _LATENCIES))
    for name in names:
        if name not in known or names.count(name) > 1:
            raise ConfigError(f"{label}:1: {name}: unknown or twice, expected some of {', '.join(known)}")
    if len(names) == 1:
        raise ConfigError(f"{label}:1: got {RATE} alone, expected also some of {', '.join(known[1:])}")
    found: list[Point] = []
    for number, line in enumerate(lines, 2):
        if line.strip():
            row = _row(line, names, f"{label}:{number}")
            _check(row, sheet, f"{label}:{number}")
            found += _points(row, given, shares, f"{label}:{number}")
    if not found:
        raise ConfigError(f"{label}: no rates, expected lines behind the header")
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip().strip('"').lower() for cell in line.split(",")]


def _row(line: str, names: list[str], place: str) -> dict[str, float]:
    cells = _cells(line)
    if len(cells) != len(names):
        raise ConfigError(f"{place}: got {len(cells)} values, expected {len(names)} as in the header")
    row = {}
    for name, cell in zip(names, cells, strict=True):
        try:
            number = positive(float(cell))
        except ValueError:
            number = None
        if number is None:
            raise ConfigError(f"{place}: {name}: got {cell!r}, expected a number above 0")
        row[name] = number
    return row


def _check(row: Mapping[str, float], sheet: float | None, place: str) -> None:
    for op in ("", *(f"{op}_" for op in OPS)):
        below = None
        for name in (f"{op}{cut}" for cut in _CUTS if f"{op}{cut}" in row):
            if below is not None and row[name] < row[below]:
                raise ConfigError(f"{place}: {name}: got {row[name]:g}, below {below}, {row[below]:g}")
            below = name
    served = row.get(SERVED, row[RATE])
    if served > row[RATE] * _ABOVE_RATE:
        raise ConfigError(f"{place}: {SERVED}: got {served:g}, above {RATE}, {row[RATE]:g}: more than was asked for")
    if sheet is not None and SERVED in row and served > sheet * _ABOVE_SHEET:
        raise ConfigError(f"{place}: {SERVED}: got {served:g}, above {DATA_SHEET}, {sheet:g}, by more than a quarter")


def _shares(options: Mapping[str, Any], place: str) -> dict[str, float]:
    """Share of each direction in the job's requests."""
    job = _unpaced(options, place)
    if job.kind in ("read", "randread", "write", "randwrite"):
        return {"read" if job.kind.endswith("read") else "write": 1.0}
    if job.kind not in ("rw", "readwrite", "randrw"):
        raise ConfigError(f"{place}: rw: got {job.kind!r}, expected reads, writes or both")
    process = options.get("rate_process", "linear")
    if process != "poisson":
        raise ConfigError(
            f"{place}: rate_process: got {process!r}, expected 'poisson': reads and writes have a rate each"
        )
    reads = workload_of(job, 1000).to_dict()["flow"][0]["synthetic"]["read_share"]
    return {op: share for op, share in zip(OPS, (reads, 1 - reads), strict=True) if share}


def _unpaced(options: Mapping[str, Any], place: str) -> Job:
    return job_of({key: value for key, value in options.items() if key != "rate_process"}, place)


def _prefix(op: str, shares: Mapping[str, float]) -> str:
    return f"{op}_" if len(shares) > 1 else ""


def _points(
    row: Mapping[str, float], options: Mapping[str, Any], shares: Mapping[str, float], place: str
) -> Iterator[Point]:
    processes = _unpaced(options, place).processes
    rates = ",".join(f"{row[RATE] * share / processes:.0f}" for share in shares.values())
    job = job_of({**options, "rate_iops": rates}, place)
    for op, share in shares.items():
        prefix = _prefix(op, shares)
        statistics = {name: row[prefix + name] for name in _LATENCIES if prefix + name in row}
        if SERVED in row:
            statistics[SERVED] = row[SERVED] * share
        if statistics:
            yield Point(f"{place} {row[RATE]:.0f}/s", job, op, statistics)
