"""Read and write latency by request size (slides "MQSim Accurately Captures Read/Write Latencies").

Method: a flow of reads only and one of writes only, random and aligned to their size, 4 KiB to 1 MiB, one outstanding.
It runs on the drive in the steady state of greedy collection with 70 % of its addresses in use. Writes with the 256 MiB
cache, where they are complete in DRAM, and without it.

Assumptions: depth 1 and 200 requests a size (50 with --quick). The slides compare with four real drives, of which
there are none here (`table-errors`); their charts carry no numbers.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report.charts import Spec, lines

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.mqsim.drive import drive

SIZES_KIB = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
KINDS = {"reads": (1.0, "256MiB"), "writes": (0.0, "256MiB"), "writes, no cache": (0.0, "0B")}

SHADES = {"reads": "#0072b2", "writes": "#d55e00", "writes, no cache": "#cc79a7"}


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    state = {"precondition.kind": "steady", "precondition.occupancy": 0.7}
    for kind, (reads, cache) in KINDS.items():
        for kib in SIZES_KIB:
            shape = {"requests": scale.of(200, 50), "read_share": reads, "queue_depth": 1}
            work = workload(kind, [flow(kind, {**shape, "size": f"{kib}KiB", "alignment": f"{kib}KiB"})])
            found[kind, str(kib)] = Run(drive({**state, "cache.capacity": cache}), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "system": kind,
            "size": f"{kib} KiB",
            "size_kib": int(kib),
            "p99_us": data["latency_us"]["all"]["p99"],
            "ours": data["latency_us"]["all"]["mean"],
            "published": None,
        }
        for (kind, kib), data in found.items()
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    scale = alt.Scale(type="log", base=2, nice=False)
    x = alt.X("size_kib:Q", title="request size (KiB)", scale=scale, axis=alt.Axis(values=list(SIZES_KIB)))
    y = alt.Y("ours:Q", title="mean latency (µs)", scale=alt.Scale(type="log"))
    return {"mean latency": lines(rows, x, y, SHADES, order="size_kib")}


FIGURE = Figure("sizes", "Read and write latency by request size", __doc__, runs, table, chart)
