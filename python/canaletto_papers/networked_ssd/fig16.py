"""Synthetic requests with balanced allocation, PCWD (Fig. 16).

Method: reads and writes of 64 KiB, sequential and random, 1 to 64 at a time. The fresh drive of Table II allocates over
planes, then channels. Shown is the mean latency of each interconnect. The improvement over baseSSD is averaged over
patterns and numbers of requests. The same for baseSSD and pSSD with a host link that limits nothing: Table II's link of
8 GB/s carries what eight channels of 1 GB/s carry, so that behind it twice as wide channels cannot halve a latency from
a few requests on.

Assumptions: "approximately 2x reduction in latency" of pSSD is read as that average. Requests are aligned to their
size.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.networked_ssd import synthetic
from canaletto_papers.networked_ssd.serving import BASE, SYSTEMS, UNLIMITED

PUBLISHED = {"pSSD": 2.0}
"""§VII-B."""

STATED, FREE = "host link of Table II", "no limit at host, system bus and DRAM"


def runs(scale: Scale) -> dict[Label, Run]:
    free = synthetic.runs(scale, "PCWD", (BASE, "pSSD"), **UNLIMITED)
    stated = synthetic.runs(scale, "PCWD")
    return {
        **{(STATED, *label): run for label, run in stated.items()},
        **{(FREE, *label): run for label, run in free.items()},
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for host in (STATED, FREE):
        points = synthetic.measured({label[1:]: data for label, data in found.items() if label[0] == host})
        names = [name for name in SYSTEMS if name != BASE and any(row["system"] == name for row in points)]
        averages = [synthetic.mean_improvement(points, name, PUBLISHED.get(name)) for name in names]
        rows += [{"host": host, **row} for row in [*points, *averages]]
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    return synthetic.chart([row for row in rows if row["host"] == STATED])


SETTINGS = Settings(("host",), (STATED,))

FIGURE = Figure("fig16", "Fig. 16: 64 KiB requests, PCWD", __doc__, runs, table, chart, SETTINGS)
