"""Latency of a 4 KiB read by step, with flash and with fast memories ("Complete Model of Request Latency").

Method: random reads of 4 KiB, one at a time, on three drives. These are the one of the FAST'18 experiments (MLC flash),
one with Z-NAND and one with 3D XPoint, which is written in place. Each step is what the drive charges its requests
with, so that the steps of a drive sum to its latency.

Assumptions: the drives are presets, with the sources of their numbers next to them. The host's own software is left
out: the slides' steps in it are bounds only. The slides draw two diagrams, NAND flash and 3D XPoint, with times at most
of the arrows. The step of a time is taken from the words next to it, as the drawing is lost in the text there is.
"""

from collections.abc import Mapping

from canaletto._io.units import axis_unit
from canaletto._report import colours
from canaletto._report.bars import stacks
from canaletto._report.charts import Spec
from canaletto._run import config

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload

DRIVES = {
    "MLC flash": "mqsim-fast18",
    "Z-NAND": "pcie3-z-nand",
    "3D XPoint": "pcie3-3d-xpoint",
}

SAID = {
    ("MLC flash", "array_read"): "50 to 110 µs",
    ("MLC flash", "data_transfer"): "20 µs",
    ("3D XPoint", "firmware"): "below 1 µs",
    ("3D XPoint", "data_transfer"): "below 5 µs",
    ("3D XPoint", "host_link"): "below 5 µs",
}


def runs(scale: Scale) -> dict[Label, Run]:
    shape = {"requests": scale.of(2_000, 200), "read_share": 1.0, "queue_depth": 1, "size": "4KiB", "alignment": "4KiB"}
    work = workload("reads", [flow("reads", shape)])
    return {(memory,): Run(config.design(preset), work) for memory, preset in DRIVES.items()}


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {"system": memory, "step": step, "slides": SAID.get((memory, step), ""), "ours": span, "published": None}
        for (memory,), data in found.items()
        for step, span in data["blame_us"]["all"].items()
        if span
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for caption, memories in {"all three": [*DRIVES], "the fast memories": [*DRIVES][1:]}.items():
        steps = {memory: {row["step"]: row["ours"] for row in rows if row["system"] == memory} for memory in memories}
        stacked = stacks(steps, colours.CAUSES, axis_unit, "time of a 4 KiB read")
        if stacked:
            drawn[caption] = stacked
    return drawn


FIGURE = Figure("latency-steps", "End-to-end latency by step", __doc__, runs, table, chart)
