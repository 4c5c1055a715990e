"""Throughput as one row of chips gets more and more of the traffic.

Method: random reads of 4 KiB, closed loop of 64, on the performance-optimized drive of Venice's Table 1 with and
without a limit at the host. A share of the requests, and of the depth, goes to one of eight rows: 1/8 (balanced) to
all. Throughput is all bytes over the execution time.

Assumptions: one seed; within the row, and within the others, addresses are uniform.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report.charts import Spec, lines

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.load.drives import FABRICS, LINKS, ROWS, SHADES, drive

DEPTH = 64


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    requests = scale.of(100_000, 2_000)
    for eighths in range(1, ROWS + 1):

        def part(name: str, parts: int, channels: list[int]) -> dict[str, object]:
            share = {"requests": requests * parts // ROWS, "queue_depth": DEPTH * parts // ROWS}
            return flow(name, {**share, "read_share": 1.0, "size": "4KiB"}, channels=channels)

        flows = [part("hot row", eighths, [0])]
        if eighths < ROWS:
            flows.append(part("other rows", ROWS - eighths, list(range(1, ROWS))))
        work = workload("reads", flows, partitioned=True)
        for link in LINKS:
            for fabric in FABRICS:
                found[link, fabric, str(eighths)] = Run(drive(fabric, link), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "link": link,
            "system": fabric,
            "hot_share": int(eighths) / ROWS,
            "mean_latency_us": data["latency_us"]["all"]["mean"],
            "conflict_free": data["path_conflicts"]["free_request_share"],
            "ours": data["bandwidth_mb_s"] / 1e3,
            "published": None,
        }
        for (link, fabric, eighths), data in found.items()
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    x = alt.X("hot_share:Q", title="share of the requests on one of eight rows", scale=alt.Scale(domain=[0.125, 1]))
    y = alt.Y("ours:Q", title="throughput (GB/s)", scale=alt.Scale(domainMin=0))
    return {
        link: lines([row for row in rows if row["link"] == link], x, y, SHADES, order="hot_share") for link in LINKS
    }


FIGURE = Figure("imbalance", "Throughput by imbalance over rows", __doc__, runs, table, chart)
