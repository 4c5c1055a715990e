"""Peak throughput of the SLC drives (Table II).

Method: the formulas of the source with its inputs, 90 reads to 10 writes, write amplification 3. Next to them the same
with times that add up where reads and programs share a part. The engine runs a closed loop of 8,000 on the fabric `sca`
with the stated time of a command, with the write amplification that comes out.

Assumptions: the source weights rates of reads and writes by their numbers. A channel that serves one operation at a
time serves them at the harmonic mean, which "times added up" has. The engine's drive has 4 MiB of protected memory for
writes, two pages per plane. Its amplification (pages that are programmed before they are full, collection) is what
comes out, with greedy collection and 20 % of spare space, and not chosen for the result. Runs are short: collection has
hardly begun, so that it is 1.0 to 1.2 (`fig7` has the steady state).
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.storage_next.drive import (
    AMPLIFICATION,
    READ_SHARE,
    SHAPES,
    asked,
    design,
    numbers,
    peak_millions,
    requests,
)

SIZES = {"512 B": 512, "4 KiB": 4096}
EXTENT = {"512 B": 150_000, "4 KiB": 40_000}
FORMULA, TIMES, SIMULATED = "formula", "formula, times added up", "simulated"

PUBLISHED = {
    ("pessimistic", "512 B"): 39.4,
    ("pessimistic", "4 KiB"): 8.5,
    ("baseline", "512 B"): 57.4,
    ("baseline", "4 KiB"): 11.1,
    ("optimistic", "512 B"): 79.3,
    ("optimistic", "4 KiB"): 13.8,
}
"""Table II, millions of requests per second."""


def runs(scale: Scale) -> dict[Label, Run]:
    return {
        (name, size): Run(
            design(shape=shape, size=SIZES[size]), requests(scale.of(EXTENT[size], 5_000), SIZES[size], READ_SHARE)
        )
        for name, shape in SHAPES.items()
        for size in SIZES
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for (name, size), data in found.items():
        drive, work = numbers(SHAPES[name]), asked(SIZES[size])
        ways = {
            FORMULA: (AMPLIFICATION, peak_millions(drive, work)),
            TIMES: (AMPLIFICATION, peak_millions(drive, work, "times")),
            SIMULATED: (data["flash"]["write_amplification"], data["iops"] / 1e6),
        }
        for way, (amplification, millions) in ways.items():
            rows.append(
                {
                    "drive": name,
                    "size": size,
                    "by": way,
                    "write_amplification": amplification,
                    "ours": millions,
                    "published": PUBLISHED[name, size],
                }
            )
    return rows


FIGURE = Figure(
    "table2",
    "Peak throughput of the SLC drives (Table II)",
    __doc__,
    runs,
    table,
    lambda _: None,
    settings=Settings(("by",), (FORMULA,)),
    is_given=True,
)
