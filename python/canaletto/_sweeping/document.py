"""The file of a sweep, checked."""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from canaletto._engine import ConfigError
from canaletto._io.parsed import from_toml
from canaletto._run import own
from canaletto._run.config import Config, WorkloadOptions, check_whole, read_text
from canaletto._sweeping.axes import MOST, Axis, Span, axis
from canaletto._sweeping.grid import Condition, Grid, Latin

OPTIONS = tuple(option.name for option in fields(WorkloadOptions) if option.name != "design")
"""Options of a workload that are no keys of its file."""

RUN_KEYS = ("seed", "warmup")
SOURCES = ("design", "workload")
FIXED = (*SOURCES, *RUN_KEYS, *OPTIONS)
_TABLES = ("set", "grid", "zip", "latin", "only_where", "skip", "page", "cluster", "slurm")
PAGE = ("x", "lines")


@dataclass(frozen=True)
class Document:
    label: str
    fixed: Mapping[str, Any]
    """Unless an axis has them."""
    grid: Grid
    lines: Mapping[str, int] = field(default_factory=dict)
    cluster: Mapping[str, Any] = field(default_factory=dict)
    slurm: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    folder: Path = Path()
    """Paths in the file are relative to it."""

    @property
    def identity(self) -> str:
        """Hash of what is asked for, however it is spelt."""
        grid = self.grid
        parts = [
            {key: value.to_toml() if isinstance(value, Config) else str(value) for key, value in self.fixed.items()},
            [[axis.key, *axis.values] for axis in grid.all_axes],
            [[axis.key for axis in axes] for axes in grid.zips],
            [grid.latin.points, grid.latin.seed, {key: repr(span) for key, span in grid.latin.spans.items()}]
            if grid.latin
            else None,
            grid.only_where,
            grid.skip,
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def place(self, key: str) -> str:
        line = self.lines.get(key)
        return f"{self.label}:{line}: " if line else f"{self.label}: "


def read(path: str | os.PathLike[str]) -> Document:
    label = os.fspath(path)
    text = read_text(label)
    return checked(label, parsed(label, text), text, Path(label).parent)


def parsed(label: str, text: str) -> dict[str, Any]:
    try:
        return from_toml(text)
    except ValueError as error:
        found = re.search(r"\(at line (\d+), column \d+\)$", str(error))
        line = f":{found[1]}" if found else ""
        raise ConfigError(f"{label}{line}: not TOML: {str(error).partition(' (at')[0]}") from None


def checked(label: str, document: Mapping[str, Any], text: str = "", folder: Path = Path()) -> Document:
    lines = lines_of(text)
    place = Document(label, {}, Grid(), lines).place
    for key in document:
        if key not in (*FIXED, *_TABLES, "seeds"):
            expected = ", ".join((*FIXED, "seeds", *_TABLES))
            hint = "a key of the design or the workload under [set], or " if "." in key else ""
            raise ConfigError(f"{place(key)}{key}: unknown key, expected {hint}one of {expected}")
    tables = {name: _table(place, document, name, list if name in ("zip", "skip") else dict) for name in _TABLES}
    fixed = {key: document[key] for key in FIXED if key in document} | tables["set"]
    axes = [axis(place(key), key, given) for key, given in tables["grid"].items()]
    if "seeds" in document:
        axes.append(_seeds(place, document))
    zips = [_zipped(place, group) for group in tables["zip"]]
    latin = _latin(place, tables["latin"]) if tables["latin"] else None
    grid = Grid(tuple(axes), tuple(zips), latin)
    _check_axes(place, grid, tables["set"])
    for key in (*own.KEYS, *SOURCES):
        given = [fixed[key]] if key in fixed else []
        given += [value for each in grid.all_axes if each.key == key for value in each.values]
        if key in SOURCES:
            _check_sources(f"{place(key)}{key}", key, given)
        else:
            for value in given:
                own.check_names(value, f"{place(key)}{key}", "other processes compute the points from text")
    only_where = {
        key: _condition(place, grid, f"only_where.{key}", given) for key, given in tables["only_where"].items()
    }
    for key in only_where:
        if key not in {axis.key for axis in grid.all_axes}:
            raise ConfigError(f"{place(key)}only_where.{key}: no axis of that name, expected one of {_names(grid)}")
    _check_page(place, grid, tables["page"])
    skip = tuple(_condition(place, grid, "skip", given) for given in tables["skip"])
    grid = Grid(grid.axes, grid.zips, latin, only_where, skip)
    return Document(label, fixed, grid, lines, tables["cluster"], tables["slurm"], text, folder)


def _check_sources(place: str, kind: str, given: list[Any]) -> None:
    if not given:
        raise ConfigError(f"{place}: absent, expected a {kind}'s name or file")
    for value in given:
        if not isinstance(value, Config) and not (isinstance(value, str | os.PathLike) and os.fspath(value)):
            raise ConfigError(f"{place}: got {value!r}, expected a {kind}'s name or file")


def lines_of(text: str) -> dict[str, int]:
    """The last line where a key stands in several tables."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        key = re.match(r"""\s*(?:\[+\s*)?(?:"([^"]+)"|'([^']+)'|([A-Za-z0-9_.-]+))\s*[\]=]""", line)
        if key:
            found[next(filter(None, key.groups()))] = number
    return found


