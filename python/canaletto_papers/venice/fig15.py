"""Arrays of other shapes (Fig. 15).

Method: 64 chips as 4, 8 and 16 rows with a controller each, on the performance-optimized SSD. `ours` is the speedup in
execution time over the baseline of the same shape, averaged over the 19 workloads. Traffic is the profiles and skewed
traffic (half of the requests to one row), open loop at Table 2's rates and closed loop of 64 requests. 8 x 8 are the
runs of Fig. 9.

Assumptions: as in Fig. 9. pnSSD is left out, as in the paper (its footnote 6: arrays that are not square).

The paper's trend, that 8 x 8 is Venice's best shape, is its own number in the last lines: Venice's gain with 8 x 8
chips over its gain with the better of the other shapes, above 1 where the trend holds. Four rows have four controllers
for 64 chips, sixteen have four chips behind each of the baseline's channels.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from canaletto._report.charts import Spec

from canaletto_papers.bars import fabric_colours, grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.venice.evaluation import (
    AVERAGE,
    BASELINE,
    FLAT,
    LOADS,
    OPEN,
    OWN,
    PERFORMANCE,
    SKEWED,
    SYSTEMS,
    against,
    compared,
    drive,
    execution_time,
    extent,
    is_headline,
    seeds,
    shown,
    traffic,
)

SHAPES = {"4x16": (4, 16), "8x8": (8, 8), "16x4": (16, 4)}
SHOWN = ("Baseline", "pSSD", "NoSSD", "Venice", "ideal")

VENICE_OVER = {
    "4x16": {"Baseline": 2.0, "pSSD": 1.7, "NoSSD": 1.5},
    "8x8": {"Baseline": 2.6, "pSSD": 2.0, "NoSSD": 1.9},
    "16x4": {"Baseline": 1.9, "pSSD": 1.8, "NoSSD": 1.7},
}
"""Mean speedups of Venice over these (§6.5)."""


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for shape, (rows, columns) in SHAPES.items():
        keys = {} if shape == "8x8" else {"geometry.channels": rows, "geometry.chips_per_channel": columns}
        for system, kind, load in product(SHOWN, (OWN, SKEWED), LOADS):
            headline = is_headline(kind, load)
            for name in shown(scale):
                made = drive(PERFORMANCE, system, **keys), traffic(name, kind, load, extent(scale, headline), rows)
                for seed in seeds(scale, headline):
                    found[shape, kind, load, name, system, str(seed)] = Run(*made, seed)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows = [row for row in compared(found, execution_time, {}) if row["system"] != BASELINE]
    for other in ("Baseline", "pSSD", "NoSSD"):
        known = {(shape, "Venice", AVERAGE): published[other] for shape, published in VENICE_OVER.items()}
        rows += against(found, execution_time, known, other)
    kept = [row for row in rows if row["workload"] == AVERAGE]
    shaped = [{"shape": row["ssd"], **{key: value for key, value in row.items() if key != "ssd"}} for row in kept]
    return shaped + [trend(shaped, kind, load) for kind in (OWN, SKEWED) for load in LOADS]


def trend(rows: Sequence[Row], kind: str, load: str) -> Row:
    gains = {
        row["shape"]: row["ours"]
        for row in rows
        if (row["traffic"], row["load"], row["system"]) == (kind, load, "Venice over Baseline")
    }
    most = max(gain for shape, gain in gains.items() if shape != "8x8")
    published = {shape: values["Baseline"] for shape, values in VENICE_OVER.items()}
    theirs = published["8x8"] / max(value for shape, value in published.items() if shape != "8x8")
    shared = {"shape": "8x8 over the better of the others", "traffic": kind, "load": load}
    made = {**shared, "system": "Venice over Baseline", "workload": AVERAGE, "ours": gains["8x8"] / most}
    return {**made, "half_width": None, "published": theirs}


def chart(rows: list[Row]) -> dict[str, Spec]:
    shades = fabric_colours(SYSTEMS)
    drawn: dict[str, Spec] = {}
    for kind in (OWN, SKEWED):
        for load in LOADS:
            shown = [
                {**row, "published": VENICE_OVER[row["shape"]]["Baseline"] if row["system"] == "Venice" else None}
                for row in rows
                if (row["traffic"], row["load"]) == (kind, load) and row["system"] in shades and row["shape"] in SHAPES
            ]
            drawn[f"{kind}, {load}; red: published"] = grouped(shown, "shape", "speedup over Baseline, times", shades)
    return drawn


STATED = Settings(("traffic", "load"), (OWN, OPEN))

FIGURE = Figure(
    "fig15",
    "Fig. 15: arrays of other shapes",
    __doc__,
    runs,
    table,
    chart,
    STATED,
    flat=FLAT,
    ordered=("system", "shape"),
)
