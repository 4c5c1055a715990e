"""Write amplification of a flash cache with and without reclaim unit handles.

Method: a cache like CacheLib writes small objects into buckets of 4 KiB anywhere in 4 % of its space. Large objects go
into a log through the rest, round and round (Allison et al., "Towards Efficient Flash Caches with Emerging NVMe
Flexible Data Placement SSDs", EuroSys 2025). `with` data placement both have their own handles; isolation is initial.
`ours` is `without` divided by `with`, and `published` are their measurements (§6.2, §6.3, §6.5). CacheLib's
documentation has 1.22 for 1.3 and 3.22 for 3.5. The paper calls its amplification at 90 % similar to that at 50 %.
`theorem` is the paper's Theorem 1 for buckets, which have the spare
space to themselves, weighted by their share of the writes. `changed` names what differs from the set-up in a line.

The drive begins empty, as theirs does. Counted are the writes between 20 and 30 times its capacity: only then has the
log of a full cache, a tenth of the writes, gone round twice. Nothing is trimmed, as in CacheLib by default.

Small objects' share of the bytes is 90 %. Of 431 insertions in four samples of Meta's trace kvcache/202206, 38 are
larger than the 640 bytes of `navySmallItemMaxSize` (facebook/CacheLib issue 302). A small one writes its bucket, a
large one itself in steps of 512 bytes. 84 and 95 % bound that share with 95 % probability (bootstrap).

Assumptions: spare space is 14.5 %. The namespace has 459,076,086 blocks of 4 KiB (CacheLib's guide to FDP), the drive
2 TiB of flash. Reclaim units of 6 GB make 366 of them, here of 32 pages of 4 KiB. Moved data have their own units.
Items that CacheLib writes again because they were read are left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import altair as alt
from canaletto._io import _toml
from canaletto._report.charts import Spec, lines
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import flow, workload

WITHOUT, WITH = "without", "with"
SHADES = {WITHOUT: "#c1121f", WITH: "#2a6f97"}
NOTHING = "–"
UNITS = 366
PAGES = 8 * UNITS * 4
"""Pages of the drive: eight planes of blocks of four."""
GAP_US = 400.0
"""Between writes: so long that nothing waits and both flows keep their shares."""


@dataclass(frozen=True)
class Case:
    used: float
    changed: str = ""
    small: float = 0.9
    """Small objects' share of the bytes written."""
    buckets: float = 0.04
    """Their share of the space."""
    spare: float = 0.145
    counted: tuple[int, int] = (20, 30)
    """Writes of the whole capacity between which is counted."""
    isolation: str = "initial"
    published: tuple[float | None, float | None] = (None, None)
    """Without and with handles."""

    @property
    def name(self) -> str:
        return f"{self.used:.0%}, {self.changed}".rstrip(", ")

    @property
    def theorem(self) -> float:
        """Buckets of which a share `moved` is still valid when their unit is collected."""
        space = self.buckets * self.used * (1 - self.spare)
        ratio, moved = 1 + (1 - self.used * (1 - self.spare)) / space, 0.0
        for _ in range(200):
            moved = math.exp(-ratio * (1 - moved))
        return self.small / (1 - moved) + 1 - self.small


STATED = (Case(0.5, published=(1.3, 1.03)), Case(0.9, published=(1.3, 1.03)), Case(1.0, published=(3.5, 1.03)))
CHANGES: dict[str, dict[str, Any]] = {
    "50 % small objects": {"small": 0.5},
    "84 % small objects": {"small": 0.84},
    "95 % small objects": {"small": 0.95},
    "7 % spare": {"spare": 0.07},
    "persistent isolation": {"isolation": "persistent"},
    "writes 5 to 12": {"counted": (5, 12)},
    "writes 2 to 5": {"counted": (2, 5)},
}
CHANGED = [
    replace(case, changed=name, **keys)
    for case in STATED
    for name, keys in CHANGES.items()
    if case.used != 0.9 or "counted" in keys
]
LARGE = Case(1.0, "64 % buckets", buckets=0.64, published=(None, 2.5))
CASES = {case.name: case for case in (*STATED, *CHANGED, LARGE)}


@cache
def drive(case: Case) -> Design:
    keys = {
        "base": "performance-optimized",
        "name": "placed",
        "geometry": {"channels": 2, "chips_per_channel": 2, "blocks_per_plane": UNITS, "pages_per_block": 4},
        "ftl": {"superblock": "drive", "overprovisioning": case.spare},
        "fdp": {"handles": 2, "isolation": case.isolation},
    }
    return Design.from_toml(_toml.dumps(keys), "placed")


def _cache(system: str, case: Case, written: int) -> Workload:
    pages = int(PAGES * (1 - case.spare) * case.used)
    buckets = int(pages * case.buckets)

    def writes(share: float, first: int, count: int, **keys: str) -> dict[str, object]:
        return {
            **{"requests": int(written * share), "read_share": 0.0, "size": "4KiB"},
            **{"inter_arrival": f"{GAP_US / share:.3f}us"},
            **{"working_set_offset": f"{first * 4}KiB", "working_set_size": f"{count * 4}KiB", **keys},
        }

    small = writes(case.small, 0, buckets)
    large = writes(1 - case.small, buckets, pages - buckets, addresses="sequential")
    handle = {} if system == WITHOUT else {"handle": 1}
    return workload("flash-cache", [flow("objects", small), flow("log", large, **handle)])


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for name, case in CASES.items():
        for system in (WITHOUT, WITH):
            for end, turns in zip(("shorter", "longer"), case.counted, strict=True):
                made = _cache(system, case, PAGES * turns // scale.of(1, 4))
                found[system, name, end] = Run(drive(case), made)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for name in dict.fromkeys(name for _, name, _ in found):
        case, ours = CASES[name], {}
        for system in (WITHOUT, WITH):
            longer, shorter = (found[system, name, end]["flash"] for end in ("longer", "shorter"))
            programs, pages = (longer[what] - shorter[what] for what in ("programs", "host_pages"))
            ours[system] = programs / pages if pages else 1.0
        before, after = case.published
        rows.append(
            {
                **{"in_use": f"{case.used:.0%}", "changed": case.changed or NOTHING, **ours, "theorem": case.theorem},
                **{"published_without": before, "published_with": after},
                **{"ours": ours[WITHOUT] / ours[WITH], "published": before / after if before and after else None},
            }
        )
    return rows


def chart(rows: list[Row]) -> Spec:
    drawn = [
        {"system": system, "ours": row[system], "fill": float(row["in_use"].rstrip("%"))}
        for row in rows
        if row["changed"] == NOTHING
        for system in (WITHOUT, WITH)
    ]
    x = alt.X("fill:Q", title="share of the address space in use, %", scale=alt.Scale(domain=[50, 100]))
    y = alt.Y("ours:Q", title="write amplification", scale=alt.Scale(zero=False))
    return lines(drawn, x, y, SHADES, order="fill")


FIGURE = Figure(
    "cache",
    "Write amplification of a flash cache",
    __doc__,
    runs,
    table,
    chart,
    settings=Settings(("changed",), (NOTHING,)),
    by_effect=True,
    ordered=("in_use",),
)
