"""Two reads with and without a path conflict (Fig. 3, §3.1).

Method: two 4 KiB reads that arrive at the same moment go to two chips of one channel, then to chips of two channels;
the time until both are complete. A host link that takes next to no time leaves the time within the SSD.

Assumptions: the example's own times, set explicitly: command 10 ns, array 3 us, transfer 4 us. Table 1's 1.2 GB/s
would give a transfer of 3.41 us. Venice, which the example does not show, has links as fast as that channel here.
"""

from collections.abc import Mapping

import altair as alt

from canaletto._report import colours
from canaletto._report.charts import Spec, spec
from canaletto._run import config
from canaletto.experiments.bars import PUBLISHED as RED
from canaletto.experiments.figure import Data, Figure, Label, Row, Run, Scale
from canaletto.experiments.flows import flow, workload
from canaletto.experiments.venice.evaluation import PERFORMANCE, SYSTEMS

PUBLISHED = {("Baseline", "same channel"): 11.01, ("Baseline", "different channels"): 7.01}
"""Microseconds (§3.1)."""

INCREASE = "increase by the conflict, %"
PUBLISHED_INCREASE = 57.0
"""§3.1; 11.01 / 7.01 is 1.571."""

TRANSFER = "1.024GB/s"
"""4 KiB in 4 us."""

PLACES = {"same channel": ([0], [0], [0], [1]), "different channels": ([0], [0], [1], [0])}
"""Channel and chip of the first read, then of the second."""


def runs(_: Scale) -> dict[Label, Run]:
    """Two reads for each place and system."""
    found: dict[Label, Run] = {}
    for system in ("Baseline", "Venice"):
        drive = config.quiet_design(
            PERFORMANCE,
            fabric=SYSTEMS[system],
            **{
                "fabric.link_rate": TRANSFER,
                "fabric.network.link_rate": TRANSFER,
                "fabric.command_time": "10ns",
                "link.lanes": 32,
                "link.lane_rate": "1000GB/s",
            },
        )
        read = {"requests": 1, "read_share": 1.0, "size": "4KiB", "queue_depth": 1}
        for place, (channel, chip, other_channel, other_chip) in PLACES.items():
            flows = [
                flow("first", read, channels=channel, chips=chip),
                flow("second", read, channels=other_channel, chips=other_chip),
            ]
            found[system, place] = Run(drive, workload(place, flows, partitioned=True))
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    """The time of both reads in each place, and the increase."""
    rows: list[Row] = [
        {
            "system": system,
            "case": place,
            "ours": data["execution_time_us"],
            "published": PUBLISHED.get((system, place)),
        }
        for (system, place), data in found.items()
    ]
    for system in dict.fromkeys(label[0] for label in found):
        same, different = (found[system, place]["execution_time_us"] for place in PLACES)
        known = PUBLISHED_INCREASE if system == "Baseline" else None
        rows.append({"system": system, "case": INCREASE, "ours": 100 * (same / different - 1), "published": known})
    return rows


def chart(rows: list[Row]) -> Spec:
    """A bar a case, as long as its timeline."""
    shown = [{**row, "what": f"{row['system']}, {row['case']}"} for row in rows if row["case"] != INCREASE]
    order = [row["what"] for row in shown]
    shared = alt.Chart(alt.InlineData(shown)).encode(y=alt.Y("what:N", sort=order, title=None))
    scale = alt.Scale(domain=list(SYSTEMS), range=[colours.fabric(fabric) for fabric in SYSTEMS.values()])
    bars = shared.mark_bar().encode(
        x=alt.X("ours:Q", title="time until both reads are complete (us)"),
        color=alt.Color("system:N", scale=scale, legend=None),
        tooltip=["what:N", "ours:Q", "published:Q"],
    )
    ticks = shared.mark_tick(color=RED, thickness=3).encode(x="published:Q")
    layers = alt.layer(bars, ticks.transform_filter("isValid(datum.published)"))
    return spec(layers.properties(width="container", height=28 * len(shown)))


FIGURE = Figure("fig3", "Fig. 3: two reads with and without a path conflict", __doc__, runs, table, chart)
