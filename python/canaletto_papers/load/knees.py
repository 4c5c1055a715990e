"""Knee of each fabric.

Method: the throughput at which the mean latency is twice the idle drive's, interpolated between
the two loads of the latency curves around it. No value: not within the loads tried.

Assumptions: as in the curves; twice is our choice.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec
from canaletto_extras.loading.curves import knee

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Grid, Label, Row
from canaletto_papers.load import curves
from canaletto_papers.load.drives import FABRICS, SHADES


def table(found: Mapping[Label, Data]) -> list[Row]:
    points = curves.table(found)
    rows: list[Row] = []
    for situation in curves.SITUATIONS:
        for fabric in FABRICS:
            curve = curves.of(points, situation, fabric)
            at = knee(curve)
            rows.append(
                {
                    "situation": situation,
                    "system": fabric,
                    "idle_us": curve[0]["ours"],
                    "most_served_gb_s": max(row["served_gb_s"] for row in curve),
                    "ours": at and at["served_gb_s"],
                    "published": None,
                }
            )
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    return {"knees": grouped(rows, "situation", "throughput at the knee (GB/s)", SHADES, one=False)}


GRIDS = {"GB/s": Grid("situation", "system", {})}

FIGURE = Figure(
    "knees",
    "Knees: throughput at twice the latency of the idle drive",
    __doc__,
    curves.runs,
    table,
    chart,
    grids=GRIDS,
)
