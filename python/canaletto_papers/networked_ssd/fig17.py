"""Synthetic requests with unbalanced allocation, PWCD (Fig. 17).

Method: as in Fig. 16 with an allocation that goes over planes, then over the chips of one channel. Next to the averages
stands up to how many concurrent requests pnSSD (+split) is ahead of pSSD. It is ahead where its improvement over
baseSSD, averaged over the patterns, is more than 1 % above pSSD's; shown is the next number tried.

Assumptions: as in Fig. 16. The paper says that pnSSD (+split) is better "when the number of concurrent I/Os is less
than 32". No value of ours: it is ahead nowhere, or still at 64.
"""

from collections.abc import Mapping
from statistics import fmean

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.networked_ssd import synthetic
from canaletto_papers.networked_ssd.serving import BASE, SYSTEMS

SPLIT_AHEAD_BELOW = 32.0
"""Concurrent requests (§VII-B)."""

AHEAD = 1.01


def runs(scale: Scale) -> dict[Label, Run]:
    return synthetic.runs(scale, "PWCD")


def split_ahead_below(rows: list[Row]) -> float | None:
    ahead = []
    for depth in synthetic.DEPTHS:
        at = [row for row in rows if row["concurrent"] == depth]
        split, packetized = (
            fmean(row["ours"] for row in at if row["system"] == name) for name in ("pnSSD (+split)", "pSSD")
        )
        ahead.append(split > AHEAD * packetized)
    if not any(ahead) or ahead[-1]:
        return None
    last = max(place for place, is_ahead in enumerate(ahead) if is_ahead)
    return float(synthetic.DEPTHS[last + 1])


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows = synthetic.measured(found)
    averages = [synthetic.mean_improvement(rows, name, None) for name in SYSTEMS if name != BASE]
    ahead = {"pattern": synthetic.AVERAGE, "concurrent": None, "system": "pnSSD (+split) ahead of pSSD below"}
    last = {**ahead, "latency_us": None, "ours": split_ahead_below(rows), "published": SPLIT_AHEAD_BELOW}
    return [*rows, *averages, last]


FIGURE = Figure("fig17", "Fig. 17: 64 KiB requests, PWCD", __doc__, runs, table, synthetic.chart, neutral=0.0)
