"""Makes the tables of docs/explanation/hbf.md and the dies of fabrics.md: `.venv/bin/python docs/hbf.py --write`.

Some 100 runs, two or three minutes on one core. Without `--write` it only prints.
"""

from collections.abc import Iterator
from typing import Any

import altair as alt
import canaletto as cn
import tables
import vl_convert
from canaletto._report import colours
from canaletto_papers.flows import flow, workload
from canaletto_papers.hbf import workloads

PAGE = tables.DOCS / "explanation/hbf.md"
FABRICS = tables.DOCS / "explanation/fabrics.md"
GRADES = {"hbf-384": 384.0, "hbf-1536": 1536.0, "hbf-3072": 3072.0}
TIMES_US = (1, 2, 5, 10, 20)
PAGE_BYTES = 4096
SSD = "pcie5-tlc-cm7"
PE_CYCLES = 100_000
"""Program and erase cycles of SLC that reports on HBF name."""


def simulated(design: cn.Design, work: cn.Workload) -> cn.Result:
    return cn.run(design, work, records=False)


def reads(requests: int, **pace: Any) -> cn.Workload:
    shape = {"requests": requests, "read_share": 1.0, "size": f"{PAGE_BYTES}B", "alignment": f"{PAGE_BYTES}B", **pace}
    return workload("reads", [flow("reads", shape)])


