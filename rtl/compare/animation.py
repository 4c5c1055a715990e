"""The page of `canaletto rtl trace --animation` against a run with `venice.scouts = "clocked"`: both play the same.

run ──► transfers, when controllers took them ──► hardware ──► spans ──► page ◄── spans ◄── the same run
"""

import importlib.util
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from compare import SHORT, built

import tools

WINDOW = (0, 100_000_000)
# The hardware takes one request a cycle, a run any number: of these, which set out apart, it takes each when the run
# did. Scouts fail with either rule.
TRAFFIC = """name = "apart"
[[flow]]
name = "apart"
[flow.synthetic]
requests = 100
read_share = 0.85
size = "24kB"
inter_arrival = "7us"
"""


def run() -> bool:
    if importlib.util.find_spec("canaletto") is None:
        raise tools.MissingError("canaletto: make setup")
    equal = True
    with TemporaryDirectory() as folder:
        for retry in ("immediate", "oracle"):
            home = Path(folder) / retry
            simulate(home, retry)
            equal &= shows_the_same(home, retry)
    return equal


def simulate(home: Path, retry: str) -> None:
    import canaletto as cn

    shape = SHORT[0]
    keys: dict[str, Any] = {"geometry.channels": shape.rows, "geometry.chips_per_channel": shape.columns}
    keys |= {"fabric.network.controllers": shape.edge}
    keys |= {"fabric.venice.scouts": "clocked", "fabric.venice.tear_down": "wire", "fabric.venice.retry": retry}
    design = cn.design("performance-optimized", fabric="venice", **keys)
    home.parent.joinpath("traffic.toml").write_text(TRAFFIC)
    work = cn.workload(home.parent / "traffic.toml")
    cn.run(design, work, progress=False).save(home, report=False)


def shows_the_same(home: Path, retry: str) -> bool:
    import polars as pl
    from canaletto._report import animation
    from canaletto_papers.rtl import trace

    served = trace.serve(home, WINDOW, program=built(SHORT[0]))
    pages, kinds = (served.hardware.spans[name].unique().implode() for name in ("page", "kind"))
    of_hardware = pl.col("page").is_in(pages) & pl.col("kind").is_in(kinds)

    def packed(spans: pl.DataFrame) -> dict[str, Any] | None:
        drawn = replace(served.hardware, spans=spans.sort("start_ps", "kind", "part"))
        return animation.pack({"venice": drawn}, limit=2**30)

    run, rtl = served.run.spans.filter(of_hardware), served.hardware.spans
    cancelled = rtl.filter(pl.col("kind") == "cancel").height
    same = packed(run) == packed(rtl)
    print(f"{retry}: {served.said}, {rtl.height} spans, {cancelled} of scouts turned back: ", end="")
    print("as in the run" if same else f"DIFFERENT, the run has {run.height}", flush=True)
    return same
