"""Throughput by mix and channel rate (Fig. 7).

Method: requests of 512 B, a closed loop of 8,000, on the baseline drive of Table II behind PCIe Gen7 x8. It has fabric
`sca` with the stated 150 ns a command, each plane a LUN, cache registers; a drive in steady state. Published are the
numbers of the source's own simulator. Next to each stand its formulas, with write amplification 3 and with our run's.

Assumptions: as in `table2`. The source says that its simulator's amplification is below 3, and not what it is.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.storage_next.drive import (
    AMPLIFICATION,
    CHANNEL_MB_S,
    SHAPES,
    asked,
    design,
    extent,
    numbers,
    peak_millions,
    requests,
)

SIMULATED, FORMULA, SAME = "simulated", "formula, amplification 3", "formula, amplification of the run"
SHADES = {SIMULATED: "#2a6f97", FORMULA: "#e09f3e", SAME: "#9a8c98"}
MIXES = {"100:0": 1.0, "90:10": 0.9, "70:30": 0.7, "50:50": 0.5}
PER_PAGE = 8
"""`unfilled_share` is the part of programmed pages that no request filled."""
RATES = {"3.6 GB/s": CHANNEL_MB_S, "5.6 GB/s": 5600.0}

PUBLISHED = {
    ("3.6 GB/s", "100:0"): 82.0,
    ("3.6 GB/s", "90:10"): 68.0,
    ("3.6 GB/s", "70:30"): 52.0,
    ("3.6 GB/s", "50:50"): 34.0,
    ("5.6 GB/s", "90:10"): 85.0,
}
"""Fig. 7, millions of requests per second."""


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for rate, mb_s in RATES.items():
        # An interface that is fast enough; its times do not matter next to a stated time of every command.
        changes = {"fabric.link_rate": f"{mb_s:g}MB/s"}
        for mix, share in MIXES.items():
            found[rate, mix] = Run(design(changes), requests(extent(scale, share), 512, share))
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (rate, mix), data in found.items():
        share, drive = MIXES[mix], numbers(SHAPES["baseline"], RATES[rate])
        measured = data["flash"]["write_amplification"] or 1.0
        flash = data["flash"]
        unfilled = flash["padding"] / (flash["programs"] * PER_PAGE) if flash["programs"] else None
        ways = {
            SIMULATED: (measured, data["iops"] / 1e6),
            FORMULA: (AMPLIFICATION, peak_millions(drive, asked(512, share))),
            SAME: (measured, peak_millions(drive, asked(512, share, max(measured, 1.0)))),
        }
        for way, (amplification, millions) in ways.items():
            rows.append(
                {
                    "channel": rate,
                    "mix": mix,
                    "system": way,
                    "write_amplification": amplification if share < 1 else None,
                    "unfilled_share": unfilled if way == SIMULATED else None,
                    "p99_us": data["latency_us"]["all"]["p99"] if way == SIMULATED else None,
                    "ours": millions,
                    "published": PUBLISHED.get((rate, mix)),
                }
            )
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    title = "millions of requests per second"
    return {
        f"channels of {rate}": grouped([row for row in rows if row["channel"] == rate], "mix", title, SHADES, one=False)
        for rate in RATES
    }


GRIDS = {f"millions a second, {rate}": Grid("system", "mix", {"channel": rate}) for rate in RATES}

FIGURE = Figure(
    "fig7",
    "Throughput by mix and channel rate (Fig. 7)",
    __doc__,
    runs,
    table,
    chart,
    settings=Settings(("system",), (SIMULATED,)),
    grids=GRIDS,
    neutral=0.0,
    ordered=("channel", "mix"),
)
