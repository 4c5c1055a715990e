"""Timeline of a window, packed for the page to play.

A span takes some 15 bytes: columns, starts as differences, durations looked up. Times are picoseconds from the window's
start.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import polars as pl

from canaletto._io.units import cause_label
from canaletto._report import colours

MAX_BYTES = 700_000
"""The window is cut at its end until all timelines of a page fit."""

WIRES = (
    *("channel", "command_channel", "column", "path", "link", "controller_link"),
    *("trunk", "inner_bus", "grant_line"),
)
_MAX_WIRES = 3000
_MAX_REQUESTS = 250
_TRANSFERS = ("command", "data", "handshake")
_ROUTED = ("link", "controller_link")

Place: TypeAlias = tuple[int, int]


class Timeline(Protocol):
    @property
    def header(self) -> dict[str, Any]: ...
    @property
    def spans(self) -> pl.DataFrame: ...
    @property
    def steps(self) -> pl.DataFrame: ...
    @property
    def requests(self) -> pl.DataFrame: ...
    @property
    def windows(self) -> Sequence[tuple[int, int]]: ...


def pack(
    timelines: Mapping[str, Timeline],
    limit: int = MAX_BYTES,
    request: int | None = None,
    first: Sequence[str] = (),
) -> dict[str, Any] | None:
    """Every fabric's timeline on one clock, in at most `limit` bytes. None if nothing happened.

    request: explained first. first: fabrics shown first. `end` is where it is cut or its record ends; `whole` is where
    it was to end.
    """
    known = {fabric: timeline for fabric, timeline in timelines.items() if timeline.spans.height}
    if not known:
        return None
    start = min(int(timeline.header["from_ps"]) for timeline in known.values())
    # Recording continues until the requests of the window are completed.
    whole = max(timeline.windows[-1][1] for timeline in known.values())
    cut = [int(timeline.header["until_ps"]) for timeline in known.values() if timeline.header["truncated"]]
    end = max(min([whole, *cut]), start + 1)
    recorded = end
    causes = colours.in_order(cause for timeline in known.values() for cause in timeline.header["causes"])
    while True:
        fabrics = [_fabric(fabric, timeline, causes, start, end, request) for fabric, timeline in known.items()]
        found: dict[str, Any] = {
            "start": start,
            "end": end - start,
            "whole": whole - start,
            "recorded": recorded - start,
            "request": request,
            "first": [fabric for fabric in first if fabric in known],
        }
        found |= {
            "causes": {cause: colours.cause(cause) for cause in causes},
            "labels": {cause: cause_label(cause) for cause in causes},
            "fabrics": fabrics,
        }
        size = len(json.dumps(found, separators=(",", ":")))
        if size <= limit or end - start < 2:
            return found if size <= limit else None
        end = start + int((end - start) * min(0.95 * limit / size, 0.9))


def _fabric(
    fabric: str, timeline: Timeline, causes: list[str], start: int, end: int, request: int | None
) -> dict[str, Any]:
    parts: Sequence[Mapping[str, Any]] = timeline.header["parts"]
    spans = [
        row
        for row in timeline.spans.sort("start_ps", maintain_order=True).iter_rows(named=True)
        if row["start_ps"] < end and row["end_ps"] >= start
    ]
    # Where the page's end is before the window's, requests are explained beyond it, as far as they were recorded.
    alive = timeline.requests.filter(pl.col("arrival_ps") < end)
    requests = _told(alive, {row["request"] for row in spans}, request).to_dicts()
    writes = dict(alive.select("number", pl.col("op") == "write").iter_rows())
    steps = timeline.steps.filter(pl.col("request").is_in([row["number"] for row in requests])).to_dicts()
    chips = [part for part in parts if part["kind"] == "chip"]
    wires = [place for place, part in enumerate(parts) if part["kind"] in WIRES]
    used = {row["part"] for row in spans}
    if len(wires) > _MAX_WIRES:
        wires = [place for place in wires if place in used]
    kept = sorted(used | set(wires) | {row["part"] for row in steps if row["part"] is not None} - {2**32 - 1})
    index = {place: number for number, place in enumerate(kept)}
    return {
        "fabric": fabric,
        "rows": max((part["row"] for part in chips), default=0) + 1,
        "columns": max((part["column"] for part in chips), default=0) + 1,
        "parts": [_part(parts[place]) for place in kept],
        "spans": _spans(spans, parts, index, writes, start),
        "waits": _waits(steps, index, start, end),
        "alive": alive.height,
        "requests": _requests(requests, steps, index, causes, start),
    }


def _told(alive: pl.DataFrame, seen: set[int | None], request: int | None) -> pl.DataFrame:
    chosen, using = ([number for number in numbers if number is not None] for numbers in ({request}, seen))
    ranks = pl.when(pl.col("number").is_in(chosen)).then(0).when(pl.col("number").is_in(using)).then(1)
    ranked = alive.with_columns(rank=ranks.otherwise(2)).sort("rank", "arrival_ps", maintain_order=True)
    return ranked.head(_MAX_REQUESTS).sort("arrival_ps", maintain_order=True)


def _part(part: Mapping[str, Any]) -> list[Any]:
    if part["kind"] in WIRES:
        return [part["kind"], *part["from"], *part["to"]]
    return [
        part["kind"],
        part["row"],
        part["column"],
        *([part["die"], part["plane"]] if part["kind"] == "plane" else []),
    ]


def _spans(
    rows: Sequence[Mapping[str, Any]],
    parts: Sequence[Mapping[str, Any]],
    index: Mapping[int, int],
    writes: Mapping[int, bool],
    start: int,
) -> dict[str, Any]:
    """Columns: kind, part, start, duration, request, chip, and the places of spans that move back.

    Starts and places are differences. Requests count from `first`; 0 is the drive's own work. The chip is its part plus
    one; 0: none.
    """
    kinds = sorted({str(row["kind"]) for row in rows})
    durations = sorted({row["end_ps"] - row["start_ps"] for row in rows})
    lengths = {duration: place for place, duration in enumerate(durations)}
    chips: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        if parts[row["part"]]["kind"] == "chip":
            chips.setdefault(row["page"], []).append((row["start_ps"], index[row["part"]] + 1))

    def chip(row: Mapping[str, Any]) -> int:
        """Of several that send or receive a page, such as an operand of a task, the one at that moment."""
        there = chips.get(row["page"], []) if row["kind"] in _TRANSFERS else []
        return min(there, key=lambda use: abs(use[0] - row["start_ps"]), default=(0, 0))[1]

    first = min((row["request"] for row in rows if row["request"] is not None), default=0) - 1
    programs = {row["page"] for row in rows if row["kind"] == "array_program"}
    back = [place for place, each in enumerate(_back(rows, parts, writes, programs)) if each]
    starts = [row["start_ps"] - start for row in rows]
    return {
        "kinds": kinds,
        "durations": durations,
        "kind": [kinds.index(str(row["kind"])) for row in rows],
        "part": [index[row["part"]] for row in rows],
        "start": _differences(starts),
        "duration": [lengths[row["end_ps"] - row["start_ps"]] for row in rows],
        "first": first,
        "request": [0 if row["request"] is None else row["request"] - first for row in rows],
        "chip": [chip(row) for row in rows],
        "back": _differences(back),
    }


def _differences(numbers: Sequence[int]) -> list[int]:
    return [after - before for before, after in zip([0, *numbers], numbers, strict=False)]


def _back(
    rows: Sequence[Mapping[str, Any]],
    parts: Sequence[Mapping[str, Any]],
    writes: Mapping[int, bool],
    programs: set[int],
) -> Iterator[bool]:
    """Wires that carry both ways do not show it.

    Scouts go out hop by hop until something is transferred; commands and written data go their way, read data come back
    on it.
    """
    places: dict[int, Place] = {}
    scouted: dict[tuple[int, int], bool] = {}
    both_ways = _both_ways(parts)
    for row in rows:
        part, kind, page = parts[row["part"]], str(row["kind"]), row["page"]
        if part["kind"] not in WIRES:
            yield False
        elif kind in ("scout", "cancel"):
            ends = tuple(part["from"]), tuple(part["to"])
            # A scout that sets out again comes from its controller, not from where the last one ended.
            at = None if (part["kind"], kind) == ("controller_link", "scout") else places.get(page)
            backwards = at == ends[1] or (at != ends[0] and ends[1][1] < 0)
            places[page] = ends[0] if backwards else ends[1]
            if kind == "scout":
                scouted[page, row["part"]] = backwards
            yield backwards
        elif (part["kind"] in _ROUTED and not both_ways) or kind == "reserved":
            yield False
        else:
            places.pop(page, None)
            out = kind != "data" or writes.get(row["request"], False) or page in programs
            yield scouted.get((page, row["part"]), False) == out


def _both_ways(parts: Sequence[Mapping[str, Any]]) -> bool:
    links = {(*part["from"], *part["to"]) for part in parts if part["kind"] == "link"}
    return not any((*link[2:], *link[:2]) in links for link in links)


def _waits(steps: Sequence[Mapping[str, Any]], index: Mapping[int, int], start: int, end: int) -> dict[str, list[int]]:
    rows = sorted(
        (row["start_ps"] - start, row["end_ps"] - row["start_ps"], index[row["part"]], row["request"])
        for row in steps
        if row["cause"] == "path_conflict" and row["part"] in index and row["start_ps"] < end and row["end_ps"] >= start
    )
    columns = zip(*rows, strict=True) if rows else ([], [], [], [])
    return dict(zip(("start", "duration", "part", "request"), map(list, columns), strict=True))


def _requests(
    requests: Sequence[Mapping[str, Any]],
    steps: Sequence[Mapping[str, Any]],
    index: Mapping[int, int],
    causes: list[str],
    start: int,
) -> list[list[Any]]:
    """Number, operation, first sector, bytes, the first one's place, arrival, completion (null: not yet), steps.

    A step is a cause, its start and duration, and a part, -1 if none.
    """
    by_request: dict[int, list[Mapping[str, Any]]] = {}
    for row in steps:
        if row["request"] is not None:
            by_request.setdefault(row["request"], []).append(row)
    found = []
    for row in requests:
        mine = by_request.get(row["number"], [])
        pages = [step for step in mine if not _own(step)]
        # Of pages that finish at the same time, the one charged last finished the request.
        last = max(reversed(pages), key=lambda step: step["end_ps"], default={"page": None})["page"]
        shown = sorted((step for step in mine if _own(step) or step["page"] == last), key=lambda step: step["start_ps"])
        complete = row["complete_ps"]
        if not mine:
            continue
        found.append(
            [
                row["number"],
                row["op"],
                row["lba"],
                row["bytes"],
                row["first_byte"],
                row["arrival_ps"] - start,
                None if complete is None else complete - start,
                [
                    value
                    for step in shown
                    for value in (
                        causes.index(str(step["cause"])),
                        step["start_ps"] - start,
                        step["end_ps"] - step["start_ps"],
                        index.get(step["part"], -1),
                    )
                ],
            ]
        )
    return found


def _own(step: Mapping[str, Any]) -> bool:
    return step["page"] is None or step["page"] == 2**32 - 1
