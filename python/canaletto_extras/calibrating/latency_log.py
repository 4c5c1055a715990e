"""Logs of single latencies: fio's `_lat.log`, and CSV with a unit in its header."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from canaletto._engine import ConfigError

from canaletto_extras.calibrating.fio_results import job_of
from canaletto_extras.calibrating.measured import FEWEST, Point, of_latencies

_PER_US = {"ns": 1e3, "us": 1.0, "ms": 1e-3}
_LATENCY = re.compile(r"(?:.*_)?(?:[cs]?lat|latency)(?:_(?P<unit>ns|us|ms|s))?\s*(?:[(\[](?P<other>\w+)[)\]])?")
_DEPTH = ("queue_depth", "iodepth", "depth", "qd")
_DIRECTIONS = ("read", "write")


def points(text: str, label: str, options: Mapping[str, Any]) -> list[Point]:
    """A point per depth that has a column. options: fio's job, which a log lacks."""
    for needed in ("rw", "bs", "iodepth"):
        if needed not in options and not (needed == "iodepth" and _header(text) is not None):
            raise ConfigError(f"{label}: {needed}: missing, expected rw, bs and iodepth: a log of latencies has none")
    is_csv = _header(text) is not None
    rows = _csv(text, label) if is_csv else _log(text, label, job_of(options, label).outstanding)
    found = []
    for (op, depth), latencies in rows.items():
        job = job_of({**options, **({} if depth is None else {"iodepth": depth})}, label)
        wanted = op or ("write" if job.kind in ("write", "randwrite") else "read")
        if len(latencies) < FEWEST:
            raise ConfigError(f"{label}: {len(latencies)} latencies of {wanted}s, expected {FEWEST} or more")
        found.append(of_latencies(f"{label}{'' if depth is None else f' depth {depth}'}", job, wanted, latencies))
    return found


Rows = dict[tuple[str, str | None], list[float]]


def _header(text: str) -> list[str] | None:
    first = text.lstrip("﻿").partition("\n")[0].strip()
    return [part.strip().strip('"').lower() for part in first.split(",")] if re.search("[a-zA-Z]", first) else None


def _csv(text: str, label: str) -> Rows:
    header = _header(text) or []
    matches = [(number, found) for number, name in enumerate(header) if (found := _LATENCY.fullmatch(name))]
    if not matches:
        raise ConfigError(f"{label}:1: got columns {', '.join(header)}, expected one of latencies, such as latency_us")
    if len(matches) > 1:
        several = ", ".join(header[number] for number, _ in matches)
        raise ConfigError(f"{label}:1: got columns {several}, expected one of latencies")
    column, match = matches[0]
    unit = match["unit"] or match["other"] or ""
    if unit not in _PER_US:
        raise ConfigError(
            f"{label}:1: {header[column]}: got {f'the unit {unit}' if unit else 'no unit'}, expected one of "
            f"{', '.join(_PER_US)} in its name, such as latency_us"
        )
    depths = next((header.index(name) for name in _DEPTH if name in header), None)
    rows: Rows = {}
    for number, line in enumerate(text.splitlines()[1:], 2):
        if not line.strip():
            continue
        cells = [cell.strip().strip('"') for cell in line.split(",")]
        if len(cells) != len(header):
            raise ConfigError(f"{label}:{number}: got {len(cells)} values, expected {len(header)} as in the header")
        depth = None if depths is None else str(_whole(cells[depths], f"{label}:{number}"))
        rows.setdefault(("", depth), []).append(_positive(cells[column], f"{label}:{number}") / _PER_US[unit])
    if not rows:
        raise ConfigError(f"{label}: no latencies, expected lines behind the header")
    return rows


def _log(text: str, label: str, depth: int) -> Rows:
    """Time in ms, latency in ns, direction, size, offset; from 3.x on also a priority."""
    rows: Rows = {}
    times: Rows = {}
    sizes: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if not 4 <= len(cells) <= 7:
            raise ConfigError(
                f"{label}:{number}: got {line[:60]!r}, expected a line of fio's latency log (time, latency in ns, "
                "direction, size, …) or a CSV file whose header names latencies and unit"
            )
        direction = _whole(cells[2], f"{label}:{number}", least=0)
        if direction >= len(_DIRECTIONS):
            continue
        key = (_DIRECTIONS[direction], None)
        rows.setdefault(key, []).append(_positive(cells[1], f"{label}:{number}") / _PER_US["ns"])
        times.setdefault(key, []).append(float(_whole(cells[0], f"{label}:{number}", least=0)))
        sizes.add(cells[3])
    if not rows:
        raise ConfigError(f"{label}: no latencies, expected lines of fio's latency log")
    for each, latencies in rows.items():
        if len(latencies) >= FEWEST_STEPS and (sizes == {"0"} or _is_averaged(times[each], latencies, depth)):
            step = _median([after - before for before, after in pairwise(times[each])])
            raise ConfigError(
                f"{label}: one line for each {step:g} ms: means over so much time (log_avg_msec), which say nothing of "
                "a distribution; expected single latencies: a log of fio without log_avg_msec"
            )
    for latencies in rows.values():
        median = _median(latencies)
        if median < 0.5:
            raise ConfigError(
                f"{label}: half of the latencies are below {median * 1e3:,.0f} ns, expected nanoseconds of a drive: "
                "logs of fio before 3.0 are in microseconds; expected a newer one, or CSV with a column latency_us"
            )
    return rows


FEWEST_STEPS = 5


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def _is_averaged(times_ms: list[float], latencies_us: list[float], depth: int) -> bool:
    steps = [after - before for before, after in pairwise(times_ms)]
    step = _median(steps)
    even = sum(abs(each - step) <= max(1.0, 0.02 * step) for each in steps)
    between_ms = sum(latencies_us) / len(latencies_us) / depth / 1e3
    # Times are whole milliseconds, so that short steps look even whatever they are.
    return step >= 5 and even >= 0.9 * len(steps) and step > 3 * between_ms


def _positive(text: str, place: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1e15:
        raise ConfigError(f"{place}: got {text!r}, expected a latency above 0")
    return found


def _whole(text: str, place: str, least: int = 1) -> int:
    # Not isdigit, which has superscripts, too; a number of thousands of digits is none that int takes.
    if not re.fullmatch("[0-9]{1,18}", text) or int(text) < least:
        raise ConfigError(f"{place}: got {text!r}, expected a whole number of at least {least}")
    return int(text)
