"""The folder of a sweep.

    sweep.json      kind, version, platform, and the hash of what was asked for
    sweep.toml      the file it was asked with
    plan.parquet    one row a point: its values, the hash of what it computes, and the full configuration
    points/         a record a simulation
    table.parquet   one row a point, once all are computed
    report.html     a page to read

Every file appears whole or not at all.
"""

import io
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io import files, forks
from canaletto._io.origin import origin
from canaletto._io.parsed import from_json
from canaletto._run import identity
from canaletto._run.config import read_text
from canaletto._sweeping.document import SOURCES, Document
from canaletto._sweeping.store import Store, remove_leftovers, shared_folder
from canaletto._sweeping.tasks import Point, Task

SCHEMA = 1
SWEEP, SEARCH = "sweep", "search"
PLAN, TABLE, REPORT, POINTS = "plan.parquet", "table.parquet", "report.html", "points"


class Asked(Protocol):
    @property
    def label(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def text(self) -> str: ...


class Folder:
    def __init__(self, path: Path, kind: str = SWEEP) -> None:
        self.path = path
        self.kind = kind
        self.store: Store = Store(path / POINTS, shared_folder())

    def moved(self, path: Path) -> "Folder":
        return Folder(path, self.kind)

    def claim(self, asked: Asked, command: Sequence[str] | None) -> None:
        """A new folder, or one to continue with."""
        self.check(asked)
        self.path.mkdir(parents=True, exist_ok=True)
        remove_leftovers(self.path / POINTS)
        if asked.text:
            self.write(f"{self.kind}.toml", asked.text.encode())
        about = {"schema": SCHEMA, "kind": self.kind, "identity": asked.identity, **_package(command)}
        self.write(f"{self.kind}.json", (json.dumps(about, indent=1) + "\n").encode())

    def check(self, asked: Asked) -> None:
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise ConfigError(f"{self.path}: is a file, expected the folder of a {self.kind}, or a new one")
        try:
            found = about(self.path, self.kind)
        except ConfigError:
            # Whatever was killed here before it had written this much has left names of ours, or hidden ones.
            names = {path.name for path in self.path.iterdir() if not path.name.startswith(".")}
            if names - {f"{self.kind}.toml"}:
                raise ConfigError(
                    f"{self.path}: exists and is not the folder of a {self.kind}; expected a new folder, or the folder "
                    f"of this {self.kind} to continue"
                ) from None
            return
        if found["identity"] != asked.identity:
            raise ConfigError(
                f"{self.path}: the folder of another {self.kind} than {asked.label}; expected a new folder: points "
                "that both have are not computed again"
            )

    def discard(self) -> None:
        if self.path.exists():
            about(self.path, self.kind)
            shutil.rmtree(self.path)

    def known(self, asked: Asked) -> "Folder":
        self.check(asked)
        about(self.path, self.kind)
        return self

    def write(self, name: str, content: bytes) -> None:
        path = self.path / name
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(exist_ok=True)
        with files.whole(path) as out:
            out.write(content)

    def write_frame(self, name: str, frame: pl.DataFrame) -> None:
        forks.check_polars()
        # In memory first: on a disk that is full, Polars would say something else than the system.
        content = io.BytesIO()
        frame.write_parquet(content)
        with files.whole(self.path / name) as out:
            out.write(content.getbuffer())

    def plan(self) -> pl.DataFrame:
        return self.table(PLAN)

    def table(self, name: str) -> pl.DataFrame:
        path = self.path / name
        if not path.is_file():
            raise ConfigError(f"{self.path}: no {name} in it, expected the folder of a {self.kind} that is done")
        with files.sound_parquet(path):
            return pl.read_parquet(path, glob=False)


def about(path: Path, kind: str) -> dict[str, Any]:
    file = path / f"{kind}.json"
    if not file.is_file():
        what = f"no {file.name} in it" if path.is_dir() else "no such folder"
        raise ConfigError(f"{path}: {what}; expected the folder of a {kind}")
    try:
        found = from_json(read_text(str(file)))
        sound = found["schema"] == SCHEMA and found["kind"] == kind and isinstance(found["identity"], str)
    except (ValueError, KeyError, TypeError):
        sound = False
    if not sound:
        raise ConfigError(f"{file}: not what a {kind} of this version writes")
    return dict(found)


def _package(command: Sequence[str] | None) -> dict[str, Any]:
    build = {"version": _engine.version(), "build": identity.build(), **origin()}
    return {**build, "command": list(command) if command else None}


def task_of(row: dict[str, Any]) -> Task:
    return Task(
        key=row["key"],
        design=row["design_toml"],
        workload=row["workload_toml"],
        seed=row["seed"],
        warmup=row["warmup"],
        traces=json.loads(row["traces"]),
    )


def plan_of(document: Document, points: Sequence[Point]) -> pl.DataFrame:
    """One row per point; null for an axis that a point does not have."""
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
