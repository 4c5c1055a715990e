"""Curves of latency against load as measured points: CSV with a line per rate."""

from collections.abc import Mapping
from typing import Any

from canaletto._engine import ConfigError

from canaletto_extras.calibrating.fio_results import job_of
from canaletto_extras.calibrating.measured import QUANTILES, Point, name_of, positive

RATE, SERVED, DATA_SHEET = "rate_iops", "iops", "data_sheet_iops"
_CUTS = tuple(name_of(quantile) for quantile in QUANTILES)
_COLUMNS = (RATE, SERVED, "mean_us", *_CUTS)
_ABOVE_SHEET = 1.25
"""Drives exceed their data sheets, but not by more than this."""
_ABOVE_RATE = 1.05


def is_one(text: str) -> bool:
    return RATE in _cells(text.lstrip("\ufeff").partition("\n")[0])


def points(text: str, label: str, options: Mapping[str, Any]) -> list[Point]:
    """A point per line. options: fio's job, and `data_sheet_iops`, which no rate may exceed by more than a quarter."""
    sheet = options.get(DATA_SHEET)
    if sheet is not None and positive(sheet) is None:
        raise ConfigError(f"{label}: {DATA_SHEET}: got {sheet!r}, expected requests/s")
    given = {key: value for key, value in options.items() if key != DATA_SHEET}
    for needed in ("rw", "bs", "iodepth"):
        if needed not in given:
            raise ConfigError(f"{label}: {needed}: missing, expected rw, bs and iodepth: a curve has none")
    header, *lines = text.lstrip("\ufeff").splitlines()
    names = _cells(header)
    for name in names:
        if name not in _COLUMNS or names.count(name) > 1:
            raise ConfigError(f"{label}:1: {name}: unknown or twice, expected some of {', '.join(_COLUMNS)}")
    if not {SERVED, "mean_us", *_CUTS} & set(names):
        raise ConfigError(f"{label}:1: got {RATE} alone, expected also some of {', '.join(_COLUMNS[1:])}")
    found = []
    for number, line in enumerate(lines, 2):
        if line.strip():
            row = _row(line, names, f"{label}:{number}")
            _check(row, sheet, f"{label}:{number}")
            found.append(_point(row, given, f"{label}:{number}"))
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
    below = None
    for name in (name for name in _CUTS if name in row):
        if below is not None and row[name] < row[below]:
            raise ConfigError(f"{place}: {name}: got {row[name]:g}, below {below}, {row[below]:g}")
        below = name
    served = row.get(SERVED, row[RATE])
    if served > row[RATE] * _ABOVE_RATE:
        raise ConfigError(f"{place}: {SERVED}: got {served:g}, above {RATE}, {row[RATE]:g}: more than was asked for")
    if sheet is not None and SERVED in row and served > sheet * _ABOVE_SHEET:
        raise ConfigError(f"{place}: {SERVED}: got {served:g}, above {DATA_SHEET}, {sheet:g}, by more than a quarter")


def _point(row: Mapping[str, float], options: Mapping[str, Any], place: str) -> Point:
    processes = job_of(options, place).processes
    job = job_of({**options, RATE: f"{row[RATE] / processes:.0f}"}, place)
    if job.kind not in ("read", "randread", "write", "randwrite"):
        raise ConfigError(f"{place}: rw: got {job.kind!r}, expected reads or writes alone: a rate counts one of them")
    statistics = {name: value for name, value in row.items() if name != RATE}
    return Point(f"{place} {row[RATE]:.0f}/s", job, "read" if job.kind.endswith("read") else "write", statistics)
