"""Numbers of a workload in the closed forms."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from canaletto import _engine
from canaletto._bounding.inputs import unit_bytes
from canaletto._engine import ConfigError
from canaletto._run.bound_drive import Work
from canaletto._run.config import Design, Workload
from canaletto._run.quantities import size_bytes, time_us

_SECTOR = 512.0

Keys = Mapping[str, Any]


def work_of(design: Design, workload: Workload, write_amplification: float) -> Work:
    """Raises ConfigError for requests of unknown sizes, such as a trace's."""
    keys, flows = design.to_dict(), workload.to_dict()["flow"]
    if any("synthetic" not in flow for flow in flows):
        raise ConfigError(
            f"{workload.label}: got requests of a trace, expected generated ones, or a size and a share of reads"
        )
    made = [flow["synthetic"] for flow in flows]
    count = np.array([float(each["requests"]) for each in made])
    shares = count / count.sum()
    others = shares * [each["trim_share"] + each["flush_share"] for each in made]
    reads = (shares - others) * [each["read_share"] for each in made]
    writes = (shares - others) * [1.0 - each["read_share"] for each in made]
    moved = float(sum(reads) + sum(writes))
    kinds = [(each, True, part) for each, part in zip(made, reads, strict=True)]
    kinds += [(each, False, part) for each, part in zip(made, writes, strict=True)]
    # Where nothing is read or written, the sizes are those of what is trimmed.
    sized = [
        (_Size(size, part * weight / moved if moved else weight / len(kinds), _step(each), _is_even(each)), is_read)
        for each, is_read, part in kinds
        for size, weight in _sizes(each, reads=is_read)
    ]
    all_sizes = [size for size, _ in sized]
    at_chips = _chip_shares(design, workload)
    parts = len(made) if workload.to_dict()["partitioned"] else 1
    work = Work(
        size=_mean_size(all_sizes),
        read_share=float(sum(reads)) / moved if moved else 0.0,
        other_share=float(sum(others)),
        write_amplification=write_amplification,
        pages=sum(each.share * pages_of(each, _page(keys)) for each in all_sizes),
        units=sum(each.share * pages_of(each, _unit(keys)) for each in all_sizes),
        parts=None if all(map(_is_even, made)) else max(_most_pages(each, _page(keys)) for each in all_sizes),
        zeroes=_mean(writes, [each["write_zeroes_share"] for each in made]),
        # Where more requests than others are, they are as close as if all were spread over less.
        spread_bytes=min(_spread(keys, each, parts) for each in made) / float(at_chips.max() * at_chips.size),
        written_bytes=_written(count, made, writes / shares),
        cached_writes=_mean(writes, [float(_caches_writes(keys, flow)) for flow in flows]),
        safe_writes=_mean(writes, [_safe_writes(keys, flow) for flow in flows]),
        queue_depth=float(sum(each.get("queue_depth", np.inf) for each in made)),
        think_us=_mean(shares, [time_us(each.get("think_time", "0us")) for each in made]),
    )
    trimmed = float(sum(each["requests"] * each["trim_share"] for each in made)) * float(work.size)
    written = [size for size, is_read in sized if not is_read and size.share > 0]
    work = with_units(keys, replace(work, trimmed_bytes=trimmed), written)
    is_hot = any("hot_spot" in each or "channel_skew" in each for each in made)
    pages = max(float(work.parts or work.pages), float(work.programmed_bytes or 0.0) / _page(keys)) if is_hot else 1.0
    work = replace(work, **_busiest(at_chips, pages))
    return in_queues(keys, with_cache(keys, work), len(made))


def work_of_size(design: Design, write_amplification: float) -> Work:
    keys = design.to_dict()
    return Work(
        size=0.0,
        write_amplification=write_amplification,
        spread_bytes=_capacity(keys),
        cached_writes=float(_caches_writes(keys, {})),
        queues=float(keys["host"]["queues_per_flow"]),
    )


def with_size(design: Design, work: Work, size: float) -> Work:
    keys = design.to_dict()
    each = _Size(size, 1.0, min(size, _page(keys)))
    pages, units = pages_of(each, _page(keys)), pages_of(each, _unit(keys))
    return with_units(keys, replace(work, size=size, pages=pages, units=units), [each])


