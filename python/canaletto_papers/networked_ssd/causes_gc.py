"""Causes of the differences from Fig. 19: occupancy, and what starts an epoch.

Method: the runs of Fig. 19 that its averages need, with one change at a time. Epochs may start as soon as any one
plane, not the device, is short of free blocks. Copies in flight are pages copied at the same time. Epochs and write
amplification are means over workloads and systems; workloads with fewer than two epochs on any system are left out, and
how many are left stands next to them.

Assumptions: as in Fig. 19, with 60,000 requests. The paper states no occupancy, trigger, rate or number of copies.
Published: the averages of Fig. 19.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from canaletto._report.charts import Spec

from canaletto_papers.bars import dots
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings, seconds
from canaletto_papers.networked_ssd import fig19
from canaletto_papers.networked_ssd.collecting import OCCUPANCY, epochs, profile, system
from canaletto_papers.venice.evaluation import OWN, UNIFORM

COMPARED = (*fig19.PUBLISHED, ("pnSSD", "SpGC"))


@dataclass(frozen=True)
class Change:
    keys: Mapping[str, Any] = field(default_factory=dict)
    slower: float = 1.0
    """Times between arrivals, multiplied."""
    traffic: str = OWN


CHANGES = {
    **{f"{share:.0%} of the addresses in use": Change({"precondition.occupancy": share}) for share in (0.3, 0.5)},
    f"none ({OCCUPANCY:.0%})": Change(),
    "90% of the addresses in use": Change({"precondition.occupancy": 0.9}),
    "Table 2's means alone": Change(traffic=UNIFORM),
    "epochs start with any one plane": Change({"gc.epoch_trigger": "plane"}),
    "a tenth of the rate": Change(slower=10.0),
    "two victims a plane": Change({"gc.victims_per_plane": 2}),
    **{f"{copies} copies in flight": Change({"gc.copies_in_flight": copies}) for copies in (2, 8, 16, 64)},
    **{
        f"{copies} copies in flight, {share:.0%} of the addresses in use": Change(
            {"gc.copies_in_flight": copies, "precondition.occupancy": share}
        )
        for copies, share in ((16, 0.6), (64, 0.5))
    },
    "8 copies in flight, epochs start with any one plane": Change(
        {"gc.copies_in_flight": 8, "gc.epoch_trigger": "plane"}
    ),
}


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for change, how in CHANGES.items():
        for name in fig19.WORKLOADS:
            work = profile(name, scale.of(60_000, 10_000), how.traffic)
            if how.slower != 1.0:
                between = "flow.0.synthetic.inter_arrival"
                gap = seconds(work.to_dict()["flow"][0]["synthetic"]["inter_arrival"]) * how.slower
                work = work.replace(**{between: f"{gap * 1e6:g}us"})
            for fabric, kind in COMPARED:
                found[change, name, fabric, kind] = Run(system(fabric, kind, scale, **how.keys), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for change in CHANGES:
        here = {label[1:]: data for label, data in found.items() if label[0] == change}
        names = fig19.steady(here)
        kept = [data for label, data in here.items() if label[0] in names]
        amplified = [data["flash"]["write_amplification"] for data in kept]
        shared = {
            "workloads": len(names),
            "epochs": fmean(map(epochs, kept)) if kept else None,
            "write_amplification": fmean(amplified) if amplified else None,
        }
        for (fabric, kind), ours in fig19.averages(here).items():
            name = f"pnSSD (SpGC) over {fabric} ({kind})"
            known = fig19.PUBLISHED[fabric, kind]
            line = {"change": change, "workload": fig19.AVERAGE, "system": name, **shared}
            rows.append({**line, "ours": ours, "published": known})
    return rows


COLOURS = dict(
    zip(
        (f"pnSSD (SpGC) over {fabric} ({kind})" for fabric, kind in fig19.PUBLISHED),
        ("#000000", "#E69F00", "#56B4E9"),
        strict=True,
    )
)


def chart(rows: list[Row]) -> dict[str, Spec]:
    title = "improvement (times, logarithmic)"
    return {"averages over workloads; dashed: published": dots(rows, "change", title, COLOURS)}


SETTINGS = Settings(("change",), of="fig19")
GRIDS = {"average": Grid("change", "system", {})}

FIGURE = Figure("causes-gc", "Causes: collection", __doc__, runs, table, chart, SETTINGS, GRIDS)
