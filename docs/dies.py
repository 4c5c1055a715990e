"""Makes the tables of dies on a channel in docs/explanation/fabrics.md: `.venv/bin/python docs/dies.py --write`.

Two minutes on one core.
"""

from collections.abc import Iterator
from typing import Any

import altair as alt
import canaletto as cn
import tables
import vl_convert
from canaletto._report import colours
from canaletto._run import names
from canaletto_papers.flows import flow, workload

PAGE = tables.DOCS / "explanation/fabrics.md"
CHART = tables.DOCS / "assets" / "fabrics-dies.svg"
FAST_LINK = {"link.lanes": 32, "link.lane_rate": "gen5"}
PADS = {"fabric.load.full_rate_dies": 4}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in names.fabrics()},
    "bus, pads": ("bus", PADS),
    "bus, pads, buffers of 8": ("bus", {**PADS, "fabric.load.dies_per_buffer": 8}),
}
"""Fabric and keys of each line."""
COUNTS = (4, 8, 16, 32)


def reads(requests: int, queue_depth: int) -> cn.Workload:
    shape = {"requests": requests, "read_share": 1.0, "size": "4KiB", "alignment": "4KiB", "queue_depth": queue_depth}
    return workload("reads", [flow("reads", shape)])


def measured(design: cn.Design, requests: int, queue_depth: int) -> dict[str, Any]:
    return cn.run(design, reads(requests, queue_depth), records=False).to_dict()


