"""The file of a search, checked."""

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from canaletto._engine import ConfigError
from canaletto._run.config import check_whole, read_text
from canaletto._sweeping import document as sweeping
from canaletto._sweeping.axes import MOST

from canaletto_extras.searching.measures import MEASURES, Measure

SAMPLERS = ("tpe", "nsga2", "random")
_KEYS = ("objectives", "trials", "sampler", "sampler_seed", "batch", "seeds")
_TABLES = ("space", "constraints")
_OF_A_SWEEP = ("set", "only_where")


@dataclass(frozen=True)
class Constraint:
    measure: Measure
    limit: float
    is_least: bool

    def excess(self, value: float | None) -> float:
        """Relative to the limit; 0 or less if it is kept. An unknown value keeps none."""
        if value is None:
            return 1.0
        apart = self.limit - value if self.is_least else value - self.limit
        return apart / (abs(self.limit) or 1.0)

    @property
    def told(self) -> str:
        return f"{self.measure.name} {'≥' if self.is_least else '≤'} {self.limit:,.6g}"


@dataclass(frozen=True)
class Search:
    points: sweeping.Document
    objectives: tuple[Measure, ...]
    constraints: tuple[Constraint, ...]
    trials: int
    sampler: str
    sampler_seed: int
    batch: int
    seeds: int

    @property
    def label(self) -> str:
        return self.points.label

    @property
    def text(self) -> str:
        return self.points.text

    @property
    def identity(self) -> str:
        """Without the number of trials: a search may continue."""
        constraints = [each.told for each in self.constraints]
        objectives = [each.name for each in self.objectives]
        parts = [self.points.identity, objectives, constraints, self.sampler, self.sampler_seed, self.batch]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def read(path: str | os.PathLike[str]) -> Search:
    label = os.fspath(path)
    text = read_text(label)
    return checked(label, sweeping.parsed(label, text), text, Path(label).parent)


def checked(label: str, document: Mapping[str, Any], text: str = "", folder: Path = Path()) -> Search:
    lines = sweeping.lines_of(text)

    def place(key: str) -> str:
        return f"{label}:{lines[key]}: " if key in lines else f"{label}: "

    known = (*sweeping.FIXED, *_KEYS, *_TABLES, *_OF_A_SWEEP)
    for key in document:
        if key not in known:
            raise ConfigError(f"{place(key)}{key}: unknown key, expected one of {', '.join(known)}")
    space = document.get("space")
    if not isinstance(space, Mapping) or not space:
        raise ConfigError(f"{place('space')}space: got {space!r}, expected a table [space] of keys with their values")
    space = sweeping.flattened(space)
    spans = {key: given for key, given in space.items() if _is_span(given)}
    shared = {key: document[key] for key in (*sweeping.FIXED, *_OF_A_SWEEP) if key in document}
    tables: dict[str, Any] = {"grid": {key: given for key, given in space.items() if key not in spans}}
    if spans:
        tables["latin"] = {"points": 1, **spans}
    numbers = {
        "trials": (100, 1, MOST),
        "sampler_seed": (1, 0, 2**32 - 1),
        "batch": (1, 1, 1024),
        "seeds": (3, 1, 1000),
    }
    found = {name: document.get(name, default) for name, (default, _, _) in numbers.items()}
    for name, (_, least, most) in numbers.items():
        check_whole(f"{place(name)}{name}", found[name], least, most)
    sampler = document.get("sampler", "tpe")
    if sampler not in SAMPLERS:
        raise ConfigError(f"{place('sampler')}sampler: got {sampler!r}, expected one of {', '.join(SAMPLERS)}")
    return Search(
        sweeping.checked(label, {**shared, **tables}, text, folder),
        _objectives(place("objectives"), document.get("objectives")),
        _constraints(place, document.get("constraints", {})),
        sampler=sampler,
        **found,
    )


def _is_span(given: Any) -> bool:
    return isinstance(given, Mapping) and not {"step", "count"} & given.keys()


def _objectives(place: str, given: Any) -> tuple[Measure, ...]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not names or len(set(map(str, names))) < len(names):
        raise ConfigError(f"{place}objectives: got {given!r}, expected a list of some of {', '.join(MEASURES)}")
    return tuple(_measure(f"{place}objectives", name) for name in names)


def _constraints(place: Any, given: Any) -> tuple[Constraint, ...]:
    if not isinstance(given, Mapping):
        raise ConfigError(f"{place('constraints')}constraints: got {given!r}, expected a table [constraints]")
    found = []
    for name, limits in given.items():
        where = f"{place(name)}constraints.{name}"
        measure = _measure(where, name)
        if not isinstance(limits, Mapping) or not limits or set(limits) - {"min", "max"}:
            raise ConfigError(f"{where}: got {limits!r}, expected {{ max = NUMBER }}, {{ min = NUMBER }} or both")
        for end, limit in limits.items():
            if isinstance(limit, bool) or not isinstance(limit, int | float) or not math.isfinite(limit):
                raise ConfigError(f"{where}.{end}: got {limit!r}, expected a finite number ({measure.title})")
            found.append(Constraint(measure, float(limit), end == "min"))
    return tuple(found)


def _measure(place: str, name: object) -> Measure:
    if not isinstance(name, str) or name not in MEASURES:
        raise ConfigError(f"{place}: got {name!r}, expected one of {', '.join(MEASURES)}")
    return MEASURES[name]
