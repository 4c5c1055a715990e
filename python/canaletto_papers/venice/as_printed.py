"""Venice as the paper prints it (§4.2), next to Venice as hardware can do it.

Method: the runs of `causes` with and without `fabric.venice.as_printed`. There, scouts that failed go again at once,
one reservation serves a flash operation from its command to its data, and circuits end in no time. `ours` and
`as printed` are speedups in execution time over the baseline, averaged over all 19 workloads. `of ours` is the printed
Venice's speedup over ours.

Assumptions: as for `causes`, with 1,000 requests, because scouts that go again at once take ten times as long to
simulate. The paper prints no numbers of parts of its mechanism.
"""

from collections.abc import Mapping
from statistics import fmean

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.venice.causes import Change
from canaletto_papers.venice.evaluation import BASELINE, SSDS, drive, execution_time, shown

REQUESTS, QUICK = 1_000, 100
OURS, PRINTED = "Venice", "Venice as printed"
KINDS = {BASELINE: (BASELINE, {}), OURS: (OURS, {}), PRINTED: (OURS, {"fabric.venice.as_printed": True})}
TRAFFIC = {
    "64 requests": Change(),
    "64 requests, half of them on one row": Change(hot_share=1 / 2),
}


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (ssd, load, name, kind): Run(drive(ssd, system, **keys), how.workload(name, scale.of(REQUESTS, QUICK)))
        for ssd in SSDS
        for load, how in TRAFFIC.items()
        for name in shown(scale)
        for kind, (system, keys) in KINDS.items()
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for ssd, load in dict.fromkeys(label[:2] for label in found):
        names = dict.fromkeys(label[2] for label in found if label[:2] == (ssd, load))

        def over(kind: str, other: str, at: Label = (ssd, load), names: Mapping[str, None] = names) -> float:
            return fmean(execution_time(found[(*at, name, kind)], found[(*at, name, other)]) for name in names)

        rows.append(
            {
                "drive": ssd,
                "traffic": load,
                "as printed": over(PRINTED, BASELINE),
                "of ours": over(PRINTED, OURS),
                "ours": over(OURS, BASELINE),
                "published": None,
            }
        )
    return rows


FIGURE = Figure("table-as-printed", "Venice as printed (§4.2)", __doc__, runs, table, lambda _: None)
