"""Latency of 64 KiB requests against their number (Fig. 16 and 17), for an allocation of pages."""

from collections.abc import Iterable, Mapping
from statistics import fmean

import altair as alt
from canaletto._report.charts import Spec, lines

from canaletto_papers.bars import fabric_colours
from canaletto_papers.figure import Data, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.networked_ssd.serving import BASE, SYSTEMS, drive, latency

DEPTHS = (1, 2, 4, 8, 16, 32, 64)
PATTERNS = [(order, kind) for kind in ("read", "write") for order in ("sequential", "random")]
AVERAGE = "average"


def runs(scale: Scale, allocation: str, systems: Iterable[str] = SYSTEMS, **keys: object) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for order, kind in PATTERNS:
        for depth in DEPTHS:
            shape = {
                "requests": scale.of(20_000, 150),
                "size": "64KiB",
                "alignment": "64KiB",
                "addresses": "sequential" if order == "sequential" else "uniform",
                "read_share": 1.0 if kind == "read" else 0.0,
                "queue_depth": depth,
            }
            work = workload(f"{order} {kind}", [flow("requests", shape)])
            for system in systems:
                design = drive(system, **{"ftl.allocation": allocation, **keys})
                found[order, kind, str(depth), system] = Run(design, work)
    return found


def measured(found: Mapping[Label, Data]) -> list[Row]:
    values = {label: latency(data) for label, data in found.items()}
    return [
        {
            "pattern": f"{label[0]} {label[1]}",
            "concurrent": int(label[2]),
            "system": label[3],
            "latency_us": value,
            "ours": values[(*label[:3], BASE)] / value,
            "published": None,
        }
        for label, value in values.items()
    ]


def mean_improvement(rows: list[Row], system: str, published: float | None) -> Row:
    ours = fmean(row["ours"] for row in rows if row["system"] == system)
    shared = {"pattern": AVERAGE, "concurrent": None, "system": f"{system} over {BASE}", "latency_us": None}
    return {**shared, "ours": ours, "published": published}


def chart(rows: list[Row]) -> dict[str, Spec]:
    x = alt.X(
        "concurrent:Q",
        title="concurrent requests",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(values=list(DEPTHS)),
    )
    y = alt.Y("latency_us:Q", title="mean latency (us)", scale=alt.Scale(type="log"))
    drawn: dict[str, Spec] = {}
    for order, kind in PATTERNS:
        shown = [row for row in rows if row["pattern"] == f"{order} {kind}"]
        drawn[f"{order} {kind}s of 64 KiB"] = lines(
            shown, x, y, fabric_colours(SYSTEMS), order="concurrent", height=220
        )
    return drawn