def stack(grade: str, read_us: float) -> cn.Design:
    """As many banks as fill it at a read time, rounded up to a power of two."""
    base = cn.design(grade)
    keys = base.to_dict()["geometry"]
    raw = keys["chips_per_channel"] * keys["blocks_per_plane"]
    units = 16
    while units * keys["channels"] * PAGE_BYTES / read_us / 1e3 < 1.05 * GRADES[grade]:
        units *= 2
    return base.replace(
        **{
            "flash.read": f"{read_us}us",
            "geometry.chips_per_channel": units,
            "geometry.blocks_per_plane": max(8, raw // units),
        }
    )


def outstanding() -> Iterator[str]:
    """By Little's law and simulated."""
    yield "| read time | " + " | ".join(f"`{grade}`" for grade in GRADES) + " |"
    yield "| --- |" + " ---: |" * len(GRADES)
    for time in TIMES_US:
        cells = []
        for grade, rate in GRADES.items():
            design = stack(grade, time)
            alone = simulated(design, reads(1, queue_depth=1)).latency_us.all.mean or 0.0
            least = round(rate * 1e3 * alone / PAGE_BYTES)
            found = [simulated(design, reads(8 * n, queue_depth=n)).bandwidth_mb_s or 0.0 for n in (least, 4 * least)]
            units = design.to_dict()["geometry"]
            banks = units["channels"] * units["chips_per_channel"]
            shares = " / ".join(f"{each / 1e3 / rate:.0%}" for each in found)
            cells.append(f"{least:,} of {banks:,} banks: {shares}")
        yield f"| {time} µs | " + " | ".join(cells) + " |"


def tails() -> Iterator[str]:
    yield "| grade | load | GB/s | p50 µs | p99 µs | p99.9 µs | W |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for grade, rate in GRADES.items():
        for load in (0.3, 0.6, 0.8):
            gap = round(PAGE_BYTES / (load * rate) * 1e3)
            found = simulated(cn.design(grade), reads(200_000, inter_arrival=f"{gap}ps"))
            at, watts = found.latency_us.all, (found.average_power_mw or 0.0) / 1e3
            bandwidth = (found.bandwidth_mb_s or 0.0) / 1e3
            spread = " | ".join(f"{each:.2f}" for each in (at.p50, at.p99, at.p99_9))
            yield f"| `{grade}` | {load:.0%} | {bandwidth:,.0f} | {spread} | {watts:.0f} |"


def used() -> Iterator[str]:
    works = {
        "weights, 1 MiB, 16 outstanding": lambda: workloads.weights(600, 16),
        "cache blocks, 8 MiB, 8 outstanding, 10 % writes": lambda: workloads.cache_blocks(60, 8),
        "vector search, lists and vectors, 32 and 512 outstanding": lambda: workloads.search(1500, 32),
    }
    yield f"| workload | `{SSD}` | " + " | ".join(f"`{grade}`" for grade in GRADES) + " |"
    yield "| --- |" + " ---: |" * (1 + len(GRADES))
    for name, work in works.items():
        cells = []
        for drive in (SSD, *GRADES):
            found = simulated(cn.design(drive), work())
            slowest = found.latency_us.all.p99 or found.latency_us.all.max or 0.0
            cells.append(f"{(found.bandwidth_mb_s or 0.0) / 1e3:,.1f} GB/s, {slowest:,.0f} µs")
        yield f"| {name} | " + " | ".join(cells) + " |"


def endurance() -> Iterator[str]:
    """Years until every block has its cycles, by the share of the bandwidth that writes take."""
    yield "| grade | programs at most, GB/s | years at 1 % of them | days at all of them |"
    yield "| --- | ---: | ---: | ---: |"
    for grade in GRADES:
        keys = cn.design(grade).to_dict()
        array = keys["geometry"]
        banks = array["channels"] * array["chips_per_channel"]
        capacity = banks * array["blocks_per_plane"] * array["pages_per_block"] * PAGE_BYTES
        programs = banks * PAGE_BYTES / 100e-6
        years = PE_CYCLES * capacity / programs / (365 * 86_400)
        yield f"| `{grade}` | {programs / 1e9:.0f} | {100 * years:.1f} | {365 * years:.0f} |"


CHART = tables.DOCS / "assets" / "fabrics-dies.svg"
KINDS = {
    "bus": {},
    "bus, pads": {"fabric.load.full_rate_dies": 4},
    "bus, pads, buffers of 8": {"fabric.load.full_rate_dies": 4, "fabric.load.dies_per_buffer": 8},
    "packetized": {"fabric.kind": "packetized"},
    "omnibus": {"fabric.kind": "omnibus"},
    "clusters": {"fabric.kind": "clusters"},
    "venice": {"fabric.kind": "venice"},
    "daisy-chain": {"fabric.kind": "daisy-chain"},
    "ring": {"fabric.kind": "ring"},
}


def dies() -> Iterator[str]:
    counts, points = (4, 8, 16, 32), list[dict[str, Any]]()
    yield "| fabric | pins | " + " | ".join(f"{count} dies" for count in counts) + " |"
    yield "| --- | ---: |" + " ---: |" * len(counts)
    for name, keys in KINDS.items():
        cells, pins = [], 0.0
        for count in counts:
            design = cn.design("performance-optimized").replace(
                **{
                    "geometry.channels": 4,
                    "geometry.chips_per_channel": count,
                    "fabric.network.link_rate": "1.2GB/s",
                    "link.lanes": 32,
                    "link.lane_rate": "gen5",
                    **keys,
                }
            )
            full, alone = (
                cn.run(design, work, records=False).to_dict()
                for work in (reads(12_000, queue_depth=512), reads(200, queue_depth=1))
            )
            pins = full["interconnect"]["data_pins_per_controller"]
            bandwidth, latency = full["bandwidth_mb_s"] / 1e3, alone["latency_us"]["all"]["mean"]
            energy = full["interconnect"]["energy_nj_per_request"]
            cells.append(f"{bandwidth:.2f} GB/s, {latency:.1f} µs, {energy:.0f} nJ")
            quantities = {"GB/s": bandwidth, "idle µs": latency, "pins of a controller": pins, "nJ per request": energy}
            points += [{"fabric": name, "dies": count, "what": what, "is": each} for what, each in quantities.items()]
        yield f"| {name} | {pins:.0f} | " + " | ".join(cells) + " |"
    CHART.write_text(drawn(points) + "\n", encoding="utf-8")
    yield f"\n![Bandwidth, latency, pins and energy by dies on a channel](../assets/{CHART.name})"


def drawn(points: list[dict[str, Any]]) -> str:
    tones = [colours.fabric(name) if "," not in name else "#888888" for name in KINDS]
    lines = (
        alt.Chart()
        .mark_line(point=True)
        .encode(
            x=alt.X("dies:Q", title="dies on a channel", scale=alt.Scale(type="log", base=2)),
            y=alt.Y("is:Q", title=None),
            color=alt.Color("fabric:N", title=None, scale=alt.Scale(domain=list(KINDS), range=tones)),
            strokeDash=alt.StrokeDash("fabric:N", title=None, scale=alt.Scale(domain=list(KINDS))),
        )
        .properties(width=230, height=170)
        .facet(facet=alt.Facet("what:N", title=None), columns=2, data=alt.Data(values=points))
        .resolve_scale(y="independent")
    )
    look = {"background": "white", "font": "Helvetica Neue, Helvetica, Arial, sans-serif"}
    return str(vl_convert.vegalite_to_svg(lines.to_dict() | {"config": look, "background": "white"}))


TABLES: dict[str, tables.Table] = {
    "hbf-outstanding": (PAGE, outstanding),
    "hbf-tails": (PAGE, tails),
    "hbf-used": (PAGE, used),
    "hbf-endurance": (PAGE, endurance),
    "fabrics-dies": (FABRICS, dies),
}

if __name__ == "__main__":
    tables.main(__doc__ or "", TABLES)
