"""Synthetic requests with balanced allocation, PCWD (Fig. 16).

Method: reads and writes of 64 KiB, sequential and random, 1 to 64 at a time, on the fresh drive of Table II whose
allocation goes over planes, then channels; the mean latency of each interconnect. The improvement over baseSSD is
averaged over patterns and numbers of requests.

Assumptions: "approximately 2x reduction in latency" of pSSD is read as that average. Requests are aligned to their
size.
"""

from collections.abc import Mapping

from canaletto.experiments.figure import Data, Figure, Label, Row, Run, Scale
from canaletto.experiments.networked_ssd import synthetic
from canaletto.experiments.networked_ssd.serving import BASE, SYSTEMS

PUBLISHED = {"pSSD": 2.0}
"""§VII-B."""


def runs(scale: Scale) -> dict[Label, Run]:
    """With PCWD."""
    return synthetic.runs(scale, "PCWD")


def table(found: Mapping[Label, Data]) -> list[Row]:
    """Every point, then each system's average."""
    rows = synthetic.measured(found)
    averages = [synthetic.mean_improvement(rows, name, PUBLISHED.get(name)) for name in SYSTEMS if name != BASE]
    return [*rows, *averages]


FIGURE = Figure("fig16", "Fig. 16: 64 KiB requests, PCWD", __doc__, runs, table, synthetic.chart)