class _Size(NamedTuple):
    bytes: float
    share: float
    step: float
    """Distance of places where requests may begin."""
    is_even: bool = True
    """All places are as likely. Otherwise all requests may begin at the best one."""

    def starts(self, period: float) -> Any:
        return np.arange(0, int(period), math.gcd(int(self.step), int(period)))

    def least(self, values: Any) -> float:
        """Mean over the places of the least that requests have."""
        return float(np.mean(values) if self.is_even else np.min(values))


def pages_of(size: _Size, page: float) -> float:
    return size.least(np.ceil((size.starts(page) + size.bytes) / page))


def _most_pages(size: _Size, page: float) -> float:
    return float(np.max(np.ceil((size.starts(page) + size.bytes) / page)))


def with_units(keys: Keys, work: Work, written: list[_Size]) -> Work:
    """Programs and first reads of writes of these sizes.

    A write programs the mapping units that it touches, and first reads what it leaves of them if all pages hold data.
    """
    if not written:
        return work
    is_full = float(work.trimmed_bytes) == 0 and _is_full(keys)
    total = sum(each.share for each in written)
    found = [np.array(_of_write(keys, each, is_full=is_full)) * each.share for each in written]
    programmed, reads, share = map(float, sum(found, np.zeros(3)) / total)
    # The size is the mean of reads, too: as much more is programmed as writes have.
    programmed += float(work.size) - _mean_size(written)
    crosses = is_full and keys["ftl"]["partial_writes"] == "merged"
    return replace(
        work,
        programmed_bytes=programmed,
        crossing_bytes=programmed if crosses else work.size,
        rest_reads=reads,
        rest_share=share,
    )


def _of_write(keys: Keys, write: _Size, *, is_full: bool) -> tuple[float, float, float]:
    """Means of bytes programmed, pages of which a rest is read, and whether any is."""
    page = _page(keys)
    # Of a larger unit, pages that hold nothing stay so.
    unit = unit_bytes(keys) if is_full else min(unit_bytes(keys), page)
    size, starts = write.bytes, write.starts(max(unit, page))
    first, end = np.floor(starts / unit) * unit, np.ceil((starts + size) / unit) * unit
    programmed = write.least(end - first)
    if not is_full:
        return programmed, 0.0, 0.0
    # Pages from the first unit to the last one, less those that are written in whole or by units.
    before = np.ceil(starts / page) - np.floor(first / page)
    after = np.ceil(end / page) - np.floor((starts + size) / page)
    before, after = np.where(starts > first, before, 0.0), np.where(starts + size < end, after, 0.0)
    # Both ends may lie in one page.
    within = (before > 0) & (after > 0) & (np.floor(starts / page) == np.ceil((starts + size) / page) - 1.0)
    reads = before + after - within
    return programmed, write.least(reads), write.least(reads > 0)


def _is_full(keys: Keys) -> bool:
    return bool(keys["ftl"]["unwritten_reads"] == "assume-page-written" or keys["precondition"]["kind"] != "none")


def with_cache(keys: Keys, work: Work) -> Work:
    """Shares of pages that the data cache, or trims, spare flash.

    The cache holds as many random pages as it has room for, and in the end what it has not yet given to flash.
    """
    is_empty = keys["ftl"]["unwritten_reads"] == "zeroes" and not _is_full(keys)
    room, modes = size_bytes(keys["cache"]["capacity"]), keys["cache"]["mode"]
    held = min(1.0, room / max(float(work.spread_bytes), room, 1.0))
    holds = "read" in modes or float(work.cached_writes) * float(work.writes) > 0
    left = room / max(float(work.written_bytes), 1.0)
    gone = float(work.trimmed_bytes) / max(float(work.spread_bytes), 1.0)
    return replace(
        work,
        found=1.0 if is_empty else min(1.0, gone + held * holds),
        absorbed=min(1.0, held + left) if work.cached_writes else 0.0,
    )


def in_queues(keys: Keys, work: Work, flows: int) -> Work:
    """Queue pairs, and commands in the drive.

    Entries make room in a queue when they are fetched. Only a queue of two limits, because its only entry waits for a
    completion.
    """
    host = keys["host"]
    if host["protocol"] == "sata":
        return replace(work, queues=1.0, commands=float(host["sata"]["slots"]))
    if host["protocol"] == "memory":
        return replace(work, queues=1.0, commands=float(host.get("command_limit", np.inf)))
    queues = flows * host["queues_per_flow"]
    each = 1 if host["queue_entries"] == 2 else host["fetch_limit"]
    return replace(work, queues=float(queues), commands=float(min(queues * each, host.get("command_limit", np.inf))))


