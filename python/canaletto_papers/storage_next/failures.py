"""Throughput by failures of the inner code (Fig. 7).

Method: the drive and the closed loop of `fig7` with ECC in two layers (`controller.ecc.outer`). There is a codeword for
each 512 B and an outer one over 4 KiB, all of which is read where a codeword fails. Next to each stand the formulas,
with the further reads (`canaletto.bounds`) and the run's write amplification. The source prints no numbers: below 1 %
of failures its throughput stays near the throughput without failures.

Assumptions: as in `fig7`. The further read senses the page again; the outer code takes no time and corrects all.
"""

from collections.abc import Mapping
from dataclasses import replace

import altair as alt
import numpy as np
from canaletto import bounds
from canaletto._report.charts import Spec, lines

from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale
from canaletto_papers.storage_next.drive import PAGE, SHAPES, asked, design, extent, numbers, requests

SIMULATED, FORMULA = "simulated", "formula, amplification of the run"
SHADES = {SIMULATED: "#2a6f97", FORMULA: "#e09f3e"}
MIXES = {"100:0": 1.0, "90:10": 0.9}
FAILURES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
SECTOR = 512


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for mix, share in MIXES.items():
        for failure in FAILURES[:: scale.of(1, 3)]:
            changes = {
                "controller.ecc.codeword": f"{SECTOR}B",
                "controller.ecc.outer.codeword": f"{PAGE}B",
                "controller.ecc.outer.inner_failure": failure,
            }
            found[mix, str(failure)] = Run(design(changes), requests(extent(scale, share), SECTOR, share))
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (mix, failure), data in found.items():
        none = found[mix, str(FAILURES[0])]
        ways = {
            SIMULATED: (data["iops"], none["iops"]),
            FORMULA: (by_formula(mix, float(failure), data), by_formula(mix, 0.0, none)),
        }
        for way, (iops, plateau) in ways.items():
            rows.append(
                {
                    "mix": mix,
                    "failures": float(failure),
                    "system": way,
                    "outer_reads": data["flash"].get("outer_reads", 0) / data["requests"]["completed"],
                    "p99_us": data["latency_us"]["all"]["p99"] if way == SIMULATED else None,
                    "of_plateau": iops / plateau,
                    "ours": iops / 1e6,
                    "published": None,
                }
            )
    return rows


def by_formula(mix: str, failure: float, data: Data) -> float:
    drive = replace(numbers(SHAPES["baseline"]), outer_bytes=PAGE, inner_failure=failure)
    amplification = max(data["flash"]["write_amplification"] or 1.0, 1.0)
    return float(np.asarray(bounds.peak_iops(drive, asked(SECTOR, MIXES[mix], amplification), mix="rates")))


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn = [row for row in rows if row["failures"] > 0]
    x = alt.X("failures:Q", title="probability that a codeword of 512 B fails", scale=alt.Scale(type="log"))
    y = alt.Y("ours:Q", title="millions of requests per second", scale=alt.Scale(zero=True))
    return {
        f"{mix} reads to writes": lines([row for row in drawn if row["mix"] == mix], x, y, SHADES, order="failures")
        for mix in MIXES
    }


GRIDS = {"millions a second": Grid("mix", "failures", {"system": SIMULATED})}

FIGURE = Figure(
    "fig7-failures", "Throughput by failures of the inner code (Fig. 7)", __doc__, runs, table, chart, grids=GRIDS
)
