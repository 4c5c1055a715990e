"""Transfers of a run that the hardware is to serve."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, TypeAlias

import polars as pl
from canaletto._run.timeline import Timeline, Window

CYCLE_PS = 1_000
"""A link carries a byte per cycle, at 1 GB/s (Venice Table 1)."""

LARGEST_TRANSFER = 2**16 - 1
"""Cycles on the wires that a controller can count."""


_Span: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Transfer:
    """Times are cycles; `commands` of the `cycles` carry commands.

    chip: row by row. request, page, work: as in the run's spans.
    """

    start: int
    chip: int
    cycles: int
    commands: int
    is_read: bool
    request: int | None
    page: int
    work: str


@dataclass(frozen=True)
class _Sent:
    taken: int
    departs: int
    controller: int
    transfer: Transfer


def transfers(timeline: Timeline, window: Window) -> list[Transfer]:
    chips = [each for each in timeline.parts if each["kind"] == "chip"]
    controllers = [each["from"] for each in timeline.parts if each["kind"] == "controller_link"]

    def far(sent: _Sent, controller: int) -> tuple[int, int]:
        """The nearest controller takes it, of these the lowest."""
        chip, (row, column) = chips[sent.transfer.chip], controllers[controller]
        return abs(chip["row"] - row) + abs(chip["column"] - column), controller

    found = [each for each in _sent(timeline) if window[0] <= each.departs < window[1]]
    ordered: list[_Sent] = []
    for _, group in groupby(sorted(found, key=lambda each: each.taken), key=lambda each: each.taken):
        # Taken at the same moment: one whose controller was not the nearest came after that one's transfer.
        rest = list(group)
        while rest:
            free = [x for x in rest if all(far(x, x.controller) <= far(x, y.controller) for y in rest)] or rest
            ordered.append(free[0])
            rest.remove(free[0])
    return _one_a_cycle(ordered, window[0])


def _one_a_cycle(sent: list[_Sent], start_ps: int) -> list[Transfer]:
    """From when they were taken until they depart.

    Where several were taken at once, that is too late for some; then those before are earlier than in the run.
    """
    latest: list[int] = []
    for each in reversed(sent):
        departs = (each.departs - start_ps) // CYCLE_PS
        latest.insert(0, min(departs, latest[0] - 1) if latest else departs)
    given: list[Transfer] = []
    for each, last in zip(sent, latest, strict=True):
        first = -((start_ps - each.taken) // CYCLE_PS)
        after = given[-1].start + 1 if given else 0
        given.append(replace(each.transfer, start=max(0, min(max(first, after), last))))
    return given


def _sent(timeline: Timeline) -> Iterator[_Sent]:
    parts = timeline.parts
    number = {part: place for place, part in enumerate(p for p, each in enumerate(parts) if each["kind"] == "chip")}
    own = [part for part, each in enumerate(parts) if each["kind"] == "controller_link"]
    kind = pl.col("kind").cast(pl.String)
    crossing = pl.col("part").is_in(list(number)) & kind.is_in(["command", "data"])
    departing = pl.col("part").is_in(own) & (kind == "scout")
    taken = _moments(timeline)
    spans = timeline.spans.filter(crossing | departing).sort("page", "start_ps", maintain_order=True)
    for page, rows in groupby(spans.iter_rows(named=True), key=lambda row: row["page"]):
        for scout, crossed in _of_page(rows, own):
            departs = (scout or crossed[0])["start_ps"]
            moment = next((each for each in taken.get(page, ()) if each <= departs < each + 2 * CYCLE_PS), departs)
            yield _Sent(moment, departs, own.index(scout["part"]) if scout else 0, _transfer(crossed, number))


def _of_page(rows: Iterable[_Span], own: list[int]) -> list[tuple[_Span | None, list[_Span]]]:
    found: list[tuple[_Span | None, list[_Span]]] = []
    scout: _Span | None = None
    for row in rows:
        if row["part"] in own:
            scout = scout or row
        elif scout is None and found and found[-1][1][-1]["end_ps"] == row["start_ps"]:
            found[-1][1].append(row)
        else:
            found.append((scout, [row]))
            scout = None
    return found


def _transfer(spans: list[_Span], number: dict[int, int]) -> Transfer:
    first = spans[0]
    lasts = [(each["kind"], (each["end_ps"] - each["start_ps"]) // CYCLE_PS) for each in spans]
    commands = sum(cycles for kind, cycles in lasts if kind == "command")
    cycles = max(1, min(sum(cycles for _, cycles in lasts), LARGEST_TRANSFER))
    told = {name: first[name] for name in ("request", "page", "work")}
    return Transfer(0, number[first["part"]], cycles, min(commands, cycles), first["kind"] == "data", **told)


def _moments(timeline: Timeline) -> dict[int, list[int]]:
    steps = timeline.steps.filter(
        (pl.col("cause").cast(pl.String) == "path_reservation") & pl.col("page").is_not_null()
    )
    return dict(steps.group_by("page").agg(pl.col("start_ps")).iter_rows())
