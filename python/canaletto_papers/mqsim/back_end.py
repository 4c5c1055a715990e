"""Interference at the back end (slide of that title).

Method: two flows of random reads of 4 KiB at multiples of 8 KiB over half of the addresses, without end, for 2 s of
simulated time. Flow-1 has 2 outstanding, Flow-2 8 to 256. They are run at the same time and each alone; a flow's
slowdown is its mean latency shared over alone, fairness the least slowdown over the largest. The drive comes from
MQSim's files with canaletto's own model options: commands of several dies of a chip overlap, link and bus are exact.

Assumptions: depth of Flow-1, size, alignment and working set come from MQSim's own files (backend-contention), which
the slides do not state; here both flows use all chips. The slides' charts carry no numbers.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec
from canaletto._run.config import Workload

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.mqsim import interference
from canaletto_papers.mqsim.drive import BOTH, DEPTHS, FIRST, SECOND, drive, stopping, three

CASE = "random reads"
READS = {"read_share": 1.0, "size": "4KiB", "alignment": "8KiB", "working_set": 0.5}


def reads(first: int, second: int, stop: str) -> Workload:
    depths = zip(interference.FLOWS, (first, second), strict=True)
    return workload(
        f"QD {first} and {second}", [flow(name, stopping(stop, queue_depth=depth, **READS)) for name, depth in depths]
    )


def runs(scale: Scale) -> dict[Label, Run]:
    stop = "20ms" if scale.quick else "2s"
    return three(CASE, [(f"QD {depth}", reads(2, depth, stop)) for depth in DEPTHS], drive())


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for case, load in dict.fromkeys(label[:2] for label in found):
        both, first, second = (found[case, load, which]["flows"] for which in (BOTH, FIRST, SECOND))
        shared = (interference.mean_us(both[:1]), interference.mean_us(both[1:]))
        alone = (interference.mean_us(first[:1]), interference.mean_us(second[1:]))
        throughput = (interference.iops(both[:1]), interference.iops(both[1:]))
        rows += interference.rows(case, load, int(load.removeprefix("QD ")), shared, alone, throughput)
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    return interference.charts(rows, "queue depth of Flow-2")


FIGURE = Figure("back-end", "Interference at the back end", __doc__, runs, table, chart)
