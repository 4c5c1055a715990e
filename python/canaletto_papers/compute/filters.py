"""Data looked through where they are, over a host that reads them (GenStore, MegIS, Conduit, REIS).

Method: scans of 1 MiB, 64 outstanding, that return 1 % of their data, at the host, at the channels and in the chips.
`ours` is the rate at which data are looked through over the host's, or data per energy. Drives: 8 channels behind
SATA (0.6 GB/s), 16 channels behind PCIe 4.0 (8 GB/s), channels of 1.2 GB/s, eight dies each.

Assumptions: the papers' abstracts and public summaries, all that was at hand, state the links of MegIS's drives (600
MB/s and 8 GB/s), Conduit's link and channels (8 and 1.2 GB/s), and REIS's drives (8 channels of 1.2 GB/s, 16 of 2
GB/s). The rest is assumed. Units keep up with what they receive, and the host too, so that data movement alone decides.
Published numbers are of whole applications against software that computes for most of the time, a share that is unknown
here. MegIS (ISCA 2024): ranges over its data sets on each drive; with larger databases it reaches 37.2 times over the
fast tool and 100.2 over the accurate one. GenStore (ASPLOS 2022): 2.07 to 6.05 and 1.45 to 33.63 times over software,
for reads similar to the reference and for others. Its three drives are not described there, so that MegIS's stand for
them, and which gave which is not known: the least gain is printed next to the fast link, the largest next to the slow
one. Conduit (HPCA 2026): 4.2 times over a processor, with 78.2 % less energy. REIS (ISCA 2025): 13 times, and 55 times
in energy, over a server, means over both drives.
"""

from collections.abc import Mapping

from canaletto_papers.compute.drives import drive, energy_per_byte, operand_rate, tasks
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale

DRIVES = {"16 channels, PCIe 4.0": (16, 8.0), "8 channels, SATA": (8, 0.6)}
AT = ("host", "channel", "chip")
FAST, SLOW = DRIVES
PUBLISHED: Mapping[tuple[str, str, str], Mapping[str, float]] = {
    ("GenStore, similar reads", "channel", "rate"): {FAST: 2.07, SLOW: 6.05},
    ("GenStore, other reads", "channel", "rate"): {FAST: 1.45, SLOW: 33.63},
    ("MegIS, fast tool, least", "channel", "rate"): {FAST: 2.7, SLOW: 5.3},
    ("MegIS, fast tool, most", "channel", "rate"): {FAST: 6.5, SLOW: 6.4},
    ("MegIS, accurate tool, least", "channel", "rate"): {FAST: 6.9, SLOW: 12.4},
    ("MegIS, accurate tool, most", "channel", "rate"): {FAST: 20.4, SLOW: 18.2},
    ("Conduit", "chip", "rate"): {FAST: 4.2},
    ("Conduit", "chip", "energy"): {FAST: 4.6},
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
    by_effect=True,
    ordered=("drive",),
)
