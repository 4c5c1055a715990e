"""Makes the tables of the pages about fabrics and command sequences: `.venv/bin/python docs/fabrics.py --write`.

A few minutes on two cores.
"""

from collections.abc import Iterator
from pathlib import Path

import canaletto as cn
import tables
from canaletto._run import names
from canaletto._run.compare import Comparison

PAGE = tables.DOCS / "explanation/fabrics.md"
SEQUENCES = tables.DOCS / "explanation/sequences.md"
TRACES = Path(__file__).resolve().parents[2] / "shared" / "traces"
FABRICS = [name for name in names.fabrics() if name not in tables.CHAINS]
SIZES = {"4KiB": 20_000, "16KiB": 8_000, "64KiB": 3_000, "256KiB": 800}
DEPTHS = (1, 8, 64, 256)
PLACES = {"uniform": "", "one row": "channels = [0]", "one chip": "channels = [0]\nchips = [0]"}

FLOW = """name = "{name}"
partitioned = true
[[flow]]
name = "a"
{where}
[flow.synthetic]
requests = {requests}
read_share = {reads}
size = "{size}"
queue_depth = {depth}
"""

# Small enough that the writes fill it over and over: collection is always at work.
SMALL = {"blocks_per_plane": 24, "pages_per_block": 32}


def synthetic(name: str, where: str, reads: float, size: str, depth: int, requests: int) -> cn.Workload:
    text = FLOW.format(name=name, where=where, reads=reads, size=size, depth=depth, requests=requests)
    return cn.Workload.from_toml(text, name)


def times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def row(label: str, result: Comparison, measure: str) -> str:
    cells = [times(result.speedup[fabric][measure]) for fabric in FABRICS[1:]]
    base = result.runs[0]
    absolute = f"{base.iops / 1e3:.4g} k" if measure == "iops" else f"{base.latency_us.all.mean:.4g} µs"
    return f"| {label} | {absolute} | " + " | ".join(cells) + " |"


def head(label: str, absolute: str) -> str:
    """`absolute`: what the bus has in figures."""
    names = " | ".join([label, f"bus, {absolute}", *FABRICS[1:]])
    return f"| {names} |\n" + "| --- " * (len(FABRICS) + 1) + "|"


def closed_loops() -> Iterator[str]:
    for place, where in PLACES.items():
        for reads, kind in ((1.0, "reads"), (0.0, "writes")):
            yield f"\n#### {place}, {kind}\n"
            yield head("size, queue depth", "IOPS")
            for size, requests in SIZES.items():
                for depth in DEPTHS:
                    work = synthetic(place, where, reads, size, depth, requests)
                    result = cn.compare("performance-optimized", work, FABRICS, records=False, progress=False)
                    yield row(f"{size}, {depth}", result, "iops")


def collecting() -> Iterator[str]:
    yield head("collecting, 4 KiB writes, queue depth", "mean")
    design = cn.design("performance-optimized").replace(**{f"geometry.{key}": value for key, value in SMALL.items()})
    design = design.replace(**{"ftl.overprovisioning": 0.25, "gc.threshold": 0.1, "gc.hard_threshold": 0.05})
    for depth in (8, 64):
        work = synthetic("overwrites", "", 0.0, "4KiB", depth, 300_000)
        result = cn.compare(design, work, FABRICS, records=False, progress=False)
        yield row(str(depth), result, "mean_latency")


def traces() -> Iterator[str]:
    files = sorted([*TRACES.glob("mqsim/*.trace"), *TRACES.glob("msr/*.csv*")])
    for depth, pace in ((None, "recorded times"), (64, "queue depth 64")):
        measure = "iops" if depth else "mean_latency"
        yield "\n" + head(f"trace, {pace}", "IOPS" if depth else "mean")
        for file in files:
            work = cn.workload(file, requests=100_000, queue_depth=depth, out_of_range="wrap")
            result = cn.compare("performance-optimized", work, FABRICS, records=False, progress=False)
            yield row(file.name.split(".")[0], result, measure)


def sequences() -> Iterator[str]:
    """Where neither host nor arrays limit."""
    yield "| reads, queue depth | sequences | " + " | ".join(FABRICS) + " |\n" + "| --- " * (len(FABRICS) + 2) + "|"
    base = {"fabric.interface": "nv-ddr3", "link.lane_rate": "63GB/s"}
    for place in ("uniform", "one row"):
        for size, depth in (("512B", 1), ("512B", 64), ("4KiB", 1), ("4KiB", 64), ("16KiB", 64)):
            work = synthetic(place, PLACES[place], 1.0, size, depth, 20_000)
            for kind in ("short", "full"):
                design = cn.design("performance-optimized").replace(**base, **{"fabric.sequences": kind})
                result = cn.compare(design, work, FABRICS, records=False, progress=False)
                cells = " | ".join(f"{run.iops / 1e3:,.4g}" for run in result.runs)
                yield f"| {place}, {size}, {depth} | {kind} | {cells} |"


TABLES = {
    "closed-loops": (PAGE, closed_loops),
    "collecting": (PAGE, collecting),
    "traces": (PAGE, traces),
    "sequences": (SEQUENCES, sequences),
}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
