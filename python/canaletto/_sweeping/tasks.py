"""Points resolved into simulations."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io import _toml
from canaletto._run import config, identity, names
from canaletto._run.config import Design, Setting, Workload, WorkloadOptions, check_whole
from canaletto._run.simulate import check_rereadable
from canaletto._sweeping.document import OPTIONS, RUN_KEYS, SOURCES, Document
from canaletto._sweeping.grid import Assignment, told

WORKLOAD = "workload."


@dataclass(frozen=True)
class Task:
    key: str
    design: str
    workload: str
    seed: int
    warmup: int
    traces: Mapping[str, str]
    build: str = field(default_factory=identity.build)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Point:
    number: int
    values: Assignment
    task: Task
    design_name: str
    workload_name: str
    fabric: str


class Resolver:
    """Shared parts are resolved once."""

    def __init__(self, sweep: Document) -> None:
        self._sweep = sweep
        self._designs: dict[tuple[Any, ...], tuple[Design, str]] = {}
        self._workloads: dict[tuple[Any, ...], tuple[Workload, str]] = {}
        self._traces: dict[str, str] = {}
        self.notes: dict[str, int] = {}
        self.idle: set[str] = set()
        """Left out where they have no effect, so that equal designs are run once."""

    def points(self, assignments: Iterable[Assignment]) -> list[Point]:
        return [self.point(number, values) for number, values in enumerate(assignments)]

    @property
    def useless(self) -> list[str]:
        return [note for note, count in self.notes.items() if count == len(self._designs)]

    def point(self, number: int, values: Assignment) -> Point:
        given = {**self._sweep.fixed, **values}
        try:
            return self._resolved(number, values, given)
        except ConfigError as error:
            if str(error).startswith(f"{self._sweep.label}:"):
                raise
            lines = str(error).splitlines()
            place = f"{self._sweep.label}: point {number} ({told(values)})"
            raise ConfigError("\n".join(f"{place}: {line}" for line in lines)) from None

    def _resolved(self, number: int, values: Assignment, given: Mapping[str, Any]) -> Point:
        runs = {"seed": 1, "warmup": 0} | {key: given[key] for key in RUN_KEYS if key in given}
        for key, value in runs.items():
            check_whole(f"{self._sweep.place(key)}{key}", value, 0, 2**64 - 1)
        design, drive = self._design(given)
        workload, traffic = self._workload(given, design, drive)
        key = identity.key_of("point", drive, traffic, str(runs["seed"]), str(runs["warmup"]))
        traces = {file: self._traces[file] for file in workload.traces()}
        task = Task(key, design.to_toml(), workload.to_toml(), runs["seed"], runs["warmup"], traces)
        names = _shown(given["design"]), _shown(given["workload"])
        return Point(number, values, task, *names, design.fabric)

    def _design(self, given: Mapping[str, Any]) -> tuple[Design, str]:
        keys = {key: value for key, value in given.items() if _is_design_key(key)}
        cached = (_shown(given["design"]), *map(repr, keys.items()))
        if cached not in self._designs:
            made = self._made(given["design"], keys)
            for note in made.notes:
                self.notes[note] = self.notes.get(note, 0) + 1
            if idle := {key for key in keys if any(f": {key}: has no effect" in note for note in made.notes)}:
                self.idle |= idle
                made = self._made(given["design"], {key: value for key, value in keys.items() if key not in idle})
            self._designs[cached] = made, identity.drive(made)
        return self._designs[cached]

    def _made(self, source: Any, keys: Mapping[str, Any]) -> Design:
        settings = [self._setting(config.FABRIC if key == "fabric" else key, key, value) for key, value in keys.items()]
        if isinstance(source, Design):
            return source.adjusted(settings)
        return config.resolve_design(self._source(source, names.presets()), settings)

    def _workload(self, given: Mapping[str, Any], design: Design, drive: str) -> tuple[Workload, str]:
        keys = {key: value for key, value in given.items() if key.startswith(WORKLOAD)}
        options = {key: given[key] for key in OPTIONS if key in given}
        label = _shown(given["workload"])
        # Jobs of fio that state no size have the drive's.
        cached = (label, drive if label.endswith(".fio") else "", *map(repr, [*keys.items(), *options.items()]))
        if cached not in self._workloads:
            settings = [self._setting(key.removeprefix(WORKLOAD), key, value) for key, value in keys.items()]
            asked = WorkloadOptions(**options, design=design)
            asked.check()
            source = given["workload"]
            if isinstance(source, Workload):
                made = config.shaped(source.adjusted(settings), asked)
            else:
                made = config.resolve_workload(self._source(source, names.profiles()), settings, asked)
            check_rereadable(made, "a sweep")
            self._workloads[cached] = made, identity.traffic(made, self._hashes(made))
        return self._workloads[cached]

    def _setting(self, key: str, known_as: str, value: Any) -> Setting:
        label = self._sweep.place(known_as).removesuffix(": ")
        return Setting(label, WORKLOAD if known_as.startswith(WORKLOAD) else "", f"{key}={_toml.bare(value)}")

    def _source(self, given: Any, known: Mapping[str, str]) -> str:
        if isinstance(given, os.PathLike):
            return str(os.fspath(given))
        beside = self._sweep.folder / given
        return given if given in known or not (beside.exists() or Path(given).suffix) else str(beside)

    def _hashes(self, workload: Workload) -> Mapping[str, str]:
        for file in workload.traces():
            if file not in self._traces:
                self._traces[file] = _engine.hash_trace(file)
        return self._traces


def _is_design_key(key: str) -> bool:
    return key not in (*SOURCES, *RUN_KEYS, *OPTIONS) and not key.startswith(WORKLOAD)


def _shown(source: Design | Workload | str | os.PathLike[str]) -> str:
    return source.label if isinstance(source, Design | Workload) else os.fspath(source)


def resolve(sweep: Document) -> tuple[list[Point], list[str]]:
    resolver = Resolver(sweep)
    found = resolver.points(sweep.grid.points(sweep.label))
    again = len(found) - len({point.task.key for point in found})
    notes = resolver.useless
    if again and resolver.idle:
        keys = ", ".join(sorted(resolver.idle))
        notes.append(f"{again} of {len(found)} points differ from others only in keys without effect: {keys}")
    return found, notes
