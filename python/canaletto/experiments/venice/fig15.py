"""Arrays of other shapes (Fig. 15).

Method: 64 chips as 4, 8 and 16 rows with a controller each, on the performance-optimized SSD; speedup in execution
time over the baseline of the same shape, averaged over the 19 workloads: the profiles and skewed traffic (half of the
requests to one row), open loop at Table 2's rates and closed loop of 64 requests. 8 x 8 are the runs of Fig. 9.

Assumptions: those of Fig. 9; one seed. pnSSD is left out, as in the paper (its footnote 6: arrays that are not square).
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec
from canaletto.experiments.bars import fabric_colours, grouped
from canaletto.experiments.figure import Data, Figure, Label, Row, Run, Scale
from canaletto.experiments.venice.evaluation import (
    AVERAGE,
    BASELINE,
    LOADS,
    OWN,
    PERFORMANCE,
    SKEWED,
    SYSTEMS,
    TABLE2,
    compared,
    drive,
    execution_time,
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
    """Every workload on every shape and system."""
    found: dict[Label, Run] = {}
    for shape, (rows, columns) in SHAPES.items():
        keys = {} if shape == "8x8" else {"geometry.channels": rows, "geometry.chips_per_channel": columns}
        for system in SHOWN:
            for kind in (OWN, SKEWED):
                for load in LOADS:
                    for name in TABLE2:
                        work = traffic(name, kind, load, scale.of(100_000, 400), rows)
                        found[shape, kind, load, name, system, "1"] = Run(drive(PERFORMANCE, system, **keys), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    """Averages over workloads: speedups over the baseline, then Venice's over others."""
    rows = [row for row in compared(found, execution_time, {}) if row["system"] != BASELINE]
    for other in ("Baseline", "pSSD", "NoSSD"):
        pair = {label: data for label, data in found.items() if label[4] in ("Venice", other)}
        rows += [
            {**row, "system": f"Venice over {other}", "published": VENICE_OVER[row["ssd"]][other]}
            for row in compared(pair, execution_time, {}, other)
            if row["system"] == "Venice"
        ]
    kept = [row for row in rows if row["workload"] == AVERAGE]
    return [{"shape": row["ssd"], **{key: value for key, value in row.items() if key != "ssd"}} for row in kept]


def chart(rows: list[Row]) -> dict[str, Spec]:
    """Bars in groups of a shape as in the paper."""
    shades = fabric_colours(SYSTEMS)
    drawn: dict[str, Spec] = {}
    for kind in (OWN, SKEWED):
        for load in LOADS:
            shown = [
                {**row, "published": VENICE_OVER[row["shape"]]["Baseline"] if row["system"] == "Venice" else None}
                for row in rows
                if (row["traffic"], row["load"]) == (kind, load) and row["system"] in shades
            ]
            drawn[f"{kind}, {load}; red: published"] = grouped(shown, "shape", "speedup over Baseline, times", shades)
    return drawn


FIGURE = Figure("fig15", "Fig. 15: arrays of other shapes", __doc__, runs, table, chart)
