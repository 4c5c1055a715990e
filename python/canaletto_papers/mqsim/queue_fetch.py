"""Queue-fetch size 16 against 1,024: fairness control by the front end (slides "MQSim Multi-Queue Model").

Method: two flows of random reads as in `back-end`, Flow-1 with 8 outstanding and Flow-2 with 8 to 256, for 1 s of
simulated time, at the same time and each alone. The drive takes at most 16, 512 (the slides' studies) or 1,024
requests of each queue pair on at a time.

Assumptions: as in `back-end`; depths as in MQSim's own files (queue-fetch-size). The slides study fetch sizes with
applications under gem5 (`table-errors` says why not here); two flows of reads are what MQSim ships for it.
"""

from canaletto_papers.figure import Figure, Label, Run, Scale
from canaletto_papers.mqsim import back_end
from canaletto_papers.mqsim.drive import DEPTHS, drive, three

FETCH = (16, 512, 1024)


def runs(scale: Scale) -> dict[Label, Run]:
    stop = "15ms" if scale.quick else "1s"
    found: dict[Label, Run] = {}
    for size in FETCH:
        works = [(f"QD {depth}", back_end.reads(8, depth, stop)) for depth in DEPTHS]
        found |= three(f"fetch size {size}", works, drive({"host.fetch_limit": size}))
    return found


FIGURE = Figure("queue-fetch", "Queue-fetch size and fairness", __doc__, runs, back_end.table, back_end.chart)
