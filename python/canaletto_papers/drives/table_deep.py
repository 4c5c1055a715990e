"""Reads with more than eight outstanding, measured and ours.

Method: as `table-reads`, from 16 to 256 outstanding by SPDK.

Assumptions: as in the presets. The 980 PRO's was calibrated from at most eight outstanding, so that these are
predicted. The firmware time of the ZN540's was taken from where its reads of 8 and 16 KiB end.
"""

from collections.abc import Mapping

from canaletto_papers.drives.drive import design, extent, requests
from canaletto_papers.drives.measured import DEEP
from canaletto_papers.drives.table_reads import rows_of
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (drive, engine, size, str(depth)): Run(design(drive, engine), requests(extent(scale), size, depth))
        for drive, engine, size, depth in DEEP
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    return rows_of(found, DEEP)


FIGURE = Figure("table-deep", "Reads at great depths", __doc__, runs, table, lambda _: None, neutral=0.0)
