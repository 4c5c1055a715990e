"""Bandwidth of the flash of a stack, by channels (jager197/accel-sim-hbf, media_saturation.csv).

Method: 32 units a channel read pages of 4 KiB in 15 us; a channel carries 192 GB/s. `steady`: requests of a page for
each unit, four at a time, so that all units read all the time. `1,024 reads`: as many pages at once, as the source's
runs. Its number is bytes of the array over the time from the first request to the last answer, so that `1,024 reads,
no wires` is nearest to it: the reads arrive 110 ps apart, as the source's do, and wires take no time.

Assumptions: two page buffers a unit, so that a page leaves while the next one is read; a command takes 1 ns. The
source's 1,024 requests arrive within 127 cycles of 1,132 MHz, which is its difference to the closed form: at 16
channels the whole run takes two reads of 16,980 cycles each. Ours arrive at once, and the last page crosses channel
and link.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report.charts import Spec, spec

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import flow, workload
from canaletto_papers.hbf.stack import PAGE, stack, stream

UNITS, READ_US, READS = 32, 15.0, 1024
PUBLISHED = {
    1: 8.737618750368057,
    2: 17.472150730098914,
    4: 34.91962908919746,
    8: 69.77357347754526,
    16: 139.28514808730344,
}
"""Column `array_bandwidth_gbs` of lines grow_c*, GB/s."""
STEADY, AT_ONCE, ARRIVING = "steady", "1,024 reads", "1,024 reads, no wires"
NO_WIRES = {
    "fabric.link_rate": "100TB/s",
    "fabric.command_time": "0ns",
    "link.lane_rate": "1TB/s",
    "link.latency": "0ns",
}


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for channels in PUBLISHED:
        drive = stack(channels, UNITS, f"{READ_US}us")
        found[str(channels), STEADY] = Run(drive, stream(channels * UNITS, scale.of(200, 100), 4))
        found[str(channels), AT_ONCE] = Run(drive, stream(READS, 1, 1))
        shape = {"requests": READS, "read_share": 1.0, "size": f"{PAGE}B", "addresses": "sequential"}
        arriving = workload("arriving", [flow("reads", {**shape, "inter_arrival": "110ps", "arrivals": "fixed"})])
        found[str(channels), ARRIVING] = Run(drive.replace(**NO_WIRES), arriving)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (channels, way), data in found.items():
        closed = int(channels) * UNITS * PAGE / READ_US / 1e3
        ours = data["bandwidth_mb_s"] / 1e3
        rows.append(
            {
                "channels": channels,
                "reads": way,
                "closed_form": closed,
                "ours": ours,
                "published": PUBLISHED[int(channels)],
                "ours_off_percent": (ours / closed - 1.0) * 100.0,
                "published_off_percent": (PUBLISHED[int(channels)] / closed - 1.0) * 100.0,
            }
        )
    return rows


def chart(rows: list[Row]) -> Spec:
    shared = alt.Chart(alt.InlineData([row for row in rows if row["reads"] == STEADY]))
    x = alt.X("channels:Q", title="channels")
    line = shared.mark_line(point=True).encode(x=x, y=alt.Y("ours:Q", title="GB/s"))
    return spec(line + shared.mark_point(color="#c1121f", size=90).encode(x=x, y="published:Q"))


FIGURE = Figure(
    "media",
    "Bandwidth of the flash by channels",
    __doc__,
    runs,
    table,
    chart,
    settings=Settings(("reads",), (STEADY,)),
)
