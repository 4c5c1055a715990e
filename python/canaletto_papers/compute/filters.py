"""Data looked through where they are, over a host that reads them (GenStore, MegIS, Conduit, REIS).

Method: scans of 1 MiB, 64 outstanding, that return 1 % of their data, at the host, at the channels and in the chips.
`ours` is the rate at which data are looked through over the host's, or data per energy. Drives: 8 channels behind
SATA (0.56 GB/s), 16 channels behind PCIe 4.0 (7 GB/s), channels of 1.2 GB/s, eight dies each.

Assumptions: of the papers only abstracts were at hand; the drives are assumed. Units keep up with what they receive,
and the host too, so that data movement alone decides. Published numbers are of whole applications against software that
computes for most of the time. GenStore (ASPLOS 2022): 2.07 to 6.05 and 1.45 to 33.63 times over software, for reads
similar to the reference and for others. MegIS (ISCA 2024): 2.7 to 37.2 times over a fast tool, 6.9 to 100.2 times over
an accurate one. Conduit (2026): 4.2 times over a processor. REIS (ISCA 2025): 13 times, and 55 times in energy, over a
server. The share of time that they compute is unknown here. The least gain is printed next to the drive with the fast
link, the largest next to the one with the slow link: which drive gave which is not known.
"""

from collections.abc import Mapping

from canaletto_papers.compute.drives import drive, energy_per_byte, operand_rate, tasks
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings

DRIVES = {"16 channels, PCIe 4.0": (16, 7.0), "8 channels, SATA": (8, 0.56)}
AT = ("host", "channel", "chip")
FAST, SLOW = DRIVES
PUBLISHED: Mapping[tuple[str, str, str], Mapping[str, float]] = {
    ("GenStore, similar reads", "channel", "rate"): {FAST: 2.07, SLOW: 6.05},
    ("GenStore, other reads", "channel", "rate"): {FAST: 1.45, SLOW: 33.63},
    ("MegIS, fast tool", "channel", "rate"): {FAST: 2.7, SLOW: 37.2},
    ("MegIS, accurate tool", "channel", "rate"): {FAST: 6.9, SLOW: 100.2},
    ("Conduit", "chip", "rate"): {FAST: 4.2},
    ("REIS", "chip", "rate"): {FAST: 13.0},
    ("REIS", "chip", "energy"): {FAST: 55.0},
}


def runs(scale: Scale) -> dict[Label, Run]:
    fast = {"compute.host.rate": "100GB/s", "compute.channel.rate": "10GB/s", "compute.chip.rate": "10GB/s"}
    return {
        (name, at): Run(
            drive(channels, link, **fast),
            tasks(scale.of(2000, 400), 1024, 64, kind="scan", at=at, returned=0.01),
        )
        for name, (channels, link) in DRIVES.items()
        for at in AT
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (system, at, quantity), by_drive in PUBLISHED.items():
        for name, published in by_drive.items():
            here, host = found[name, at], found[name, "host"]
            gain = operand_rate(here) / operand_rate(host)
            if quantity == "energy":
                gain = energy_per_byte(host) / energy_per_byte(here)
            rows.append(
                {
                    "published system": system,
                    "at": at,
                    "drive": name,
                    "quantity": quantity,
                    "ours": gain,
                    "published": published,
                }
            )
    return rows


FIGURE = Figure(
    "filters",
    "Data looked through next to the channels and in the chips, over the host",
    __doc__,
    runs,
    table,
    lambda _: None,
    settings=Settings(("drive",)),
    ordered=("drive",),
)
