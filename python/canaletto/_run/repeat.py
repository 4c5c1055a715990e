"""Repeating frozen runs, and comparing them."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._run import folder
from canaletto._run.confidence import EXTRA_HEADLINES, HEADLINES, lookup
from canaletto._run.own import of_record
from canaletto._run.results import frozen
from canaletto._run.running import run

SWITCHES = {"slowdowns": False, "root_causes": True}


@dataclass(frozen=True)
class Difference:
    name: str
    a: Any
    b: Any

    @property
    def change(self) -> float | None:
        numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (self.a, self.b))
        return (self.b - self.a) / self.a if numbers and self.a else None


@dataclass(frozen=True)
class Rerun:
    """Where results differ from the recorded ones, cost aside."""

    recorded_version: str
    version: str
    differences: list[Difference]

    @property
    def identical(self) -> bool:
        return not self.differences


def rerun(path: str | PathLike[str], *, progress: bool | None = None) -> Rerun:
    """Raises ConfigError if the folder is not a frozen run or a trace has changed, SimulationError if the run stops."""
    home = Path(path)
    record = folder.record(home)
    design, workload = folder.configuration(home)
    folder.check_traces(home, workload)
    options = {key: record["options"].get(key) for key in ("seed", "seeds", "warmup")}
    if not all(type(given) is int for given in options.values()):
        raise ConfigError(f"{home / folder.RUN_FILE}: options: got {options}, expected whole numbers")
    parts = of_record(record["options"], str(home / folder.RUN_FILE), "repeated")
    switches = {key: record["options"].get(key, usual) for key, usual in SWITCHES.items()}
    for key, given in switches.items():
        if type(given) is not bool:
            raise ConfigError(f"{home / folder.RUN_FILE}: options.{key}: got {given!r}, expected true or false")
    asked: dict[str, Any] = {**options, **switches, **parts.given}
    before = without_cost(frozen(home).to_dict())
    after = without_cost(run(design, workload, records=False, progress=progress, **asked).to_dict())
    return Rerun(record["version"], _engine.version(), differences(before, after))


def diff(a: str | PathLike[str], b: str | PathLike[str]) -> tuple[list[Difference], list[Difference]]:
    """Differences in configuration, and all headline results side by side.

    Raises ConfigError if either folder is not a frozen run.
    """
    runs = [frozen(path) for path in (a, b)]
    configurations = []
    for result in runs:
        design, workload = result.configuration
        configurations.append({"design": design.to_dict(), "workload": workload.to_dict(), "options": result.options})
    data = [run.to_dict() for run in runs]
    headlines = [Difference(name, *(lookup(found, name) for found in data)) for name in (*HEADLINES, *EXTRA_HEADLINES)]
    results = [*headlines, *_slowdowns(*data)]
    return differences(*configurations), [line for line in results if (line.a, line.b) != (None, None)]


def _slowdowns(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Difference]:
    known = [{flow["name"]: flow.get("slowdown") for flow in run["flows"]} for run in (a, b)]
    names = dict.fromkeys([*known[0], *known[1]])
    return [Difference(f"slowdown.{name}", *(each.get(name) for each in known)) for name in names]


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Difference]:
    flat_a, flat_b = _flatten(a), _flatten(b)
    keys = [*flat_a, *(key for key in flat_b if key not in flat_a)]
    found = [Difference(key, flat_a.get(key), flat_b.get(key)) for key in keys]
    return [each for each in found if each.a != each.b]


def without_cost(data: dict[str, Any]) -> dict[str, Any]:
    return {key: found for key, found in data.items() if key not in ("cost", "interconnect", "notes")}


def _flatten(document: Any, prefix: str = "") -> dict[str, Any]:
    if isinstance(document, Mapping):
        items = list(document.items())
    elif isinstance(document, list) and any(isinstance(item, Mapping) for item in document):
        items = list(enumerate(document))
    else:
        return {prefix: document}
    flat: dict[str, Any] = {}
    for key, item in items:
        flat.update(_flatten(item, f"{prefix}.{key}" if prefix else str(key)))
    return flat
