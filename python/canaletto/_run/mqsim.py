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
    """One scenario of a workload file: its results by flow, and its completions if they were kept."""

    flows: list[dict[str, Any]]
    cost: dict[str, Any]
    _columns: "Columns | None"

    def completions(self, flow: int) -> "pl.DataFrame":
        """A flow's completions in order: arrival_ns, enqueue_ns, complete_ns, type (R or W), start_lba, sectors.

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

    def to_dict(self) -> dict[str, Any]:
        """Returns the data that `canaletto mqsim --json` prints."""
        return {"scenarios": [{"flows": scenario.flows, "cost": scenario.cost} for scenario in self.scenarios]}


def replay(
    device: str | PathLike[str],
    workload: str | PathLike[str],
    *,
    records: bool = True,
    progress: Progress | None = None,
) -> Replay:
    """Runs MQSim's device and workload files as MQSim does, every scenario on a fresh drive.

    Traces that the workload names are looked for from its own folder. records: keep every completion.

    Raises ConfigError for what the files may not hold or memory does not suffice for, SimulationError for a run that
    stopped and explained why, OSError for a file that cannot be read.
    """
    labels = [os.fspath(path) for path in (device, workload)]
    texts = [read_text(label) for label in labels]
    base, options = os.path.dirname(os.path.abspath(labels[1])), json.dumps({"records": records})
    try:
        scenarios, notes = _engine.mqsim(labels[0], texts[0], labels[1], texts[1], base, options, progress)
    except MemoryError as error:
        told = str(error).partition(";")[0] or "out of memory"
        raise ConfigError(
            f"{', '.join(labels)}: {told}; expected a smaller drive (<Page_No_Per_Block>, <Block_No_Per_Plane>), or "
            "fewer requests"
        ) from None
    return Replay([_scenario(json.loads(text), columns if records else None) for text, columns in scenarios], notes)


def completion_files(path: str | PathLike[str], replay: Replay) -> dict[Path, tuple[int, int]]:
    """The file for each flow of each scenario.

    `path` itself for a single one, else with the flow's number before the ending (`log.flow1.csv`), and before that the
    scenario's (`log.scenario1.flow0.csv`).
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
    """Writes the completions of every flow as CSV; returns the files. A file appears whole or not at all.

    Raises ConfigError if one exists, unless `force` is given, OSError if one cannot be written.
    """
    files = completion_files(path, replay)
    _check_free(files, force)
    if len(files) > 1 and is_special(Path(path)):
        raise ConfigError(f"{os.fspath(path)}: takes the completions of one flow, there are {len(files)}")
    for file, (scenario, flow) in files.items():
        with whole(file) as out:
            replay.scenarios[scenario].completions(flow).write_csv(out)
    return list(files)


def check_writable(path: str | PathLike[str], *, force: bool = False) -> None:
    """Raises OSError or ConfigError now if completions could not be written to `path` later.

    How many flows there will be is not known yet: any file that one of them may have counts.
    """
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


def _scenario(data: Mapping[str, Any], columns: "Columns | None") -> Scenario:
    return Scenario([_flow(flow) for flow in data["flows"]], data["cost"], columns)


def _flow(flow: Mapping[str, Any]) -> dict[str, Any]:
    completed, end_us = flow["requests"]["completed"], flow["last_completion_us"]
    return {
        "name": flow["name"],
        "completed": completed,
        "generated": flow["requests"]["generated"],
        # As MQSim counts: over the time from the beginning of the run, not from the first arrival.
        "iops": completed * 1e6 / end_us if end_us else None,
        "device_response_ns": _nanoseconds(flow["device_response_us"]),
        "end_to_end_ns": _nanoseconds(flow["latency_us"]["all"]),
    }


def _nanoseconds(distribution: Mapping[str, Any]) -> dict[str, Any]:
    mean, *ends = (distribution[key] for key in ("mean", "min", "max"))
    least, most = (None if end is None else round(end * 1000) for end in ends)
    return {"mean": None if mean is None else mean * 1000, "min": least, "max": most}
