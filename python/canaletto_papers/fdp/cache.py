"""Write amplification of a flash cache with and without reclaim unit handles.

Method: a cache like CacheLib writes small objects into buckets of 4 KiB anywhere in 4 % of its space. Large objects go
into a log through the rest, round and round (Allison et al., "Towards Efficient Flash Caches with Emerging NVMe
Flexible Data Placement SSDs", EuroSys 2025). With data placement both have their own handles. `published` is its write
amplification of the device at half of the space in use: about 1.3, and 1.03 with handles. Buckets and shares follow the
authors' configuration (facebook/CacheLib issue 302: `navyBigHashSizePct` 4, 878,700 MB of the drive). Writes while the
drive filled are left out: ours is the difference of two runs of which one is longer.

Assumptions: half of the bytes are small objects; the lines of 20 and 80 % show what that share does. 7 % spare space.
The drive is small, with 320 superblocks, as a drive of 1.88 TB has with reclaim units of 6 GB. The report of an
LMCache (2.600 to 1.425; LMCache/LMCache pull request 4016) has another set-up, which is not repeated here.
"""

from collections.abc import Mapping
from functools import cache

import altair as alt
from canaletto._io import _toml
from canaletto._report.charts import Spec, lines
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload

WITHOUT, INITIAL, PERSISTENT = "one handle", "two handles", "two handles, persistently isolated"
SHADES = {WITHOUT: "#c1121f", INITIAL: "#2a6f97", PERSISTENT: "#8ecae6"}
PUBLISHED = {(0.5, WITHOUT): 1.3, (0.5, INITIAL): 1.03}
USED = (0.5, 0.75, 1.0)
OBJECTS = (0.2, 0.5, 0.8)
STATED = 0.5
OBJECT_SPACE = 0.04
PAGES = 8 * 320 * 16
"""Pages of the drive: eight planes of 320 blocks of 16."""


@cache
def drive(system: str) -> Design:
    keys = {
        "base": "performance-optimized",
        "name": "placed",
        "geometry": {"channels": 2, "chips_per_channel": 2, "blocks_per_plane": 320, "pages_per_block": 16},
        "ftl": {"superblock": "drive", "overprovisioning": 0.07},
        "fdp": {"handles": 2, "isolation": "persistent" if system == PERSISTENT else "initial"},
    }
    return Design.from_toml(_toml.dumps(keys), "placed")


def _cache(system: str, used: float, objects: float, turnovers: int) -> Workload:
    written = turnovers * PAGES
    # So slow that nothing waits: both flows keep their shares.
    gap_us = 40.0
    space = OBJECT_SPACE * used
    host_bytes = int(PAGES * 0.93) * 4096
    small = {
        **{"requests": int(written * objects), "read_share": 0.0, "size": "4KiB"},
        **{"inter_arrival": f"{gap_us / objects:.3f}us", "working_set": space},
    }
    large = {
        **{"requests": int(written * (1 - objects)), "read_share": 0.0, "size": "4KiB", "addresses": "sequential"},
        **{"inter_arrival": f"{gap_us / (1 - objects):.3f}us"},
        "working_set_offset": f"{int(host_bytes * space) // 4096 * 4}KiB",
        "working_set": used - space,
    }
    handle = {} if system == WITHOUT else {"handle": 1}
    return workload("flash-cache", [flow("objects", small), flow("log", large, **handle)])


def _turnovers(scale: Scale) -> tuple[int, int]:
    return (3, 5) if scale.quick else (5, 12)


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for system in (WITHOUT, INITIAL, PERSISTENT):
        for used in USED:
            for objects in OBJECTS:
                for name, turnovers in zip(("shorter", "longer"), _turnovers(scale), strict=True):
                    made = _cache(system, used, objects, turnovers)
                    found[system, str(used), str(objects), name] = Run(drive(system), made)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for system, used, objects, name in found:
        if name != "longer":
            continue
        longer, shorter = (found[system, used, objects, name]["flash"] for name in ("longer", "shorter"))
        programs, pages = (longer[what] - shorter[what] for what in ("programs", "host_pages"))
        rows.append(
            {
                "system": system,
                "in_use": f"{float(used):.0%}",
                "small_objects": f"{float(objects):.0%}",
                "ours": programs / pages,
                "published": PUBLISHED.get((float(used), system)) if float(objects) == STATED else None,
            }
        )
    return rows


def chart(rows: list[Row]) -> Spec:
    stated = f"{STATED:.0%}"
    drawn = [{**row, "fill": float(row["in_use"].rstrip("%"))} for row in rows if row["small_objects"] == stated]
    x = alt.X("fill:Q", title="share of the address space in use, %", scale=alt.Scale(domain=[50, 100]))
    y = alt.Y("ours:Q", title="write amplification", scale=alt.Scale(zero=False))
    return lines(drawn, x, y, SHADES, order="fill")


FIGURE = Figure("cache", "Write amplification of a flash cache", __doc__, runs, table, chart)
