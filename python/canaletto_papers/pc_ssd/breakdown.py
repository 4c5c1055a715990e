"""Parts of the gain: elimination of the south bridge, DRAM interface, direct path.

Method: a PC is changed from SBSP to NBSP or NBDP one thing at a time. The drive moves to the north bridge with its
Serial ATA port, its port becomes a DRAM interface, it gets a second port with a direct path. The time that each step
saves is shown as a share of all that is saved, in total times. Sizes: the one with the highest ratio (the published
shares stand next to it), the smallest and the largest. The slides' order is first; other orders show how much of a
share is the order's. A DRAM interface at the south bridge cannot be built, so of six orders three are left.

Assumptions: as in the scenarios. The slides do not say at which size, nor in which order, they break down; of the
network download they give the direct path everything. A gain's last share follows from the others and is not counted.
"""

from collections.abc import Mapping, Sequence

from canaletto._report.charts import Spec

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Label, Row
from canaletto_papers.pc_ssd.study import SIZES, TITLES, Keys, best, nothing, times

SATA: Keys = (("attachment.interface", "sata"),)

SOUTH, DRAM, DIRECT = "south-bridge elimination", "DRAM interface", "direct path"
SHADES = {SOUTH: "#E69F00", DRAM: "#56B4E9", DIRECT: "#009E73"}

PUBLISHED: dict[str, dict[str, tuple[float | None, ...]]] = {
    "dma-read-miss": {"NBSP": (1.89, 98.11), "NBDP": (2.52, 11.85, 85.85)},
    "dma-read-hit": {"NBSP": (27.48, 72.52), "NBDP": (30.04, 34.79, 35.16)},
    "dma-write": {"NBSP": (37.92, 62.08), "NBDP": (23.00, 7.03, 69.97)},
    "page-fault": {"NBSP": (42.23, 57.77), "NBDP": (21.31, 10.60, 68.09)},
    "network-download": {"NBSP": (38.52, 61.48), "NBDP": (None, None, 100.0)},
}
"""Percent of the gain (slides, "Contribution Breakdown"); NBDP's read miss has 100.22 in all, as printed."""

AFTER: dict[tuple[str, ...], tuple[str, Keys]] = {
    (): ("sbsp", ()),
    (SOUTH,): ("nbsp", SATA),
    (SOUTH, DRAM): ("nbsp", ()),
    (DIRECT,): ("sbdp", ()),
    (SOUTH, DIRECT): ("nbdp", SATA),
    (SOUTH, DRAM, DIRECT): ("nbdp", ()),
}
"""In whatever order: kind and keys."""

ORDERS: dict[str, list[tuple[str, ...]]] = {
    "NBSP": [(SOUTH, DRAM)],
    "NBDP": [(SOUTH, DRAM, DIRECT), (SOUTH, DIRECT, DRAM), (DIRECT, SOUTH, DRAM)],
}

SHORT = {SOUTH: "bridge", DRAM: "DRAM", DIRECT: "direct"}


def shares(scenario: str, order: Sequence[str], size: int) -> dict[str, float]:
    def span(changes: Sequence[str]) -> float:
        kind, keys = AFTER[tuple(change for change in SHADES if change in changes)]
        return times(kind, scenario, size, keys).total_us

    spans = [span(order[:made]) for made in range(len(order) + 1)]
    saved = spans[0] - spans[-1]
    return {
        change: 100 * (before - after) / saved for change, before, after in zip(order, spans, spans[1:], strict=False)
    }


def table(_: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for scenario, title in TITLES.items():
        for system, orders in ORDERS.items():
            printed = dict(zip(SHADES, PUBLISHED[scenario][system], strict=False))
            highest = best(system, scenario)[1]
            for order in orders:
                for size in dict.fromkeys((highest, SIZES[0], SIZES[-1])):
                    is_theirs = order == orders[0] and size == highest
                    said = {"operation": title, "attachment": system, "order": spelt(order), "at_bytes": size}
                    rows += [
                        {**said, "system": change, "ours": share, "published": printed[change] if is_theirs else None}
                        for change, share in shares(scenario, order, size).items()
                    ]
    return rows


def follows(row: Row) -> bool:
    """From shares that are printed before it. The download's is the only one."""
    shares = dict(zip(TITLES.values(), PUBLISHED.values(), strict=True))[row["operation"]][row["attachment"]]
    return SHORT[row["system"]] == row["order"].split(", ")[-1] and None not in shares


def spelt(order: Sequence[str]) -> str:
    return ", ".join(SHORT[change] for change in order)


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for system, orders in ORDERS.items():
        at = {title: best(system, scenario)[1] for scenario, title in TITLES.items()}
        ours = [row for row in rows if (row["attachment"], row["order"]) == (system, spelt(orders[0]))]
        shown = [row for row in ours if row["at_bytes"] == at[row["operation"]]]
        drawn[f"{system}; bars: ours; red: what was published"] = grouped(
            shown, "operation", "share of the gain (%)", SHADES, one=False
        )
    return drawn


FIGURE = Figure("breakdown", "Contribution breakdown", __doc__, nothing, table, chart, neutral=0.0, follows=follows)
