"""Background activity of a drive in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from canaletto._io.units import ABSENT, count, digits, listing, number_of, scaled, share, time_us, words

if TYPE_CHECKING:
    from canaletto._run.results import Result

Data: TypeAlias = Mapping[str, Any]

COLLECTION = {
    "free_blocks": "waiting for free blocks",
    "chip_busy_gc_read": "reads",
    "chip_busy_gc_program": "programs",
    "chip_busy_erase": "erases",
}

REASONS = {
    "space": "a plane was short of free blocks",
    "epoch": "a device-wide epoch collected in every plane",
    "urgent": "a plane was at the hard threshold while an epoch collected elsewhere",
    "wear": "wear levelling moved data out of a little-worn block",
    "retired": "a block was retired",
    "read_disturb": "its pages had been read too often",
    "refresh": "its data were too old",
    "fold": "it belonged to the pseudo-SLC cache",
}

MEDIUM = ("padding", "suspensions", "copybacks", "read_retries", "uncorrectable", "program_failures", "erase_failures")

_COUNTED = {
    "padding": ("unit of padding", "units of padding"),
    "suspensions": ("suspension", "suspensions"),
    "copybacks": ("copyback", "copybacks"),
    "read_retries": ("read retry", "read retries"),
    "uncorrectable": ("uncorrectable page", "uncorrectable pages"),
    "program_failures": ("failed program", "failed programs"),
    "erase_failures": ("failed erase", "failed erases"),
    "bad_blocks": ("bad block", "bad blocks"),
}

_LABELS = {
    "collections": "victims",
    "pages_copied_to_other_planes": "pages copied to other planes",
    "pages_copied_chip_to_chip": "pages copied from chip to chip",
    "valid_share_of_victims": "valid pages of a victim, mean",
    "job_mean_us": "time from choice to erase, mean",
    "job_max_us": "time from choice to erase, longest",
    "epoch_mean_us": "length of an epoch, mean",
    "epoch_max_us": "length of an epoch, longest",
    "erases_min": "erases of a block, least",
    "erases_mean": "erases of a block, mean",
    "erases_max": "erases of a block, most",
    "lifetime_bytes": "host writes until blocks reach their endurance",
    "free_in_plane": "free blocks of a plane, least and most",
    "valid_pages": "valid pages",
    "capacity_pages": "capacity (pages)",
    "dirty_pages": "dirty pages at the end",
    "dirty_pages_max": "dirty pages, most",
    "reads.hits": "pages read: all in the cache",
    "reads.partial": "pages read: partly in the cache",
    "reads.misses": "pages read: not in the cache",
    "writes.merged": "pages written: in the cache already",
    "writes.inserted": "pages written: inserted",
    "writes.waited": "requests that waited for room",
    "lost": "pages lost: no room on flash",
    "evicted_clean": "clean pages evicted",
    "evicted_dirty": "dirty pages evicted",
    "trimmed": "pages removed by trims",
    "filled": "pages kept after reads from flash",
    "destaged": "pages written to flash",
    "entries": "capacity (entries)",
    "hits": "look-ups that hit",
    "misses": "look-ups that waited for a translation page",
    "shared_misses": "of these, with the page being read already",
    "prefetched": "entries loaded with the missing ones",
    "evictions": "entries evicted",
    "dirty_evictions": "of these, changed ones",
    "uncached_updates": "updates of entries that were not cached",
    "stalls": "look-ups that found no room",
    "translation_reads": "translation pages read for missing entries",
    "merge_reads": "translation pages read for merges",
    "translation_writes": "translation pages programmed",
    "translation_writes_in_flight_max": "translation pages in flight to flash, most",
    "free_blocks.min": "free blocks of a plane, least",
    "free_blocks.mean": "free blocks of a plane, mean",
    "free_blocks.max": "free blocks of a plane, most",
    "static_pages": "static part (pages)",
    "dynamic_pages": "dynamic part at its largest (pages)",
    "host_pages": "pages of the host programmed in it",
    "blocks_folded": "blocks folded",
    "pages_folded": "pages folded to native blocks",
    "reads": "flash pages read from it",
    "programs": "flash pages programmed in it",
    "erases": "blocks erased in this mode",
    "energy_mj": "energy of these (mJ)",
    "blocks_used": "blocks in use at the end",
    "uncorrectable": "uncorrectable pages",
    "padding": "mapping units left empty in programmed pages",
    "suspensions": "programs and erases suspended",
    "copybacks": "pages copied by copyback",
    "read_retries": "read retries",
    "program_failures": "failed programs",
    "erase_failures": "failed erases",
}


def collections(run: Data) -> int:
    found: int = (_flash(run).get("gc") or {}).get("collections") or 0
    return found


def delay_shares(run: Data, kind: str) -> dict[str, float]:
    table = run["blame_us"].get(kind) or {}
    total = sum(value or 0 for value in table.values())
    return {cause: table[cause] / total for cause in COLLECTION if table.get(cause)}


def under_way(run: Data) -> float | None:
    mean, length = (_flash(run).get("gc") or {}).get("job_mean_us"), run.get("last_completion_us")
    return collections(run) * mean / length if mean and length else None


def told(run: Data) -> str:
    gc = _flash(run)["gc"]
    text = f"Garbage collection chose {number_of(gc['collections'], 'block')}{_why(run)}.{_when(run)}"
    if gc.get("job_mean_us") is not None:
        text += f" A block took {time_us(gc['job_mean_us'])} from choice to erase, {time_us(gc['job_max_us'])} at most"
        running = under_way(run)
        text += f"; on average {digits(running)} were under way at a time." if running else "."
    if gc.get("epoch_mean_us") is not None:
        text += f" {number_of(gc['epochs'], 'epoch')} took {time_us(gc['epoch_mean_us'])} on average."
    text += f" {number_of(gc.get('pages_copied'), 'page was', 'pages were')} copied"
    if gc.get("valid_share_of_victims") is not None:
        text += f" ({share(gc['valid_share_of_victims'])} of a victim's pages were valid)"
    amplification = _flash(run).get("write_amplification")
    text += f": write amplification {amplification:.2f}." if amplification is not None else "."
    return f"{text} {delays([run])}"


def _why(run: Data) -> str:
    reasons = [(count(n), REASONS.get(name, words(name))) for name, n in _reasons(run)]
    if len(reasons) == 1:
        return f" because {reasons[0][1]}"
    return f": {_listed([f'{n} because {why}' for n, why in reasons])}" if reasons else ""


def _when(run: Data) -> str:
    series = _flash(run).get("series")
    if not series:
        return ""
    busy = [bool(copied or erases) for copied, erases in zip(series["pages_copied"], series["erases"], strict=True)]
    if True not in busy:
        return ""
    first, width = busy.index(True), series["interval_us"]
    part = share(sum(busy) / len(busy[first:]))
    return (
        f" It began after {time_us(first * width)}; from then on it worked in {part} of all spans of {time_us(width)}."
    )


def delays(runs: Sequence[Data]) -> str:
    if len(runs) == 1:
        (run,) = runs
        parts = []
        for kind, whose in (("all", "the mean request's time"), ("p99", "that of the slowest 1 %")):
            found = delay_shares(run, kind)
            split = [f"{share(part)} {COLLECTION[cause]}" for cause, part in found.items()]
            parts.append(f"{share(sum(found.values()))} of {whose}" + (f" ({_listed(split)})" if split else ""))
        return f"It takes {_listed(parts)}."
    sums = [[sum(delay_shares(run, kind).values()) for run in runs] for kind in ("all", "p99")]
    each = [f"{share(mean)} on {run['fabric']} ({share(slow)})" for run, mean, slow in zip(runs, *sums, strict=True)]
    return f"Garbage collection takes this share of the mean request's time (of the slowest 1 %): {_listed(each)}."


def delayed(result: "Result") -> list[list[str]]:
    """Rows: kind, delayed requests, their share, mean and longest delay."""
    if not result.has_requests:
        return []
    columns = result.scan_requests().collect_schema().names()
    causes = [f"{cause}_us" for cause in COLLECTION if f"{cause}_us" in columns]
    if not causes:
        return []
    import polars as pl

    delay = pl.sum_horizontal(causes)
    frame = result.scan_requests().select(pl.col("op").cast(pl.String), delay=delay)
    found = frame.group_by("op").agg(
        requests=pl.len(),
        delayed=(pl.col("delay") > 0).sum(),
        mean=pl.col("delay").filter(pl.col("delay") > 0).mean(),
        most=pl.col("delay").max(),
    )
    known = {row["op"]: row for row in found.collect().iter_rows(named=True)}
    return [
        [
            kind,
            count(row["delayed"]),
            share(row["delayed"] / row["requests"]),
            time_us(row["mean"]),
            time_us(row["most"]),
        ]
        for kind in ("read", "write", "trim", "flush")
        if (row := known.get(kind))
    ]


def reasons(runs: Sequence[Data]) -> list[list[str]]:
    tables = [dict(_reasons(run)) for run in runs]
    names = [name for name in REASONS if any(name in table for table in tables)]
    names += sorted({name for table in tables for name in table} - set(REASONS))
    return [[REASONS.get(name, words(name)), *(count(table.get(name, 0)) for table in tables)] for name in names]


def amplification_over_time(series: Data) -> tuple[float, list[float | None]]:
    width, (host, copied) = _coarse(series, "host_pages", "pages_copied")
    return width, [(h + c) / h if h else None for h, c in zip(host, copied, strict=True)]


def erases_over_time(series: Data) -> tuple[float, list[float]]:
    width, (erases,) = _coarse(series, "erases")
    # What is left of the run for the last interval may be less than an interval.
    rest = len(series["erases"]) * series["interval_us"] - width * (len(erases) - 1)
    lengths = [*([width] * (len(erases) - 1)), rest]
    return width, [1000 * each / length for each, length in zip(erases, lengths, strict=True)]


def cached_over_time(run: Data) -> tuple[float, list[float | None]] | None:
    flash = _flash(run)
    cache, series = flash.get("pslc"), flash.get("series")
    if not cache or not series:
        return None
    width, (cached, pages) = _coarse(series | {"cached": cache["series"]["host_pages"]}, "cached", "host_pages")
    return width, [part / whole if whole else None for part, whole in zip(cached, pages, strict=True)]


def figures(runs: Sequence[Data], *path: str, only: Sequence[str] | None = None) -> list[list[str]]:
    """A row per figure, a column per run, without zeros.

    path: to the part. only: the figures wanted.
    """
    tables = []
    for run in runs:
        found: Any = run
        for name in path:
            found = (found or {}).get(name)
        tables.append(dict(_flat(found or {})))
    names = list(only or dict.fromkeys(name for table in tables for name in table))
    rows = []
    for name in names:
        values = [table.get(name) for table in tables]
        if any(any(value) if isinstance(value, list) else value or value is False for value in values):
            rows.append([_LABELS.get(name, words(name.replace(".", ", "))), *(_value(name, value) for value in values)])
    return rows


def hit_share(found: Data) -> float | None:
    """Among reads of the cache, or look-ups of the mapping table."""
    counts: Data = found.get("reads") or found
    hits, others = counts.get("hits"), [counts.get(name) or 0 for name in ("partial", "misses")]
    return hits / (hits + sum(others)) if hits is not None and hits + sum(others) else None


def hit_row(runs: Sequence[Data], part: str) -> list[str]:
    found = [run.get(part) for run in runs]
    return ["share of hits", *(share(hit_share(each)) if each else ABSENT for each in found)]


def facts(data: Data) -> Iterator[tuple[str, str]]:
    flash = _flash(data)
    if collections(data):
        gc = flash["gc"]
        causes = ", ".join(f"{count(n)} {words(name)}" for name, n in _reasons(data))
        parts = [number_of(gc["collections"], "collection") + (f" ({causes})" if causes else "")]
        parts.append(f"{number_of(gc['pages_copied'], 'page')} copied")
        if gc.get("valid_share_of_victims") is not None:
            parts.append(f"victims {share(gc['valid_share_of_victims'])} valid")
        shares = [share(sum(delay_shares(data, kind).values())) for kind in ("all", "p99")]
        yield "gc", listing([*parts, f"{shares[0]} of the mean latency, {shares[1]} of the slowest 1 %'s"])
    wear = flash.get("wear") or {}
    if wear.get("erases_max"):
        parts = [
            f"{count(wear['erases_min'])} to {count(wear['erases_max'])} erases per block, "
            f"{digits(wear['erases_mean'])} on average"
        ]
        if wear.get("lifetime_bytes") is not None:
            parts.append(f"lasts for {scaled(wear['lifetime_bytes'], 'B')} of host writes")
        yield "wear", listing(parts)
    medium = {name: flash.get(name) for name in MEDIUM} | {"bad_blocks": wear.get("bad_blocks")}
    if any(medium.values()):
        yield "medium", listing([number_of(n, *_COUNTED[name]) for name, n in medium.items() if n])
    cache = flash.get("pslc")
    if cache and any(cache[name] for name in ("host_pages", "pages_folded", "erases")):
        cached = share(cache["host_pages"] / flash["host_pages"]) if flash.get("host_pages") else ABSENT
        parts = [f"{cached} of the host's pages written to it", f"{number_of(cache['pages_folded'], 'page')} folded"]
        parts.append(f"{number_of(cache['erases'], 'erase')}")
        yield "pseudo-SLC", listing(parts)
    parity = flash.get("parity")
    if parity:
        parts = [f"{number_of(parity['pages_programmed'], 'page')} programmed"]
        if parity["pages_rebuilt"]:
            parts.append(f"{count(parity['pages_rebuilt'])} rebuilt by {number_of(parity['rebuild_reads'], 'read')}")
        if parity["pages_left_to_rebuild"]:
            parts.append(f"{count(parity['pages_left_to_rebuild'])} left to rebuild")
        yield "parity", listing([*parts, f"buffers of at most {scaled(parity['peak_buffer_bytes'], 'B')}"])
    yield from _caches(data)


def _caches(data: Data) -> Iterator[tuple[str, str]]:
    cache, mapping = data.get("cache"), data.get("mapping")
    if cache:
        writes = cache.get("writes") or {}
        counts = {
            ("write merged", "writes merged"): writes.get("merged"),
            ("request waited for room", "requests waited for room"): writes.get("waited"),
            ("page destaged", "pages destaged"): cache.get("destaged"),
        }
        yield "cache", _hits(cache, "of page reads hit", counts)
    if mapping:
        counts = {
            ("translation page read", "translation pages read"): sum(
                mapping.get(name) or 0 for name in ("translation_reads", "merge_reads")
            ),
            ("written", "written"): mapping.get("translation_writes"),
        }
        yield "mapping", _hits(mapping, "of look-ups hit", counts)


def _hits(found: Data, what: str, counts: Mapping[tuple[str, str], int | None]) -> str:
    hits = hit_share(found)
    parts = [number_of(n, *names) for names, n in counts.items() if n]
    return listing([f"{share(hits)} {what}" if hits is not None else "", *parts]) or "not touched"


def _flash(run: Data) -> Data:
    return run.get("flash") or {}


def _reasons(run: Data) -> list[tuple[str, int]]:
    found = (_flash(run).get("gc") or {}).get("reasons") or {}
    return sorted(((name, n) for name, n in found.items() if n), key=lambda reason: -reason[1])


_POINTS = 128


def _coarse(series: Data, *names: str) -> tuple[float, list[list[float]]]:
    """Neighbours are summed up until they fit a line."""
    length = max(len(series[name]) for name in names)
    step = max(-(-length // _POINTS), 1)
    sums = [[sum(series[name][at : at + step]) for at in range(0, length, step)] for name in names]
    return series["interval_us"] * step, sums


def _flat(found: Data, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in found.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _value(name: str, value: Any) -> str:
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " to ".join(_value(name, each) for each in value) if name == "free_in_plane" else _values(name, value)
    if isinstance(value, str):
        return words(value)
    if name.endswith("_us"):
        return time_us(value)
    if name.endswith("_bytes"):
        return scaled(value, "B")
    if "share" in name.split("_") or name.endswith("occupancy"):
        return share(value)
    return digits(value) if isinstance(value, float) and not value.is_integer() else count(value)


def _values(name: str, values: Sequence[Any]) -> str:
    return ", ".join(dict.fromkeys(_value(name, each) for each in values))


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
