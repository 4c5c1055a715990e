"""Writes by size and depth, measured and ours.

Method: the preset of the ZN540 under the jobs that measured it with SPDK: writes one behind the other, in a closed
loop. Published is what was measured.

Assumptions: as in the preset. Its program time follows from the rate of large writes, and a write of 4 KiB takes the
firmware the 5.6 us that an emulator's author found. With 16 and more outstanding the drive takes 8.2 us for a write of
4 KiB and 6.7 us or less for one of 8 KiB. No source explains this, and it is not modelled.
"""

from collections.abc import Mapping

from canaletto_papers.drives.drive import SPDK, ZN540, design, error_percent, extent, measures, requests
from canaletto_papers.drives.measured import WRITES
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale


def runs(scale: Scale) -> dict[Label, Run]:
    keys = {"read_share": 0.0, "addresses": "sequential"}
    return {
        (size, str(depth)): Run(design(ZN540, SPDK), requests(extent(scale), size, depth, **keys))
        for size, depth in WRITES
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "drive": ZN540,
            "size": size,
            "depth": f"depth {depth}",
            "what": what,
            "error_percent": error_percent(ours, theirs),
            "ours": ours,
            "published": float(theirs),
        }
        for (size, depth), data in found.items()
        for (what, ours), theirs in zip(measures(data).items(), WRITES[size, int(depth)], strict=True)
    ]


FIGURE = Figure("table-writes", "Writes by size and depth", __doc__, runs, table, lambda _: None, neutral=0.0)
