"""Two reads with and without a path conflict (Fig. 3, §3.1).

Method: two 4 KiB reads that arrive at the same moment go to two chips of one channel, then to chips of two channels;
the time until both are complete. A host link that takes next to no time leaves the time within the SSD. The same with
the path held from the command to the last of its data: if the paper's systems held their paths, the example would be
that one.

Assumptions: the example's own times, set explicitly: command 10 ns, array 3 us, transfer 4 us. Table 1's 1.2 GB/s
would give a transfer of 3.41 us. Venice, which the example does not show, has links as fast as that channel here.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report import colours
from canaletto._report.charts import Spec, spec
from canaletto._run import config

from canaletto_papers.bars import PUBLISHED as RED
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import flow, workload
from canaletto_papers.venice.evaluation import PERFORMANCE, SYSTEMS

INCREASE = "increase by the conflict, %"

PUBLISHED = {
    ("Baseline", "same channel"): 11.01,
    ("Baseline", "different channels"): 7.01,
    ("Baseline", INCREASE): 57.0,
}
"""Microseconds, and percent (§3.1); 11.01 / 7.01 is 1.571."""

RELEASED, HELD = "released during array time", "held during array time"
PATHS = {RELEASED: "never", HELD: "reads"}

TRANSFER = "1.024GB/s"

PLACES = {"same channel": ([0], [0], [0], [1]), "different channels": ([0], [0], [1], [0])}
"""Channel and chip of the first read, then of the second."""


def runs(_: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for system, hold in (("Baseline", RELEASED), ("Venice", RELEASED), ("Baseline", HELD)):
        drive = config.quiet_design(
            PERFORMANCE,
            fabric=SYSTEMS[system],
            **{
                "fabric.link_rate": TRANSFER,
                "fabric.network.link_rate": TRANSFER,
                "fabric.command_time": "10ns",
                "link.lanes": 32,
                "link.lane_rate": "1000GB/s",
                "fabric.hold_path": PATHS[hold],
            },
        )
        read = {"requests": 1, "read_share": 1.0, "size": "4KiB", "queue_depth": 1}
        for place, (channel, chip, other_channel, other_chip) in PLACES.items():
            flows = [
                flow("first", read, channels=channel, chips=chip),
                flow("second", read, channels=other_channel, chips=other_chip),
            ]
            found[system, hold, place] = Run(drive, workload(place, flows, partitioned=True))
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for system, hold in dict.fromkeys(label[:2] for label in found):
        times = {place: found[system, hold, place]["execution_time_us"] for place in PLACES}
        values = times | {INCREASE: 100 * (times["same channel"] / times["different channels"] - 1)}
        shared = {"system": system, "path": hold}
        rows += [
            {**shared, "case": case, "ours": ours, "published": PUBLISHED.get((system, case))}
            for case, ours in values.items()
        ]
    return rows


def chart(rows: list[Row]) -> Spec:
    shown = [
        {**row, "what": f"{row['system']}, {row['case']}; path {row['path']}"}
        for row in rows
        if row["case"] != INCREASE
    ]
    order = [row["what"] for row in shown]
    shared = alt.Chart(alt.InlineData(shown)).encode(
        y=alt.Y(
            "what:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelLimit=400, labelExpr="split(datum.label, '; ')", labelOverlap=False),
        )
    )
    scale = alt.Scale(domain=list(SYSTEMS), range=[colours.fabric(fabric) for fabric in SYSTEMS.values()])
    bars = shared.mark_bar().encode(
        x=alt.X("ours:Q", title="time until both reads are complete (us)"),
        color=alt.Color("system:N", scale=scale, legend=None),
        tooltip=["what:N", "ours:Q", "published:Q"],
    )
    ticks = shared.mark_tick(color=RED, thickness=3).encode(x="published:Q")
    layers = alt.layer(bars, ticks.transform_filter("isValid(datum.published)"))
    return spec(layers.properties(width="container", height=44 * len(shown)))


STATED = Settings(("path",), (RELEASED,))

FIGURE = Figure(
    "fig3", "Fig. 3: two reads with and without a path conflict", __doc__, runs, table, chart, STATED, is_given=True
)
