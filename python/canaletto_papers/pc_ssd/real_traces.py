"""Traces at about 20 % hits.

Method: each read and write of a trace is a DMA of its size, one after the other on an idle PC. Arrival times are
ignored, and a fifth of the reads of each size are hits. Time in all, and the ratio to SBSP.

Assumptions: the slides do not name their traces, and no row below is theirs. Without your own traces, four shipped
profiles stand in (MSR Cambridge volumes of 2007, 10,000 requests each). With the environment variable CANALETTO_SHARED,
the trace files in its folder `traces` that are listed in this module. Requests beyond 16 MiB, which no DMA here has,
count as that.
"""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from canaletto import traces
from canaletto._report.charts import Spec
from canaletto._run import config

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Settings
from canaletto_papers.pc_ssd.study import (
    BASELINE,
    READ_HIT,
    READ_MISS,
    SHADES,
    SYSTEMS,
    WRITE,
    Keys,
    nothing,
    published,
    times,
)

HITS = 0.2
"""Slides, "about 20 % hit ratio"."""

MOST_BYTES = 1 << 24
REQUESTS = 10_000

PROFILES = ("hm_0", "proj_3", "src1_0", "usr_0")

FILES = (
    "umass_spc/Financial1-first10k.ascii.gz",
    "msr/hm_0-sample1000.csv.gz",
    "cloudphysics/cloudPhysicsIO-2h.csv.gz",
    "mqsim/tpcc-small.trace",
)

NUMBERED = tuple(f"real trace {number}" for number in (1, 2, 3, 4))

Sizes = tuple[tuple[tuple[int, int], ...], ...]


def sources() -> tuple[str, ...]:
    folder = Path(os.environ.get("CANALETTO_SHARED", "")) / "traces"
    given = tuple(str(folder / name) for name in FILES)
    return given if "CANALETTO_SHARED" in os.environ and all(map(os.path.exists, given)) else PROFILES


def named() -> dict[str, tuple[str, str]]:
    pairs = zip(NUMBERED, sources(), strict=True)
    return {
        f"{number} (profile {source} in its place)" if source in PROFILES else number: (number, source)
        for number, source in pairs
    }


@cache
def requests(source: str) -> Sizes:
    found = traces.info(config.workload(source, requests=REQUESTS) if source in PROFILES else source)
    return tuple(tuple((size, count) for size, count in kind) for kind in found["sizes"])


def total_us(kind: str, of: Sizes, keys: Keys = ()) -> float:
    def span(scenario: str, size: int) -> float:
        sectors = min(-(-size // 512) * 512, MOST_BYTES)
        return times(kind, scenario, sectors, keys).total_us

    reads, writes = of
    read = sum(count * (HITS * span(READ_HIT, size) + (1 - HITS) * span(READ_MISS, size)) for size, count in reads)
    return read + sum(count * span(WRITE, size) for size, count in writes)


def trace_gain(system: str, source: str, keys: Keys = ()) -> float:
    of = requests(source)
    return total_us(SYSTEMS[BASELINE], of, keys) / total_us(SYSTEMS[system], of, keys)


def table(_: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "trace": Path(source).name,
            "system": system,
            "reads": sum(count for _, count in requests(source)[0]),
            "writes": sum(count for _, count in requests(source)[1]),
            "total_ms": total_us(kind, requests(source)) / 1e3,
            "beside": number,
            "ours": trace_gain(system, source),
            "published": published(number, system),
        }
        for source, number in zip(sources(), NUMBERED, strict=True)
        for system, kind in SYSTEMS.items()
    ]


def chart(rows: list[Row]) -> Spec:
    return grouped(rows, "trace", "times as fast as SBSP", SHADES)


JUDGED = Settings((), of="max-improvement")
FIGURE = Figure("real-traces", "Traces at about 20 % hits", __doc__, nothing, table, chart, JUDGED)
