"""Axes combined into points."""

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from canaletto._engine import ConfigError
from canaletto._io import _toml
from canaletto._sweeping.axes import MOST, Axis, Span, Value

Assignment: TypeAlias = Mapping[str, Value]
Condition: TypeAlias = Mapping[str, Sequence[Value]]
"""A point must have one of each key's values."""


@dataclass(frozen=True)
class Grid:
    axes: tuple[Axis, ...] = ()
    zips: tuple[tuple[Axis, ...], ...] = ()
    """Of one length; values go together."""
    latin: "Latin | None" = None
    only_where: Mapping[str, Condition] | None = None
    """Keys stay as the design or workload has them unless the condition holds."""
    skip: tuple[Condition, ...] = ()

    @property
    def all_axes(self) -> tuple[Axis, ...]:
        return (*self.axes, *itertools.chain(*self.zips), *(self.latin.axes if self.latin else ()))

    @property
    def size(self) -> int:
        lengths = [len(axis.values) for axis in self.axes] + [len(axes[0].values) for axes in self.zips]
        return math.prod(lengths) * (self.latin.points if self.latin else 1)

    def points(self, label: str) -> list[Assignment]:
        if self.size > MOST:
            lengths = " x ".join(f"{len(axis.values)}" for axis in self.axes) or "them"
            raise ConfigError(f"{label}: got {self.size:,} points ({lengths}), expected at most {MOST:,}")
        found = {_spelt(point): point for point in map(self.pruned, self._combined()) if not self._skips(point)}
        if not found:
            raise ConfigError(f"{label}: skip leaves no point, expected at least one")
        return list(found.values())

    def _combined(self) -> Iterator[dict[str, Value]]:
        parts: list[Sequence[Assignment]] = [[{axis.key: value} for value in axis.values] for axis in self.axes]
        for axes in self.zips:
            keys = [axis.key for axis in axes]
            rows = zip(*(axis.values for axis in axes), strict=True)
            parts.append([dict(zip(keys, row, strict=True)) for row in rows])
        if self.latin:
            parts.append(self.latin.sample())
        for combination in itertools.product(*parts):
            yield {key: value for part in combination for key, value in part.items()}

    def pruned(self, point: dict[str, Value]) -> dict[str, Value]:
        conditions = (self.only_where or {}).items()
        # Again and again: a key that is left out may be in the condition of another.
        while unmet := [key for key, condition in conditions if key in point and not _meets(point, condition)]:
            for key in unmet:
                del point[key]
        return point

    def _skips(self, point: Assignment) -> bool:
        return any(_meets(point, condition) for condition in self.skip)


def _spelt(point: Assignment) -> tuple[tuple[str, str], ...]:
    """Lists have no hash, and 1, 1.0 and true would be the same."""
    return tuple((key, repr(value)) for key, value in point.items())


def _meets(point: Assignment, condition: Condition) -> bool:
    return all(key in point and point[key] in values for key, values in condition.items())


@dataclass(frozen=True)
class Latin:
    """Each axis has as many parts as there are points, each hit once, in random order."""

    points: int
    seed: int
    axes: tuple[Axis, ...]
    spans: Mapping[str, Span]
    """Keys with any value between two ends. Others take the values of their axes."""

    def sample(self) -> list[Assignment]:
        stream = random.Random(self.seed)
        columns: dict[str, list[Value]] = {}
        for axis in self.axes:
            # Sorted by random numbers: of all that `random` offers, those alone stay the same for ever.
            order = sorted(range(self.points), key=lambda _: stream.random())
            places = [(number + stream.random()) / self.points for number in order]
            columns[axis.key] = [self._value(axis, place) for place in places]
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _value(self, axis: Axis, place: float) -> Value:
        span = self.spans.get(axis.key)
        return span.at(place) if span else axis.values[int(place * len(axis.values))]


def told(point: Assignment) -> str:
    texts = [f"{key} = {_toml.bare(value)}" for key, value in point.items()]
    return ", ".join(texts) or "the only one"
