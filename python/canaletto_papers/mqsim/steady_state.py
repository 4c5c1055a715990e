"""Response time of a fresh drive and of a preconditioned one over minutes (slides "Capturing Steady-State Behavior").

Method: random reads and writes of 8 KiB, half each, in an open loop for eight minutes of simulated time. They run on
the drive as it comes from the factory and in the computed steady state of greedy collection. Mean latency in stretches
of 20 s. The drive's addresses are 65 % of its flash (70 % of the usable 93 %); all are written again and again.

Assumptions: the slides' workload, drive and rates are not stated; they run 200 minutes. Here planes have 128 blocks
instead of 2,048, so that a fresh drive is full after some minutes at 400 requests per second and plane. With --quick
there are 16 planes of 64 blocks at half that rate. The slides' charts carry no numbers, and the real SSD-B's line
cannot be repeated.
"""

from collections.abc import Mapping

import altair as alt
from canaletto._report.charts import Spec, lines

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.mqsim.drive import drive

FRESH, STEADY = "fresh", "preconditioned"
SHADES = {FRESH: "#0072b2", STEADY: "#d55e00"}

MINUTES = 8
STRETCH_S = 20
REQUESTS_A_BLOCK = 3.125
OVERPROVISIONING = 1 - 0.70 * 0.93
"""70 % of what MQSim's drive shows of its flash (the real drives were preconditioned by writing so much)."""


def runs(scale: Scale) -> dict[Label, Run]:
    blocks, small = (64, {"geometry.channels": 2, "geometry.chips_per_channel": 2}) if scale.quick else (128, {})
    planes = 16 if scale.quick else 128
    rate = planes * blocks * REQUESTS_A_BLOCK
    keys = {**small, "geometry.blocks_per_plane": blocks, "ftl.overprovisioning": OVERPROVISIONING}
    count = round(rate * MINUTES * 60)
    shape = {"requests": count, "inter_arrival": f"{1e6 / rate}us", "read_share": 0.5}
    work = workload("both", [flow("both", {**shape, "size": "8KiB", "alignment": "8KiB"})])
    return {
        (FRESH,): Run(drive(keys), work),
        (STEADY,): Run(drive({**keys, "precondition.kind": "steady"}), work),
    }


def stretches(data: Data) -> list[tuple[float, float | None]]:
    series = data["series"]
    interval_s = series["interval_us"] / 1e6
    sums: dict[int, list[tuple[float, float]]] = {}
    for number, (mean, arrivals) in enumerate(zip(series["latency_us"], series["arrivals"], strict=True)):
        if mean is not None:
            # As many are completed in an interval as arrive, but for a few.
            sums.setdefault(int((number + 0.5) * interval_s / STRETCH_S), []).append((arrivals, mean))
    found = []
    for stretch, parts in sorted(sums.items())[: MINUTES * 60 // STRETCH_S]:
        weight = sum(arrivals for arrivals, _ in parts)
        mean = sum(arrivals * mean for arrivals, mean in parts) / weight if weight else None
        found.append(((stretch + 0.5) * STRETCH_S / 60, mean))
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {"system": system, "minute": minute, "ours": mean, "published": None}
        for (system,), data in found.items()
        for minute, mean in stretches(data)
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    x = alt.X("minute:Q", title="simulated time (minutes)")
    y = alt.Y("ours:Q", title="mean latency (µs)", scale=alt.Scale(domainMin=0))
    return {"mean latency": lines(rows, x, y, SHADES, order="minute")}


FIGURE = Figure("steady-state", "Fresh and preconditioned drives over minutes", __doc__, runs, table, chart)
