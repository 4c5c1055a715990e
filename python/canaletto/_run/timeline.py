"""Timelines: the run is repeated, and some windows of simulated time are recorded."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._io import frames
from canaletto._io.progress import Bar
from canaletto._io.units import listing
from canaletto._run.config import Design, Workload, check_whole
from canaletto._run.own import of_record
from canaletto._run.ran import Ran
from canaletto._run.shown import Shown

if TYPE_CHECKING:
    from canaletto._run.own import Parts

Window: TypeAlias = tuple[int, int]
"""First and last simulated picosecond."""

LIMIT = 250_000
"""Some 30 MB as a file."""

DEFAULT_WINDOW_PS = 200_000_000
PAGE_WINDOW_PS = 100_000_000
"""100 us, or what its request takes, but not twice as much."""

PAGE_LIMIT = 50_000
"""More than a page has room for."""

LATEST_PS = 2**63 - 1
"""No window ends later: 107 days."""

# That many requests at the start are looked at for a window worth showing: the run is repeated up to it.
_LOOKED_AT = 20_000

_NOBODY, _NOT_YET = 2**32 - 1, 2**64 - 1

_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": 10**12}
_TIME = re.compile(r"([0-9_]+(?:\.[0-9_]*)?|\.[0-9_]+) ?([a-zµ]*)", re.ASCII)
_WINDOW_FORM = "FROM:TO, each a time with its unit, one of ps, ns, us, ms, s (for example 1.5ms:1.7ms)"

REQUESTS = ("number", "flow", "op", "lba", "sectors", "first_byte", "bytes", "stream", "arrival_ps", "complete_ps")
"""Columns of `Timeline.requests`."""


@dataclass(frozen=True, repr=False)
class Timeline(Shown):
    """Timeline of some windows of a run. Times are simulated picoseconds.

    Attributes
    ----------
    header : dict
        `kinds`, `works` and `causes` that there are; `parts`: name, kind and place of each; `truncated`: whether there
        was more than the timeline may hold, and then `until_ps`: up to when it is complete.
    spans : polars.DataFrame
        A part (its number in `parts`) was used: kind, part, start_ps, end_ps, request (null: work of the drive's own),
        page (number of the page transaction), work (`host`; `cache`: a page goes from the data cache to flash; `gc`:
        blocks are collected, for whatever reason; `mapping`: the mapping table's pages on flash; `parity`: a stripe's
        parity is programmed, or a page rebuilt from it).
    steps : polars.DataFrame
        The time of each page of a request, or (page null) of the request itself: request (null: work of the drive's
        own), page, cause, start_ps, end_ps, part (the chip concerned, or null). A request's own steps and those of its
        last-finishing page follow one another without gaps from its arrival to its completion.
    requests : polars.DataFrame
        Requests under way in a window: number (in order of generation), flow, op, lba, sectors, first_byte, bytes,
        stream (of a write: its reclaim unit handle), arrival_ps, complete_ps (null: not yet).
    windows : tuple
        First and last moment of each window.
    title : str
        Name that viewers show.
    """

    header: dict[str, Any]
    spans: pl.DataFrame
    steps: pl.DataFrame
    requests: pl.DataFrame
    windows: tuple[Window, ...] = ()
    title: str = "canaletto"

    @property
    def parts(self) -> list[dict[str, Any]]:
        """Name, kind, row and column of every part; die and plane of planes; both ends of wires."""
        found: list[dict[str, Any]] = self.header["parts"]
        return found

    @property
    def truncated(self) -> bool:
        """Whether there was more than it may hold."""
        return bool(self.header["truncated"])

    @property
    def until_ps(self) -> int:
        """Up to when it is complete."""
        return int(self.header["until_ps"])

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Writes it as a trace for https://ui.perfetto.dev, where times are whole nanoseconds.

        The file is written completely or not at all.

        Parameters
        ----------
        path
            The new file.
        force
            Whether to replace a file.

        Raises
        ------
        ConfigError
            If the file exists, unless `force` is given.
        OSError
            If it cannot be written.
        """
        from canaletto._run import perfetto

        perfetto.save(self, path, force=force)

    @cached_property
    def critical_path(self) -> pl.DataFrame:
        """The steps that explain each latency: the request's own and its last-finishing page's, in order of time.

        Columns of `steps`, and `last_page` (null for a request that has no page yet). Steps that take no time are left
        out.
        """
        # Of pages that finish at the same time, the one charged last was the one that finished the request.
        charged = self.steps.with_row_index("row").filter(pl.col("page").is_not_null()).sort("end_ps", "row")
        last = charged.group_by("request").agg(last_page=pl.col("page").last())
        own = pl.col("page").is_null() | (pl.col("page") == pl.col("last_page"))
        path = self.steps.join(last, on="request", how="left").filter(own & (pl.col("end_ps") > pl.col("start_ps")))
        return path.sort("request", "start_ps", maintain_order=True)


def record(
    design: Design,
    workload: Workload,
    *,
    seed: int = 1,
    warmup: int = 0,
    windows: Iterable[Window],
    limit: int = LIMIT,
    progress: bool | Callable[[int, int, int], object] | None = None,
    parts: "Parts | None" = None,
) -> Timeline:
    """Runs until the last window is over.

    windows: in any order. limit: most spans and steps. parts: user-defined classes.

    Raises what `canaletto.run` raises.
    """
    chosen = merged(windows)
    check_whole("seed", seed, 0, 2**64 - 1)
    check_whole("warmup", warmup, 0, 2**64 - 1)
    check_whole("limit", limit, 1, 2**32 - 1)
    options = {"seed": seed, "warmup": warmup, "windows": chosen, "limit": limit}
    with Bar.when_wanted() if progress is None or progress is True else nullcontext() as bar:
        report = progress if callable(progress) else None
        if bar is not None:
            report = bar.task(listing([design.name, workload.name, "timeline"]))
        found = _engine.timeline(design.to_toml(), workload.to_toml(), json.dumps(options), report, parts)
    flows = [flow["name"] for flow in workload.to_dict()["flow"]]
    fabric = (parts.fabric_name if parts is not None else None) or design.fabric
    title = f"{design.name} · {workload.name} · {fabric} · seed {seed}"
    return from_columns(*found, flows=flows, windows=chosen, title=title)


def of_result(
    result: Ran,
    window: Window | None,
    limit: int = LIMIT,
    progress: bool | Callable[[int, int, int], object] | None = None,
) -> Timeline:
    design, workload = result.configuration
    parts = result.parts or of_record(result.options, f"{design.name}, {workload.name}", "recorded")
    options = {key: result.options[key] for key in ("seed", "warmup")}
    windows = [window or default_window(result)]
    return record(design, workload, **options, windows=windows, limit=limit, progress=progress, parts=parts)


def from_columns(
    header: str,
    spans: frames.Columns,
    steps: frames.Columns,
    requests: frames.Columns,
    *,
    flows: Sequence[str],
    windows: Iterable[Window],
    title: str,
) -> Timeline:
    """From the engine's columns."""
    about = json.loads(header)
    return Timeline(
        header=about,
        spans=frames.raw(spans).with_columns(
            _words("kind", about["kinds"]),
            _words("work", about["works"]),
            _unless("request", _NOBODY),
            _unless("page", _NOBODY),
        ),
        steps=frames.raw(steps).with_columns(
            _words("cause", about["causes"]),
            *(_unless(column, _NOBODY) for column in ("request", "page", "part")),
        ),
        requests=frames.with_bytes(frames.raw(requests))
        .with_columns(_words("flow", flows), _words("kind", frames.KINDS), _unless("complete_ps", _NOT_YET))
        .rename({"kind": "op"})
        .select(REQUESTS),
        windows=tuple(windows),
        title=title,
    )


def merged(windows: Iterable[Window]) -> list[Window]:
    """In order; windows that touch are one."""
    found: list[Window] = []
    for start, end in sorted(windows):
        check_whole("window", start, 0, LATEST_PS)
        check_whole("window", end, 0, LATEST_PS)
        if start >= end:
            raise ConfigError(f"window: got {start} ps to {end} ps, expected one that ends after it starts")
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    if not found:
        raise ConfigError("windows: got none, expected at least one")
    return found


def parse_window(text: str) -> Window:
    """`1.5ms:1.7ms` in picoseconds."""
    ends = text.split(":")
    if len(ends) != 2:
        raise ConfigError(f"--window {text}: expected {_WINDOW_FORM}")
    start, end = (time_ps(end.strip(), f"--window {text}", _WINDOW_FORM) for end in ends)
    if start >= end:
        raise ConfigError(f"--window {text}: ends before it has started, expected {_WINDOW_FORM}")
    return start, end


def window_text(start: int, end: int) -> str:
    first = -(-start // _PS["ns"])
    return f"{_moment(first)}:{_moment(max(end // _PS['ns'], first + 1))}"


def _moment(nanoseconds: int) -> str:
    unit, size = ("ms", 6) if nanoseconds >= 10**6 else ("us", 3)
    whole, rest = divmod(nanoseconds, 10**size)
    return f"{whole}.{rest:0{size}}".rstrip("0").rstrip(".") + unit


def window_us(from_us: float | None, to_us: float | None) -> Window | None:
    """200 us long if only one end is given, None if neither is."""
    if from_us is None and to_us is None:
        return None
    length = DEFAULT_WINDOW_PS / 1e6
    start = max(0.0, to_us - length) if from_us is None and to_us is not None else from_us
    end = start + length if to_us is None and start is not None else to_us
    if start is None or end is None or not 0 <= start < end <= LATEST_PS / 1e6:
        raise ConfigError(f"from_us, to_us: got {from_us!r}, {to_us!r}, expected 0 <= from_us < to_us")
    window = round(start * 1e6), min(round(end * 1e6), LATEST_PS)
    return window if window[0] < window[1] else (window[0], window[0] + 1)


def default_window(result: Ran) -> Window:
    """200 us around the slowest request; the first 200 us if requests were not kept."""
    if not result.has_requests:
        return 0, DEFAULT_WINDOW_PS
    slowest = result.scan_requests().filter(pl.col("latency_us") == pl.col("latency_us").max()).head(1).collect()
    if not slowest.height:
        return 0, DEFAULT_WINDOW_PS
    return around(slowest["arrival_us"].item(), slowest["completed_us"].item())


def telling(result: Ran) -> tuple[Window, int | None]:
    """An early window around the request that lost most to path conflicts, or else the slowest, and its number."""
    if not result.has_requests or "request" not in result.scan_requests().collect_schema().names():
        return (0, PAGE_WINDOW_PS), None
    early = result.scan_requests().bottom_k(_LOOKED_AT, by="request").collect()
    if not early.height:
        return (0, PAGE_WINDOW_PS), None
    worst = [column for column in ("path_conflict_us", "latency_us") if column in early.columns]
    found = early.sort([*worst, "request"], descending=[*(True for _ in worst), False]).row(0, named=True)
    start, end = int(found["arrival_us"] * 1e6), int(found["completed_us"] * 1e6) + 1
    margin = PAGE_WINDOW_PS // 10
    length = min(max(end - start + 2 * margin, PAGE_WINDOW_PS), 2 * PAGE_WINDOW_PS)
    start = max(0, start - margin)
    return (start, start + length), int(found["request"])


def around(arrival_us: float, completed_us: float, least_ps: int = DEFAULT_WINDOW_PS) -> Window:
    start, end = int(arrival_us * 1e6), int(completed_us * 1e6) + 1
    margin = max((end - start) // 10, (least_ps - (end - start)) // 2)
    return max(0, start - margin), end + margin


def time_ps(text: str, label: str, form: str) -> int:
    found = _TIME.fullmatch(text)
    if found is None or not any(c.isdigit() for c in found[1]):
        raise ConfigError(f"{label}: got {text!r}, expected {form}")
    number, unit = found.groups()
    if unit not in _PS:
        what = f"the unit {unit!r}" if unit else f"{number} without a unit"
        raise ConfigError(f"{label}: got {what}, expected {form}")
    time = Decimal(number.replace("_", "")) * _PS[unit]
    if time > LATEST_PS:
        raise ConfigError(f"{label}: got {text}, expected at most {LATEST_PS // 10**12:,} s")
    return int(time)


def _words(column: str, names: Sequence[str]) -> pl.Expr:
    known = list(dict.fromkeys(names))
    return pl.lit(pl.Series(names, dtype=pl.String)).gather(pl.col(column)).cast(pl.Enum(known)).alias(column)


def _unless(column: str, nothing: int) -> pl.Expr:
    return pl.when(pl.col(column) != nothing).then(pl.col(column))
