"""Latency of single requests: their waits, and the holders of what they waited for.

Steps of a request and of its last page cover its latency without gaps.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from canaletto._engine import ConfigError, SimulationError
from canaletto._io.files import sound_parquet
from canaletto._run import folder, simulate
from canaletto._run.config import check_whole
from canaletto._run.own import of_record
from canaletto._run.quantities import size_bytes
from canaletto._run.shown import Shown
from canaletto._run.timeline import Timeline, Window, around, record

LIMIT, LIMIT_ALONE = 2_000_000, 20_000_000
_MARGIN_PS = 1_000_000
_WORK = {
    "free_blocks": ("gc", ("read", "program", "erase")),
    "chip_busy_gc_read": ("gc", ("read",)),
    "chip_busy_gc_program": ("gc", ("program",)),
    "chip_busy_erase": ("gc", ("erase",)),
    "chip_busy_mapping": ("mapping", ("read", "program")),
    "chip_busy_folding": ("gc", ("read", "program")),
    "chip_busy_parity": ("parity", ("read", "program")),
}

_OPERATION_OF = {"array_read": "read", "register": "read", "array_program": "program", "array_erase": "erase"}

_CHIP_WAITS = (*_WORK, "chip_busy_user")
_BUSES = ("channel", "command_channel", "column", "path")


@dataclass(frozen=True)
class Holder:
    """A use during a wait. request: None for the drive's own work."""

    kind: str
    request: int | None
    parts: tuple[str, ...]
    time_ps: int
    work: str = "host"


@dataclass(frozen=True)
class Step:
    """A part of a request's latency with one cause.

    holders: the longest first. unheld_ps: time without a holder.
    """

    cause: str
    start_ps: int
    end_ps: int
    chip: str | None
    parts: tuple[str, ...] = ()
    holders: tuple[Holder, ...] = ()
    unheld_ps: int = 0

    @property
    def duration_ps(self) -> int:
        return self.end_ps - self.start_ps


@dataclass(frozen=True)
class Place:
    """Parts of the standard's vocabulary that a request concerns; None where the drive has no such thing."""

    namespace: str | None = None
    zone: int | None = None
    handle: int | None = None


class Places:
    """Namespaces, zones and handles of a run's requests."""

    def __init__(self, design: Mapping[str, Any], workload: Mapping[str, Any]) -> None:
        self._namespaces = list(design.get("namespace", []))
        self._zone_bytes = int(size_bytes(design.get("zns", {}).get("zone_size", "0B")))
        self._handles = design.get("fdp", {}).get("handles", 0)
        self._flows = {flow["name"]: flow for flow in workload["flow"]}

    def of(self, request: Mapping[str, Any]) -> Place:
        name = str(request["flow"])
        # A flow of several threads is named without their numbers.
        flow = self._flows.get(name) or self._flows.get(name.rpartition(".")[0], {})
        namespace = self._namespace(flow.get("namespace"))
        is_zoned = bool(self._zone_bytes) and (namespace is None or namespace["kind"] == "zoned")
        is_write = str(request["op"]) == "write" and bool(self._handles) and not is_zoned
        return Place(
            namespace=None if namespace is None else namespace["name"],
            zone=request["lba"] * 512 // self._zone_bytes if is_zoned else None,
            handle=request["stream"] if is_write else None,
        )

    def _namespace(self, given: str | None) -> Mapping[str, Any] | None:
        if not self._namespaces:
            return None
        number = 1 if given is None else int(given) if given.isdecimal() else 0
        named = (each for each in self._namespaces if each["name"] == given)
        return self._namespaces[number - 1] if number else next(named, None)


