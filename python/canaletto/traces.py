"""Looking at traces, and writing them in other formats."""

import json
import os
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io import files, forks
from canaletto._run import names

if TYPE_CHECKING:
    import polars as pl

    from canaletto._run.config import Design, Workload

__all__ = ["PARQUET", "convert", "fit", "formats", "frame", "info"]

PARQUET = "parquet"
"""canaletto writes this format alone."""


def formats() -> list[dict[str, Any]]:
    """Returns the trace formats that are known.

    Returns
    -------
    list of dict
        Of each its `name`, `about`, and whether traces are written in it.
    """
    found: list[dict[str, Any]] = json.loads(_engine.trace_formats())
    return found


def info(
    source: "str | PathLike[str] | Workload",
    trace_format: str | None = None,
    *,
    design: "Design | None" = None,
    read: Mapping[str, Any] | None = None,
    job: str | None = None,
) -> dict[str, Any]:
    """Counts, sizes, pace, footprint, order and reuse of a trace, read once from end to end in bounded memory.

    Parameters
    ----------
    source
        A trace file; or a workload, a profile's name, a workload file (.toml) or a fio job file (.fio): the traffic
        that it generates.
    trace_format
        The trace's format; by default found from its content.
    design
        The drive that a workload's addresses are of, and for which is told how evenly its channels would be used.
    read
        How lines are read: the keys of `flow.trace.read` in `canaletto schema workload`, such as `{"on_error":
        "skip"}`.
    job
        Of a fio job file, the names of the jobs that are taken.

    Returns
    -------
    dict
        What `canaletto trace info --json` prints; `docs/reference/traces.md` defines each figure.

    Raises
    ------
    ConfigError
        For a trace that is not whole, naming file and line.
    OSError
        If it cannot be read.
    """
    drive = None if design is None else design.to_toml()
    work = _generated(source, job, design)
    bounded = None
    if work is not None:
        if trace_format is not None or read:
            raise ConfigError(f"{work.label}: got options of reading, expected none: it is a workload and no trace")
        label, (shown, bounded) = work.label, _bounded(work)
        text = _engine.survey_workload(shown.to_toml(), drive, 1)
    elif job is not None:
        raise ConfigError(f"{fspath(source)}: got job = {job}, expected a fio job file (.fio) with it")  # type: ignore[arg-type]
    else:
        label = fspath(source)  # type: ignore[arg-type]
        with files.awaiting_writers([label]):
            text = _engine.survey_trace(label, trace_format, json.dumps(read or {}), drive)
    found = json.loads(text)
    if design is not None:
        found["channels"]["design"] = design.to_dict()["name"]
    return {"file": label, **found, "bounded": bounded}


CLOSED = 100_000
LATE = 10_000_000


def _bounded(work: "Workload") -> "tuple[Workload, str | None]":
    """Closed loops that end by the clock, or late, are cut, with a sentence on that."""
    from canaletto._io import _toml
    from canaletto._run.config import Workload

    document, names = work.to_dict(), []
    for flow in document["flow"]:
        made = flow.get("synthetic") or {}
        most = CLOSED if "stop" in made else LATE
        if "queue_depth" in made and made["requests"] > most:
            by_clock = "ends by the clock, so that a drive decides how many requests it makes"
            late = f"ends after {made['requests']:,} requests"
            names.append(f"{flow['name']} {by_clock if 'stop' in made else late}")
            made["requests"] = CLOSED
    if not names:
        return work, None
    said = f"{'; '.join(names)}; the first {CLOSED:,} requests are shown"
    return Workload.from_toml(_toml.dumps(document), work.label), said


def _generated(source: "str | PathLike[str] | Workload", job: str | None, design: "Design | None") -> "Workload | None":
    from canaletto._run import config

    if isinstance(source, config.Workload):
        return source
    label = fspath(source)
    is_workload = label in names.profiles() or label.endswith((".toml", ".fio"))
    if not is_workload:
        return None
    # The engine takes the same drive for addresses where none is given.
    drive = config.quiet_design("performance-optimized") if design is None and label.endswith(".fio") else design
    return config.workload(label, job=job, design=drive)


