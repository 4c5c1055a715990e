"""Values of a key."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from canaletto._engine import ConfigError
from canaletto._io import _toml

Value: TypeAlias = str | int | float | bool | list[Any]

MOST = 100_000
"""Of a sweep, and so of an axis."""
BELOW = 1e19

_UNITS: Mapping[str, Mapping[str, float]] = {
    "time": {"us": 1, "ps": 1e-6, "ns": 1e-3, "ms": 1e3, "s": 1e6, "min": 6e7, "h": 3.6e9, "d": 8.64e10},
    "data rate": {"MB/s": 1, "B/s": 1e-6, "kB/s": 1e-3, "GB/s": 1e3, "TB/s": 1e6},
    "size": {
        **{"KiB": 1, "B": 1 / 1024, "MiB": 1024, "GiB": 1024**2, "TiB": 1024**3},
        **{"kB": 1e3 / 1024, "MB": 1e6 / 1024, "GB": 1e9 / 1024, "TB": 1e12 / 1024},
    },
    "power": {"mW": 1, "nW": 1e-6, "uW": 1e-3, "W": 1e3},
    "energy": {"nJ": 1, "fJ": 1e-6, "pJ": 1e-3, "uJ": 1e3, "mJ": 1e6, "J": 1e9},
    "area": {"mm2": 1, "um2": 1e-6, "cm2": 100},
    "share": {"%": 0.01},
}
_MEANT, _EXACT = 6, 12
"""Digits of a value within a span, and of one of a range, whose steps must be even."""

_QUANTITY = re.compile(r"\s*([0-9][0-9_]*(?:\.[0-9_]*)?(?:e[+-]?[0-9]+)?|\.[0-9]+)\s*([a-zA-Z%][a-zA-Z0-9/]*)\s*")


class Quantity(NamedTuple):
    number: float
    unit: str
    dimension: str

    @property
    def in_column(self) -> float:
        # Rounded, as 6us that were 6.000000000000001 would be no value that anybody asked for.
        return float(f"{self.number * _UNITS[self.dimension][self.unit]:.15g}")


def quantity(value: Value) -> Quantity | None:
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    number = float(found[1].replace("_", ""))
    named = (dimension for dimension, units in _UNITS.items() if found[2] in units)
    return next((Quantity(number, found[2], dimension) for dimension in named if number < BELOW), None)


@dataclass(frozen=True)
class Axis:
    key: str
    values: tuple[Value, ...]
    dimension: str | None = None

    @property
    def column(self) -> str:
        if self.dimension in (None, "share"):
            return self.key
        unit = next(iter(_UNITS[self.dimension]))
        return f"{self.key}_{unit.lower().replace('/', '_')}"

    @property
    def is_ordered(self) -> bool:
        cells = [self.cell(value) for value in self.values]
        numbers = [cell for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)]
        return len(numbers) == len(cells) and numbers == sorted(numbers)

    def cell(self, value: Value) -> str | int | float | bool:
        found = quantity(value) if self.dimension else None
        if found is not None:
            return found.in_column
        return value if isinstance(value, str | int | float | bool) else _toml.value(value)


def axis(place: str, key: str, given: Any, *, distinct: bool = True) -> Axis:
    """From a list or a range, in Python from any iterable.

    `place`: file and line in errors; distinct: each value stands once. Raises ConfigError.
    """
    values = _range(f"{place}{key}", given) if isinstance(given, Mapping) else _listed(given)
    if not values:
        raise ConfigError(
            f'{place}{key}: got {_shown(given)}, expected a list of values, or a range such as {{ from = "3us", '
            'to = "12us", step = "3us" }'
        )
    if len(values) > MOST:
        raise ConfigError(f"{place}{key}: got {len(values):,} values, expected at most {MOST:,}")
    values = [_toml.plain(value) for value in values]
    for value in values:
        if not isinstance(value, str | int | float | bool | list) or (isinstance(value, float) and math.isnan(value)):
            raise ConfigError(f"{place}{key}: got {_shown(value)}, expected numbers, texts, true or false")
    dimension = _common_dimension(f"{place}{key}", values)
    made = Axis(key, tuple(values), dimension)
    seen = set()
    for value in values if distinct else ():
        if (cell := repr(made.cell(value))) in seen:
            raise ConfigError(f"{place}{key}: got {_shown(value)} more than once, expected each value once")
        seen.add(cell)
    return made


def _listed(given: Any) -> list[Value]:
    """NumPy's values are plain, sets have an order. Empty for none or no list."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        return []
    # A set of texts has another order in each process: the same sweep would be another one.
    ordered = sorted(given, key=_place_in_set) if isinstance(given, set | frozenset) else given
    return [value.tolist() if hasattr(value, "tolist") else value for value in ordered]


def _place_in_set(value: Any) -> tuple[int, Any]:
    return (0, value) if isinstance(value, int | float) else (1, repr(value))


