"""Performance of the prior approaches and of the ideal SSD (Fig. 4).

Method: the runs of Fig. 9 on the performance-optimized SSD without Venice; speedup in execution time over the baseline.

Assumptions: as in Fig. 9.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.venice import fig9
from canaletto_papers.venice.evaluation import (
    AS_PUBLISHED,
    BASELINE,
    FLAT,
    PERFORMANCE,
    SYSTEMS,
    compared,
    execution_time,
    matrix,
)

SHOWN = [name for name in SYSTEMS if name != "Venice"]


def runs(scale: Scale) -> dict[Label, Run]:
    return matrix(scale, [PERFORMANCE], SHOWN)


def table(found: Mapping[Label, Data]) -> list[Row]:
    """§3.3 prints the same numbers as §6.1."""
    return [row for row in compared(found, execution_time, fig9.PUBLISHED) if row["system"] != BASELINE]


def chart(rows: list[Row]) -> dict[str, Spec]:
    return fig9.charts(rows, "speedup over Baseline, times")


FIGURE = Figure(
    "fig4", "Fig. 4: prior approaches and the ideal SSD", __doc__, runs, table, chart, AS_PUBLISHED, flat=FLAT
)
