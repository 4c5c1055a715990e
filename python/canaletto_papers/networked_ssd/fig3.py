"""Use of the channels by reads and writes (Fig. 3).

Method: reads, then writes, of 16 KiB on the conventional drive of Table II in a closed loop of 32. Half of them go to
addresses that are multiples of 512 KiB, which static allocation (PCWD) puts on one channel. The other half go anywhere.
Data that are read lie where allocation put them; writes are placed by the FTL (dynamic placement). Shown is the share
of the time that each channel is in use, and how the busiest compares with the mean of all.

Assumptions: the paper shows a trace (Exchange-1) over time, in shades without numbers. Ours is made so that reads are
unbalanced and stands for the whole run: what it can show is that writes of the same addresses are not.
"""

from collections.abc import Mapping
from statistics import fmean

from canaletto._report import colours
from canaletto._report.charts import Spec

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.networked_ssd.serving import BASE, drive

KINDS = {"read": 1.0, "write": 0.0}
BUSIEST = "busiest channel over the mean"


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for kind, read_share in KINDS.items():
        half = {"requests": scale.of(50_000, 2_000), "read_share": read_share, "size": "16KiB", "queue_depth": 16}
        flows = [
            flow("one channel", {**half, "alignment": "512KiB"}),
            flow("anywhere", {**half, "alignment": "16KiB"}),
        ]
        found[(kind,)] = Run(drive(BASE, **{"ftl.write_placement": "dynamic"}), workload(kind, flows))
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (kind,), data in found.items():
        shares = {part["part"]: part["share"] for part in data["utilisation"] if part["part"].startswith("channel")}
        rows += [
            {"system": kind, "part": name, "ours": 100 * share, "published": None} for name, share in shares.items()
        ]
        ratio = max(shares.values()) / fmean(shares.values())
        rows.append({"system": kind, "part": BUSIEST, "ours": ratio, "published": None})
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    shown = [row for row in rows if row["part"] != BUSIEST]
    shades = {kind: colours.KINDS[kind] for kind in KINDS}
    return {"use of each channel": grouped(shown, "part", "time in use (%)", shades, one=False)}


FIGURE = Figure("fig3", "Fig. 3: use of the channels by reads and by writes", __doc__, runs, table, chart)
