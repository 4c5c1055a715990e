"""Interference at the write cache (slide of that title).

Method: two flows of random writes of 8 KiB, without end, for 3 s of simulated time, through a cache of 256 MiB that
both share. Flow-1 has 8 outstanding and writes 64 MiB again and again (high locality); Flow-2 has 8 to 256 and writes
all other addresses (none). They are run at the same time and each alone. The drive is in the steady state of greedy
collection with 70 % of its addresses in use. `merged` is the share of written pages that were in the cache already,
of both flows together.

Assumptions: the slides name neither sizes nor localities; a quarter of the cache is ours. The destaging rule is
canaletto's (docs/explanation/cache.md), not MQSim's. The first fill of the cache (some 0.2 s) counts. With --quick
cache and Flow-1's addresses are a sixteenth, over 0.2 s.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.mqsim import back_end
from canaletto_papers.mqsim.drive import BOTH, DEPTHS, FIRST, SECOND, drive, stopping, three

CASE = "random writes"


def runs(scale: Scale) -> dict[Label, Run]:
    cache, hot, stop = ("16MiB", "4MiB", "200ms") if scale.quick else ("256MiB", "64MiB", "3s")
    design = drive({"cache.capacity": cache, "precondition.kind": "steady", "precondition.occupancy": 0.7})
    writes = {"read_share": 0.0, "size": "8KiB", "alignment": "8KiB"}
    first = stopping(stop, queue_depth=8, working_set_size=hot, **writes)
    works = []
    for depth in DEPTHS:
        second = stopping(stop, queue_depth=depth, working_set_offset=hot, **writes)
        works.append((f"QD {depth}", workload(f"QD 8 and {depth}", [flow("Flow-1", first), flow("Flow-2", second)])))
    return three(CASE, works, design)


def merged(data: Data) -> float | None:
    writes = data["cache"]["writes"]
    pages = writes["merged"] + writes["inserted"]
    return writes["merged"] / pages if pages else None


def table(found: Mapping[Label, Data]) -> list[Row]:
    which = {"Flow-1": FIRST, "Flow-2": SECOND}
    return [
        {
            **{key: value for key, value in row.items() if key not in ("ours", "published")},
            "merged": merged(found[row["case"], row["load"], BOTH]),
            "merged_alone": merged(found[row["case"], row["load"], which[row["system"]]])
            if row["system"] in which
            else None,
            "ours": row["ours"],
            "published": row["published"],
        }
        for row in back_end.table(found)
    ]


FIGURE = Figure("write-cache", "Interference at the write cache", __doc__, runs, table, back_end.chart)
