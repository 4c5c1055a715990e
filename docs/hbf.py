"""Makes the tables of docs/explanation/hbf.md: `.venv/bin/python docs/hbf.py --write`.

Some 60 runs, two minutes on one core. `hbf-conversation` needs the 68 requests of Mooncake's conversation trace from
timestamp 2,886,000 on, in the file that the variable `CONVERSATION` names.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import canaletto as cn
import tables
from canaletto_papers.flows import flow, workload
from canaletto_papers.hbf import workloads

PAGE = tables.DOCS / "explanation/hbf.md"
GRADES = {"hbf-384": 384.0, "hbf-1536": 1536.0, "hbf-3072": 3072.0}
TIMES_US = (1, 2, 5, 10, 20)
PAGE_BYTES = 4096
SSD = "pcie5-tlc-cm7"
PE_CYCLES = 100_000
"""Program and erase cycles of SLC that reports on HBF name."""


def simulated(design: cn.Design, work: cn.Workload) -> cn.Result:
    return cn.run(design, work, records=False)


def reads(requests: int, size: int = PAGE_BYTES, **pace: Any) -> cn.Workload:
    shape = {"requests": requests, "read_share": 1.0, "size": f"{size}B", "alignment": f"{max(size, 512)}B", **pace}
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
    yield "| grade | load | GB/s | p50 µs | p99 µs | p99.9 µs | W | pJ per bit |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for grade, rate in GRADES.items():
        for load in (0.3, 0.6, 0.8):
            gap = round(PAGE_BYTES / (load * rate) * 1e3)
            found = simulated(cn.design(grade), reads(200_000, inter_arrival=f"{gap}ps"))
            at, watts = found.latency_us.all, (found.average_power_mw or 0.0) / 1e3
            bandwidth = (found.bandwidth_mb_s or 0.0) / 1e3
            spread = " | ".join(f"{each:.2f}" for each in (at.p50, at.p99, at.p99_9))
            power = f"{watts:.0f} | {1e3 * watts / 8 / bandwidth:.1f}"
            yield f"| `{grade}` | {load:.0%} | {bandwidth:,.0f} | {spread} | {power} |"


def sizes() -> Iterator[str]:
    """Random reads of less than a page: a bank reads the whole page for each."""
    yield "| read | " + " | ".join(f"`{grade}`" for grade in GRADES) + " |"
    yield "| --- |" + " ---: |" * len(GRADES)
    for size in (64, 256, 1024, PAGE_BYTES):
        cells = []
        for grade in GRADES:
            design = cn.design(grade)
            array = design.to_dict()["geometry"]
            depth = 4 * array["channels"] * array["chips_per_channel"]
            alone = simulated(design, reads(1, size, queue_depth=1)).latency_us.all.mean or 0.0
            full = simulated(design, reads(8 * depth, size, queue_depth=depth))
            rate, bandwidth = (full.iops or 0.0) / 1e6, (full.bandwidth_mb_s or 0.0) / 1e3
            cells.append(f"{alone:.2f} µs, {rate:,.0f} M/s, {bandwidth:,.0f} GB/s")
        yield f"| {size:,} B | " + " | ".join(cells) + " |"


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


CONVERSATION = os.environ.get("CONVERSATION", "")
FIRST_NEW = 149_595
"""First block of the part that no earlier request had."""


def conversation() -> Iterator[str]:
    """A part of Mooncake's conversation trace: blocks of each prompt, and when the last one has come, by drive."""
    lines = Path(CONVERSATION).read_text(encoding="utf-8").splitlines()
    found = list(workloads.accesses(lines, first=FIRST_NEW))
    kinds = [access[-1] for access in found[1:]]
    times = [json.loads(line)["timestamp"] / 1e3 for line in lines]
    blocks = f"{kinds.count('R')} blocks read, {kinds.count('W')} written"
    yield f"{len(lines)} requests in {times[-1] - times[0]:.0f} s: {blocks}.\n"
    yield "| one of eight | reads: p50 ms | reads: largest ms | writes: largest ms |"
    yield "| --- | ---: | ---: | ---: |"
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "blocks.csv"
        trace.write_text("\n".join(found) + "\n", encoding="utf-8")
        for drive in (SSD, *GRADES):
            work = cn.workload(trace, out_of_range="wrap")
            ran = simulated(cn.design(drive), work)
            reading, writing = ran.latency_us.read, ran.latency_us.write
            cells = [(each or 0.0) / 1e3 for each in (reading.p50, reading.max, writing.max)]
            yield f"| `{drive}` | " + " | ".join(f"{cell:,.1f}" for cell in cells) + " |"


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


TABLES: dict[str, tables.Table] = {
    "hbf-outstanding": (PAGE, outstanding),
    "hbf-tails": (PAGE, tails),
    "hbf-sizes": (PAGE, sizes),
    "hbf-used": (PAGE, used),
    "hbf-endurance": (PAGE, endurance),
    **({"hbf-conversation": (PAGE, conversation)} if CONVERSATION else {}),
}

if __name__ == "__main__":
    tables.main(__doc__ or "", TABLES)