@dataclass(frozen=True, repr=False)
class Explanation(Shown):
    """A request and the steps of its latency.

    page: its last-finishing page, whose steps these are. median_ps: of the run's requests. root_causes: picoseconds by
    cause, if recorded. ways: buses to the page's chip, if any.
    """

    request: int
    flow: str
    op: str
    lba: int
    sectors: int
    first_byte: int
    bytes: int
    arrival_ps: int
    complete_ps: int
    pages: int
    page: int | None
    steps: tuple[Step, ...]
    median_ps: int | None = None
    root_causes: Mapping[str, int] | None = None
    ways: tuple[str, ...] = ()
    place: "Place | None" = None
    """Namespace, zone and handle."""

    @property
    def latency_ps(self) -> int:
        return self.complete_ps - self.arrival_ps

    @property
    def times_median(self) -> float | None:
        return self.latency_ps / self.median_ps if self.median_ps else None

    def by_cause(self) -> dict[str, int]:
        """Picoseconds by cause, the largest first."""
        sums: dict[str, int] = {}
        for step in self.steps:
            sums[step.cause] = sums.get(step.cause, 0) + step.duration_ps
        return dict(sorted(sums.items(), key=lambda item: -item[1]))


@dataclass(frozen=True, repr=False)
class Explained(Shown):
    explanations: list[Explanation]
    left_out: list[int]
    until_ps: int


def explain(
    path: str | PathLike[str],
    *,
    slowest: int = 10,
    request: int | None = None,
    limit: int | None = None,
    progress: bool | None = None,
) -> Explained:
    """Explains the slowest requests of a frozen run, or one of a given number. The run is repeated as far as needed.

    Parameters
    ----------
    path
        The run's folder.
    slowest
        Number of slowest requests.
    request
        Number of the only request to explain: the column `request` of `Result.requests`.
    limit
        The most spans and steps to look at; by default two million, or 20 million for a single request.
    progress
        Whether to show a bar; by default, when standard error is a terminal.

    Returns
    -------
    Explained
        An `Explanation` of each request: steps that tile its latency, in picoseconds, and who held what it waited for.

    Raises
    ------
    ConfigError
        If the folder is not a frozen run, does not hold its requests or this one, or if a trace has changed; for a
        number that is none.
    SimulationError
        If the run stops or comes out otherwise than recorded.

    Examples
    --------
    >>> import canaletto as cn
    >>> cn.run("performance-optimized", cn.workload("hm_0", requests=500)).save("slow", report=False)
    >>> [found] = cn.explain("slow", slowest=1).explanations
    >>> sum(step.duration_ps for step in found.steps) == found.latency_ps
    True
    """
    check_whole("slowest", slowest, 1, 2**63 - 1)
    if request is not None:
        check_whole("request", request, 0, 2**63 - 1)
    home = Path(path)
    wanted, median_ps, roots = _recorded(home, slowest, request)
    design, workload = folder.configuration(home)
    folder.check_traces(home, workload)
    options = folder.record(home)["options"]
    if not all(type(options.get(key)) is int for key in ("seed", "warmup")):
        raise ConfigError(f"{home / folder.RUN_FILE}: options: got {options}, expected whole numbers")
    parts = of_record(options, str(home / folder.RUN_FILE), "explained, from its timeline,")
    if not wanted:
        return Explained([], [], 0)
    found = record(
        design,
        workload,
        seed=options["seed"],
        warmup=options["warmup"],
        windows=wanted.values(),
        limit=limit if limit is not None else LIMIT if request is None else LIMIT_ALONE,
        progress=progress,
        parts=parts,
    )
    page_bytes = simulate.inspect(design, workload)["page_bytes"]
    places = Places(design.to_dict(), workload.to_dict())
    left_out = [number for number in wanted if not _is_whole(found, number, wanted[number])]
    explanations = [
        explain_one(found, number, page_bytes, median_ps, roots.get(number), places)
        for number in wanted
        if number not in left_out
    ]
    return Explained(explanations, left_out, found.until_ps)


def explain_one(
    timeline: Timeline,
    number: int,
    page_bytes: int,
    median_ps: int | None = None,
    root_causes: Mapping[str, int] | None = None,
    places: Places | None = None,
) -> Explanation:
    """Raises SimulationError if the timeline lacks part of it, or if its steps have gaps or overlap."""
    about = timeline.requests.filter(pl.col("number") == number)
    if about.height != 1 or about["complete_ps"][0] is None:
        raise SimulationError(f"request {number}: is not completed in this timeline")
    request = about.row(0, named=True)
    rows = timeline.critical_path.filter(pl.col("request") == number).to_dicts()
    page = rows[0]["last_page"] if rows else None
    _check_closed(request, rows)
    scene = _Scene(timeline, request, page, page_bytes)
    first_page, last_page = scene.pages(request)
    return Explanation(
        request=number,
        flow=str(request["flow"]),
        op=str(request["op"]),
        lba=request["lba"],
        sectors=request["sectors"],
        first_byte=request["first_byte"],
        bytes=request["bytes"],
        arrival_ps=request["arrival_ps"],
        complete_ps=request["complete_ps"],
        pages=last_page - first_page + 1,
        page=page,
        steps=tuple(scene.step(rows, place) for place in range(len(rows))),
        median_ps=median_ps,
        root_causes=root_causes,
        ways=scene.ways(rows),
        place=places.of(request) if places else None,
    )


