"""MQSim's own files, backend-contention: ours next to MQSim's.

Method: the eight scenarios of MQSim's files for two flows of random reads, and the same for each flow alone. They are
written anew from their values and run as `canaletto mqsim` runs them, 10 s of simulated time each. `published` is what
MQSim 7ec40e3 gives: means of the device's response, and what follows from them by the slides' definitions.

Assumptions: Flow-1's own file holds a merge conflict, on which MQSim stops; both sides of it have the same values as
the first scenario of Flow-2's file. Alone, a flow has all addresses of its chips instead of half of them, and Flow-2
has another seed than with Flow-1, as in MQSim's files. With --quick 0.1 s.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Scale
from canaletto_papers.mqsim import beside_mqsim, files, recorded
from canaletto_papers.mqsim.files import FileRun

CASE = "backend-contention"


def runs(scale: Scale) -> dict[Label, FileRun]:
    stop_s = 0.1 if scale.quick else files.STOP_S
    return beside_mqsim.scenarios(CASE, files.device(), 2, recorded.BACK_END, stop_s)


def table(found: Mapping[Label, Data]) -> list[Row]:
    return beside_mqsim.rows(CASE, found, recorded.BACK_END, recorded.BACK_END_FLOW_1_ALONE)


FIGURE = Figure(
    "files-back-end",
    "MQSim's files: contention at the back end",
    __doc__,
    runs,
    table,
    beside_mqsim.charts,
    is_counted=True,
    neutral=0.0,
)
