"""Common parts of the figures of MQSim's own files: runs of their scenarios, and rows next to MQSim's results."""

from collections.abc import Iterable, Mapping

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Label, Row
from canaletto_papers.mqsim import files, interference
from canaletto_papers.mqsim.drive import BOTH, FIRST, SECOND
from canaletto_papers.mqsim.files import FileRun

SEED_OF_FLOW_2 = 6533
"""Next to Flow-1; alone it has Flow-1's seed, 798, in MQSim's files."""

Recorded = Mapping[int, tuple[float, float, float]]


def scenarios(case: str, device: str, first: int, depths: Iterable[int], stop_s: float) -> dict[Label, FileRun]:
    found: dict[Label, FileRun] = {}
    for depth in depths:
        load = f"QD {depth}"
        both = [files.flow(first), files.flow(depth, SEED_OF_FLOW_2)]
        found[case, load, BOTH] = files.scenario(device, both, stop_s)
        found[case, load, FIRST] = files.scenario(device, [files.flow(first)], stop_s)
        found[case, load, SECOND] = files.scenario(device, [files.flow(depth)], stop_s)
    return found


def rows(case: str, found: Mapping[Label, Data], recorded: Recorded, first_alone_ns: float) -> list[Row]:
    made: list[Row] = []
    for depth, (*shared_ns, second_alone_ns) in recorded.items():
        load = f"QD {depth}"
        flows = {which: found[case, load, which]["flows"] for which in (BOTH, FIRST, SECOND)}
        shared = (_us(flows[BOTH][0]), _us(flows[BOTH][1]))
        alone = (_us(flows[FIRST][0]), _us(flows[SECOND][0]))
        theirs_shared = (shared_ns[0] / 1e3, shared_ns[1] / 1e3)
        theirs_alone = (first_alone_ns / 1e3, second_alone_ns / 1e3)
        measured = zip((shared, alone), (theirs_shared, theirs_alone), ("beside the other", "alone"), strict=True)
        for ours, theirs, how in measured:
            for number, name in enumerate(interference.FLOWS):
                made.append(_row(case, depth, name, f"mean response {how}, us", ours[number], theirs[number]))
        theirs_all = interference.slowdowns(theirs_shared, theirs_alone)
        for name, value in interference.slowdowns(shared, alone).items():
            made.append(
                _row(case, depth, name, "slowdown" if name in interference.FLOWS else name, value, theirs_all[name])
            )
    return made


def charts(found: list[Row]) -> dict[str, Spec]:
    shown = [row for row in found if row["what"] in ("slowdown", interference.FAIRNESS)]
    return interference.charts(shown, "queue depth of Flow-2")


def _us(flow: Data) -> float:
    return float(flow["device_response_us"]["mean"])


def _row(case: str, depth: int, name: str, what: str, ours: float | None, theirs: float | None) -> Row:
    place = {"case": case, "load": f"QD {depth}", "x": depth, "system": name, "what": what}
    return {**place, "by": "MQSim 7ec40e3", "ours": ours, "published": theirs}
