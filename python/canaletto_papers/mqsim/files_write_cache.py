"""MQSim's own files, data-cache-contention: what they come to here.

Method: the six scenarios of MQSim's files for two flows of random writes, on four channels each, and each flow alone,
written anew from their values and run as `canaletto mqsim` runs them. Flow-1 writes 1 % of its addresses with 8
outstanding, Flow-2 the same with 8 and 16 outstanding, and all of its addresses (half of them hot) from 32 on. The
drive is preconditioned.

Assumptions: the files ask for `Caching_Mechanism` SIMPLE, on which MQSim stops (`canaletto mqsim` refuses it with its
line); here it is ADVANCED, as in the other two experiments. MQSim 7ec40e3 does not finish the preconditioning of the
first scenario within ten minutes, so that there is nothing to compare with. Its file for Flow-1 alone is not
well-formed. Time is cut from 10 and 100 s to 1 s (with --quick 0.1 s). Each flow alone stays on its own channels.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Label, Row, Scale
from canaletto_papers.mqsim import files, interference
from canaletto_papers.mqsim.drive import BOTH, FIRST, SECOND
from canaletto_papers.mqsim.files import FileRun

CASE = "data-cache-contention"

FLOW_1_OCCUPANCY = 75

FLOW_1_OCCUPANCY_BESIDE = {128: 85}

FLOW_2 = {8: (77, 1, 1), 16: (77, 1, 1), 32: (87, 100, 50), 64: (88, 100, 50), 128: (89, 100, 50), 256: (89, 100, 50)}
"""Initial_Occupancy_, Working_Set_Percentage and Percentage_of_Hot_Region, by depth."""


def first(beside: int | None) -> dict[str, object]:
    known = {} if beside is None else FLOW_1_OCCUPANCY_BESIDE
    return _writes(8, "0,1,2,3", known.get(beside or 0, FLOW_1_OCCUPANCY), 1, 1)


def second(depth: int) -> dict[str, object]:
    return _writes(depth, "4,5,6,7", *FLOW_2[depth])


def _writes(depth: int, channels: str, occupancy: int, working_set: int, hot: int) -> dict[str, object]:
    return files.flow(
        depth,
        Read_Percentage=0,
        Address_Distribution="RANDOM_HOTCOLD",
        Channel_IDs=channels,
        Chip_IDs="0,1,2,3",
        Initial_Occupancy_Percentage=occupancy,
        Working_Set_Percentage=working_set,
        Percentage_of_Hot_Region=hot,
    )


def runs(scale: Scale) -> dict[Label, FileRun]:
    device, stop_s = files.device(Enabled_Preconditioning="true"), 0.1 if scale.quick else 1.0
    found: dict[Label, FileRun] = {}
    for depth in FLOW_2:
        flows = {BOTH: [first(depth), second(depth)], FIRST: [first(None)], SECOND: [second(depth)]}
        for which, each in flows.items():
            found[CASE, f"QD {depth}", which] = files.scenario(device, each, stop_s)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for depth in FLOW_2:
        load = f"QD {depth}"
        both, one, two = (found[CASE, load, which]["flows"] for which in (BOTH, FIRST, SECOND))
        shared = (interference.mean_us(both[:1]), interference.mean_us(both[1:]))
        alone = (interference.mean_us(one[:1]), interference.mean_us(two[:1]))
        throughput = (interference.iops(both[:1]), interference.iops(both[1:]))
        rows += interference.rows(CASE, load, depth, shared, alone, throughput)
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    return interference.charts(rows, "queue depth of Flow-2")


FIGURE = Figure("files-write-cache", "MQSim's files: contention at the data cache", __doc__, runs, table, chart)