def _recorded(
    home: Path, slowest: int, request: int | None
) -> tuple[dict[int, Window], int | None, dict[int, dict[str, int]]]:
    folder.record(home)
    file = home / folder.REQUESTS_FILE
    if not file.is_file():
        raise ConfigError(f"{file}: no such file; expected the requests of a run, which `canaletto run --out` keeps")
    folder.checked(home, folder.REQUESTS_FILE)
    with sound_parquet(file):
        frame = pl.read_parquet(file, glob=False)
    needed = {"request", "arrival_us", "completed_us", "latency_us"}
    if missing := needed - set(frame.columns):
        names = ", ".join(sorted(missing))
        raise ConfigError(f"{file}: no column {names}: recorded by an older canaletto, expected one of a new run")
    chosen = frame.sort(["latency_us", "request"], descending=[True, False]).head(slowest)
    if request is not None:
        chosen = frame.filter(pl.col("request") == request)
        if not chosen.height:
            there = f"{frame.height:,} requests"
            if frame.height:
                there += f" with numbers from {frame['request'].min()!r} to {frame['request'].max()!r}"
            raise ConfigError(f"request {request}: {home} recorded no such request, expected one of its {there}")
    columns = chosen.select("request", "arrival_us", "completed_us").iter_rows()
    windows = {number: _margined(around(arrival, completed, 0)) for number, arrival, completed in columns}
    median: Any = frame["latency_us"].median()
    return windows, None if median is None else round(median * 1e6), _root_causes(chosen)


def _root_causes(chosen: pl.DataFrame) -> dict[int, dict[str, int]]:
    names = [name for name in chosen.columns if name.startswith("root_")]
    causes = [name.removeprefix("root_").removesuffix("_us") for name in names]
    rows = chosen.select("request", *names).iter_rows() if names else ()
    return {
        number: {cause: round(time * 1e6) for cause, time in zip(causes, times, strict=True) if time}
        for number, *times in rows
    }


def _margined(window: Window) -> Window:
    return max(0, window[0] - _MARGIN_PS), window[1] + _MARGIN_PS


def _is_whole(timeline: Timeline, number: int, window: Window) -> bool:
    if not timeline.truncated or timeline.until_ps >= window[1]:
        return True
    ends = timeline.requests.filter(pl.col("number") == number)["complete_ps"].drop_nulls()
    return bool(ends.len()) and int(ends[0]) <= timeline.until_ps


