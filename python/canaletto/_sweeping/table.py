"""One row per point."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import polars as pl

from canaletto._run.confidence import lookup
from canaletto._sweeping.store import Found

Row: TypeAlias = dict[str, Any]

_KINDS = {"": "all", "read_": "read", "write_": "write"}
_LATENCIES = ("mean", "p50", "p90", "p99", "p99_9", "p99_99", "max")

RESULTS: dict[str, tuple[str, type[pl.DataType]]] = {
    "completed_requests": ("requests.completed", pl.Int64),
    "reads": ("requests.reads", pl.Int64),
    "writes": ("requests.writes", pl.Int64),
    "failed_requests": ("requests.failed", pl.Int64),
    "bytes": ("requests.bytes", pl.Int64),
    "execution_time_us": ("execution_time_us", pl.Float64),
    "iops": ("iops", pl.Float64),
    "bandwidth_mb_s": ("bandwidth_mb_s", pl.Float64),
    **{
        f"{prefix}latency_{name}_us": (f"latency_us.{kind}.{name}", pl.Float64)
        for prefix, kind in _KINDS.items()
        for name in _LATENCIES
    },
    "offered_iops": ("load.offered_iops", pl.Float64),
    "saturated": ("load.saturated", pl.Boolean),
    "bottleneck": ("load.bottleneck.part", pl.String),
    "bottleneck_use": ("load.bottleneck.use", pl.Float64),
    "path_conflict_free_request_share": ("path_conflicts.free_request_share", pl.Float64),
    "path_conflict_lost_us": ("path_conflicts.lost_us", pl.Float64),
    "flash_reads": ("flash.reads", pl.Int64),
    "flash_programs": ("flash.programs", pl.Int64),
    "flash_erases": ("flash.erases", pl.Int64),
    "write_amplification": ("flash.write_amplification", pl.Float64),
    "gc_pages_copied": ("flash.gc.pages_copied", pl.Int64),
    "lifetime_bytes": ("flash.wear.lifetime_bytes", pl.Float64),
    **{f"energy_{part}_mj": (f"energy_mj.{part}", pl.Float64) for part in ("array", "fabric", "static", "total")},
    "average_power_mw": ("average_power_mw", pl.Float64),
    "link_area_vs_channels": ("area.link_area_vs_channels", pl.Float64),
    "router_board_share": ("area.router_board_share", pl.Float64),
    "fairness": ("fairness", pl.Float64),
}
MACHINE = {
    "machine_wall_s": ("wall_s", pl.Float64),
    "machine_cpu_s": ("cpu_s", pl.Float64),
    "machine_peak_rss_mb": ("peak_rss_mb", pl.Float64),
    "machine_requests_per_cpu_s": ("requests_per_cpu_s", pl.Float64),
}
"""All other columns are the same wherever a point is computed."""

ACCOUNTS = {"blame": "blame_us", "root": "root_cause_us"}
_BATCH = 5_000
"""Rows made at a time: frames are smaller than what they are made of."""


def frame(plan: pl.DataFrame, get: Callable[[str], Found | None]) -> pl.DataFrame:
    """Points with records, in the order of the plan.

    get: the record of a key, if any. Columns of causes are those that occur.
    """
    values = plan.drop(*PLAN_ONLY)
    frames = [_part(values[start : start + _BATCH], get) for start in range(0, plan.height, _BATCH)]
    table = pl.concat(frames, how="diagonal")
    causes = sorted(name for name in table.columns if name.startswith(tuple(f"{prefix}_" for prefix in ACCOUNTS)))
    table = table.with_columns(pl.col(causes).fill_null(0.0).name.keep()) if causes else table
    # Points that stopped have no latency to blame anything for.
    stopped = pl.col("error").is_not_null()
    table = table.with_columns(pl.when(stopped).then(None).otherwise(pl.col(name)).alias(name) for name in causes)
    return table.select(*values.columns, "error", *RESULTS, *causes, *MACHINE)


PLAN_ONLY = ("design_toml", "workload_toml", "traces")


def _part(values: pl.DataFrame, get: Callable[[str], Found | None]) -> pl.DataFrame:
    rows = [get(key) for key in values["key"]]
    known = values.filter(pl.Series([row is not None for row in rows], dtype=pl.Boolean))
    found = [row for row in rows if row is not None]
    columns = [pl.Series("error", [result.get("error") for result, _ in found], pl.String)]
    columns += [
        pl.Series(name, [_value(result, path, kind) for result, _ in found], kind)
        for name, (path, kind) in RESULTS.items()
    ]
    columns += _causes([result for result, _ in found])
    columns += [pl.Series(name, [cost.get(path) for _, cost in found], kind) for name, (path, kind) in MACHINE.items()]
    return known.with_columns(columns)


def _value(result: Row, path: str, kind: type[pl.DataType]) -> Any:
    found = lookup(result, path)
    return float(found) if kind is pl.Float64 and found is not None else found


def _causes(results: Sequence[Row]) -> list[pl.Series]:
    columns = []
    for prefix, account in ACCOUNTS.items():
        found = [lookup(result, f"{account}.all") or {} for result in results]
        names = sorted({name for causes in found for name, value in causes.items() if value})
        columns += [pl.Series(f"{prefix}_{name}_us", [each.get(name) for each in found], pl.Float64) for name in names]
    return columns
