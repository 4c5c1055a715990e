"""Write amplification of a cache of language models with and without data placement.

Method: nine workers write objects in their own parts of 855 of 960 GiB, four times 960 GiB in all. The parts were
written in order before. Workers: two of chats (4 MiB, 90 GiB each), one of long contexts (32 MiB, 180 GiB), two of
shared prefixes (16 MiB, 90 GiB each), three of random prompts (2 MiB, 90 GiB each), one of metadata (1 MiB, 45 GiB).
With data placement each of the five classes has its own handle; isolation is initial. Reclaim units have 16 GiB.
`published` is the write amplification of a Samsung PM9D3a (LMCache/LMCache pull request 4016: 2.600, and 1.425 with
handles).

Scale: one GiB of the drive is one MiB here, so that the number of reclaim units, their fill and the multiples of the
capacity stay. Objects shrink alike, but to no less than a page of 4 KiB: all are far smaller than a unit in both.

LMCache's raw blocks replace the object used least recently (LMCache/LMCache pull request 3527), and the report does not
say which objects are used again. Its order lies between objects replaced at random and oldest first.

Assumptions: the report has neither the traces nor the order in which a worker replaces its objects, nor each worker's
part of the writes. So there are lines for objects replaced at random and oldest first. Workers write the same
multiple of their space, or the same number of bytes. Or workers that churn (chats, prompts, metadata) write ten times
as much of their space as the others. 65 units are 7 % spare space; 72 and 80 show what more of it does. Victims are
chosen greedily.
"""

from collections.abc import Mapping
from functools import cache

import altair as alt
from canaletto._io import _toml
from canaletto._report.charts import Spec, lines
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload

WITHOUT, WITH = "one handle", "a handle for each class"
PUBLISHED = {WITHOUT: 2.6, WITH: 1.425}
ORDERS = {"random": "uniform", "oldest first": "sequential"}
SHARES = ("by space", "equal", "churning")
PAGE = 4096
MIB = 2**20
WORKERS = (
    *[("chat", 4, 90)] * 2,
    ("context", 32, 180),
    *[("prefix", 16, 90)] * 2,
    *[("prompt", 2, 90)] * 3,
    ("metadata", 1, 45),
)
CLASSES = tuple(dict.fromkeys(name for name, _, _ in WORKERS))
CHURN = {"chat": 10, "prompt": 10, "metadata": 10}
"""How much more of their space these classes write, if they churn."""
CAPACITY = 960
UNITS = (65, 72, 80)
TURNS = 4
SHADES = ("#2a6f97", "#8ecae6", "#219ebc", "#adb5bd", "#6a4c93", "#ffb703")
START_S = 60
"""When the workers begin: the drive has been written once by then."""
PAGE_US = 60.0
"""Time between pages of all workers together: nothing waits."""


@cache
def drive(units: int) -> Design:
    keys = {
        "base": "performance-optimized",
        "name": "placed",
        "geometry": {"channels": 2, "chips_per_channel": 2, "blocks_per_plane": units, "pages_per_block": 512},
        "ftl": {"superblock": "drive", "overprovisioning": 0.07},
        "fdp": {"handles": len(CLASSES) + 1},
    }
    return Design.from_toml(_toml.dumps(keys), "placed")


def _pages(size_mib: int) -> int:
    return max(1, size_mib * MIB // 1024 // PAGE)


def _part(shares: str, name: str, space: int) -> int:
    if shares == "equal":
        return 1
    return space * (CHURN.get(name, 1) if shares == "churning" else 1)


def _work(system: str, order: str, shares: str, turns: float) -> Workload:
    filled = sum(space for _, _, space in WORKERS)
    first = {"requests": filled * MIB // 2**18, "read_share": 0.0, "size": "256KiB", "queue_depth": 8}
    first |= {"addresses": "sequential", "working_set_size": f"{filled}MiB"}
    flows = [flow("first", first)]
    parts = [_part(shares, name, space) for name, _, space in WORKERS]
    all_pages, at = turns * CAPACITY * MIB // PAGE, 0
    for number, (name, size, space) in enumerate(WORKERS):
        share = parts[number] / sum(parts)
        pages = _pages(size)
        keys = {
            **{"requests": int(all_pages * share / pages), "read_share": 0.0, "size": f"{pages * 4}KiB"},
            **{"alignment": f"{pages * 4}KiB", "inter_arrival": f"{PAGE_US * pages / share:.3f}us"},
            **{"start": f"{START_S}s", "addresses": ORDERS[order]},
            **{"working_set_offset": f"{at}MiB", "working_set_size": f"{space}MiB"},
        }
        handle = {"handle": 1 + CLASSES.index(name)} if system == WITH else {}
        flows.append(flow(f"{name}-{number}", keys, **handle))
        at += space
    return workload("lmcache", flows)


def runs(scale: Scale) -> dict[Label, Run]:
    turns = 1.5 if scale.quick else TURNS
    lines = [(order, shares, UNITS[0]) for order in ORDERS for shares in SHARES]
    lines += [("random", "churning", units) for units in UNITS[1:]]
    return {
        (system, order, shares, str(units)): Run(drive(units), _work(system, order, shares, turns))
        for system in PUBLISHED
        for order, shares, units in lines
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    fill = sum(space for _, _, space in WORKERS) * MIB // PAGE
    for (system, order, shares, units), data in found.items():
        flash = data["flash"]
        ours = (flash["programs"] - fill) / (flash["host_pages"] - fill)
        place = {"system": system, "replaced": order, "writes": shares, "units": int(units)}
        rows.append({**place, "ours": ours, "published": PUBLISHED[system]})
    return rows


def chart(rows: list[Row]) -> Spec:
    drawn = [{**row, "line": f"{row['replaced']}, {row['writes']}"} for row in rows if row["units"] == UNITS[0]]
    made = [{"handles": row["system"], "system": row["line"], "ours": row["ours"]} for row in drawn]
    made += [{"handles": system, "system": "measured", "ours": value} for system, value in PUBLISHED.items()]
    names = list(dict.fromkeys(row["system"] for row in made))
    shades = dict(zip(names, (*SHADES, "#c1121f"), strict=True))
    x = alt.X("handles:N", title=None, sort=list(PUBLISHED))
    return lines(
        made, x, alt.Y("ours:Q", title="write amplification", scale=alt.Scale(zero=False)), shades, order="handles"
    )


FIGURE = Figure("lmcache", "Write amplification of a cache of language models", __doc__, runs, table, chart)
