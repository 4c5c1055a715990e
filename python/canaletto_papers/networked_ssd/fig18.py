"""I/O while garbage is collected, synthetic (Fig. 18).

Method: 64 KiB requests in a closed loop of 64, sequential or random, on a drive in the steady state of greedy
collection, so that collection continues all the time. Reads cannot cause collection: they are half of the loop, and
random writes the other half; what is shown is the latency of the reads alone. Improvement is the mean latency of
baseSSD with PaGC divided by each system's with SpGC.

Assumptions: three quarters of the addresses hold data; blocks of 128 pages (of 16 with --quick) instead of 512;
collection goes ahead of requests (§VI-B: "I/O cannot be serviced during GC"). The paper prints the average over the
pattern for pnSSD, one number for reads and one for writes for pSSD, and the most for baseSSD.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report.charts import Spec, spec

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.networked_ssd.collecting import system, work

SYSTEMS = [("baseSSD", "PaGC"), ("baseSSD", "SpGC"), ("pSSD", "SpGC"), ("pnSSD", "SpGC")]
PATTERNS = [("sequential", "read"), ("random", "read"), ("sequential", "write"), ("random", "write")]
PUBLISHED = {("pSSD", "read"): 1.59, ("pSSD", "write"): 1.95, ("pnSSD", "average"): 5.0, ("baseSSD", "most"): 1.16}
"""§VII-C: "up to 16 %", "59 % for Read, 95 % for Write", "approximately 5x ... on average"."""


def runs(scale: Scale) -> dict[Label, Run]:
    count = scale.of(40_000, 4_000)
    found: dict[Label, Run] = {}
    for order, kind in PATTERNS:
        shape = {"size": "64KiB", "alignment": "64KiB"}
        asked = {"addresses": "sequential" if order == "sequential" else "uniform"}
        if kind == "write":
            flows = [flow("writes", {**shape, **asked, "requests": count, "read_share": 0.0, "queue_depth": 64})]
        else:
            half = {**shape, "requests": count // 2, "queue_depth": 32}
            flows = [
                flow("reads", {**half, **asked, "read_share": 1.0}),
                flow("writes beside them", {**half, "read_share": 0.0}),
            ]
        for name, collection in SYSTEMS:
            found[order, kind, name, collection] = Run(
                system(name, collection, scale), workload(f"{order} {kind}", flows)
            )
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for order, kind in PATTERNS:
        data = {system: found[order, kind, *system] for system in SYSTEMS}
        latency = {system: found[order, kind, *system]["flows"][0]["latency_us"]["all"]["mean"] for system in SYSTEMS}
        for name, collection in SYSTEMS:
            rows.append(
                {
                    "pattern": f"{order} {kind}",
                    "system": f"{name} ({collection})",
                    "mean_latency_us": latency[name, collection],
                    **work(data[name, collection]),
                    "ours": latency[SYSTEMS[0]] / latency[name, collection],
                    "published": PUBLISHED.get((name, kind)) if collection == "SpGC" else None,
                }
            )
    for name, collection in SYSTEMS[1:]:
        label = f"{name} ({collection})"
        ours = [row["ours"] for row in rows if row["system"] == label]
        nothing = {"mean_latency_us": None, "epochs": None, "write_amplification": None}
        mean = {"pattern": "average", "system": label, **nothing, "ours": sum(ours) / len(ours)}
        rows.append({**mean, "published": PUBLISHED.get((name, "average"))})
        if (most := PUBLISHED.get((name, "most"))) is not None:
            rows.append({**mean, "pattern": "most", "ours": max(ours), "published": most})
    return rows


def chart(rows: list[Row]) -> Spec:
    shown = [row for row in rows if row["pattern"] != "most"]
    return improvement(shown, "pattern", "I/O improvement over baseSSD (PaGC), times")


COLOURS = {
    "baseSSD (PaGC)": "#7f7f7f",
    "baseSSD (SpGC)": "#000000",
    "pSSD (SpGC)": "#E69F00",
    "pnSSD (SpGC)": "#56B4E9",
}


def improvement(rows: list[Row], group: str, title: str, colours: Mapping[str, str] = COLOURS) -> Spec:
    order = list(dict.fromkeys(row[group] for row in rows))
    systems = [name for name in colours if any(row["system"] == name for row in rows)]
    shared = alt.Chart(alt.InlineData(rows)).encode(
        y=alt.Y(f"{group}:N", sort=order, title=None), yOffset=alt.YOffset("system:N", sort=systems)
    )
    bars = shared.mark_bar().encode(
        x=alt.X("ours:Q", title=title),
        color=alt.Color(
            "system:N",
            title=None,
            scale=alt.Scale(domain=systems, range=[colours[name] for name in systems]),
            legend=alt.Legend(orient="top", columns=4),
        ),
        tooltip=[f"{group}:N", "system:N", alt.Tooltip("ours:Q", format=".3~r"), "published:Q"],
    )
    ticks = shared.mark_tick(color="#c1121f", thickness=3).encode(x=alt.X("published:Q"))
    ticks = ticks.transform_filter("datum.published != null")
    height = 18 * len(rows) + 8 * len(order)
    return spec(alt.layer(bars, ticks).properties(width="container", height=height))


FIGURE = Figure("fig18", "Fig. 18: synthetic I/O while garbage is collected", __doc__, runs, table, chart)
