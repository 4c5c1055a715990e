"""Write amplification by fill, next to a Micron 7450 MAX 800 GB.

Method: writes of 4 KiB, uniform over the share of the address space that is in use, in the steady state of greedy
collection. The rest is deallocated, and so is spare space. Published is what was measured on the 7450 MAX
(gabriel-haas/ssdiq-pub).

Assumptions: 800 GB are sold of 1,024 GiB of flash (27 % spare), as of a drive for three writes a day; Micron does not
say. Four writes fill a page of 16 KiB, wherever the next one is programmed. The drive is small, its blocks have 64
pages: what counts is the spare share. Each of its planes is a die and collects by itself, once less than 2 % of its
blocks are free.
"""

from collections.abc import Mapping
from functools import cache

import altair as alt
from canaletto._io import _toml
from canaletto._report.charts import Spec, lines
from canaletto._run.config import Design

from canaletto_papers.drives.drive import requests
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale

MEASURED, OURS = "7450 MAX, measured", "ours"
SHADES = {MEASURED: "#c1121f", OURS: "#2a6f97"}
RAW_BYTES, SOLD_BYTES = 1024 * 2**30, 800e9
PUBLISHED = {0.5: 1.10, 0.7: 1.28, 0.9: 1.60}
FILLS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Without a published number ours stands alone."""


@cache
def drive(fill: float) -> Design:
    keys = {
        "base": "pcie4-tlc",
        "name": "spare-space",
        "geometry": {
            **{"channels": 4, "chips_per_channel": 2, "dies_per_chip": 1, "planes_per_die": 1},
            **{"blocks_per_plane": 256, "pages_per_block": 64},
        },
        "ftl": {
            "mapping_unit": "4KiB",
            "overprovisioning": 1 - fill * SOLD_BYTES / RAW_BYTES,
            "write_placement": "dynamic",
        },
        "cache": {"capacity": "16MiB"},
        "flash": {"pslc": {"static_size": "0B", "dynamic_size": "0B"}},
        "precondition": {"kind": "steady"},
    }
    return Design.from_toml(_toml.dumps(keys), "spare-space")


def runs(scale: Scale) -> dict[Label, Run]:
    number = scale.of(1_500_000, 100_000)
    return {(str(fill),): Run(drive(fill), requests(number, "4KiB", 64, read_share=0.0)) for fill in FILLS}


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "in_use": f"{float(fill):.0%}",
            "system": OURS,
            "unfilled_share": _unfilled(data),
            "ours": data["flash"]["write_amplification"],
            "published": PUBLISHED.get(float(fill)),
        }
        for (fill,), data in found.items()
    ]


def _unfilled(data: Data) -> float | None:
    programs = data["flash"]["programs"]
    return data["flash"].get("padding", 0) / (programs * 4) if programs else None


def chart(rows: list[Row]) -> Spec:
    drawn = []
    for row in rows:
        place = {"fill": float(row["in_use"].rstrip("%"))}
        drawn.append({**place, "system": OURS, "ours": row["ours"]})
        if row["published"] is not None:
            drawn.append({**place, "system": MEASURED, "ours": row["published"]})
    x = alt.X("fill:Q", title="share of the address space in use, %", scale=alt.Scale(domain=[50, 100]))
    y = alt.Y("ours:Q", title="write amplification", scale=alt.Scale(zero=False))
    return lines(drawn, x, y, SHADES, order="fill", marks=drawn)


FIGURE = Figure("amplification", "Write amplification by fill", __doc__, runs, table, chart)
