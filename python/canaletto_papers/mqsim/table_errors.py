"""Published errors of simulators against real drives, and the part that can be repeated.

Method: the slides' errors of execution time against four real drives stand as they are printed. Next to them is the one
comparison that can be made here: canaletto with MQSim's own files against MQSim 7ec40e3, the largest difference of a
mean response (`files-back-end`, `files-queue-fetch`).

Assumptions: none of our numbers stands in a real drive's row. The four drives are not named, their parameters are not
published, and the three traces (TPC-C, TPC-E, Exchange Server) were replayed on the drives themselves. The applications
run in gem5, which canaletto is not joined to.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Scale
from canaletto_papers.mqsim import files_back_end, files_queue_fetch
from canaletto_papers.mqsim.files import FileRun

DRIVES = ("SSD-A", "SSD-B", "SSD-C", "SSD-D")

PUBLISHED = {
    "SSDModel": (91, 155, 196, 136),
    "FlashSim": (99, 259, 310, 138),
    "SSDSim": (70, 68, 74, 85),
    "WiscSim": (95, 277, 324, 135),
    "MQSim": (8, 6, 18, 14),
}
"""Error of execution time, %, three traces, by drive (slide "MQSim Is More Accurate Than Existing Simulators")."""

LATENCIES = {"read latency": 2.9, "write latency": 4.9}
"""MQSim's error, %, averaged over the four drives (slide "MQSim Accurately Captures Read/Write Latencies")."""

NO_DRIVE = "the four drives are not named, their parameters not published"
GEM5 = "they run in gem5, which canaletto is not joined to"

NOT_HERE = {
    'two flows on real drives ("MQSim Multi-Queue Model", "Concurrent Flow Execution in Real Devices")': NO_DRIVE,
    'response of the real SSD-B over 200 minutes ("Capturing Steady-State Behavior")': NO_DRIVE,
    'response times of three traces on real drives ("Real Trace Execution Results")': NO_DRIVE,
    'pairs of applications ("Measuring Impact of Interference on Applications")': GEM5,
}


def runs(scale: Scale) -> dict[Label, FileRun]:
    return {**files_back_end.runs(scale), **files_queue_fetch.runs(scale)}


def table(found: Mapping[Label, Data]) -> list[Row]:
    time = "error of execution time, %"
    rows = [
        _row(name, against, time, NO_DRIVE, None, error)
        for name, errors in PUBLISHED.items()
        for against, error in zip(DRIVES, errors, strict=True)
    ]
    rows += [_row("MQSim", "four drives", f"error of {what}, %", NO_DRIVE, None, e) for what, e in LATENCIES.items()]
    for module in (files_back_end, files_queue_fetch):
        rows.append(
            _row(
                "canaletto",
                "MQSim 7ec40e3",
                f"{module.FIGURE.name}: largest difference of a mean response, %",
                "",
                largest_percent(module.table(found)),
                None,
            )
        )
    return rows + [_row("–", "–", what, why, None, None) for what, why in NOT_HERE.items()]


def largest_percent(rows: list[Row]) -> float:
    responses = [row for row in rows if "response" in row["what"]]
    return float(max(abs(row["ours"] / row["published"] - 1) for row in responses) * 100)


def _row(simulator: str, against: str, what: str, why: str, ours: float | None, published: float | None) -> Row:
    place = {"simulator": simulator, "against": against, "what": what, "not repeated because": why}
    return {**place, "ours": ours, "published": published}


def chart(_: list[Row]) -> None:
    """The slides print a table."""


FIGURE = Figure(
    "table-errors",
    "Errors against real drives, and what cannot be repeated",
    __doc__,
    runs,
    table,
    chart,
    is_counted=True,
    neutral=0.0,
)