def fit(
    path: str | PathLike[str],
    trace_format: str | None = None,
    *,
    name: str | None = None,
    design: "Design | None" = None,
    read: Mapping[str, Any] | None = None,
) -> "tuple[Workload, dict[str, Any]]":
    """A profile of a trace, read once from end to end in bounded memory: a workload whose traffic is like it.

    Parameters
    ----------
    path
        The trace file, packed or not.
    trace_format
        Its format; by default found from its content.
    name
        The profile's name; by default that of the file.
    design
        The drive for whose channels it is fitted; by default one of 8 channels with pages of 4 KiB.
    read
        How lines are read: the keys of `flow.trace.read` in `canaletto schema workload`, such as `{"on_error":
        "skip"}`.

    Returns
    -------
    Workload
        The profile; `docs/explanation/workloads.md` tells how each key is fitted.
    dict
        How many lines were left out or out of order.

    Raises
    ------
    ConfigError
        For a trace that is not whole or holds nothing to fit to.
    OSError
        If it cannot be read.
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
    """A trace as a Polars frame, one row a request in order of arrival.

    Parameters
    ----------
    path
        The trace file, packed or not.
    trace_format
        Its format; by default found from its content.
    read
        How lines are read: the keys of `flow.trace.read` in `canaletto schema workload`, such as `{"on_error":
        "skip"}`.

    Returns
    -------
    polars.DataFrame
        Columns arrival_ns (nanoseconds), device, offset_bytes, bytes and kind.

    Raises
    ------
    ConfigError
        For a trace that is not whole, naming file and line.
    OSError
        If it cannot be read.
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
    force: bool = False,
) -> dict[str, Any]:
    """Writes a trace in another format, or as Parquet.

    `out` is written completely or not at all.

    Parameters
    ----------
    path
        The trace file, packed or not.
    out
        The new file; one that ends in .gz, .zst or .xz is packed that way.
    to
        A format that is written (see `formats`), or "parquet".
    trace_format
        The trace's format; by default found from its content.
    read
        How lines are read: the keys of `flow.trace.read` in `canaletto schema workload`, such as `{"on_error":
        "skip"}`.
    rounding
        Whether times are rounded down and extents outward to what the format can hold; otherwise a request that it
        cannot hold exactly is an error.
    force
        Whether to replace `out` if it is there.

    Returns
    -------
    dict
        How many requests were written, and how many lines were left out or out of order.

    Raises
    ------
    ConfigError
        For a trace that is not whole or does not fit the format; if `out` exists, unless `force` is given.
    OSError
        For a file that cannot be read or written.
    """
    how = json.dumps(read or {})
    files.check_free(out, force=force)
    if os.path.exists(out) and os.path.samefile(path, out):
        raise ConfigError(f"{fspath(out)}: the trace itself, expected another file to write")
    if to == PARQUET:
        with files.awaiting_writers([path]):
            return {"file": fspath(out), **_to_parquet(fspath(path), Path(out), trace_format, how)}
    with files.awaiting_writers([path]), files.placed(out) as place:
        found = _engine.convert_trace(fspath(path), trace_format, how, fspath(place), fspath(out), to, rounding)
    return {"file": fspath(out), **json.loads(found)}


def _to_parquet(path: str, out: Path, trace_format: str | None, how: str) -> dict[str, Any]:
    import polars as pl
    from polars.io.plugins import register_io_source

    forks.check_polars()
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
    import polars as pl

    from canaletto._io import frames

    if columns is None:
        types = {"arrival_ns": pl.UInt64, "device": pl.UInt32, "offset_bytes": pl.UInt64, "bytes": pl.UInt64}
        return pl.DataFrame(schema={**types, "kind": pl.Enum(frames.KINDS)})
    table = frames.raw(columns)
    return table.with_columns(pl.Series("kind", frames.KINDS).gather(table["kind"]).cast(pl.Enum(frames.KINDS)))
