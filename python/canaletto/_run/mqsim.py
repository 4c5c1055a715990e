"""MQSim's own files in, its completions out."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io.files import is_special, whole
from canaletto._io.progress import Progress
from canaletto._run.config import read_text

if TYPE_CHECKING:
    import polars as pl

    from canaletto._io.frames import Columns


@dataclass(frozen=True)
class Scenario:
    """Results of a scenario by flow, and its completions if they were kept."""

    flows: list[dict[str, Any]]
    cost: dict[str, Any]
    inexact: list[str]
    """Reasons why results may differ from MQSim's; without any they are equal."""
    _columns: "Columns | None"

    @property
    def equality(self) -> str:
        return "close" if self.inexact else "exact"

    def completions(self, flow: int) -> "pl.DataFrame":
        """In order: arrival_ns, enqueue_ns, complete_ns, type (R or W), start_lba, sectors.

        Raises RuntimeError if they were not kept.
        """
        if self._columns is None:
            raise RuntimeError("this run kept no completions; run it with records=True")
        import polars as pl

        from canaletto._io import frames

        ns = [(pl.col(f"{name}_ps") // 1000).alias(f"{name}_ns") for name in ("arrival", "enqueue", "complete")]
        kind = pl.when(pl.col("kind") == 1).then(pl.lit("W")).otherwise(pl.lit("R")).alias("type")
        chosen = frames.raw({name: self._columns[name] for name in frames.FIRST}).filter(pl.col("flow") == flow)
        return chosen.sort("complete_ps", maintain_order=True).select(
            *ns, kind, pl.col("lba").alias("start_lba"), "sectors"
        )


@dataclass(frozen=True)
class Replay:
    """Result of simulating MQSim's files."""

    scenarios: list[Scenario]
    notes: list[str]
    """Settings in the files that have no effect, as in MQSim."""
    warnings: list[str]
    """Settings that say something else than what was simulated."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the data that `canaletto mqsim --json` prints."""
        return {"scenarios": [_to_dict(scenario) for scenario in self.scenarios], "warnings": self.warnings}


def replay(
    device: str | PathLike[str],
    workload: str | PathLike[str],
    *,
    settings: Iterable[str] = (),
    ignore_unknown: bool = False,
    records: bool = True,
    progress: Progress | None = None,
) -> Replay:
    """Runs MQSim's two files, every scenario on a fresh drive.

    Traces are in the workload's folder, or else in the working directory.

    settings: keys of the design, each as `key=value`. ignore_unknown: continue at unknown tags. records: keep every
    completion.

    Raises ConfigError, SimulationError, or OSError.
    """
    labels = [os.fspath(path) for path in (device, workload)]
    texts = [read_text(label) for label in labels]
    base, options = os.path.dirname(os.path.abspath(labels[1])), json.dumps({"records": records})
    try:
        scenarios, inexact, notes, warnings = _engine.mqsim(
            labels[0], texts[0], labels[1], texts[1], base, list(settings), ignore_unknown, options, progress
        )
    except MemoryError as error:
        told = str(error).partition(";")[0] or "out of memory"
        raise ConfigError(
            f"{', '.join(labels)}: {told}; expected a smaller drive (<Page_No_Per_Block>, <Block_No_Per_Plane>), or "
            "fewer requests"
        ) from None
    if settings:
        inexact = [[*reasons, "keys of the design were set"] for reasons in inexact]
    done = zip(scenarios, inexact, strict=True)
    results = [_scenario(json.loads(text), why, columns if records else None) for (text, columns), why in done]
    return Replay(results, notes, warnings)


def completion_files(path: str | PathLike[str], replay: Replay) -> dict[Path, tuple[int, int]]:
    """`path` itself for a single one, else with the flow's number before the ending (`log.flow1.csv`).

    Several scenarios have their number before that (`log.scenario1.flow0.csv`).
    """
    base = Path(path)
    files = {}
    for number, scenario in enumerate(replay.scenarios):
        for flow in range(len(scenario.flows)):
            name = base.stem
            if len(replay.scenarios) > 1:
                name += f".scenario{number}"
            if len(scenario.flows) > 1:
                name += f".flow{flow}"
            files[base.with_name(name + base.suffix)] = (number, flow)
    return files


def write_completions(path: str | PathLike[str], replay: Replay, *, force: bool = False) -> list[Path]:
    files = completion_files(path, replay)
    _check_free(files, force)
    if len(files) > 1 and is_special(Path(path)):
        raise ConfigError(f"{os.fspath(path)}: takes the completions of one flow, there are {len(files)}")
    for file, (scenario, flow) in files.items():
        with whole(file) as out:
            replay.scenarios[scenario].completions(flow).write_csv(out)
    return list(files)


def check_writable(path: str | PathLike[str], *, force: bool = False) -> None:
    """How many flows there will be is not known yet: any file that one of them may have counts."""
    target = Path(path)
    if target.is_dir():
        raise ConfigError(f"{target}: is a folder, expected the name of a CSV file")
    if not target.absolute().parent.is_dir():
        raise ConfigError(f"{target}: there is no folder {target.absolute().parent}")
    _check_free([target], force)
    several = re.compile(rf"{re.escape(target.stem)}(\.scenario\d+)?(\.flow\d+)?{re.escape(target.suffix)}")
    _check_free([each for each in target.absolute().parent.iterdir() if several.fullmatch(each.name)], force)


def _check_free(files: Iterable[Path], force: bool) -> None:
    for file in files:
        if not force and os.path.lexists(file) and not is_special(file):
            raise ConfigError(f"{file}: exists already; expected a new file, or --force to replace it")


def _scenario(data: Mapping[str, Any], inexact: list[str], columns: "Columns | None") -> Scenario:
    reasons = [*inexact, *(reason for happened, reason in _HAPPENED.items() if _at(data, happened))]
    return Scenario([_flow(flow) for flow in data["flows"]], data["cost"], reasons, columns)


_HAPPENED = {
    "flash.erases": "garbage collection ran, in which MQSim loses requests and blocks",
    "mapping.stalls": "the mapping cache had no room for a look-up, where MQSim loses requests",
}


def _at(data: Mapping[str, Any], path: str) -> Any:
    value: Any = data
    for key in path.split("."):
        value = value.get(key) if value else None
    return value


def _to_dict(scenario: Scenario) -> dict[str, Any]:
    return {
        "class": scenario.equality,
        "why": scenario.inexact,
        "flows": scenario.flows,
        "cost": scenario.cost,
    }


def _flow(flow: Mapping[str, Any]) -> dict[str, Any]:
    requests, end_us = flow["requests"], flow["last_completion_us"]
    # As MQSim counts: over the time from the beginning of the run, not from the first arrival.
    iops, bandwidth = (requests[key] / end_us if end_us else None for key in ("completed", "bytes"))
    return {
        "name": flow["name"],
        "completed": requests["completed"],
        "generated": requests["generated"],
        "reads": requests["reads"],
        "writes": requests["writes"],
        "iops": None if iops is None else iops * 1e6,
        "bandwidth_mb_s": bandwidth,
        "device_response_ns": _nanoseconds(flow["device_response_us"]),
        "end_to_end_ns": _nanoseconds(flow["latency_us"]["all"]),
    }


def _nanoseconds(distribution: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in distribution.items() if value is None or isinstance(value, int | float)}
    times = {key: None if value is None else round(value * 1000) for key, value in given.items() if key != "count"}
    return {**times, "mean": None if given["mean"] is None else given["mean"] * 1000}
