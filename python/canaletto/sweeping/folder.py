"""The folder of a sweep.

    sweep.json      kind, version, platform, and the hash of what was asked for
    sweep.toml      the file it was asked with
    plan.parquet    one row a point: its values, the hash of what it computes, and the full configuration
    points/         a record a simulation
    table.parquet   one row a point, once all are computed
    report.html     a page to read

Every file appears whole or not at all.
"""

import json
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polars as pl

from canaletto import _engine, files, frames, identity
from canaletto._engine import ConfigError
from canaletto.config import read_text
from canaletto.sweeping.document import SOURCES, Document
from canaletto.sweeping.store import Store, remove_leftovers, shared_folder
from canaletto.sweeping.tasks import Point, Task

SCHEMA = 1
KIND = "sweep"
ABOUT, PLAN, TABLE, REPORT, POINTS = "sweep.json", "plan.parquet", "table.parquet", "report.html", "points"


class Folder:
    """A sweep's folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = Store(path / POINTS, shared_folder())

    def claim(self, document: Document, points: Sequence[Point], command: Sequence[str] | None) -> None:
        """Makes the folder, or takes the one that is there to go on with.

        Raises ConfigError if it is of another sweep or of something else.
        """
        self.check(document)
        self.path.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.path / POINTS)
        about = {
            "schema": SCHEMA,
            "kind": KIND,
            "identity": document.identity,
            "points": len(points),
            **origin(command),
        }
        if document.text:
            _write(self.path / "sweep.toml", document.text.encode())
        with files.whole(self.path / PLAN) as out:
            frames.write_parquet(_plan(document, points), out)
        _write(self.path / ABOUT, (json.dumps(about, indent=1) + "\n").encode())

    def check(self, document: Document) -> None:
        """Raises ConfigError if the folder is there and not this sweep's."""
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise ConfigError(f"{self.path}: is a file, expected the folder of a sweep, or a new one")
        try:
            found = about(self.path)
        except ConfigError:
            # Whatever was killed here before it had written this much has left names of ours, or hidden ones.
            others = {path.name for path in self.path.iterdir() if not path.name.startswith(".")} - _OURS
            if others:
                raise ConfigError(
                    f"{self.path}: exists and is not the folder of a sweep; expected a new folder, or that of this "
                    "sweep to go on with"
                ) from None
            return
        if found["identity"] != document.identity:
            raise ConfigError(
                f"{self.path}: the folder of another sweep than {document.label}; expected a new folder: points that "
                "both have are not computed again"
            )

    def known(self, document: Document) -> "Folder":
        """The folder itself. Raises ConfigError if it is not this sweep's, or not there."""
        self.check(document)
        about(self.path)
        return self

    def plan(self) -> pl.DataFrame:
        """The points. Raises ConfigError if the plan is not there or damaged."""
        path = self.path / PLAN
        if not path.is_file():
            raise ConfigError(f"{self.path}: no {PLAN} in it, expected the folder of a sweep")
        with files.sound_parquet(path):
            return pl.read_parquet(path, glob=False)


_OURS = {"sweep.toml", PLAN, POINTS}


def about(path: Path) -> dict[str, Any]:
    """A folder's `sweep.json`. Raises ConfigError if it is not the folder of a sweep."""
    file = path / ABOUT
    if not file.is_file():
        what = f"no {ABOUT} in it" if path.is_dir() else "no such folder"
        raise ConfigError(f"{path}: {what}; expected the folder of a sweep")
    try:
        found = json.loads(read_text(str(file)))
        assert isinstance(found["identity"], str)
        assert (found["schema"], found["kind"]) == (SCHEMA, KIND)
    except (ValueError, KeyError, TypeError, AssertionError):
        raise ConfigError(f"{file}: not what a sweep of this version writes") from None
    return dict(found)


def origin(command: Sequence[str] | None) -> dict[str, Any]:
    """Origin of results: the package and all that it stands on."""
    packages = {}
    for name in ("numpy", "polars", "altair", "optuna", "distributed"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "version": _engine.version(),
        "build": identity.build(),
        "command": list(command) if command else None,
        "platform": {
            "system": platform.system(),
            "release": platform.release(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        },
        "packages": packages,
    }


def task_of(row: dict[str, Any]) -> Task:
    """The simulation of a row of a plan."""
    return Task(
        key=row["key"],
        design=row["design_toml"],
        workload=row["workload_toml"],
        seed=row["seed"],
        warmup=row["warmup"],
        traces=json.loads(row["traces"]),
    )


def _plan(document: Document, points: Sequence[Point]) -> pl.DataFrame:
    """One row a point. An axis that a point does not have is null there."""
    tasks = [point.task for point in points]
    columns: dict[str, pl.Series] = {
        "point": pl.Series([point.number for point in points], dtype=pl.Int64),
        "key": pl.Series([task.key for task in tasks], dtype=pl.String),
        "design": pl.Series([point.design_name for point in points], dtype=pl.String),
        "workload": pl.Series([point.workload_name for point in points], dtype=pl.String),
        "fabric": pl.Series([point.fabric for point in points], dtype=pl.String),
        "seed": pl.Series([task.seed for task in tasks], dtype=pl.UInt64),
        "warmup": pl.Series([task.warmup for task in tasks], dtype=pl.UInt64),
    }
    for axis in document.grid.all_axes:
        if axis.key not in (*SOURCES, "fabric", "fabric.kind", "seed", "warmup"):
            cells = [axis.cell(point.values[axis.key]) if axis.key in point.values else None for point in points]
            columns[axis.column] = pl.Series(cells, strict=False)
    columns["design_toml"] = pl.Series([task.design for task in tasks], dtype=pl.String)
    columns["workload_toml"] = pl.Series([task.workload for task in tasks], dtype=pl.String)
    columns["traces"] = pl.Series([json.dumps(dict(task.traces)) for task in tasks], dtype=pl.String)
    return pl.DataFrame(columns)


def _write(path: Path, content: bytes) -> None:
    if path.is_file() and path.read_bytes() == content:
        return
    with files.whole(path) as out:
        out.write(content)
