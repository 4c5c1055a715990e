"""Synthetic requests with unbalanced allocation, PWCD (Fig. 17).

Method: that of Fig. 16 with an allocation that goes over planes, then over the chips of one channel. Beside the
averages stands the number of concurrent requests from which on pnSSD (+split) is no longer faster than pSSD, on
average over the patterns.

Assumptions: those of Fig. 16. The paper says that pnSSD (+split) is better "when the number of concurrent I/Os is
less than 32"; no value of ours: it stays faster up to 64.
"""

from collections.abc import Mapping
from statistics import fmean

from canaletto.experiments.figure import Data, Figure, Label, Row, Run, Scale
from canaletto.experiments.networked_ssd import synthetic
from canaletto.experiments.networked_ssd.serving import BASE, SYSTEMS

SPLIT_AHEAD_BELOW = 32.0
"""Concurrent requests (§VII-B)."""


def runs(scale: Scale) -> dict[Label, Run]:
    """With PWCD."""
    return synthetic.runs(scale, "PWCD")


def split_ahead_below(rows: list[Row]) -> float | None:
    """The fewest concurrent requests at which splitting does not beat pSSD on average; None if there is no such number."""
    for depth in synthetic.DEPTHS:
        at = [row for row in rows if row["concurrent"] == depth]
        split, packetized = (
            fmean(row["ours"] for row in at if row["system"] == name) for name in ("pnSSD (+split)", "pSSD")
        )
        if split <= packetized:
            return float(depth)
    return None


def table(found: Mapping[Label, Data]) -> list[Row]:
    """Every point, each system's average, and up to where splitting is ahead."""
    rows = synthetic.measured(found)
    averages = [synthetic.mean_improvement(rows, name, None) for name in SYSTEMS if name != BASE]
    ahead = {"pattern": synthetic.AVERAGE, "concurrent": None, "system": "pnSSD (+split) ahead of pSSD below"}
    last = {**ahead, "latency_us": None, "ours": split_ahead_below(rows), "published": SPLIT_AHEAD_BELOW}
    return [*rows, *averages, last]


FIGURE = Figure("fig17", "Fig. 17: 64 KiB requests, PWCD", __doc__, runs, table, synthetic.chart)
