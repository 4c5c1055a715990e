"""Makes the tables and the chart of docs/explanation/compute.md: `.venv/bin/python docs/compute.py --write`.

A few minutes on one core.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import altair as alt
import canaletto as cn
import tables
import vl_convert
from canaletto._report import colours
from canaletto_papers.flows import flow, workload

PAGE = tables.DOCS / "explanation/compute.md"
CHART = tables.DOCS / "assets" / "compute.svg"

# Sixteen data pins a controller at 1.2 GB/s for eight of them, as in docs/numbering.py.
PINS: dict[str, dict[str, Any]] = {
    "bus": {"fabric.link_rate": "2.4GB/s"},
    "omnibus": {"fabric.link_rate": "1.2GB/s"},
    "mesh": {"fabric.network.link_rate": "1.2GB/s", "fabric.network.chip_to_chip": True},
    "venice": {"fabric.network.link_rate": "2.4GB/s", "fabric.network.chip_to_chip": True},
    "scheduled-mesh": {"fabric.network.link_rate": "2.4GB/s"},
    "ideal": {"fabric.link_rate": "1.2GB/s"},
}
PLACES = ("host", "drive", "channel", "chip")
KINDS: dict[str, dict[str, Any]] = {
    "scan": {"kind": "scan"},
    "gather": {"kind": "gather", "operands": 4},
    "reduce": {"kind": "reduce"},
}
FAST = {f"compute.{place}.rate": "100GB/s" for place in PLACES}
"""Units that keep up, so that what moves data limits."""


@cache
def saturated(fabric: str, kind: str, at: str) -> dict[str, Any]:
    design = cn.design("performance-optimized").replace(fabric=fabric, **PINS[fabric], **FAST)
    size = "4KiB" if kind == "gather" else "32KiB"
    shape = {"requests": 2000, "read_share": 1.0, "size": size, "queue_depth": 256}
    return tables.result(design, workload(kind, [flow("tasks", shape, compute={**KINDS[kind], "at": at})]))


def rate(found: dict[str, Any]) -> float:
    """Operands in GB/s."""
    return float(found["flows"][0]["compute"]["operand_bytes"] / found["execution_time_us"] / 1e3)


def energy(found: dict[str, Any]) -> float:
    """Picojoules of arrays, fabric and units per byte of operands."""
    report, spent = found["flows"][0]["compute"], found["energy_mj"]
    return float((spent["array"] + spent["fabric"] + report["energy_mj"]) * 1e9 / report["operand_bytes"])


head = partial(tables.head, PINS)


def rates() -> Iterator[str]:
    yield head("task, place")
    points: list[dict[str, Any]] = []
    for kind in KINDS:
        for at in PLACES:
            cells = []
            for fabric in PINS:
                found = saturated(fabric, kind, at)
                cells.append(f"{rate(found):.1f} GB/s, {energy(found):.0f} pJ")
                points.append({"task": kind, "place": at, "fabric": fabric, "GB/s": rate(found)})
            yield f"| {kind}, {at} | " + " | ".join(cells) + " |"
    CHART.write_text(drawn(points) + "\n", encoding="utf-8")
    yield f"\n![Operands in GB/s by place, fabric and task](../assets/{CHART.name})"


def drawn(points: list[dict[str, Any]]) -> str:
    """Lines of fabrics over places. Reductions are as scans."""
    panels = {"scan": "scan, reduce", "gather": "gather"}
    kept = [{**point, "task": panels[point["task"]]} for point in points if point["task"] in panels]
    tones = [colours.fabric(name) for name in PINS]
    lines = (
        alt.Chart()
        .mark_line(point=True)
        .encode(
            x=alt.X("place:N", title=None, sort=list(PLACES), axis=alt.Axis(labelAngle=0)),
            y=alt.Y("GB/s:Q", title="operands in GB/s", scale=alt.Scale(type="log", domain=[5, 100])),
            color=alt.Color(
                "fabric:N",
                title=None,
                scale=alt.Scale(domain=list(PINS), range=tones),
                legend=alt.Legend(orient="bottom", columns=3),
            ),
        )
        .properties(width=190, height=200)
        .facet(
            column=alt.Column("task:N", title=None, sort=list(panels.values()), header=alt.Header(labelFontSize=13)),
            data=alt.Data(values=kept),
            title=["Chips are the best place to scan; to gather,", "only where any two of them can send to each other"],
        )
    )
    size = {"labelFontSize": 13, "titleFontSize": 13}
    look = {
        "background": "white",
        "font": "Helvetica Neue, Helvetica, Arial, sans-serif",
        "axis": size,
        "legend": size,
        "title": {"fontSize": 14, "anchor": "start"},
    }
    return str(vl_convert.vegalite_to_svg(lines.to_dict() | {"config": look, "background": "white"}))


def causes() -> Iterator[str]:
    """Root causes of a gather, in percent of its latency."""
    yield head("place, root cause")
    for at in PLACES:
        shares = {fabric: saturated(fabric, "gather", at)["root_cause_us"]["all"] for fabric in PINS}
        sums = {fabric: sum(each.values()) for fabric, each in shares.items()}
        names = {name for each in shares.values() for name in each}
        largest = sorted(names, key=lambda name: -max(shares[f].get(name, 0.0) / sums[f] for f in PINS))[:4]
        for name in sorted({*largest, *({"compute", "operand_transfer"} & names)}):
            cells = [f"{100 * shares[fabric].get(name, 0.0) / sums[fabric]:.0f} %" for fabric in PINS]
            yield f"| {at}, `{name}` | " + " | ".join(cells) + " |"


def neighbours() -> Iterator[str]:
    """99th percentile of the host's reads of 4 KiB, next to gathers that arrive at one rate."""
    yield head("gathers at")
    for at in (None, *PLACES):
        cells = []
        for fabric in PINS:
            design = cn.design("performance-optimized").replace(fabric=fabric, **PINS[fabric], **FAST)
            common = {"requests": 1_000_000, "stop": "4ms", "read_share": 1.0, "size": "4KiB"}
            flows = [flow("reads", {**common, "inter_arrival": "2us"})]
            if at:
                tasks = {**common, "inter_arrival": "5us"}
                flows.append(flow("tasks", tasks, compute={"kind": "gather", "operands": 4, "at": at}))
            found = tables.result(design, workload("both", flows))
            cells.append(f"{found['flows'][0]['latency_us']['all']['p99']:.1f} µs")
        yield f"| {at or 'none'} | " + " | ".join(cells) + " |"


