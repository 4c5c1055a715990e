"""Errors under mixed load, by drive.

Method: from the runs of `load`. Below saturation (97 % of the offered requests are served) the root mean square of
the relative errors of reads, at saturation the error of the served rate and of the median write, both at the highest
rate. `kind` is the median read as a share of the median write at saturation: near 1 where reads and writes have one
queue, near 0 where reads pass.

Assumptions: as in `load`. Of four drives nothing beyond 20,000 requests/s was at hand.
"""

from collections.abc import Mapping

from canaletto_papers.drives.drive import error_percent
from canaletto_papers.drives.load import BEYOND, PRESETS, PROBE_RATE, SERVED, measured, ours, runs
from canaletto_papers.figure import Data, Figure, Grid, Label, Row

BELOW = ("read p50", "read p99", "write p50")
SATURATED = (SERVED, "write p50", "read p50")
KIND = "kind at saturation"


def is_saturated(offered: int, served: float) -> bool:
    return served * 1e3 < 0.97 * (offered + PROBE_RATE // 2)


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for drive in PRESETS:
        answers = {int(rate): ours(data) for (each, rate), data in found.items() if each == drive}
        known = measured()[drive]
        calm = [rate for rate in known if rate in answers and not is_saturated(rate, known[rate][SERVED])]
        busy = [rate for rate in known if rate in answers and is_saturated(rate, known[rate][SERVED])]
        for what in BELOW:
            apart = [error_percent(answers[rate][what], known[rate][what]) for rate in calm]
            kept = [each for each in apart if each is not None]
            rms = (sum(each**2 for each in kept) / len(kept)) ** 0.5 if kept else None
            rows.append({"drive": drive, "what": f"{what} below saturation, rms %", "ours": rms, "published": None})
        beyond = answers.get(BEYOND, {})
        for what in SATURATED:
            error = error_percent(beyond.get(what), known[max(busy)][what]) if busy else None
            rows.append({"drive": drive, "what": f"{what} at saturation, %", "ours": error, "published": None})
        rows.append(
            {
                "drive": drive,
                "what": KIND,
                "ours": _kind(beyond),
                "published": _kind(known[max(busy)]) if busy else None,
            }
        )
    return rows


def _kind(numbers: Mapping[str, float | None]) -> float | None:
    read, write = numbers.get("read p50"), numbers.get("write p50")
    return None if read is None or write is None else read / write


GRIDS = {"": Grid("drive", "what", {}, across=False)}

FIGURE = Figure(
    "load-errors",
    "Errors under mixed load",
    __doc__,
    runs,
    table,
    lambda _: None,
    neutral=0.0,
    grids=GRIDS,
    is_counted=True,
)
