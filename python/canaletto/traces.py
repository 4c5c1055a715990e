"""Looking at traces, and writing them in other formats."""

import json
import os
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto import ConfigError, _engine
from canaletto._io import files
from canaletto._run import names

if TYPE_CHECKING:
    import polars as pl

    from canaletto._run.config import Design, Workload

PARQUET = "parquet"
"""Format that `convert` writes beside the trace formats. canaletto does not read it."""


def formats() -> list[dict[str, Any]]:
    """The trace formats: name, about, and whether traces are written in it."""
    found: list[dict[str, Any]] = json.loads(_engine.trace_formats())
    return found


def info(
    source: "str | PathLike[str] | Workload",
    trace_format: str | None = None,
    *,
    design: "Design | None" = None,
    read: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Counts, sizes, pace, footprint, order and reuse of a trace, read once from end to end in bounded memory.

    source: a trace file; or a workload, a profile's name, a workload file (.toml) or a fio job file (.fio): the traffic
    that it generates. design: a drive; how evenly its channels would be used is told, too, and it is the drive that a
    workload's addresses are of. read: how the trace is read, the keys of `flow.trace.read` in `canaletto schema
    workload`, such as `{"on_error": "skip"}`. `docs/traces.md` tells what the figures are.

    Raises ConfigError for a trace that is not whole, naming file and line, OSError if it cannot be read.
    """
    drive = None if design is None else design.to_toml()
    work = _generated(source)
    if work is not None:
        if trace_format is not None or read:
            raise ConfigError(f"{work.label}: got options of reading, expected none: it is a workload and no trace")
        label, text = work.label, _engine.survey_workload(work.to_toml(), drive, 1)
    else:
        label = fspath(source)  # type: ignore[arg-type]
        with files.awaiting_writers([label]):
            text = _engine.survey_trace(label, trace_format, json.dumps(read or {}), drive)
    found = json.loads(text)
    if design is not None:
        found["channels"]["design"] = design.to_dict()["name"]
    return {"file": label, **found}


def _generated(source: "str | PathLike[str] | Workload") -> "Workload | None":
    """The workload that is meant, if it is one and not a trace."""
    from canaletto._run import config

    if isinstance(source, config.Workload):
        return source
    label = fspath(source)
    is_workload = label in names.profiles() or label.endswith((".toml", ".fio"))
    return config.workload(label) if is_workload else None


def fit(
    path: str | PathLike[str],
    trace_format: str | None = None,
    *,
    name: str | None = None,
    design: "Design | None" = None,
    read: Mapping[str, Any] | None = None,
) -> "tuple[Workload, dict[str, Any]]":
    """A profile of a trace, read once from end to end in bounded memory: a workload whose traffic is like it.

    name: the profile's, by default that of the file. design: the drive for whose channels it is fitted, by default one
    of 8 channels with pages of 4 KiB. read: how the trace is read, as for `info`. Returns the workload, and how many
    lines were left out or out of order. `docs/workloads.md` tells how each key is fitted.

    Raises ConfigError for a trace that is not whole or holds nothing to fit to, OSError if it cannot be read.
    """
    from canaletto._run.config import Workload, trace_name

    label = fspath(path)
    name = name or trace_name(label)
    about = f"Fitted to {os.path.basename(label)}"
    drive = None if design is None else design.to_toml()
    with files.awaiting_writers([label]):
        toml, lines = _engine.fit_trace(label, trace_format, json.dumps(read or {}), name, about, drive)
    return Workload(toml, f"{name}.toml"), json.loads(lines)


def frame(
    path: str | PathLike[str], trace_format: str | None = None, *, read: Mapping[str, Any] | None = None
) -> "pl.DataFrame":
    """A trace as a Polars frame, one row a request in order of arrival: arrival_ns, device, offset_bytes, bytes, kind.

    Raises ConfigError for a trace that is not whole, naming file and line, OSError if it cannot be read.
    """
    import polars as pl

    with files.awaiting_writers([path]):
        batches = _engine.read_trace(fspath(path), trace_format, json.dumps(read or {}))
        return pl.concat([_frame(columns) for columns in batches], rechunk=True)


def convert(
    path: str | PathLike[str],
    out: str | PathLike[str],
    to: str,
    trace_format: str | None = None,
    *,
    read: Mapping[str, Any] | None = None,
    rounding: bool = False,
) -> dict[str, Any]:
    """Writes a trace in another format, or as Parquet. An `out` that ends in .gz, .zst or .xz is packed that way.

    to: a format that is written (see `formats`), or "parquet". rounding: times are rounded down and extents outward to
    what the format can hold; otherwise a request that it cannot hold exactly is an error. Returns how many requests
    were written, and how many lines were left out or out of order.

    Raises ConfigError for a trace that is not whole or does not fit the format, OSError for a file that cannot be read
    or written. Nothing is left of an `out` that is not whole.
    """
    how = json.dumps(read or {})
    if os.path.exists(out) and os.path.samefile(path, out):
        raise ConfigError(f"{fspath(out)}: the trace itself, expected another file to write")
    if to == PARQUET:
        with files.awaiting_writers([path]):
            return {"file": fspath(out), **_to_parquet(fspath(path), Path(out), trace_format, how)}
    with files.awaiting_writers([path]), files.placed(out) as place:
        found = _engine.convert_trace(fspath(path), trace_format, how, fspath(place), fspath(out), to, rounding)
    return {"file": fspath(out), **json.loads(found)}


def _to_parquet(path: str, out: Path, trace_format: str | None, how: str) -> dict[str, Any]:
    """Streams a trace into a Parquet file."""
    import polars as pl
    from polars.io.plugins import register_io_source

    batches = _engine.read_trace(path, trace_format, how)
    requests = 0
    failure: BaseException | None = None

    def rows(*_: object) -> "Iterator[pl.DataFrame]":
        nonlocal requests, failure
        try:
            for columns in batches:
                batch = _frame(columns)
                requests += batch.height
                yield batch
        except BaseException as error:  # Polars would wrap it.
            failure = error
            raise

    # Polars gets the open file, not its name: it may be about to open that when its source fails, and make it anew.
    with files.whole(out) as file:
        try:
            register_io_source(rows, schema=_frame(None).schema).sink_parquet(file)
        except pl.exceptions.PolarsError as error:
            raise (failure or files.system_error(error, out) or error) from None
    return {"requests": requests, "from": batches.format, "to": PARQUET, "lines": json.loads(batches.lines())}


def _frame(columns: Any) -> "pl.DataFrame":
    """A batch of requests; without columns, none."""
    import polars as pl

    from canaletto._io import frames

    if columns is None:
        types = {"arrival_ns": pl.UInt64, "device": pl.UInt32, "offset_bytes": pl.UInt64, "bytes": pl.UInt64}
        return pl.DataFrame(schema={**types, "kind": pl.Enum(frames.KINDS)})
    table = frames.raw(columns)
    return table.with_columns(pl.Series("kind", frames.KINDS).gather(table["kind"]).cast(pl.Enum(frames.KINDS)))
