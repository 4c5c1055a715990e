"""Raw columns of the engine as Polars frames."""

import os
import re
from collections.abc import Mapping
from typing import IO, Any, TypeAlias

import numpy as np
import polars as pl

from canaletto._io import forks

Columns: TypeAlias = dict[str, tuple[str, bytes]]
"""name -> (type, little-endian buffer)."""

_NUMPY = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i64": "<i8", "f64": "<f8"}
_PS_PER_US = 1e6

FIRST = (
    *("request", "flow", "kind", "status", "lba", "sectors", "handle"),
    *("arrival_ps", "enqueue_ps", "complete_ps", "path_conflict"),
)

KINDS = [
    *("read", "write", "trim", "flush", "append", "zone-reset", "zone-finish", "zone-open", "zone-close"),
    *("handle-update", "compute"),
]


def raw(columns: Columns) -> pl.DataFrame:
    forks.check_polars()
    return pl.DataFrame({name: np.frombuffer(data, _NUMPY[kind]) for name, (kind, data) in columns.items()})


def with_bytes(table: pl.DataFrame) -> pl.DataFrame:
    """With each request's `bytes`, and in `first_byte` where they begin in its first sector."""
    before, behind = (pl.col(name) if name in table.columns else pl.lit(0, pl.UInt16) for name in ("before", "behind"))
    extent = pl.col("sectors").cast(pl.UInt64) * 512 - before - behind
    return table.with_columns(before.alias("first_byte"), extent.alias("bytes"))


_TIMES = ("arrival_us", "enqueued_us", "completed_us", "latency_us")


def is_span(column: str) -> bool:
    return column.endswith("_us") and column not in _TIMES


HANDLE = "handle"
"""Column of tables in which a request has a reclaim unit handle but the default one."""


def occurring(columns: Columns) -> set[str]:
    spans = {f"{name.removesuffix('_ps')}_us" for name in _spans(columns) if any(columns[name][1])}
    return spans | ({HANDLE} if any(columns[HANDLE][1]) else set())


def _spans(columns: Columns) -> list[str]:
    return [name for name in columns if name.endswith("_ps") and name not in FIRST]


def requests(columns: Columns, flows: list[str]) -> pl.DataFrame:
    table = with_bytes(raw(columns))
    names = pl.Series("flow", flows, dtype=pl.String)
    return table.select(
        "request",
        names.gather(table["flow"]).cast(pl.Categorical).alias("flow"),
        pl.Series("op", KINDS).gather(table["kind"]).cast(pl.Enum(KINDS)),
        (pl.col("status") != 0).alias("failed"),
        "status",
        "lba",
        *("sectors", "first_byte", "bytes", HANDLE),
        _us("arrival_ps", "arrival_us"),
        _us("enqueue_ps", "enqueued_us"),
        _us("complete_ps", "completed_us"),
        ((pl.col("complete_ps") - pl.col("arrival_ps")) / _PS_PER_US).alias("latency_us"),
        (pl.col("path_conflict") != 0).alias("path_conflict"),
        *[_us(name, f"{name.removesuffix('_ps')}_us") for name in _spans(columns)],
    )


def completions(columns: Columns) -> pl.DataFrame:
    table = raw(columns)
    spans = [name for name in _spans(columns) if (table[name] > 0).any()]
    handle = [HANDLE] if (table[HANDLE] > 0).any() else []
    return table.select(
        "tag",
        pl.Series("op", KINDS).gather(table["kind"]).cast(pl.Enum(KINDS)),
        (pl.col("status") != 0).alias("failed"),
        *("status", "lba", "sectors"),
        *handle,
        *("arrival_ps", pl.col("enqueue_ps").alias("enqueued_ps")),
        pl.col("complete_ps").alias("completed_ps"),
        *spans,
    )


def causes(account: Mapping[str, Mapping[str, Any]]) -> pl.DataFrame:
    forks.check_polars()
    mean, p99 = account["all"], account["p99"]
    frame = pl.DataFrame(
        {
            "cause": list(mean),
            "mean_us": [float(mean[cause] or 0) for cause in mean],
            "p99_us": [float((p99 or {}).get(cause) or 0) for cause in mean],
        },
        schema={"cause": pl.String, "mean_us": pl.Float64, "p99_us": pl.Float64},
    )
    frame = frame.filter((pl.col("mean_us") > 0) | (pl.col("p99_us") > 0))
    return frame.select(
        "cause", "mean_us", _share("mean_us", "mean_share"), "p99_us", _share("p99_us", "p99_share")
    ).sort("mean_us", descending=True, maintain_order=True)


def write_parquet(frame: pl.DataFrame, file: IO[bytes]) -> None:
    try:
        frame.write_parquet(file)
    except pl.exceptions.PolarsError as error:
        # Polars wraps the system's errors into its own, here and not in CSV.
        code = re.search(r"\(os error (\d+)\)", str(error))
        if code is None:
            raise
        raise OSError(int(code[1]), os.strerror(int(code[1]))) from None


def _us(column: str, name: str) -> pl.Expr:
    return (pl.col(column) / _PS_PER_US).alias(name)


def _share(column: str, name: str) -> pl.Expr:
    total = pl.col(column).sum()
    return pl.when(total > 0).then(pl.col(column) / total).otherwise(0.0).alias(name)
