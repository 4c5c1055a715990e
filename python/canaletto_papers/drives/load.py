"""Enterprise drives under mixed load, measured and ours.

Method: as measured (gabriel-haas/ssdiq-pub 8a0a3f4, `paper/finallat10`): the drive in steady state, 4 KiB at random
places of the whole drive, seven threads with at most 64 requests outstanding each. One thread makes 10,000 requests/s
at fixed times, half of them reads: its latencies are shown. The others make the load, 99 % of it writes, at random
times. Published is what was measured. Each run first writes two superblocks, then counts ten samples above the 99.9th
percentile and three collections or more.

Assumptions: as in the presets, calibrated from data sheets and from 10,000 and 20,000 requests/s. Measurements at
higher rates were not used. Blocks are 24 times shorter than the preset's, more and faster erased, so that a run has
several collections.
"""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import altair as alt
from canaletto._report.charts import Spec, lines
from canaletto._run import config
from canaletto._run.config import Design, Workload
from canaletto._run.quantities import time_us

from canaletto_papers.drives.drive import error_percent
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload

SHORTER = 24
PROBE, PROBE_RATE = "probe", 10_000
PRESETS = {
    "SK hynix PE8110 960 GB": ("pcie4-tlc-pe8110", 70_000),
    "Micron 7450 PRO 960 GB": ("pcie4-tlc-7450-pro", 85_000),
    "Samsung PM9A3 960 GB": ("pcie4-tlc-pm9a3", 70_000),
    "Micron 7450 MAX 800 GB": ("pcie4-tlc-7450-max", 145_000),
    "Solidigm D7-P5520 1.92 TB": ("pcie4-tlc-p5520", 114_000),
    "Kioxia CM7-R 3.84 TB": ("pcie5-tlc-cm7r", 310_000),
    "WD data centre 960 GB": ("pcie3-tlc-wd-dc", 49_000),
}
BEYOND = 500_000
"""Requests/s that no drive serves."""
LATENCIES = ("read p50", "read p99", "read p99.9", "write p50", "write p99", "write p99.9")
SERVED = "served, k/s"


@cache
def measured() -> dict[str, dict[int, dict[str, float]]]:
    text = files(__package__).joinpath("load_measured.csv").read_text(encoding="utf-8")
    found: dict[str, dict[int, dict[str, float]]] = {}
    for drive, offered, served, *latencies in csv.reader(text.splitlines()[1:]):
        numbers = {SERVED: float(served) / 1e3, **dict(zip(LATENCIES, map(float, latencies), strict=True))}
        found.setdefault(drive, {})[int(offered)] = numbers
    return found


@cache
def design(drive: str) -> Design:
    made = config.quiet_design(PRESETS[drive][0])
    keys = made.to_dict()
    geometry = keys["geometry"]
    return made.replace(
        **{
            "geometry.pages_per_block": geometry["pages_per_block"] // SHORTER,
            "geometry.blocks_per_plane": geometry["blocks_per_plane"] * SHORTER,
            "flash.erase": f"{time_us(keys['flash']['erase']) / SHORTER:.3f}us",
            "precondition.kind": "steady",
        }
    )


def traffic(offered: int, until_s: float) -> Workload:
    shared: dict[str, Any] = {"size": "4KiB", "queue_depth": 64, "stop": f"{until_s * 1e3:.0f}ms"}
    each = (offered - PROBE_RATE // 2) / 6

    def most(rate: float) -> int:
        return int(2 * rate * until_s) + 100

    probe = {
        "requests": most(PROBE_RATE),
        "read_share": 0.5,
        "inter_arrival": f"{1e6 / PROBE_RATE:g}us",
        "arrivals": "fixed",
        **shared,
    }
    load = {"requests": most(each), "read_share": 0.01, "inter_arrival": f"{1e9 / each:.0f}ns", **shared}
    return workload("mixed-load", [flow(PROBE, probe), flow("load", load, threads=6)])


def run(drive: str, offered: int, scale: Scale) -> Run:
    made = design(drive)
    geometry = made.to_dict()["geometry"]
    planes = 1
    for part in ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die"):
        planes *= geometry[part]
    superblock = planes * geometry["pages_per_block"] * 4
    rate = min(offered + PROBE_RATE // 2, PRESETS[drive][1])
    counted = max(2.2 * rate, 1.5 * superblock) if not scale.quick else 0.2 * rate
    first = 2 * superblock if not scale.quick else superblock // 2
    return Run(made, traffic(offered, (first + counted) / rate), warmup=first)


def runs(scale: Scale) -> dict[Label, Run]:
    rates = {drive: sorted({*known, BEYOND}) for drive, known in measured().items()}
    return {(drive, str(rate)): run(drive, rate, scale) for drive in PRESETS for rate in rates[drive]}


def ours(data: Data) -> dict[str, float | None]:
    probe = next(each for each in data["flows"] if each["name"] == PROBE)["latency_us"]
    found = {name: probe[name.split()[0]][name.split()[1].replace(".", "_")] for name in LATENCIES}
    return {SERVED: data["iops"] / 1e3, **found}


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (drive, offered), data in found.items():
        known = measured()[drive].get(int(offered), {})
        for what, number in ours(data).items():
            theirs = known.get(what)
            apart = None if theirs is None else error_percent(number, theirs)
            place = {"drive": drive, "offered": f"{int(offered) // 1000}k/s", "what": what}
            rows.append({**place, "error_percent": apart, "ours": number, "published": theirs})
    return rows


SHADES = {
    "reads, measured": "#c1121f",
    "reads, ours": "#f4978e",
    "writes, measured": "#14213d",
    "writes, ours": "#2a9d8f",
}


def chart(rows: list[Row]) -> dict[str, Spec]:
    charts = {}
    for drive in dict.fromkeys(row["drive"] for row in rows):
        drawn = []
        for row in rows:
            if row["drive"] == drive and row["what"].endswith("p50"):
                kind, load = f"{row['what'].split()[0]}s", int(row["offered"].rstrip("k/s"))
                shown = {"measured": row["published"], "ours": row["ours"]}
                drawn += [
                    {"load": min(load, 250), "system": f"{kind}, {whose}", "ours": number}
                    for whose, number in shown.items()
                    if number is not None
                ]
        x = alt.X("load:Q", title="offered load, thousand requests/s (250: beyond saturation)")
        y = alt.Y("ours:Q", title="median latency, µs", scale=alt.Scale(type="log"))
        charts[drive] = lines(drawn, x, y, SHADES, order="load", marks=drawn)
    return charts


FIGURE = Figure("load", "Enterprise drives under mixed load", __doc__, runs, table, chart, neutral=0.0)
