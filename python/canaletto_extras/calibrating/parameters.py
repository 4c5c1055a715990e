"""Keys of a design, each with the range of its value."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from canaletto._engine import ConfigError
from canaletto._io import _toml
from canaletto._run.config import Design
from canaletto._sweeping.axes import Span, Value, quantity

MOST = 12
"""With more a calibration would take days."""


@dataclass(frozen=True)
class Parameter:
    keys: tuple[str, ...]
    """A number behind a list's key is one of its values, such as `flash.read.0`."""
    span: Span
    low: Value
    high: Value

    @property
    def name(self) -> str:
        return ", ".join(self.keys)

    def at(self, part: float) -> Value:
        return self.span.at(min(max(part, 0.0), 1.0))

    def part(self, value: Value) -> float | None:
        found = quantity(value)
        if self.span.dimension is None:
            number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
        else:
            number = found.in_column if found is not None and found.dimension == self.span.dimension else None
        if number is None or not self.span.low <= number <= self.span.high:
            return None
        return (number - self.span.low) / (self.span.high - self.span.low)

    @property
    def step(self) -> float:
        return max(0.05, 1 / (self.span.high - self.span.low)) if self.span.is_whole else 0.05

    @property
    def told(self) -> str:
        return f"{self.low} to {self.high}"


def read(ranges: Any, place: str) -> tuple[Parameter, ...]:
    if not isinstance(ranges, Mapping) or not ranges:
        raise ConfigError(f"{place}: got {ranges!r}, expected a table of keys with their ranges [low, high]")
    found = [_parameter(key, given, f"{place}.{key}") for key, given in _flat(ranges).items()]
    if len(found) > MOST:
        raise ConfigError(f"{place}: got {len(found)} parameters, expected at most {MOST}")
    every = [key for parameter in found for key in parameter.keys]
    for key in every:
        if every.count(key) > 1:
            raise ConfigError(f"{place}: {key}: given more than once, expected one range for each key")
    return tuple(found)


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, given in table.items():
        if isinstance(given, Mapping):
            found |= _flat(given, f"{before}{key}.")
        else:
            found[f"{before}{key}"] = given
    return found


def _parameter(key: str, given: Any, place: str) -> Parameter:
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise ConfigError(f'{place}: got {given!r}, expected a range [low, high], such as ["40us", "58us"]')
    low, high = given
    span = Span.of(place, {"from": low, "to": high}, set())
    keys = tuple(part.strip() for part in key.split(","))
    if "" in keys:
        raise ConfigError(f"{place}: got {key!r}, expected keys with commas between them")
    return Parameter(keys, span, low, high)


def applied(design: Design, parameters: Sequence[Parameter], parts: Sequence[float]) -> Design:
    values = {key: each.at(part) for each, part in zip(parameters, parts, strict=True) for key in each.keys}
    return with_values(design, values)


def is_index(part: str) -> bool:
    return part.isascii() and part.isdigit() and len(part) < 10


def with_values(design: Design, values: Mapping[str, Value]) -> Design:
    document = design.to_dict()
    plain: dict[str, Value] = {}
    for key, value in values.items():
        *above, last = key.split(".")
        if is_index(last):
            _set_entry(document, above, int(last), value, key)
        else:
            plain[key] = value
    made = Design.from_toml(_toml.dumps(document), design.label)
    return made.replace(**plain) if plain else made


def _set_entry(document: dict[str, Any], above: Sequence[str], number: int, value: Value, key: str) -> None:
    table: Any = document
    for part in above[:-1]:
        table = table.get(part) if isinstance(table, dict) else None
    entries = table.get(above[-1]) if isinstance(table, dict) and above else None
    if not isinstance(entries, list) or number >= len(entries):
        there = f"a list of {len(entries)}" if isinstance(entries, list) else "no list"
        raise ConfigError(
            f"{key}: {'.'.join(above)} is {there} in the design, expected one with a value number {number}"
        )
    entries[number] = value


def value_of(design: Design, key: str) -> Any:
    found: Any = tomllib.loads(design.to_toml())
    for part in key.split("."):
        if isinstance(found, list) and is_index(part) and int(part) < len(found):
            found = found[int(part)]
        elif isinstance(found, dict):
            found = found.get(part)
        else:
            return None
    return found
