"""The file of a calibration, checked."""

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from canaletto._engine import ConfigError
from canaletto._run.config import Design, check_text, check_whole, quiet_design, read_text
from canaletto._sweeping import document as sweeping

from canaletto_extras.calibrating import fio_results, latency_log, load_curve, parameters
from canaletto_extras.calibrating.measured import Point, positive
from canaletto_extras.calibrating.model import bytes_of
from canaletto_extras.calibrating.parameters import Parameter

JUDGE = ("half", "none")
_KEYS = ("design", "set", "ranges", "measured", "judge", "trials", "requests", "seed", "capacity")
_NUMBERS = {"trials": (60, 1, 100_000), "requests": (4000, 1000, 10_000_000), "seed": (1, 0, 2**32 - 1)}
MAX_MEASURED_BYTES = 256 << 20


@dataclass(frozen=True)
class Asked:
    label: str
    design: Design
    parameters: tuple[Parameter, ...]
    points: tuple[Point, ...]
    judge: bool
    capacity_bytes: float | None
    trials: int
    requests: int
    seed: int


def read(path: str | os.PathLike[str], measured: Sequence[Any] = (), **more: Any) -> Asked:
    """measured: files next to those that it names; more: keys that go before its own."""
    label = os.fspath(path)
    text = read_text(label)
    found = sweeping.parsed(label, text)
    given = {key: value for key, value in more.items() if value is not None}
    own = found.get("measured", [])
    if not isinstance(own, list):
        raise ConfigError(f"{label}: measured: got {own!r}, expected a list of files, or tables [[measured]]")
    folder = Path(label).parent
    return checked(label, {**found, **given, "measured": [*_beside(own, folder), *measured]}, folder)


def _beside(measured: Sequence[Any], folder: Path) -> Iterator[Any]:
    for each in measured:
        if isinstance(each, str):
            yield str(folder / each)
        elif isinstance(each, Mapping) and isinstance(each.get("file"), str):
            yield {**each, "file": str(folder / each["file"])}
        else:
            yield each


def checked(label: str, document: Mapping[str, Any], folder: Path = Path()) -> Asked:
    for key in document:
        if key not in _KEYS:
            raise ConfigError(f"{label}: {key}: unknown key, expected one of {', '.join(_KEYS)}")
    numbers = {name: document.get(name, default) for name, (default, _, _) in _NUMBERS.items()}
    for name, (_, least, most) in _NUMBERS.items():
        check_whole(f"{label}: {name}", numbers[name], least, most)
    judge = document.get("judge", "half")
    if judge not in JUDGE:
        raise ConfigError(f"{label}: judge: got {judge!r}, expected one of {', '.join(JUDGE)}")
    found = tuple(parameters.read(document.get("ranges"), f"{label}: ranges"))
    points = tuple(_points(label, document.get("measured")))
    capacity = document.get("capacity")
    if capacity is not None and positive(bytes_of(capacity)) is None:
        raise ConfigError(f'{label}: capacity: got {capacity!r}, expected a size with its unit, such as "1TB"')
    design = _design(label, document.get("design"), document.get("set", {}), folder)
    size = None if capacity is None else bytes_of(capacity)
    return Asked(label, design, found, points, judge == "half", size, **numbers)


def _design(label: str, given: Any, changes: Any, folder: Path) -> Design:
    if isinstance(given, Design):
        made = given
    elif isinstance(given, str | os.PathLike):
        name = os.fspath(given)
        beside = folder / name
        made = quiet_design(str(beside) if name.endswith(".toml") and beside.exists() else name)
    else:
        raise ConfigError(f"{label}: design: got {given!r}, expected a preset's name or a TOML file")
    if not isinstance(changes, Mapping):
        raise ConfigError(f"{label}: set: got {changes!r}, expected a table [set] of keys and values")
    flat = sweeping.flattened(changes)
    return made.replace(**flat) if flat else made


def _points(label: str, measured: Any) -> Iterator[Point]:
    if isinstance(measured, str | os.PathLike):
        measured = [measured]
    if not isinstance(measured, Sequence) or not measured:
        raise ConfigError(f"{label}: measured: got none, expected results of fio (JSON) or logs of latencies")
    for each in measured:
        if isinstance(each, Mapping):
            options = {key: value for key, value in each.items() if key != "file"}
            if not isinstance(each.get("file"), str | os.PathLike):
                raise ConfigError(f"{label}: measured: got {dict(each)!r}, expected a table with file = …")
            yield from _of_file(os.fspath(each["file"]), options)
        elif isinstance(each, str | os.PathLike):
            path = os.fspath(each)
            matches = sorted(glob.glob(path)) if glob.has_magic(path) and not Path(path).exists() else [path]
            if not matches:
                raise ConfigError(f"{path}: no file of such a name")
            for match in matches:
                yield from _of_file(match, {})
        else:
            raise ConfigError(f"{label}: measured: got {each!r}, expected a file's name, or a table with file = …")


def _of_file(path: str, options: Mapping[str, Any]) -> list[Point]:
    text = _text(path)
    if text.lstrip("﻿ \t\r\n").startswith("{") or path.endswith(".json"):
        if options:
            raise ConfigError(
                f"{path}: {', '.join(options)}: given together with results of fio, which have their own options"
            )
        return fio_results.points(text, path)
    if load_curve.is_one(text):
        return load_curve.points(text, path, options)
    return latency_log.points(text, path, options)


def _text(path: str) -> str:
    check_text(path)
    if os.path.isfile(path) and os.path.getsize(path) > MAX_MEASURED_BYTES:
        raise ConfigError(
            f"{path}: larger than {MAX_MEASURED_BYTES >> 20} MiB, expected a part of it, or fio's results"
        )
    with open(path, "rb") as file:
        content = file.read()
    if not content.strip():
        raise ConfigError(f"{path}: empty, expected results of fio (JSON) or a log of latencies")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}:{line}: byte 0x{content[error.start]:02x} is not UTF-8 text, expected results of fio or a log"
        ) from None
