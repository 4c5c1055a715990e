"""Latency against throughput, open loop, from idle to saturated.

Method: random reads of 4 KiB that arrive at random (exponential gaps) on the performance-optimized drive of Venice's
Table 1, at 20 loads. These are 1/20 to 20/20 of what the fabric's wires or the host link can carry at the most, by the
drive's own arithmetic (`canaletto run --dry-run`). Three situations: uniform addresses with the drive's host link, the
same with a host link that never limits, and that with half of all requests on one row of chips. Throughput is what was
served; the mean latency includes all waiting.

Assumptions: one seed. A load at or beyond saturation has no steady latency: it grows with the number of requests, and
such points only show where the curve ends. With half of the requests on one row, fabrics that serve a row by its own
wires alone are given loads up to a quarter of their limit, two rows' worth.
"""

from collections.abc import Mapping
from functools import cache

import altair as alt
from canaletto._report.charts import Spec, lines
from canaletto._run import simulate
from canaletto._run.config import Workload
from canaletto_extras.loading.curves import UNLOADED, knee

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.load.drives import FABRICS, LINKED, ROWS, SHADES, UNLIMITED, drive

POINTS = 20
BYTES = 4096
SKEWED = f"{UNLIMITED}, half on one row"
SITUATIONS = (LINKED, UNLIMITED, SKEWED)

BY_ROW = ("bus", "packetized", "mesh", "mesh-2bit", "ideal")


@cache
def limit_gb_s(fabric: str, situation: str) -> float:
    link = LINKED if situation == LINKED else UNLIMITED
    bounds = simulate.inspect(drive(fabric, link), reads(1, 1.0))["read_bounds"]
    limit = min(bound["limit_gb_s"] for bound in bounds)
    return float(limit / 4 if situation == SKEWED and fabric in BY_ROW else limit)


def reads(requests: int, gb_s: float, hot: bool = False) -> Workload:
    read = {"read_share": 1.0, "size": "4KiB"}
    gap_ns = BYTES / gb_s
    if not hot:
        return workload("reads", [flow("reads", {**read, "requests": requests, "inter_arrival": f"{gap_ns:.6g}ns"})])
    half = {**read, "requests": requests // 2, "inter_arrival": f"{2 * gap_ns:.6g}ns"}
    others = flow("other rows", half, channels=list(range(1, ROWS)))
    return workload("reads", [flow("hot row", half, channels=[0]), others], partitioned=True)


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    alone = flow("reads", {"read_share": 1.0, "size": "4KiB", "requests": 1_000, "queue_depth": 1})
    for situation in SITUATIONS:
        for fabric in FABRICS:
            design = drive(fabric, LINKED if situation == LINKED else UNLIMITED)
            found[situation, fabric, UNLOADED] = Run(design, workload("reads", [alone]))
            for point in range(1, POINTS + 1):
                load = limit_gb_s(fabric, situation) * point / POINTS
                work = reads(scale.of(100_000, 4_000), load, situation == SKEWED)
                found[situation, fabric, str(point)] = Run(design, work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "situation": label[0],
            "system": label[1],
            "load": label[2],
            "offered_gb_s": 0.0 if label[2] == UNLOADED else limit_gb_s(label[1], label[0]) * int(label[2]) / POINTS,
            "served_gb_s": 0.0 if label[2] == UNLOADED else data["bandwidth_mb_s"] / 1e3,
            "p99_us": data["latency_us"]["all"]["p99"],
            "ours": data["latency_us"]["all"]["mean"],
            "published": None,
        }
        for label, data in found.items()
    ]


def of(rows: list[Row], situation: str, fabric: str) -> list[Row]:
    return [row for row in rows if (row["situation"], row["system"]) == (situation, fabric)]


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    x = alt.X("served_gb_s:Q", title="throughput (GB/s)")
    for situation in SITUATIONS:
        here = [row for row in rows if row["situation"] == situation]
        slow = max(row["ours"] for row in here if row["load"] == UNLOADED and row["system"] != "mesh-2bit")
        y = alt.Y("ours:Q", title="mean latency (us)", scale=alt.Scale(type="log", domain=[5, 20 * slow], nice=False))
        knees = [found for fabric in FABRICS if (found := knee(of(rows, situation, fabric)))]
        drawn[f"{situation}; dots: knees, twice the latency of the idle drive"] = lines(
            here, x, y, SHADES, order="offered_gb_s", marks=knees
        )
    return drawn


FIGURE = Figure("curves", "Latency against throughput", __doc__, runs, table, chart)
