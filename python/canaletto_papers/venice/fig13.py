"""Requests and transactions that meet no path conflict (Fig. 13).

Method: the runs of Fig. 9 on the performance-optimized SSD. Shown is the share, in percent, of requests none of whose
transfers had to wait for a path ("on the first try", §6.3), and the same share of their page transactions. Bus: the
row's bus was busy; pnSSD: both buses were; NoSSD: a packet was stopped at a hop; Venice: no controller was free, or the
first scout failed. Waiting for the request's chip is no conflict.

Assumptions: as in Fig. 9. The paper says "I/O requests". A request of 16 pages meets a conflict if any of its 16
transactions does, so that with requests of one size a smaller share of requests than of transactions meets none. Where
most requests are small and large ones meet the conflicts, it is the other way round (the profiles). Both are printed;
the request is taken to be what the paper says.
"""

from collections.abc import Callable, Mapping

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.venice import fig9
from canaletto_papers.venice.evaluation import AVERAGE, OPEN, OWN, PERFORMANCE, compared, matrix

PUBLISHED = {
    (PERFORMANCE, "Baseline", AVERAGE): 76.40,
    (PERFORMANCE, "pSSD", AVERAGE): 78.47,
    (PERFORMANCE, "pnSSD", AVERAGE): 77.88,
    (PERFORMANCE, "NoSSD", AVERAGE): 80.65,
    (PERFORMANCE, "Venice", AVERAGE): 99.98,
}
"""Percent of requests (§6.3)."""


def runs(scale: Scale) -> dict[Label, Run]:
    return matrix(scale, [PERFORMANCE])


REQUESTS, TRANSACTIONS = "requests", "transactions"
COUNTED = {REQUESTS: "free_request_share", TRANSACTIONS: "free_transaction_share"}


def table(found: Mapping[Label, Data]) -> list[Row]:
    def share(field: str) -> Callable[[Data, Data], float]:
        return lambda data, _: float(100 * data["path_conflicts"][field])

    return [
        {"counted": counted, **row}
        for counted, field in COUNTED.items()
        for row in compared(found, share(field), PUBLISHED)
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for counted in COUNTED:
        shown = [row for row in rows if row["counted"] == counted]
        charts = fig9.charts(shown, f"{counted} without path conflict (%)", one=False)
        drawn |= {f"{counted}: {caption}": spec for caption, spec in charts.items()}
    return drawn


SETTINGS = Settings(("counted", "traffic", "load"), (REQUESTS, OWN, OPEN))

GRID = Grid("counted", "system", {"traffic": OWN, "load": OPEN, "workload": AVERAGE})

FIGURE = Figure(
    "fig13",
    "Fig. 13: requests that meet no path conflict",
    __doc__,
    runs,
    table,
    chart,
    SETTINGS,
    {"averages over workloads, %": GRID},
    neutral=100.0,
)