def _common_dimension(place: str, values: Sequence[Value]) -> str | None:
    kinds: dict[str, Value] = {}
    for value in values:
        kinds.setdefault(_kind(value), value)
    quantities = [kind for kind in kinds if kind in _UNITS]
    # A text next to quantities may be a word such as "none"; a number next to them lacks its unit.
    mixed = len(quantities) > 1 or (quantities and set(kinds) & {"number", "truth"})
    if mixed or {"number", "truth"} <= set(kinds) or {"number", "text"} <= set(kinds):
        told = " and ".join(f"{_shown(value)} ({kind})" for kind, value in kinds.items())
        raise ConfigError(f"{place}: got {told}, expected values of one kind: all of one unit, or all without")
    return quantities[0] if quantities and len(kinds) == 1 else None


def _kind(value: Value) -> str:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list):
        return "list"
    found = quantity(value)
    return found.dimension if found else "text"


def _range(place: str, given: Mapping[str, Any]) -> list[Value]:
    span = Span.of(place, given, {"step", "count"})
    if ("step" in given) == ("count" in given):
        raise ConfigError(f"{place}: got {_shown(given)}, expected either step or count in addition to from and to")
    if "count" in given:
        count = given["count"]
        if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= MOST:
            raise ConfigError(f"{place}.count: got {_shown(count)}, expected a whole number from 2 to {MOST}")
        between = [span.at(number / (count - 1), _EXACT) for number in range(1, count - 1)]
        return list(dict.fromkeys([span.end(given["from"]), *between, span.end(given["to"])]))
    if span.is_log:
        raise ConfigError(f'{place}: got step with scale = "log", expected count')
    step = _number(f"{place}.step", given["step"], span.dimension)
    if step <= 0:
        raise ConfigError(f"{place}.step: got {_shown(given['step'])}, expected more than nothing")
    apart = (span.high - span.low) / step
    steps = math.floor(apart + 1e-9)
    if steps >= MOST:
        raise ConfigError(f"{place}: got a range of {steps + 1:,} values, expected at most {MOST:,}")
    values = [span.value(span.low + number * step, _EXACT) for number in range(steps + 1)]
    values[0] = span.end(given["from"])
    if steps and apart - steps < 1e-9:
        values[-1] = span.end(given["to"])
    return values


@dataclass(frozen=True)
class Span:
    low: float
    high: float
    unit: str
    dimension: str | None
    is_log: bool
    is_whole: bool

    @staticmethod
    def of(place: str, given: Mapping[str, Any], further: set[str]) -> "Span":
        known = {"from", "to", "scale"} | further
        for key in given:
            if key not in known:
                raise ConfigError(f"{place}.{key}: unknown key, expected one of {', '.join(sorted(known))}")
        if not {"from", "to"} <= given.keys():
            raise ConfigError(f"{place}: got {_shown(given)}, expected a range with from and to")
        scale = given.get("scale", "linear")
        if scale not in ("linear", "log"):
            raise ConfigError(f"{place}.scale: got {_shown(scale)}, expected linear or log")
        ends = [given["from"], given["to"]]
        start = quantity(ends[0])
        dimension, unit = (start.dimension, start.unit) if start else (None, "")
        low, high = (_number(f"{place}.{key}", given[key], dimension) for key in ("from", "to"))
        if low >= high or (scale == "log" and low <= 0):
            more = ", both above 0" if scale == "log" else ""
            raise ConfigError(f"{place}: got {_shown(ends[0])} to {_shown(ends[1])}, expected from below to{more}")
        is_whole = all(isinstance(given[key], int) for key in ("from", "to", "step") if key in given)
        return Span(low, high, unit, dimension, scale == "log", is_whole)

    def at(self, part: float, digits: int = _MEANT) -> Value:
        if self.is_log:
            return self.value(self.low * (self.high / self.low) ** part, digits)
        return self.value(self.low + part * (self.high - self.low), digits)

    def value(self, number: float, digits: int = _MEANT) -> Value:
        if self.dimension is None:
            return round(number) if self.is_whole else float(f"{number:.{digits}g}")
        size = _UNITS[self.dimension][self.unit]
        return f"{float(f'{number / size:.{digits}g}'):.15g}{self.unit}"

    def end(self, given: Any) -> Value:
        found = quantity(given)
        if found is None:
            return int(given) if self.is_whole else float(given)
        return str(given) if found.unit == self.unit else self.value(found.in_column, _EXACT)


def _number(place: str, given: Any, dimension: str | None) -> float:
    found = quantity(given)
    if dimension is None and isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < BELOW:
        return float(given)
    if dimension is None or found is None or found.dimension != dimension:
        with_unit = f"a {dimension} with its unit, like the others of this axis"
        what = f"a number below {BELOW:g}" if dimension is None else with_unit
        raise ConfigError(f"{place}: got {_shown(given)}, expected {what}")
    return found.in_column


def _shown(value: Any) -> str:
    try:
        return _toml.value(value)
    except TypeError:
        return repr(value)
