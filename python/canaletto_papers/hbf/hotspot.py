"""A hot spot: 64 pages, a stride apart, by placement (jager197/accel-sim-hbf, hotspots.csv).

Method: one read of each of 64 pages at once, in a stack of 4 channels whose units take 15 us a page. `modulo` of the
source puts page p on unit p mod 8 of channel p mod 4, so that a channel's pages are on two of its units: 4 × 2 units.
`interleave` puts it on unit (p / 4) mod 8: 4 × 8 units. Cycles count the source's core, 1,132 MHz.

Assumptions: pages lie on channels in turn, then on units. Ours is the time of the reads. The source's includes the
launch of a kernel (5,000 cycles are configured) and the way through its core, about 5,660 cycles in all: the
difference. A stride of 1 with `interleave` is left out, because the source then works on at most eight units at a
time, which bounds power and which no key here does.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.hbf.stack import stack, strided

MHZ, PAGES, CHANNELS = 1132.0, 64, 4
UNITS = {"modulo": 2, "interleave": 8}
PUBLISHED = {
    ("modulo", 1): 141_530,
    ("modulo", 4): 549_017,
    ("modulo", 32): 1_092_373,
    ("interleave", 4): 141_530,
    ("interleave", 32): 1_092_373,
}
"""Column `cycles` of lines hotspot_p64_e1_s*."""


def runs(_: Scale) -> dict[Label, Run]:
    return {
        (placement, str(stride)): Run(stack(CHANNELS, UNITS[placement], "15us"), strided(PAGES, stride))
        for placement, stride in PUBLISHED
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (placement, stride), data in found.items():
        ours, published = data["execution_time_us"] * MHZ, PUBLISHED[placement, int(stride)]
        rows.append(
            {
                "placement": placement,
                "stride": stride,
                "ours": round(ours),
                "published": published,
                "off_percent": (ours / published - 1.0) * 100.0,
            }
        )
    return rows


FIGURE = Figure("hotspot", "A hot spot by placement", __doc__, runs, table, lambda _: None, ordered=("placement",))
