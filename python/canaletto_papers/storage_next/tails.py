"""99th percentiles by load (§III, M/D/1).

Method: the source's formula for 90 reads to 10 writes, at loads of 70, 80, 90 and 99 % of the peak of Table II. Next to
it reads alone, by the formula and by the engine, in an open loop with exponential gaps. They are offered the same share
of what the formula has for reads alone. One run is on a bus whose commands and data share pins, as the formula has it,
and one on `sca`.

Assumptions: as in `fig7`. Beyond what an engine's drive serves there is no steady latency: `served` says how much of
the load that was.
"""

from collections.abc import Mapping

import altair as alt
import numpy as np
from canaletto import bounds
from canaletto._report.charts import Spec, lines

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.storage_next.drive import READ_US, SHAPES, asked, design, numbers, peak_millions, requests
from canaletto_papers.storage_next.table2 import SIZES

FORMULA, ALONE, BUS, SCA = "formula", "formula, reads alone", "simulated, shared pins", "simulated, own pins"
SHADES = {FORMULA: "#e09f3e", ALONE: "#9a8c98", BUS: "#d1495b", SCA: "#2a6f97"}
FABRICS = {BUS: "bus", SCA: "sca"}
LOADS = (0.5, 0.7, 0.8, 0.9, 0.99)

PUBLISHED = {
    ("512 B", 0.7): 7.0,
    ("512 B", 0.8): 9.0,
    ("512 B", 0.9): 13.0,
    ("512 B", 0.99): 85.0,
    ("4 KiB", 0.7): 16.0,
    ("4 KiB", 0.8): 23.0,
    ("4 KiB", 0.9): 44.0,
    ("4 KiB", 0.99): 418.0,
}
"""§III, microseconds."""


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for size in SIZES:
        peak = peak_millions(numbers(SHAPES["baseline"]), asked(SIZES[size], 1.0))
        for way, fabric in FABRICS.items():
            for load in LOADS:
                gap = f"{1e6 / (load * peak):.0f}ps"
                work = requests(scale.of(100_000, 5_000), SIZES[size], 1.0, inter_arrival=gap)
                found[size, way, str(load)] = Run(design({"fabric.kind": fabric}, size=SIZES[size]), work)
    return found


def by_formula(size: str, load: float, read_share: float) -> float:
    shape = SHAPES["baseline"]
    peak = peak_millions(numbers(shape), asked(SIZES[size], read_share))
    return float(np.asarray(bounds.percentile_us(shape.channels / peak, load, 0.99, READ_US)))


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []

    def add(size: str, load: float, way: str, percentile: float, served: float | None) -> None:
        rows.append(
            {
                "size": size,
                "load": f"{load:.0%}",
                "system": way,
                "served_millions": served,
                "ours": percentile,
                "published": PUBLISHED.get((size, load)),
            }
        )

    for size in SIZES:
        for load in LOADS:
            add(size, load, FORMULA, by_formula(size, load, 0.9), None)
            add(size, load, ALONE, by_formula(size, load, 1.0), None)
            for way in FABRICS:
                data = found[size, way, str(load)]
                add(size, load, way, data["latency_us"]["all"]["p99"], data["iops"] / 1e6)
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn = [row | {"share": float(row["load"].removesuffix("%")) / 100} for row in rows]
    x = alt.X("share:Q", title="load, as a share of the formula's peak", scale=alt.Scale(domain=[0.5, 1]))
    y = alt.Y("ours:Q", title="99th percentile (us)", scale=alt.Scale(type="log", nice=False))
    return {
        f"requests of {size}": lines([row for row in drawn if row["size"] == size], x, y, SHADES, order="share")
        for size in SIZES
    }


FIGURE = Figure(
    "tails",
    "99th percentiles by load (§III)",
    __doc__,
    runs,
    table,
    chart,
    settings=Settings(("system",), (FORMULA,)),
    is_given=True,
)
