"""Requests that meet no path conflict (Fig. 13).

Method: the runs of Fig. 9 on the performance-optimized SSD; the share of requests none of whose transfers had to wait
for a path ("on the first try", §6.3), in percent. Bus: the row's bus was busy; pnSSD: both buses were; NoSSD: a
packet was stopped at a hop; Venice: no controller was free, or the first scout failed. Waiting for one's own chip is
none.

Assumptions: those of Fig. 9. Every transfer of a request counts, commands and those of all its pages.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec
from canaletto.experiments.figure import Data, Figure, Label, Row, Run, Scale
from canaletto.experiments.venice import fig9
from canaletto.experiments.venice.evaluation import AVERAGE, PERFORMANCE, compared, matrix

PUBLISHED = {
    (PERFORMANCE, "Baseline", AVERAGE): 76.40,
    (PERFORMANCE, "pSSD", AVERAGE): 78.47,
    (PERFORMANCE, "pnSSD", AVERAGE): 77.88,
    (PERFORMANCE, "NoSSD", AVERAGE): 80.65,
    (PERFORMANCE, "Venice", AVERAGE): 99.98,
}
"""Percent of requests (§6.3)."""


def runs(scale: Scale) -> dict[Label, Run]:
    """The performance-optimized drive."""
    return matrix(scale, [PERFORMANCE])


def conflict_free(data: Data, _: Data) -> float:
    """Percent of requests that met no path conflict."""
    return float(100 * data["path_conflicts"]["free_request_share"])


def table(found: Mapping[Label, Data]) -> list[Row]:
    """A line a system and workload, and the averages."""
    return compared(found, conflict_free, PUBLISHED)


def chart(rows: list[Row]) -> dict[str, Spec]:
    """Bars in groups as in the paper."""
    return fig9.charts(rows, "requests without path conflict, %", one=False)


FIGURE = Figure("fig13", "Fig. 13: requests that meet no path conflict", __doc__, runs, table, chart)
