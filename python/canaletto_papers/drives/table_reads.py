"""Reads by size and depth, measured and ours.

Method: the presets of the drives, under the jobs that measured them: random reads in a closed loop over the whole
drive. Published is what was measured; latencies are from submission to completion. The host is the measurement's:
SPDK takes the measured time of submission, io_uring also the time of an interrupt (`drive.HOSTS`).

Assumptions: as in the presets, calibrated from the 4 KiB reads of SPDK (980 PRO) and from all reads of SPDK (ZN540) in
this table alone. Reads of 8 KiB and more of the 980 PRO were not looked at. The set with other sizes than 4 KiB is
another one than with 4 KiB. There a quarter of the reads of 4 KiB end after 20 us, as of pages that were never written.
"""

from collections.abc import Mapping

from canaletto_papers.drives.drive import design, error_percent, extent, measures, requests
from canaletto_papers.drives.measured import READS, Numbers
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (drive, engine, size, str(depth)): Run(design(drive, engine), requests(extent(scale), size, depth))
        for drive, engine, size, depth in READS
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    return rows_of(found, READS)


def rows_of(found: Mapping[Label, Data], known: Mapping[tuple[str, str, str, int], Numbers]) -> list[Row]:
    rows: list[Row] = []
    for (drive, engine, size, depth), data in found.items():
        measured = known[drive, engine, size, int(depth)]
        for (what, ours), theirs in zip(measures(data).items(), measured, strict=True):
            place = {"drive": drive, "by": engine, "size": size, "depth": f"depth {depth}"}
            apart = error_percent(ours, theirs)
            rows.append({**place, "what": what, "error_percent": apart, "ours": ours, "published": float(theirs)})
    return rows


FIGURE = Figure("table-reads", "Reads by size and depth", __doc__, runs, table, lambda _: None, neutral=0.0)
