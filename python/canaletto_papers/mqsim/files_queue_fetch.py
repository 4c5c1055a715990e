"""MQSim's own files, queue-fetch-size: ours next to MQSim's.

Method: the six scenarios of MQSim's files for two flows of random reads, and for each flow alone, with a queue-fetch
size of 16 and of 1,024. They are written anew from their values and run as `canaletto mqsim` runs them, 10 s of
simulated time each. `published` is what MQSim 7ec40e3 gives: means of the device's response, and what follows from them
by the slides' definitions.

Assumptions: alone, a flow has all addresses of its chips instead of half of them, and Flow-2 has another seed than
with Flow-1, as in MQSim's files. With --quick 0.1 s.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Scale
from canaletto_papers.mqsim import beside_mqsim, files, recorded
from canaletto_papers.mqsim.files import FileRun


def runs(scale: Scale) -> dict[Label, FileRun]:
    stop_s = 0.1 if scale.quick else files.STOP_S
    found: dict[Label, FileRun] = {}
    for size, depths in recorded.QUEUE_FETCH.items():
        found |= beside_mqsim.scenarios(_case(size), files.device(Queue_Fetch_Size=size), 8, depths, stop_s)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    alone_ns = recorded.QUEUE_FETCH_FLOW_1_ALONE
    both = recorded.QUEUE_FETCH.items()
    return [row for size, known in both for row in beside_mqsim.rows(_case(size), found, known, alone_ns)]


def _case(size: int) -> str:
    return f"queue-fetch-size {size}"


FIGURE = Figure(
    "files-queue-fetch",
    "MQSim's files: queue-fetch size",
    __doc__,
    runs,
    table,
    beside_mqsim.charts,
    is_counted=True,
    neutral=0.0,
)
