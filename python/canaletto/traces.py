"""Looking at traces."""

from collections import Counter
from os import PathLike, fspath
from typing import Any

from canaletto import _engine


def info(path: str | PathLike[str], trace_format: str | None = None) -> dict[str, Any]:
    """Counts, sizes, times and extent of a trace, read once from end to end in constant memory.

    Raises ConfigError for a trace that is not whole, naming file and line, OSError if it cannot be read.
    """
    from canaletto import frames

    batches = _engine.read_trace(fspath(path), trace_format)
    requests = writes = end = 0
    totals = {"read": 0, "write": 0}
    sizes: Counter[int] = Counter()
    devices: Counter[int] = Counter()
    first = last = None
    for columns in batches:
        batch = frames.raw(columns)
        requests += batch.height
        is_write = batch["write"] != 0
        writes += int(is_write.sum())
        totals["write"] += int(batch["bytes"].filter(is_write).sum())
        totals["read"] += int(batch["bytes"].filter(~is_write).sum())
        sizes.update(dict(batch["bytes"].value_counts().iter_rows()))
        devices.update(dict(batch["device"].value_counts().iter_rows()))
        end = max(end, int((batch["offset_bytes"] + batch["bytes"]).max()))  # type: ignore[arg-type]
        first = int(batch["arrival_ns"][0]) if first is None else first
        last = int(batch["arrival_ns"][-1])
    span_us = (last - first) / 1e3 if first is not None and last is not None else None
    return {
        "file": fspath(path),
        "format": batches.format,
        "requests": requests,
        "reads": requests - writes,
        "writes": writes,
        "read_share": (requests - writes) / requests if requests else None,
        "bytes_read": totals["read"],
        "bytes_written": totals["write"],
        "size_bytes": {
            "mean": sum(totals.values()) / requests if requests else None,
            "min": min(sizes, default=None),
            "p50": _median(sizes),
            "max": max(sizes, default=None),
        },
        "devices": len(devices),
        "end_bytes": end,
        "span_us": span_us,
        "mean_inter_arrival_us": span_us / (requests - 1) if span_us is not None and requests > 1 else None,
    }


def _median(counts: Counter[int]) -> int | None:
    """The lower median of counted values."""
    half = (counts.total() + 1) // 2
    for value in sorted(counts):
        half -= counts[value]
        if half <= 0:
            return value
    return None