def _page(keys: Keys) -> float:
    return size_bytes(keys["geometry"]["page"])


def _unit(keys: Keys) -> float:
    return min(unit_bytes(keys), _page(keys))


def _step(synthetic: Keys) -> float:
    alignment = size_bytes(synthetic["alignment"])
    if _is_even(synthetic):
        return alignment
    sizes = [size for reads in (True, False) for size, _ in _sizes(synthetic, reads=reads)]
    is_mixed = size_bytes(synthetic["size_deviation"]) > 0 or any(
        size % size_bytes(synthetic["size_unit"]) for size in sizes
    )
    return _SECTOR if is_mixed else float(math.gcd(int(alignment), *map(int, sizes)))


def _mean_size(sizes: list[_Size]) -> float:
    return sum(each.bytes * each.share for each in sizes) / sum(each.share for each in sizes)


def _mean(shares: Any, values: list[float]) -> float:
    """Mean over flows that have a share; 0 if none has."""
    total = float(sum(shares))
    return float(np.dot(shares, values)) / total if total > 0 else 0.0


def _capacity(keys: Keys) -> float:
    parts = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block")
    raw = math.prod(int(keys["geometry"][part]) for part in parts) * _page(keys)
    return float(raw * (1.0 - keys["ftl"]["overprovisioning"]))


def _spread(keys: Keys, synthetic: Keys, parts: int) -> float:
    """Bytes over which a flow's requests are spread evenly; 0 unless they are.

    Runs, popular places and recent ones put any number of requests next to each other.
    """
    if not _is_even(synthetic):
        return 0.0
    there = _capacity(keys) / parts
    if "working_set_size" in synthetic:
        return min(there, size_bytes(synthetic["working_set_size"]))
    return there * float(synthetic["working_set"])


def _is_even(synthetic: Keys) -> bool:
    runs = synthetic.get("sequential_share", 0.0) + synthetic.get("recent_share", 0.0)
    return bool(synthetic["addresses"] == "uniform" and runs == 0)


def _written(count: Any, made: list[Any], write_shares: Any) -> float:
    """Bytes that flows write; 0 if a time ends one of them."""
    if any("stop" in each for each in made):
        return 0.0
    means = [sum(size * weight for size, weight in _sizes(each, reads=False)) for each in made]
    return float(np.dot(count * write_shares, means))


def _caches_writes(keys: Keys, flow: Keys) -> bool:
    cache = keys["cache"]
    return size_bytes(cache["capacity"]) > 0 and "write" in flow.get("cache", cache["mode"])


def _safe_writes(keys: Keys, flow: Keys) -> float:
    """Share of a flow's cached writes that must be safe when complete."""
    is_lost = _caches_writes(keys, flow) and not keys["cache"]["power_loss_protection"]
    return float(flow["synthetic"]["fua_share"]) if is_lost else 0.0


def _sizes(synthetic: Keys, *, reads: bool) -> list[tuple[float, float]]:
    mix = synthetic.get("sizes") or []
    if not reads and synthetic.get("write_sizes"):
        mix = synthetic["write_sizes"]
    if not mix:
        return [(size_bytes(synthetic["size"]), 1.0)]
    total = sum(each["share"] for each in mix)
    return [(size_bytes(each["size"]), each["share"] / total) for each in mix]


def _busiest(at_chips: Any, pages: float) -> dict[str, float]:
    """Shares of the busiest row and chip, and columns in use.

    Only the first page of a request lies on a hot part; the others are elsewhere.
    """
    row, chip = at_chips.sum(axis=1).max(), at_chips.max()
    if pages > 1.0:
        rows = at_chips.shape[0]
        return {"busiest_row": max(row / pages, 1.0 / rows), "busiest_chip": max(chip / pages, 1.0 / at_chips.size)}
    return {
        "busiest_row": float(row),
        "busiest_chip": float(chip),
        "columns": float((at_chips.sum(axis=0) > 0.0).sum()),
    }


def _chip_shares(design: Design, workload: Workload) -> Any:
    """Rows and columns."""
    geometry = design.to_dict()["geometry"]
    shares = _engine.chip_shares(design.to_toml(), workload.to_toml())
    return np.array(shares).reshape(geometry["channels"], geometry["chips_per_channel"])
