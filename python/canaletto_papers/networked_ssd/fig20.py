"""Tail latency and time of an epoch while garbage is collected (Fig. 20).

Method: (a) latency percentiles of the RocksDB profile `ssd-00`, open loop at 2 GB/s, with baseSSD (PaGC), pSSD and
pnSSD (SpGC). (b) the mean time of a collection epoch, divided by baseSSD's with PaGC.

Assumptions: as for Fig. 19; RocksDB-0 is taken to be trace ssd-00.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report.charts import Spec, spec

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.networked_ssd.collecting import profile, system, work
from canaletto_papers.networked_ssd.fig18 import COLOURS, SYSTEMS

WORKLOAD = "ssd-00"
PERCENTILES = ("p50", "p90", "p99", "p99_9")
PUBLISHED = {("p99", "pnSSD"): 18.7}
"""§VII-C: at the 99th percentile, pnSSD (SpGC) over the baseline."""


def runs(scale: Scale) -> dict[Label, Run]:
    work = profile(WORKLOAD, scale.of(100_000, 5_000))
    return {label: Run(system(*label, scale), work) for label in SYSTEMS}


def table(found: Mapping[Label, Data]) -> list[Row]:
    first = found[SYSTEMS[0]]
    rows: list[Row] = []
    for label, data in found.items():
        name = f"{label[0]} ({label[1]})"
        for percentile in PERCENTILES:
            latency = data["latency_us"]["all"][percentile]
            rows.append(
                {
                    "measure": percentile,
                    "system": name,
                    "us": latency,
                    **work(data),
                    "ours": first["latency_us"]["all"][percentile] / latency if latency else None,
                    "published": PUBLISHED.get((percentile, label[0])),
                }
            )
    for label, data in found.items():
        epoch, base = data["flash"]["gc"]["epoch_mean_us"], first["flash"]["gc"]["epoch_mean_us"]
        better = base / epoch if epoch and base else None
        name = f"{label[0]} ({label[1]})"
        rows.append({"measure": "epoch", "system": name, "us": epoch, **work(data), "ours": better, "published": None})
    return rows


def chart(rows: list[Row]) -> Spec:
    systems = list(dict.fromkeys(row["system"] for row in rows))
    order = [*PERCENTILES, "epoch"]
    drawn = (
        alt.Chart(alt.InlineData([row for row in rows if row["us"]]))
        .mark_bar()
        .encode(
            y=alt.Y("measure:N", sort=order, title=None),
            yOffset=alt.YOffset("system:N", sort=systems),
            x=alt.X("us:Q", title="time (us, logarithmic)", scale=alt.Scale(type="log")),
            color=alt.Color(
                "system:N",
                title=None,
                scale=alt.Scale(domain=systems, range=[COLOURS[name] for name in systems]),
                legend=alt.Legend(orient="top", columns=4),
            ),
            tooltip=["measure:N", "system:N", alt.Tooltip("us:Q", format=",.4~r")],
        )
    )
    return spec(drawn.properties(width="container", height=18 * len(rows)))


FIGURE = Figure("fig20", "Fig. 20: tail latency, and time of an epoch", __doc__, runs, table, chart)