def _check_closed(request: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> None:
    now = request["arrival_ps"]
    for step in steps:
        if step["start_ps"] != now:
            raise SimulationError(
                f"request {request['number']}: its steps do not account for every moment: one ends at {now} ps, "
                f"the next starts at {step['start_ps']} ps"
            )
        now = step["end_ps"]
    if now != request["complete_ps"]:
        raise SimulationError(
            f"request {request['number']}: its steps end at {now} ps, its completion is at {request['complete_ps']} ps"
        )


class _Scene:
    def __init__(self, timeline: Timeline, request: Mapping[str, Any], page: int | None, page_bytes: int) -> None:
        self._timeline = timeline
        self._parts = timeline.parts
        self._request = request
        self._page = page
        self._sectors_per_page = page_bytes // 512
        inside = (pl.col("start_ps") < request["complete_ps"]) & (pl.col("end_ps") > request["arrival_ps"])
        spans = timeline.spans.filter(inside)
        own_page = pl.lit(value=False) if page is None else pl.col("page") == page
        own = (pl.col("request") == request["number"]) & (pl.col("page").is_null() | own_page)
        self._own = spans.filter(own.fill_null(value=False))
        self._others = spans.filter(~own.fill_null(value=False))

    def step(self, rows: Sequence[Mapping[str, Any]], place: int) -> Step:
        row = rows[place]
        cause, start, end = str(row["cause"]), row["start_ps"], row["end_ps"]
        chip = None if row["part"] is None else self._parts[row["part"]]
        name = None if chip is None else str(chip["name"])
        if cause in _CHIP_WAITS and chip is not None:
            wait = _together(rows, place)
            holders, unheld = self._held_chip(chip, wait, cause)
            return Step(cause, start, end, name, (str(name),), holders, min(unheld, end - start))
        if cause == "path_conflict" and chip is not None:
            parts = self._ways_to(chip)
            held = self._held_ways(parts, start, end)
            return Step(cause, start, end, name, self._names(self._wires_among(parts)), *held)
        if cause == "same_page_write":
            return Step(cause, start, end, name, (), self._earlier_writes(start, end))
        if cause == "read_modify_write":
            return Step(cause, start, end, name, (), self._reads_of_own(start, end))
        if cause == "compute" and (units := self._units()):
            ranks = dict.fromkeys(units, 0)
            others, _ = self._shared_out(self._clipped(ranks, start, end), ranks, start, end)
            return Step(cause, start, end, name, self._names(units), others)
        return Step(cause, start, end, name, self._used(start, end))

    def _units(self) -> list[int]:
        used = self._own["part"].unique(maintain_order=True)
        return [number for number in used if self._parts[number]["kind"] == "unit"]

    def _held_chip(
        self, chip: Mapping[str, Any], wait: Sequence[Mapping[str, Any]], cause: str
    ) -> tuple[tuple[Holder, ...], int]:
        """Holders of the chip during a wait of one cause, and the time without a holder.

        Read data wait for the chip's port alone; a command waits for its plane, its die, the chip.
        """
        start, end = wait[0]["start_ps"], wait[-1]["end_ps"]
        here = [(n, part) for n, part in enumerate(self._parts) if _is_at(part, chip)]
        own = self._own_plane(chip)
        ranks = {number: 3 for number, part in here if part["kind"] == "chip"}
        if not self._is_read_by(start):
            for number, part in here:
                if part["kind"] == "plane":
                    same_die = own is not None and part.get("die") == own.get("die")
                    ranks[number] = 0 if part is own else 1 if same_die else 2
        spans = self._clipped(ranks, start, end)
        if all(row["cause"] not in _WORK for row in wait):
            return self._shared_out(spans, ranks, start, end)
        operation = self._operation(spans)
        holders, unheld = self._shared_out(
            spans, ranks, start, end, lambda work, page, begin: _is_behind(cause, work, operation(page, begin))
        )
        if cause in _WORK:
            charged = sum(row["end_ps"] - row["start_ps"] for row in wait if row["cause"] == cause)
            unheld = max(0, charged - sum(holder.time_ps for holder in holders))
        return holders, unheld

    def _operation(self, spans: pl.DataFrame) -> Callable[[int | None, int], str]:
        """A copied page is read until its data have left the register, then programmed."""
        pages = spans["page"].unique().to_list()
        known = self._timeline.spans.filter(pl.col("page").is_in(pages)).with_columns(pl.col("kind").cast(pl.String))
        ends: dict[int | None, list[tuple[int, str]]] = {}
        for page, kind, end in known.select("page", "kind", "end_ps").iter_rows():
            if kind in _OPERATION_OF:
                ends.setdefault(page, []).append((end, _OPERATION_OF[kind]))

        def of(page: int | None, start: int) -> str:
            # Of what a cut timeline does not hold, only data that were read can be on their way.
            ahead = ((end, operation) for end, operation in ends.get(page, ()) if end > start)
            return min(ahead, default=(0, "read"))[1]

        return of

    def _is_read_by(self, time: int) -> bool:
        read = self._own.filter((pl.col("kind").cast(pl.String) == "array_read") & (pl.col("end_ps") <= time))
        return read.height > 0

    def _own_plane(self, chip: Mapping[str, Any]) -> Mapping[str, Any] | None:
        used = (self._parts[number] for number in self._own["part"].unique(maintain_order=True))
        return next((part for part in used if part["kind"] == "plane" and _is_at(part, chip)), None)

    def _ways_to(self, chip: Mapping[str, Any]) -> list[int]:
        buses = [n for n, part in enumerate(self._parts) if part["kind"] in _BUSES and _reaches(part, chip)]
        routed = ("controller", "controller_link", "link", "trunk")
        return buses or [
            number
            for number, part in enumerate(self._parts)
            if part["kind"] in routed or (part["kind"] == "inner_bus" and _reaches(part, chip))
        ]

    def _wires_among(self, parts: Sequence[int]) -> list[int]:
        return [number for number in parts if self._parts[number]["kind"] in _BUSES]

    def _held_ways(self, parts: Sequence[int], start: int, end: int) -> tuple[tuple[Holder, ...], int]:
        ranks = dict.fromkeys(parts, 0)
        spans = self._clipped(ranks, start, end)
        buses = self._wires_among(parts)
        if len(buses) == 1:
            return self._shared_out(spans, ranks, start, end)
        key = ["part", "kind", "request", "work"] if buses else ["request", "work"]
        holders = []
        for group in spans.partition_by(key, maintain_order=True):
            kinds = group["kind"].cast(pl.String).unique(maintain_order=True).to_list()
            # A circuit that is held is the whole of what runs over it.
            kind = "reserved" if "reserved" in kinds else kinds[0]
            names = self._names(group["part"].unique().sort())
            holders.append(Holder(kind, group["request"][0], names, _covered(group), group["work"][0]))
        return _longest_first(holders), (end - start) - _covered(spans)

    def _earlier_writes(self, start: int, end: int) -> tuple[Holder, ...]:
        """The one whose program ends the wait, else any."""
        first, last = self.pages(self._request)
        writes = self._timeline.requests.filter(
            pl.col("op").cast(pl.String).is_in(["write", "trim"])
            & (pl.col("number") != self._request["number"])
            & (pl.col("arrival_ps") < end)
            & (pl.col("complete_ps").is_null() | (pl.col("complete_ps") > start))
        )
        same = [row["number"] for row in writes.iter_rows(named=True) if _overlap(self.pages(row), (first, last))]
        programs = self._others.filter(
            (pl.col("kind").cast(pl.String) == "array_program") & pl.col("request").is_in(same)
        )
        ending = programs.filter(pl.col("end_ps") == end)
        if ending.height:
            span = ending.row(0, named=True)
            return (Holder("array_program", span["request"], self._names([span["part"]]), end - start),)
        return tuple(Holder("array_program", number, (), end - start) for number in same[:1])

    def _reads_of_own(self, start: int, end: int) -> tuple[Holder, ...]:
        """The read ends the wait."""
        steps = self._timeline.steps.filter(pl.col("request") == self._request["number"])
        ending = steps.filter((pl.col("end_ps") == end) & (pl.col("page") != self._page))
        read = steps.filter(pl.col("page").is_in(ending["page"].to_list()[:1]) & (pl.col("end_ps") > start))
        sums: dict[tuple[str, tuple[str, ...]], int] = {}
        for step in read.iter_rows(named=True):
            use = str(step["cause"]), () if step["part"] is None else self._names([step["part"]])
            sums[use] = sums.get(use, 0) + step["end_ps"] - max(step["start_ps"], start)
        return _longest_first(Holder(cause, self._request["number"], parts, ps) for (cause, parts), ps in sums.items())

    def _used(self, start: int, end: int) -> tuple[str, ...]:
        spans = self._own.filter((pl.col("start_ps") < end) & (pl.col("end_ps") > start))
        moving = spans.filter(pl.col("kind").cast(pl.String) != "register").sort("start_ps", maintain_order=True)
        used = moving["part"].unique(maintain_order=True)
        return self._names(number for number in used if self._parts[number]["kind"] not in ("chip", "controller"))

    def pages(self, request: Mapping[str, Any]) -> tuple[int, int]:
        first, last = request["lba"], request["lba"] + max(request["sectors"], 1) - 1
        return first // self._sectors_per_page, last // self._sectors_per_page

    def _clipped(self, ranks: Mapping[int, int], start: int, end: int) -> pl.DataFrame:
        used = self._others.filter(
            pl.col("part").is_in(list(ranks)) & (pl.col("start_ps") < end) & (pl.col("end_ps") > start)
        )
        return used.with_columns(
            pl.col("start_ps").clip(lower_bound=start).cast(pl.UInt64),
            pl.col("end_ps").clip(upper_bound=end).cast(pl.UInt64),
        )

    def _shared_out(
        self,
        spans: pl.DataFrame,
        ranks: Mapping[int, int],
        start: int,
        end: int,
        told: Callable[[str, int | None, int], bool] | None = None,
    ) -> tuple[tuple[Holder, ...], int]:
        """Every moment goes to the part of the lowest rank.

        told: uses that must be included, by work, page and start.
        """
        columns = spans.select("kind", "request", "work", "page", "part", "start_ps", "end_ps")
        uses = [
            (ranks[part], begin, until, (kind, request, work, part, told is None or told(work, page, begin)))
            for kind, request, work, page, part, begin, until in columns.iter_rows()
        ]
        shares = share_out(uses)
        holders = [
            Holder(kind, request, self._names([part]), ps, work)
            for (kind, request, work, part, tell), ps in shares.items()
            if tell
        ]
        return _longest_first(holders), (end - start) - sum(shares.values())

    def ways(self, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        chips = [self._parts[row["part"]] for row in rows if row["part"] is not None]
        return self._names(self._wires_among(self._ways_to(chips[-1]))) if chips else ()

    def _names(self, parts: Iterable[int]) -> tuple[str, ...]:
        return tuple(str(self._parts[number]["name"]) for number in parts)


def share_out(uses: Iterable[tuple[int, int, int, Any]]) -> dict[Any, int]:
    """Each owner's time: a moment goes to the lowest rank, then to the earliest.

    uses: rank, start, end, owner.
    """
    waiting = sorted(uses, key=lambda use: use[1])
    moments = sorted({moment for use in waiting for moment in use[1:3]})
    shares: dict[Any, int] = {}
    active: list[tuple[int, int, int, int]] = []
    taken = 0
    for now, following in pairwise(moments):
        while taken < len(waiting) and waiting[taken][1] <= now:
            rank, begin, until, _ = waiting[taken]
            heappush(active, (rank, begin, taken, until))
            taken += 1
        while active and active[0][3] <= now:
            heappop(active)
        if active:
            owner = waiting[active[0][2]][3]
            shares[owner] = shares.get(owner, 0) + following - now
    return shares


def _is_behind(cause: str, work: str, operation: str) -> bool:
    if cause not in _WORK:
        return work in ("host", "cache")
    charged, operations = _WORK[cause]
    return work == charged and operation in operations


def _together(rows: Sequence[Mapping[str, Any]], place: int) -> Sequence[Mapping[str, Any]]:
    first = last = place
    while first > 0 and rows[first - 1]["cause"] in _CHIP_WAITS:
        first -= 1
    while last + 1 < len(rows) and rows[last + 1]["cause"] in _CHIP_WAITS:
        last += 1
    return rows[first : last + 1]


def _is_at(part: Mapping[str, Any], chip: Mapping[str, Any]) -> bool:
    return part["kind"] in ("chip", "plane") and (part["row"], part["column"]) == (chip["row"], chip["column"])


def _reaches(wire: Mapping[str, Any], chip: Mapping[str, Any]) -> bool:
    (row_a, column_a), (row_b, column_b) = wire["from"], wire["to"]
    row, column = chip["row"], chip["column"]
    if wire["kind"] == "path":
        return (row, column) == (row_b, column_b)
    if wire["kind"] == "inner_bus":
        return (row_a, column_a) <= (row, column) <= (row_b, column_b)
    return bool(row_a <= row <= row_b and column_a <= column <= column_b)


def _covered(spans: pl.DataFrame) -> int:
    uses = [(0, begin, until, None) for begin, until in spans.select("start_ps", "end_ps").iter_rows()]
    return sum(share_out(uses).values())


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]


def _longest_first(holders: Iterable[Holder]) -> tuple[Holder, ...]:
    return tuple(sorted(holders, key=lambda holder: -holder.time_ps))