def together() -> Iterator[str]:
    """Operands moved to one chip, or written together: rate and energy of gathers."""
    yield "| operands | rate | energy per byte | crossed from chips |"
    yield "| --- | ---: | ---: | ---: |"
    shape = {"requests": 2000, "read_share": 1.0, "size": "4KiB", "queue_depth": 256, "addresses": "sequential"}
    task = {"kind": "gather", "operands": 16, "at": "array"}
    apart, near = {**task}, {**task, "distance": f"{8 * 8 * 2 * 4}KiB"}
    keys = {**FAST, "compute.array.groups": 1, "compute.chip.buffer": "256KiB"}
    for name, compute, more in (
        ("at random places, moved to one chip", apart, {}),
        ("in one plane, sensed one by one", near, {"compute.array.operands": 1}),
        ("in one block, sensed at once", near, {}),
    ):
        design = cn.design("performance-optimized").replace(fabric="bus", **PINS["bus"], **keys, **more)
        found = tables.result(design, workload("gathers", [flow("tasks", shape, compute=compute)]))
        report = found["flows"][0]["compute"]
        crossed = (report["out_bytes"] + report["result_bytes"]) / report["operand_bytes"]
        yield f"| {name} | {rate(found):.1f} GB/s | {energy(found):.0f} pJ | {100 * crossed:.0f} % |"


OPERANDS, APART = 16, 8 * 8 * 2 * 4
"""Operands of a task, and KiB between them: a page per plane."""
WAYS: dict[str, tuple[bool, dict[str, Any]]] = {
    "at random places, moved to one chip": (False, {}),
    "in one plane, as written": (True, {}),
    "written together": (True, {"ftl.write_placement": "operands"}),
    "written together, from a write buffer": (
        True,
        {"ftl.write_placement": "operands", "cache.capacity": "32MiB", "cache.power_loss_protection": True},
    ),
}
"""Whether operands have a distance, and keys."""


def placement() -> Iterator[str]:
    yield "| operands | updates per task | task | 99th percentile | update | programs per write | energy per task |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    small = {"geometry.blocks_per_plane": 64, "geometry.pages_per_block": 192, "ftl.overprovisioning": 0.15}
    keys = {**small, "precondition.kind": "steady", "compute.chip.buffer": "256KiB", "fabric": "bus", **PINS["bus"]}
    for name, (near, more) in WAYS.items():
        for updates in (0.25, 1, 4):
            design = cn.design("performance-optimized").replace(**keys, **more)
            found = tables.result(design, updated(near, updates))
            writes, _, tasks = found["flows"]
            spent = found["energy_mj"]
            energy = (spent["array"] + spent["fabric"] + spent["compute"]) * 1e3 / tasks["compute"]["tasks"]
            latency = tasks["latency_us"]["all"]
            yield (
                f"| {name} | {updates:g} | {latency['mean']:.1f} µs | {latency['p99']:.0f} µs "
                f"| {writes['latency_us']['all']['mean']:.0f} µs | {found['flash']['write_amplification']:.2f} "
                f"| {energy:.1f} µJ |"
            )


def updated(near: bool, updates: float) -> cn.Workload:
    """Updates of single operands at that many per task, other writes, and tasks once operands have been updated."""
    operands = {"size": "4KiB", "working_set_size": f"{OPERANDS * APART}KiB"}
    shape = {"requests": 1_000_000, "stop": "600ms"}
    task = {"kind": "gather", "operands": OPERANDS, "at": "array"} | ({"distance": f"{APART}KiB"} if near else {})
    return workload(
        "updated",
        [
            flow("updates", {**shape, **operands, "read_share": 0.0, "inter_arrival": f"{250 / updates:.1f}us"}),
            flow("others", {**shape, "size": "4KiB", "read_share": 0.0, "inter_arrival": "50us"}),
            flow(
                "tasks",
                {**shape, **operands, "read_share": 1.0, "inter_arrival": "250us", "start": "300ms"},
                compute=task,
            ),
        ],
    )


TABLES: dict[str, tables.Table] = {
    "compute-rates": (PAGE, rates),
    "compute-causes": (PAGE, causes),
    "compute-neighbours": (PAGE, neighbours),
    "compute-together": (PAGE, together),
    "compute-placement": (PAGE, placement),
}

if __name__ == "__main__":
    tables.main(__doc__ or "", TABLES)