def _table(place: Any, document: Mapping[str, Any], name: str, kind: type) -> Any:
    found = document.get(name, kind())
    items = found if isinstance(found, list) else [found]
    if not isinstance(found, kind) or not all(isinstance(item, dict) for item in items):
        brackets = f"[[{name}]]" if kind is list else f"[{name}]"
        raise ConfigError(f"{place(name)}{name}: got {found!r}, expected a table {brackets}")
    if name in ("cluster", "slurm", "only_where"):
        return found
    flat = [flattened(item) for item in items]
    return flat if kind is list else flat[0]


_RANGE = {"from", "to"}


def flattened(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """`flash.read = […]` is a table in a table. A range stays whole."""
    found: dict[str, Any] = {}
    for key, given in table.items():
        if isinstance(given, Mapping) and not _RANGE & given.keys() and _is_nested(given):
            found |= flattened(given, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = given
    return found


def _is_nested(given: Mapping[str, Any]) -> bool:
    return bool(given) and not {"step", "count", "scale"} & given.keys()


def _seeds(place: Any, document: Mapping[str, Any]) -> Axis:
    check_whole(f"{place('seeds')}seeds", document["seeds"], 1, MOST)
    first = document.get("seed", 1)
    check_whole(f"{place('seed')}seed", first, 0, 2**63 - document["seeds"])
    return Axis("seed", tuple(range(first, first + document["seeds"])))


def _zipped(place: Any, group: Mapping[str, Any]) -> tuple[Axis, ...]:
    axes = tuple(axis(place(key), key, given, distinct=False) for key, given in group.items())
    if not axes:
        raise ConfigError(f"{place('zip')}zip: got an empty table, expected axes of one length")
    lengths = {axis.key: len(axis.values) for axis in axes}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise ConfigError(f"{place(axes[0].key)}zip: {told} values, expected as many of each")
    return axes


def _latin(place: Any, table: Mapping[str, Any]) -> Latin:
    points: Any = table.get("points")
    seed = table.get("seed", 1)
    check_whole(f"{place('latin')}latin.points", points, 1, MOST)
    check_whole(f"{place('latin')}latin.seed", seed, 0, 2**63 - 1)
    given = {key: found for key, found in table.items() if key not in ("points", "seed")}
    if not given:
        raise ConfigError(f"{place('latin')}latin: got no axes, expected some in addition to points and seed")
    spans = {
        key: Span.of(f"{place(key)}{key}", found, set())
        for key, found in given.items()
        if isinstance(found, Mapping) and not {"step", "count"} & found.keys()
    }
    axes = [
        Axis(key, (found["from"], found["to"]), spans[key].dimension) if key in spans else axis(place(key), key, found)
        for key, found in given.items()
    ]
    return Latin(points, seed, tuple(axes), spans)


def _check_axes(place: Any, grid: Grid, shared: Mapping[str, Any]) -> None:
    keys = [axis.key for axis in grid.all_axes]
    for key in keys:
        if keys.count(key) > 1 or key in shared:
            where = "as an axis and in set" if key in shared else "as an axis more than once"
            raise ConfigError(f"{place(key)}{key}: given {where}, expected one of them")


def _check_page(place: Any, grid: Grid, given: Mapping[str, Any]) -> None:
    for key, name in given.items():
        if key not in PAGE or name not in {axis.key for axis in grid.all_axes}:
            raise ConfigError(f"{place(key)}page.{key}: got {name!r}, expected x or lines, and an axis: {_names(grid)}")


def _condition(place: Any, grid: Grid, name: str, given: Any) -> Condition:
    if not isinstance(given, Mapping) or not given:
        raise ConfigError(f'{place(name)}{name}: got {given!r}, expected a table such as {{ fabric = "venice" }}')
    axes = {axis.key: axis for axis in grid.all_axes}
    found = {}
    for key, values in given.items():
        if key not in axes:
            raise ConfigError(f"{place(name)}{name}: {key}: no axis of that name, expected one of {_names(grid)}")
        found[key] = values if isinstance(values, list) else [values]
        spans = grid.latin.spans if grid.latin else {}
        for value in found[key]:
            if key in spans or value not in axes[key].values:
                known = ", ".join(map(str, axes[key].values))
                raise ConfigError(f"{place(name)}{name}: {key}: got {value!r}, expected one of its values: {known}")
    return found


def _names(grid: Grid) -> str:
    return ", ".join(axis.key for axis in grid.all_axes) or "none: there are no axes"