def dies() -> Iterator[str]:
    """Fabrics over dies per channel: bandwidth, idle latency, pins of a controller, energy of a request."""
    points = list[dict[str, Any]]()
    yield f"| fabric | pins with {COUNTS[-1]} | " + " | ".join(f"{count} dies" for count in COUNTS) + " |"
    yield "| --- | ---: |" + " ---: |" * len(COUNTS)
    for name, (fabric, keys) in KINDS.items():
        cells, pins = [], 0.0
        for count in COUNTS:
            shape = {"geometry.channels": 4, "geometry.chips_per_channel": count}
            rate = {"fabric.network.link_rate": "1.2GB/s"}
            design = cn.design("performance-optimized", fabric=fabric).replace(**shape, **rate, **FAST_LINK, **keys)
            full, alone = measured(design, 12_000, 512), measured(design, 200, 1)
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
    """Lines of fabrics over dies, a panel per quantity."""
    tones = [colours.fabric(fabric) for fabric, _ in KINDS.values()]
    dashes = [[1, 0], [6, 3], [2, 2]]
    styles = [dashes[name.count(",")] for name in KINDS]
    lines = (
        alt.Chart()
        .mark_line(point={"size": 22}, strokeWidth=1)
        .encode(
            x=alt.X("dies:O", title="dies on a channel", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("fabric:N", sort=list(KINDS)),
            y=alt.Y("is:Q", title=None, scale=alt.Scale(type="log", nice=False, padding=8)),
            color=alt.Color("fabric:N", title=None, scale=alt.Scale(domain=list(KINDS), range=tones)),
            strokeDash=alt.StrokeDash("fabric:N", title=None, scale=alt.Scale(domain=list(KINDS), range=styles)),
        )
        .properties(width=330, height=250)
        .facet(facet=alt.Facet("what:N", title=None), columns=2, data=alt.Data(values=points))
        .resolve_scale(y="independent")
        .resolve_axis(x="independent")
    )
    look = {"background": "white", "font": "Helvetica Neue, Helvetica, Arial, sans-serif"}
    return str(vl_convert.vegalite_to_svg(lines.to_dict() | {"config": look, "background": "white"}))


INTERFACES = {
    "NV-DDR2 (ONFI 3.2)": 533,
    "NV-DDR3 (ONFI 4.1)": 1_200,
    "NV-DDR3 (ONFI 4.2)": 1_600,
    "NV-LPDDR4 (ONFI 5.0)": 2_400,
    "NV-LPDDR4 (ONFI 5.1)": 3_600,
    "Toggle DDR6.0 (ISSCC 2025)": 4_800,
}
"""Largest transfers per second of a data pin, in millions. ONFI's are from memory."""
PAD_PF, OHMS, EDGE = (3.0, 1.1), 20.6, 0.7
"""Pads of a die, a driver of 35 ohms with a termination of 50, and the part of a bit that an edge (2.2 RC) may take.

The smaller pads are the largest with which the packages with interface chips in `PACKAGES` are possible.
"""

PACKAGES = {
    "conventional, at most (MOSAID, 2012, by way of The Memory Guy)": (333, 4),
    "16 dies behind an F-Chip, 2nd generation (Samsung, after 2017)": (1_330, 8),
    "16 dies behind an F-Chip, 3rd generation (Samsung, JSSC 2021)": (1_800, 8),
    "8 dies behind a bridge of twice the rate (Kioxia, SSC-L 2024)": (3_200, 4),
}
"""Transfers per second of a data pin in millions, and dies on a channel.

That the chips of the last three have two channels of dies is from memory.
"""


def most_dies(rate: float) -> list[int]:
    return [max(1, round(EDGE / (2.2 * OHMS * pad * 1e-12 * rate * 1e6))) for pad in PAD_PF]


def packages() -> Iterator[str]:
    yield "| package | MT/s | dies on a channel | range |"
    yield "| --- | ---: | ---: | ---: |"
    for name, (rate, dies) in PACKAGES.items():
        yield f"| {name} | {rate:,} | {dies} | {_range(most_dies(rate))} |"


def loads() -> Iterator[str]:
    """Rate of a channel of eight pins by interface and dies, from the range of `fabric.load.full_rate_dies`."""
    dies_of = " | ".join(f"{count} dies, GB/s" for count in COUNTS)
    yield f"| interface | MT/s | dies at this rate | {dies_of} | {COUNTS[-1]} behind buffers of 4 |"
    yield "| --- | ---: | ---: |" + " ---: |" * (len(COUNTS) + 1)
    for name, rate in INTERFACES.items():
        full = most_dies(rate)
        cells = [_rates(rate, full, count) for count in COUNTS]
        cells.append(_rates(rate, full, COUNTS[-1], {"fabric.load.dies_per_buffer": 4}))
        yield f"| {name} | {rate:,} | {_range(full)} | " + " | ".join(cells) + " |"


def _rates(rate: int, full: list[int], count: int, keys: dict[str, Any] | None = None) -> str:
    shape = {"fabric.link_rate": f"{rate}MB/s", "geometry.chips_per_channel": count, **(keys or {})}
    design = cn.design("performance-optimized").replace(**shape)
    each = [design.replace(**{"fabric.load.full_rate_dies": dies}) for dies in full]
    return _range([measured(one, 1, 1)["interconnect"]["rate_mt_s"] / 1e3 for one in each])


def _range(ends: list[Any]) -> str:
    words = [f"{end:.2f}" if isinstance(end, float) else f"{end}" for end in ends]
    return words[0] if words[0] == words[1] else f"{words[0]} to {words[1]}"


def _power(picojoules: float, rate: float, parts: int = 1) -> str:
    """Power of eight wires at a reference rate in GB/s that take so much per bit, over all parts of a way."""
    return f"{picojoules * 8 * rate / parts:.4g}mW"


FAST_ARRAYS = {"flash.read": "3us", "geometry.blocks_per_plane": 64, **FAST_LINK}
PUBLISHED: dict[str, tuple[str, dict[str, Any], str]] = {
    "HyperLink NAND: bytes around a ring, 8 dies per package (IEEE Access 2013)": (
        "ring",
        {"geometry.chips_per_channel": 4, "geometry.dies_per_chip": 8, "fabric.link_rate": "800MB/s"},
        "800 MB/s",
    ),
    "PAM-4 around a ring of four bridge chips, 28 nm, 1.84 dB of loss (JSSC 2022)": (
        "ring",
        {
            "geometry.chips_per_channel": 4,
            "geometry.dies_per_chip": 8,
            "fabric.link_rate": "3.2GB/s",
            "energy.wires.link": _power(3.69, 1.0),
        },
        "25.6 Gb/s at 3.69 pJ/b per link",
    ),
    "bridge chips that double the rate, two packages of eight dies, 12 nm (SSC-L 2024)": (
        "bus",
        {
            "geometry.chips_per_channel": 16,
            "fabric.link_rate": "6.4GB/s",
            "fabric.load.full_rate_dies": 8,
            "fabric.load.dies_per_buffer": 8,
            "energy.wires.channel": _power(2.85, 1.2, 2),
        },
        "6.4 Gb/s per pin at 2.85 pJ/b",
    ),
    "module of daisy chains, 128 Gb/s per link, PCIe 6.0 x8 (Kioxia, 2025)": (
        "daisy-chain",
        {
            "geometry.channels": 4,
            "geometry.chips_per_channel": 8,
            "geometry.dies_per_chip": 16,
            "fabric.link_rate": "16GB/s",
            "energy.wires.link": _power(3.69, 1.0),
            "energy.idle.controller": "8W",
            "link.lanes": 8,
            "link.lane_rate": "gen6",
        },
        "64 GB/s, below 40 W",
    ),
}
"""Points that were published, as designs: fabric, keys, and what is printed. The words name the conditions."""


def published() -> Iterator[str]:
    """Published links as designs, under reads of 4 KiB."""
    yield "| link | published | GB/s | Gb/s per pin | pJ/b | W |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for name, (fabric, keys, printed) in PUBLISHED.items():
        one = {"geometry.channels": 1} if "geometry.channels" not in keys else {}
        design = cn.design("performance-optimized", fabric=fabric).replace(**{**FAST_ARRAYS, **one, **keys})
        found = measured(design, 20_000, 512)
        bits = 8 * 4096 * 20_000
        wires = found["interconnect"]
        cells = (
            found["bandwidth_mb_s"] / 1e3,
            wires["rate_mt_s"] / 1e3,
            wires["energy_nj_per_request"] * 20_000 / bits * 1e3,
            found["average_power_mw"] / 1e3,
        )
        yield f"| {name} | {printed} | " + " | ".join(f"{cell:.3g}" for cell in cells) + " |"


TABLES: dict[str, tables.Table] = {
    "fabrics-dies": (PAGE, dies),
    "fabrics-loads": (PAGE, loads),
    "fabrics-packages": (PAGE, packages),
    "fabrics-published": (PAGE, published),
}

if __name__ == "__main__":
    tables.main(__doc__ or "", TABLES)
