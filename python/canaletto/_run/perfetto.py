"""Timelines as traces for https://ui.perfetto.dev.

Field numbers follow Perfetto's `perfetto_trace.proto`. Times are rounded down to whole nanoseconds; each slice carries
its exact picoseconds.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache
from heapq import heappop, heappush
from itertools import count, groupby
from os import PathLike
from typing import IO, Any, Protocol, TypeAlias

import polars as pl

from canaletto._io.files import check_free, whole
from canaletto._io.protobuf import fixed64, message, text, uint
from canaletto._io.units import cause_label, words

# Fields of Trace, TracePacket, TrackDescriptor, CounterDescriptor, TrackEvent and DebugAnnotation.
_TRACE_PACKET = 1
_TIMESTAMP, _SEQUENCE, _TRACK_EVENT, _TRACK_DESCRIPTOR = 8, 10, 11, 60
_UUID, _NAME, _PARENT, _COUNTER, _CHILD_ORDERING, _RANK, _DESCRIPTION = 1, 2, 5, 8, 11, 12, 14
_UNIT, _UNIT_COUNT, _ORDERING_EXPLICIT = 3, 2, 3
_TYPE, _TRACK, _CATEGORIES, _EVENT_NAME, _ANNOTATIONS, _COUNTER_VALUE = 9, 11, 22, 23, 4, 30
_FLOWS, _LAST_OF_FLOW = 47, 48
_ANNOTATION_NAME, _ANNOTATION_UINT, _ANNOTATION_TEXT = 10, 3, 6

_BEGIN, _END, _COUNT = (uint(_TYPE, number) for number in (1, 2, 4))
_PS_PER_NS = 1000

_GROUPS = {
    "controller": "controllers",
    "channel": "channels",
    "command_channel": "command channels",
    "trunk": "trunks",
    "grant_line": "grants",
    "inner_bus": "inner buses",
    "column": "column buses",
    "path": "paths",
    "controller_link": "controller links",
    "link": "links",
    "chip": "chips",
    "unit": "units that compute",
}
_ARROWS = ("command", "data", "array_read", "array_program", "array_erase", "compute")
_LEGS = (
    *("channel", "command_channel", "trunk", "column", "path", "controller_link", "link", "controller"),
    *("inner_bus", "plane", "unit"),
)
"""An arrow touches the first of these that a transfer uses."""

_ABOUT_REQUESTS = "From arrival to completion; below each, what it spent its time on."

_Event: TypeAlias = tuple[int, bytes]


class Timeline(Protocol):
    @property
    def title(self) -> str: ...
    @property
    def windows(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def requests(self) -> pl.DataFrame: ...
    @property
    def spans(self) -> pl.DataFrame: ...

    @property
    def critical_path(self) -> pl.DataFrame: ...
    @property
    def parts(self) -> list[dict[str, Any]]: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def until_ps(self) -> int: ...


def save(timeline: Timeline, path: str | PathLike[str], *, force: bool = False) -> None:
    check_free(path, force=force)
    with whole(path) as out:
        write(timeline, out)


def write(timeline: Timeline, out: IO[bytes]) -> None:
    tracks = _Tracks(timeline)
    events: list[_Event] = []
    _count_requests(timeline, tracks, events)
    _draw_requests(timeline, tracks, events)
    _draw_parts(timeline, tracks, events)
    # Stable, so that what ends and begins on a track within one nanosecond keeps its order.
    events.sort(key=lambda event: event[0])
    sequence = uint(_SEQUENCE, 1)
    for descriptor in tracks.descriptors:
        out.write(message(_TRACE_PACKET, sequence + message(_TRACK_DESCRIPTOR, descriptor)))
    for time, event in events:
        out.write(message(_TRACE_PACKET, uint(_TIMESTAMP, time) + sequence + message(_TRACK_EVENT, event)))


class _Lane:
    """Slices come in order of their start."""

    def __init__(self, track: int, events: list[_Event]) -> None:
        self._track = uint(_TRACK, track)
        self._ends: list[int] = []
        self._events = events

    def close(self, now: int | None = None) -> None:
        while self._ends and (now is None or self._ends[-1] <= now):
            self._events.append((self._ends.pop(), _END + self._track))

    def takes(self, start: int, end: int) -> bool:
        self.close(start)
        return not self._ends or end <= self._ends[-1]

    def begin(self, start: int, end: int, contents: bytes) -> None:
        self.close(start)
        self._ends.append(end)
        self._events.append((start, _BEGIN + self._track + contents))


class _Lanes:
    def __init__(self, make: Callable[[], int], events: list[_Event]) -> None:
        self._make, self._events = make, events
        self._lanes: list[_Lane] = []
        self._taken: list[tuple[int, int]] = []
        self._free: list[int] = []

    def nesting(self, start: int, end: int) -> _Lane:
        """The first lane with room for a slice, next to or inside others."""
        for lane in self._lanes:
            if lane.takes(start, end):
                return lane
        return self._new()

    def beside(self, start: int, end: int) -> _Lane:
        while self._taken and self._taken[0][0] <= start:
            heappush(self._free, heappop(self._taken)[1])
        number = heappop(self._free) if self._free else len(self._lanes)
        heappush(self._taken, (end, number))
        return self._lanes[number] if number < len(self._lanes) else self._new()

    def _new(self) -> _Lane:
        self._lanes.append(_Lane(self._make(), self._events))
        return self._lanes[-1]

    def finish(self) -> None:
        for lane in self._lanes:
            lane.close()


class _Tracks:
    def __init__(self, timeline: Timeline) -> None:
        self.descriptors: list[bytes] = []
        self._uuids = count(1)
        root = self._add(f"canaletto · {timeline.title}", None, 0)
        host = self._add("host", root, 0)
        self.outstanding = self._add("outstanding requests", host, 0, message(_COUNTER, uint(_UNIT, _UNIT_COUNT)))
        self._host = host
        self._parts: dict[int, tuple[str, int, int]] = {}
        self._first: dict[int, int] = {}
        self._place_parts(timeline.parts, root)

    def of_requests(self) -> int:
        return self._add("requests", self._host, 1, text(_DESCRIPTION, _ABOUT_REQUESTS))

    def of_part(self, number: int) -> int:
        return self._first.pop(number, 0) or self._add(*self._parts[number])

    def _place_parts(self, parts: list[dict[str, Any]], root: int) -> None:
        chips: dict[tuple[int, int], tuple[str, int]] = {}
        for rank, (kind, title) in enumerate(_GROUPS.items(), 1):
            members = [(number, part) for number, part in enumerate(parts) if part["kind"] == kind]
            group = self._add(title, root, rank) if members else root
            for number, part in members:
                uuid = self._place(number, part["name"], group)
                if kind == "chip":
                    chips[part["row"], part["column"]] = part["name"], uuid
        for number, part in enumerate(parts):
            if number not in self._parts:
                chip, parent = chips.get((part["row"], part["column"]), ("", root))
                self._place(number, part["name"].removeprefix(chip).strip(" ,:") or part["name"], parent)

    def _place(self, number: int, name: str, parent: int) -> int:
        self._parts[number] = name, parent, number
        self._first[number] = self._add(name, parent, number)
        return self._first[number]

    def _add(self, name: str, parent: int | None, rank: int, *more: bytes) -> int:
        uuid = next(self._uuids)
        above = b"" if parent is None else uint(_PARENT, parent) + uint(_RANK, rank)
        order = uint(_CHILD_ORDERING, _ORDERING_EXPLICIT)
        self.descriptors.append(uint(_UUID, uuid) + text(_NAME, name) + above + order + b"".join(more))
        return uuid


class _View:
    def __init__(self, timeline: Timeline) -> None:
        ends = [end for _, end in timeline.windows] or [timeline.until_ps]
        self.start = min((start for start, _ in timeline.windows), default=0)
        self.end = min(max(ends), timeline.until_ps) if timeline.truncated else max(ends)

    def shows(self, start: int, end: int) -> bool:
        return (start < self.end and end > self.start) or self.start <= start == end <= self.end

    def cut(self, start: int, end: int) -> tuple[int, int]:
        return max(start, self.start) // _PS_PER_NS, min(end, self.end) // _PS_PER_NS


def _count_requests(timeline: Timeline, tracks: _Tracks, events: list[_Event]) -> None:
    view = _View(timeline)
    track = uint(_TRACK, tracks.outstanding)
    arrivals = sorted(timeline.requests["arrival_ps"])
    completions = sorted(timeline.requests["complete_ps"].drop_nulls())
    for start, end in timeline.windows or [(view.start, view.end)]:
        end = min(end, view.end)
        inside = {time for time in (*arrivals, *completions) if start < time < end}
        for time in sorted({start, *inside}):
            outstanding = bisect_right(arrivals, time) - bisect_right(completions, time)
            events.append((time // _PS_PER_NS, _COUNT + track + uint(_COUNTER_VALUE, outstanding)))


def _draw_requests(timeline: Timeline, tracks: _Tracks, events: list[_Event]) -> None:
    view = _View(timeline)
    lanes = _Lanes(tracks.of_requests, events)
    path = timeline.critical_path.iter_rows(named=True)
    steps_of = {request: list(steps) for request, steps in groupby(path, lambda step: step["request"])}
    for request in timeline.requests.sort("arrival_ps", "number").iter_rows(named=True):
        arrival, complete = request["arrival_ps"], request["complete_ps"]
        last = view.end if complete is None else complete
        if not view.shows(arrival, last):
            continue
        start, end = view.cut(arrival, last)
        lane = lanes.beside(start, end)
        kind = request["op"]
        notes: dict[str, Any] = {"request": request["number"], "flow": request["flow"], "lba": request["lba"]}
        notes |= {"first_byte": request["first_byte"], "bytes": request["bytes"], "arrival_ps": arrival}
        if complete is not None:
            notes |= {"complete_ps": complete, "latency_ps": complete - arrival}
        lane.begin(start, end, _slice(f"{kind} {request['number']}", kind, notes))
        for step in steps_of.get(request["number"], ()):
            if not view.shows(step["start_ps"], step["end_ps"]):
                continue
            inner = view.cut(step["start_ps"], min(step["end_ps"], last))
            about = {"cause": step["cause"], "page": step["page"], **_exactly(step)}
            if step["part"] is not None:
                about["chip"] = timeline.parts[step["part"]]["name"]
            lane.begin(
                *inner, _slice(cause_label(step["cause"]), step["cause"], {**about, "request": request["number"]})
            )
    lanes.finish()


def _draw_parts(timeline: Timeline, tracks: _Tracks, events: list[_Event]) -> None:
    view = _View(timeline)
    flows = _arrows(timeline)
    lba = dict(timeline.requests.select("number", "lba").iter_rows())
    spans = timeline.spans.with_row_index("row").sort(
        "part", "start_ps", pl.col("end_ps"), pl.col("kind").to_physical(), descending=[False, False, True, True]
    )
    for (part,), used in spans.partition_by("part", as_dict=True, maintain_order=True).items():
        lanes = _Lanes(lambda part=part: tracks.of_part(part), events)  # type: ignore[misc]
        for span in used.iter_rows(named=True):
            if not view.shows(span["start_ps"], span["end_ps"]):
                continue
            start, end = view.cut(span["start_ps"], span["end_ps"])
            request = span["request"]
            notes = {"request": request, "page": span["page"], "work": span["work"], "lba": lba.get(request)}
            notes |= _exactly(span)
            owner = span["work"] if request is None else request
            contents = _slice(f"{words(span['kind'])} {owner}", span["kind"], notes) + flows.get(span["row"], b"")
            lanes.nesting(start, end).begin(start, end, contents)
        lanes.finish()


def _arrows(timeline: Timeline) -> dict[int, bytes]:
    kinds = [part["kind"] for part in timeline.parts]
    legs = pl.DataFrame(
        {"part": range(len(kinds)), "leg": [_LEGS.index(kind) if kind in _LEGS else None for kind in kinds]},
        schema={"part": timeline.spans.schema["part"], "leg": pl.UInt32},
    )
    stations = (
        timeline.spans.with_row_index("row")
        .filter(pl.col("kind").cast(pl.String).is_in(_ARROWS) & pl.col("page").is_not_null())
        .join(legs, on="part", how="inner")
        .filter(pl.col("leg").is_not_null())
        .sort("page", "start_ps", "leg", "part")
        .unique(["page", "start_ps"], keep="first", maintain_order=True)
    )
    chains = stations.group_by("page", maintain_order=True).agg("row").filter(pl.col("row").list.len() > 1)
    flows: dict[int, bytes] = {}
    for page, rows in chains.iter_rows():
        flows |= {row: fixed64(_FLOWS, page + 1) for row in rows[:-1]}
        flows[rows[-1]] = fixed64(_LAST_OF_FLOW, page + 1)
    return flows


def _exactly(span: Mapping[str, Any]) -> dict[str, int]:
    return {"start_ps": span["start_ps"], "duration_ps": span["end_ps"] - span["start_ps"]}


def _slice(name: str, category: str, notes: Mapping[str, int | str | None]) -> bytes:
    said = [_note(key, value) for key, value in notes.items() if value is not None]
    return b"".join((_category(category), text(_EVENT_NAME, name), *said))


def _note(key: str, value: int | str) -> bytes:
    content = text(_ANNOTATION_TEXT, value) if isinstance(value, str) else uint(_ANNOTATION_UINT, value)
    return message(_ANNOTATIONS, _annotation_name(key) + content)


@lru_cache
def _category(name: str) -> bytes:
    return text(_CATEGORIES, name)


@lru_cache
def _annotation_name(name: str) -> bytes:
    return text(_ANNOTATION_NAME, name)
