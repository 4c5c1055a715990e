"""Throughput as requests get larger.

Method: random reads of 4 KiB to 512 KiB, aligned to their size, closed loop of 8, on both drives of Venice's Table 1,
with and without a limit at the host. All sizes read the same number of bytes, or 500 requests (100 with --quick) if
that is more.

Assumptions: one seed.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report.charts import Spec, lines

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.load.drives import FABRICS, LINKS, SHADES, drive

SIZES_KIB = (4, 8, 16, 32, 64, 128, 256, 512)
DRIVES = ("performance-optimized", "cost-optimized")
DEPTH = 8


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for kib in SIZES_KIB:
        count = max(scale.of(500, 100), scale.of(100_000, 2_000) * SIZES_KIB[0] // kib)
        shape = {"requests": count, "read_share": 1.0, "size": f"{kib}KiB", "alignment": f"{kib}KiB"}
        work = workload("reads", [flow("reads", {**shape, "queue_depth": DEPTH})])
        for preset in DRIVES:
            for link in LINKS:
                for fabric in FABRICS:
                    found[preset, link, fabric, str(kib)] = Run(drive(fabric, link, preset), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "ssd": preset,
            "link": link,
            "system": fabric,
            "size_kib": int(kib),
            "mean_latency_us": data["latency_us"]["all"]["mean"],
            "conflict_free": data["path_conflicts"]["free_request_share"],
            "ours": data["bandwidth_mb_s"] / 1e3,
            "published": None,
        }
        for (preset, link, fabric, kib), data in found.items()
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    scale = alt.Scale(type="log", base=2, nice=False)
    x = alt.X("size_kib:Q", title="request size (KiB)", scale=scale, axis=alt.Axis(values=list(SIZES_KIB)))
    y = alt.Y("ours:Q", title="throughput (GB/s)")
    return {
        f"{preset}, {link}": lines(
            [row for row in rows if (row["ssd"], row["link"]) == (preset, link)], x, y, SHADES, order="size_kib"
        )
        for preset in DRIVES
        for link in LINKS
    }


FIGURE = Figure("sizes", "Throughput by request size", __doc__, runs, table, chart)
