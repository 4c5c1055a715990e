"""Data sheets of preset drives, and ours.

Method: each drive fresh, in a closed loop behind a host that takes no time. Jobs are reads and writes of 128 KiB one
behind the other, 32 outstanding, and of 4 KiB at random places, 512 outstanding. Published is the maker's figure, or
what was measured for minutes on end (iocost-benchmark/iocost-benchmarks b2fc8dd6, Apache-2.0).

Assumptions: as in the presets. Makers measure writes into a cache of one bit a cell; sustained ones go past it, so that
it is left out for them. They measure random reads of what was just written, which lies there, too: `data with one bit a
cell` is a drive all of whose reads take the time of that cache. Such pages have few errors, so that ECC takes 1 us, the
least of 1 to 20 us (Microsemi, 2014). Sustained random writes (252 and 84 k/s) are not compared: they depend on how
full the drives were, which is not recorded. `steady` is a drive that collects. It has six times as many requests, of
which the second half counts. Its blocks have 24 pages instead of 1,344, so that several superblocks are filled, and
erases are as much shorter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canaletto._run import config
from canaletto._run.config import Design

from canaletto_papers.drives import load
from canaletto_papers.drives.drive import MLC970, PRESETS, TLC980, requests
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale

SHEET, SUSTAINED = "data sheet", "sustained, iocost-benchmarks"
ONE_BIT, STEADY = "data sheet, data with one bit a cell", "data sheet, steady"
READ, WRITE, RANDOM_READ, RANDOM_WRITE = (
    "sequential read, GB/s",
    "sequential write, GB/s",
    "random read, k/s",
    "random write, k/s",
)
P41, PRO9100, SZ985, P4800X = "SK hynix Platinum P41 2 TB", "Samsung 9100 PRO 2 TB", "Samsung SZ985", "Intel P4800X"
P41_PLUS, CM7 = "Solidigm P41 Plus 2 TB", "Kioxia CM7-R 3.84 TB"
CALIBRATED = ", calibrated"
DRIVES = {
    **{TLC980: PRESETS[TLC980], MLC970: PRESETS[MLC970], P41: "pcie4-tlc"},
    **{P41_PLUS: "pcie4-qlc", CM7: "pcie5-tlc-cm7"},
    **{PRO9100: "pcie5-tlc", SZ985: "pcie3-z-nand", P4800X: "pcie3-3d-xpoint"},
    **{f"{drive}{CALIBRATED}": preset for drive, (preset, _) in load.PRESETS.items()},
}
_OF_LOAD = {
    "SK hynix PE8110 960 GB": (6.5, 1.7, 900.0),
    "Micron 7450 PRO 960 GB": (6.8, 1.4, 530.0),
    "Samsung PM9A3 960 GB": (6.5, 1.5, 580.0),
    "Micron 7450 MAX 800 GB": (6.8, 1.4, 530.0),
    "Solidigm D7-P5520 1.92 TB": (5.3, 1.9, 700.0),
    "Kioxia CM7-R 3.84 TB": (14.0, 6.75, 2700.0),
    "WD data centre 960 GB": (3.33, 1.19, 434.0),
}
"""Data sheets of the drives of `load`, which has their random writes."""
SHEETS = {
    TLC980: (7.0, 5.0, 1000.0, 1000.0),
    MLC970: (3.5, 2.3, 370.0, 500.0),
    P41: (7.0, 6.5, 1400.0, 1300.0),
    PRO9100: (14.7, 13.4, 1850.0, 2600.0),
    P41_PLUS: (4.125, 3.325, 390.0, 540.0),
    CM7: (14.0, 6.75, 2700.0, None),
    SZ985: (3.2, 3.2, 750.0, None),
    P4800X: (2.4, 2.0, 550.0, 500.0),
    **{f"{drive}{CALIBRATED}": (*sheet, None) for drive, sheet in _OF_LOAD.items()},
}
CACHED = {drive: (None, None, SHEETS[drive][2], None) for drive in (TLC980, P41, PRO9100, P41_PLUS)}
COLLECTING = {CM7: (None, None, None, 310.0)}
MEASURED = {
    MLC970: (3.47, 2.21, 376.8, None),
    TLC980: (2.55, 2.31, 304.5, None),
}
PUBLISHED: Mapping[str, Mapping[str, tuple[float | None, ...]]] = {
    SHEET: SHEETS,
    ONE_BIT: CACHED,
    STEADY: COLLECTING,
    SUSTAINED: MEASURED,
}


@dataclass(frozen=True)
class _Work:
    size: str
    depth: int
    read_share: float
    sequential: bool
    number: int

    def run(self, design: Design, scale: Scale, source: str) -> Run:
        keys = {"addresses": "sequential"} if self.sequential else {}
        times, uncounted = (6, 3) if source == STEADY else (1, 0)
        number = scale.of(self.number, self.number // 10)
        work = requests(times * number, self.size, self.depth, read_share=self.read_share, **keys)
        return Run(design, work, warmup=uncounted * number)


WORKS = {
    READ: _Work("128KiB", 32, 1.0, True, 40_000),
    WRITE: _Work("128KiB", 32, 0.0, True, 40_000),
    RANDOM_READ: _Work("4KiB", 512, 1.0, False, 200_000),
    RANDOM_WRITE: _Work("4KiB", 512, 0.0, False, 200_000),
}


def _design(drive: str, source: str) -> Design:
    made = config.quiet_design(DRIVES[drive])
    if source == ONE_BIT:
        return made.replace(**{"flash.read": made.to_dict()["flash"]["pslc"]["read"], "controller.ecc_latency": "1us"})
    return made.replace(**CHANGES[source]) if source in CHANGES else made


# Erases: 3.5 ms x 24 / 1,344.
CHANGES: Mapping[str, Mapping[str, Any]] = {
    SUSTAINED: {"flash.pslc.static_size": "0B", "flash.pslc.dynamic_size": "0B"},
    STEADY: {"precondition.kind": "steady", "geometry.pages_per_block": 24, "flash.erase": "62.5us"},
}


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (drive, source, what): WORKS[what].run(_design(drive, source), scale, source)
        for source, known in PUBLISHED.items()
        for drive, numbers in known.items()
        for what, number in zip(WORKS, numbers, strict=True)
        if number is not None
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (drive, source, what), data in found.items():
        known = PUBLISHED[source][drive]
        ours = data["bandwidth_mb_s"] / 1e3 if WORKS[what].sequential else data["iops"] / 1e3
        published = known[list(WORKS).index(what)]
        rows.append({"drive": drive, "source": source, "what": what, "ours": ours, "published": published})
    return rows


FIGURE = Figure(
    "table-data-sheets",
    "Data sheets",
    __doc__,
    runs,
    table,
    lambda _: None,
    neutral=0.0,
)
