"""Errors under mixed load, by drive.

Method: from the runs of `load`. `light` are 10,000 and 20,000 requests/s, from which presets were calibrated, `blind`
are greater rates below saturation: root mean squares of relative errors, of all rates. A drive is saturated where it
serves less than 97 % of what is offered, or where its median write takes more than 1 ms. Saturation is the greatest
rate measured, next to ours beyond all rates. The last two columns are the median read as a share of the median write
there: near 1 where both have one queue, near 0 where reads pass.

Assumptions: as in `load`. Of four drives nothing beyond 20,000 requests/s was at hand.
"""

from collections.abc import Iterator, Mapping

from canaletto_papers.drives.drive import error_percent
from canaletto_papers.drives.load import BEYOND, PRESETS, PROBE_RATE, SERVED, measured, ours, runs
from canaletto_papers.figure import Data, Figure, Grid, Label, Row

CALIBRATED = 20_000
BELOW = ("read p50", "read p99", "write p50")
SATURATED = (SERVED, "write p50", "read p50")


def is_saturated(offered: int, numbers: Mapping[str, float]) -> bool:
    return numbers[SERVED] * 1e3 < 0.97 * (offered + PROBE_RATE // 2) or numbers["write p50"] > 1000


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for drive in PRESETS:
        answers = {int(rate): ours(data) for (each, rate), data in found.items() if each == drive}
        known = {rate: numbers for rate, numbers in measured()[drive].items() if rate in answers}
        for what, error in (*_below(answers, known), *_beyond(answers.get(BEYOND, {}), known)):
            rows.append({"drive": drive, "what": what, "ours": error, "published": None})
    return rows


Answers = Mapping[int, Mapping[str, float | None]]
Known = Mapping[int, Mapping[str, float]]


def _below(answers: Answers, known: Known) -> Iterator[tuple[str, float | None]]:
    calm = [rate for rate in known if not is_saturated(rate, known[rate])]
    for what in BELOW:
        for part, is_blind in (("light", False), ("blind", True)):
            rates = [rate for rate in calm if (rate > CALIBRATED) == is_blind]
            apart = [error_percent(answers[rate][what], known[rate][what]) for rate in rates]
            kept = [each for each in apart if each is not None]
            yield f"{what}, {part}, %", (sum(each**2 for each in kept) / len(kept)) ** 0.5 if kept else None


def _beyond(beyond: Mapping[str, float | None], known: Known) -> Iterator[tuple[str, float | None]]:
    busy = [rate for rate in known if is_saturated(rate, known[rate])]
    theirs = known[max(busy)] if busy else None
    for what in SATURATED:
        number = beyond.get(what)
        yield f"{what} at saturation, %", None if theirs is None else error_percent(number, theirs[what])
    yield "read/write, ours", _kind(beyond)
    yield "read/write, measured", None if theirs is None else _kind(theirs)


def _kind(numbers: Mapping[str, float | None]) -> float | None:
    read, write = numbers.get("read p50"), numbers.get("write p50")
    return None if read is None or write is None else read / write


GRIDS = {"": Grid("drive", "what", {})}

FIGURE = Figure(
    *("load-errors", "Errors under mixed load", __doc__, runs, table, lambda _: None),
    neutral=0.0,
    grids=GRIDS,
    is_counted=True,
)
