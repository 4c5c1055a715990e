"""Steps of the hardware in `rtl/` as a timeline.

rtl/compare/compare.cpp ──► lines (as in crates/canaletto/examples/venice_cycles.rs) ──► spans on links and chips
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl
from canaletto._run.timeline import Timeline

from canaletto_papers.rtl.transfers import CYCLE_PS, Transfer

_CHIP_EXIT = 4
# Rows and columns from a router to the one at its port: Right, Left, Up, Down.
_WAYS = ((0, 1), (0, -1), (1, 0), (-1, 0))


@dataclass
class _Controller:
    """A controller at some cycle.

    departs: its next scout has not reached a router yet. decided: cycle of a decision without a row. links: held by
    the scout, with cycles. began: when bytes began to cross.
    """

    transfer: Transfer
    departs: bool = True
    decided: int | None = None
    links: list[tuple[int, int]] = field(default_factory=list)
    began: int = 0


def timeline(lines: Iterable[str], transfers: Sequence[Transfer], run: Timeline) -> Timeline:
    """lines: as the harness records them. transfers: in the order given. run: the same window of the run.

    Requests have no steps here: the hardware knows transfers.
    """
    spans = pl.DataFrame(list(_Steps(run).spans(lines, transfers)), schema=run.spans.schema, orient="row")
    return replace(run, spans=spans.sort("start_ps", maintain_order=True), steps=run.steps.clear())


class _Steps:
    def __init__(self, run: Timeline) -> None:
        self._start = run.windows[0][0]
        self._chips = [part for part, each in enumerate(run.parts) if each["kind"] == "chip"]
        self._places = [(run.parts[part]["row"], run.parts[part]["column"]) for part in self._chips]
        ends = [(part, each) for part, each in enumerate(run.parts) if each["kind"] == "link"]
        self._links = {frozenset((tuple(each["from"]), tuple(each["to"]))): part for part, each in ends}
        self._own = [part for part, each in enumerate(run.parts) if each["kind"] == "controller_link"]
        # Two flits and a cycle: flits have two bytes where a chip's number does not fit next to the two bits of type.
        self._hop = 3 if len(self._chips) <= 64 else 5
        self._controllers: dict[int, _Controller] = {}

    def spans(self, lines: Iterable[str], transfers: Sequence[Transfer]) -> Iterator[tuple[Any, ...]]:
        given = iter(transfers)
        now = 0
        for line in lines:
            what, *numbers = line.split()
            if what == "t":
                now = int(numbers[0])
                yield from self._went_back(now)
            elif what == "q":
                self._controllers[int(numbers[3])] = _Controller(next(given))
            elif what == "h":
                yield from self._decided(now, int(numbers[0]))
            elif what == "e":
                yield from self._reserved(*map(int, numbers[:3]))
            elif what == "c" and numbers[1] == "T":
                self._controllers[int(numbers[0])].began = now - 1
            elif what == "c" and numbers[1] == "I":
                yield from self._ended(now, int(numbers[0]))

    def _decided(self, now: int, packet: int) -> Iterator[tuple[Any, ...]]:
        """The first one after a departure is its controller's."""
        controller = self._controllers[packet]
        if controller.departs:
            yield self._span(controller, "scout", self._own[packet], now - self._hop, now)
            controller.departs = False
        controller.decided = now

    def _reserved(self, router: int, exit: int, packet: int) -> Iterator[tuple[Any, ...]]:
        controller = self._controllers[packet]
        if controller.decided is None:
            return
        now, controller.decided = controller.decided, None
        if exit == _CHIP_EXIT:
            return
        here = self._places[router]
        link = self._links[frozenset((here, (here[0] + _WAYS[exit][0], here[1] + _WAYS[exit][1])))]
        controller.links.append((link, now))
        yield self._span(controller, "scout", link, now, now + self._hop)

    def _went_back(self, now: int) -> Iterator[tuple[Any, ...]]:
        for controller in self._controllers.values():
            if controller.decided is None or controller.decided >= now - 1:
                continue
            at, controller.decided = controller.decided, None
            if controller.links:
                link, _ = controller.links.pop()
                yield self._span(controller, "cancel", link, at, at + self._hop)
            else:
                controller.departs = True

    def _ended(self, now: int, number: int) -> Iterator[tuple[Any, ...]]:
        controller = self._controllers.pop(number)
        transfer = controller.transfer
        for link in (self._own[number], *(link for link, _ in controller.links)):
            yield from self._crossed(controller, link, controller.began)
        yield from self._crossed(controller, self._chips[transfer.chip], now - transfer.cycles)
        for link, since in controller.links:
            yield self._span(controller, "reserved", link, since, now)

    def _crossed(self, controller: _Controller, part: int, start: int) -> Iterator[tuple[Any, ...]]:
        transfer = controller.transfer
        between, end = start + transfer.commands, start + transfer.cycles
        if between > start:
            yield self._span(controller, "command", part, start, between)
        if end > between:
            yield self._span(controller, "data", part, between, end)

    def _span(self, controller: _Controller, kind: str, part: int, start: int, end: int) -> tuple[Any, ...]:
        first, last = (self._start + cycle * CYCLE_PS for cycle in (start, end))
        transfer = controller.transfer
        return kind, part, first, last, transfer.request, transfer.page, transfer.work
