"""Write amplification of a cache of language models with and without data placement.

Method: nine workers write objects in their own parts of 855 of 960 GiB, four times 960 GiB in all, on a drive that was
written in order before (Samsung PM9D3a; LMCache/LMCache pull request 4016: 2.600, and 1.425 with handles). Objects and
reads are those of the authors' generator of traces (daegyu94/LMCache, `benchmarks/fdp_waf_stress`). A worker replaces
the object used least recently; each pass over its trace brings new keys. Reads touch objects that were stored in the
pass, chosen at random: 12 per three stores of shared prefixes (16 MiB), 8 per eight stores of long contexts (32 MiB), 4
per 32 of chats (4 MiB), 2 per 128 of random prompts (2 MiB), none of metadata (1 MiB). With data placement each of the
five classes has its own handle; isolation is initial.

Scale: one GiB of the drive is one MiB here, so that the number of reclaim units, their fill and the multiples of the
capacity stay. Objects shrink alike, but to no less than a page of 4 KiB: all are far smaller than a unit in both.

Assumptions: a read touches each of its objects that is left, or only those before the first that is gone. Workers write
the same number of bytes, or the same multiple of their space. 70 reclaim units of 16 GiB are the spare space of the
drive of `cache`, of the same series, and 75 are 20 %. Victims are chosen greedily.
"""

import random
import tempfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import altair as alt
from canaletto._io import _toml
from canaletto._io.progress import Progress
from canaletto._report.charts import Spec, lines
from canaletto._run import simulate
from canaletto._run.config import Design
from canaletto._run.identity import key_of

from canaletto_papers.figure import Data, Figure, Label, Row, Scale, Settings
from canaletto_papers.flows import workload

WITHOUT, WITH = "one handle", "a handle for each class"
PUBLISHED = {WITHOUT: 2.6, WITH: 1.425}
READING = ("touched", "writes", "units")
ALL, FIRST = "all that are left", "those before the first gone"
EQUAL, BY_SPACE = "equal", "by space"
PAGE = 4096
PAGES_PER_MIB = 2**20 // PAGE
CAPACITY = 960
UNITS, MORE_UNITS = 70, 75
TURNS = 4
SHADES = ("#c1121f", "#2a6f97", "#8ecae6", "#219ebc", "#adb5bd")


@dataclass(frozen=True)
class Worker:
    kind: str
    pages: int
    """Of an object."""
    space: int
    """In MiB here."""
    stored: int
    """Objects per batch."""
    period: int
    """Batches per read; 0: no reads."""
    read: int
    """Objects per read."""
    turns: int
    """Times that a pass writes the space."""

    def passes(self, touched: str, rng: random.Random) -> Iterator[list[int]]:
        """The slots of each batch."""
        slots, left = self.space * PAGES_PER_MIB // self.pages, count()
        used: OrderedDict[tuple[int, int], int] = OrderedDict()
        for number in count():
            for batch in range(self.turns * slots // self.stored):
                first, chosen = batch * self.stored, []
                for key in range(first, first + self.stored):
                    chosen.append(next(left) if len(used) < slots else used.popitem(last=False)[1])
                    used[number, key] = chosen[-1]
                yield chosen
                if self.period and batch % self.period == 0:
                    known = first + self.stored
                    for key in rng.sample(range(known), min(self.read, known)):
                        if (number, key) in used:
                            used.move_to_end((number, key))
                        elif touched == FIRST:
                            break


WORKERS = (
    *[Worker("chat", 1, 90, 4, 8, 4, 10)] * 2,
    Worker("context", 8, 180, 2, 4, 8, 5),
    *[Worker("prefix", 4, 90, 3, 1, 12, 12)] * 2,
    *[Worker("prompt", 1, 90, 4, 32, 2, 8)] * 3,
    Worker("metadata", 1, 45, 1, 0, 0, 16),
)
CLASSES = tuple(dict.fromkeys(worker.kind for worker in WORKERS))


@cache
def drive(units: int) -> Design:
    keys = {
        "base": "performance-optimized",
        "name": "placed",
        "geometry": {"channels": 2, "chips_per_channel": 2, "blocks_per_plane": units, "pages_per_block": 512},
        "ftl": {"superblock": "drive", "overprovisioning": int(1e4 - 1e4 * CAPACITY / 16 / units) / 1e4},
        "fdp": {"handles": len(CLASSES) + 1},
    }
    return Design.from_toml(_toml.dumps(keys), "placed")


@dataclass(frozen=True)
class Replay:
    system: str
    touched: str
    shares: str
    units: int
    turns: float
    seed: int = 1

    @property
    def key(self) -> str:
        return key_of(drive(self.units).to_toml(), *(str(part) for part in vars(self).values()), "lmcache")

    @property
    def requests(self) -> int:
        return int((1 + self.turns) * CAPACITY * PAGES_PER_MIB)

    @property
    def until_s(self) -> float | None:
        return None

    def writes(self) -> Iterator[tuple[int, int, int]]:
        """First page, pages and class of each write."""
        rng, done = random.Random(self.seed), [0] * len(WORKERS)
        workers = [worker.passes(self.touched, rng) for worker in WORKERS]
        starts = [sum(worker.space for worker in WORKERS[:at]) * PAGES_PER_MIB for at in range(len(WORKERS))]
        weights = [worker.space if self.shares == BY_SPACE else 1 for worker in WORKERS]
        while sum(done) < self.turns * CAPACITY * PAGES_PER_MIB:
            at = min(range(len(WORKERS)), key=lambda number: done[number] / weights[number])
            worker = WORKERS[at]
            for slot in next(workers[at]):
                yield starts[at] + slot * worker.pages, worker.pages, CLASSES.index(worker.kind)
                done[at] += worker.pages

    def simulate(self, report: Progress) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lmcache.csv"
            with path.open("w") as file:
                file.write("arrival_ns,device,offset_bytes,bytes,kind,handle\n")
                for at in range(CAPACITY):
                    file.write(f"0,0,{at * 2**20},{2**20},write,0\n")
                for first, pages, kind in self.writes():
                    handle = 1 + kind if self.system == WITH else 0
                    file.write(f"0,0,{first * PAGE},{pages * PAGE},write,{handle}\n")
            made = workload("lmcache", [{"name": "replay", "trace": {"file": str(path), "queue_depth": 8}}])
            return simulate.run_once(drive(self.units), made, self.seed, 0, False, report, root_causes=False)[0]


def runs(scale: Scale) -> dict[Label, Replay]:
    readings = ((ALL, EQUAL, UNITS), (FIRST, EQUAL, UNITS), (ALL, BY_SPACE, UNITS))
    return {
        (system, touched, shares, str(units)): Replay(system, touched, shares, units, 0.5 if scale.quick else TURNS)
        for touched, shares, units in (*readings, (ALL, EQUAL, MORE_UNITS))
        for system in PUBLISHED
    }


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    fill = CAPACITY * PAGES_PER_MIB
    before, after = PUBLISHED.values()
    for place in dict.fromkeys(tuple(rest) for _, *rest in found):
        flash = [found[system, *place]["flash"] for system in PUBLISHED]
        without, with_handles = ((each["programs"] - fill) / (each["host_pages"] - fill) for each in flash)
        rows.append(
            {
                **dict(zip(READING, place, strict=True)),
                **{"without": without, "with": with_handles, "published_without": before, "published_with": after},
                **{"ours": without / with_handles, "published": before / after},
            }
        )
    return rows


def chart(rows: list[Row]) -> Spec:
    made = [{"handles": system, "system": "measured", "ours": value} for system, value in PUBLISHED.items()]
    made += [
        {"handles": system, "system": f"{row['touched']}, {row['writes']}, {row['units']} units", "ours": row[column]}
        for row in rows
        for system, column in zip(PUBLISHED, ("without", "with"), strict=True)
    ]
    shades = dict(zip(dict.fromkeys(str(row["system"]) for row in made), SHADES, strict=False))
    x = alt.X("handles:N", title=None, sort=list(PUBLISHED))
    y = alt.Y("ours:Q", title="write amplification", scale=alt.Scale(zero=False))
    return lines(made, x, y, shades, order="handles")


FIGURE = Figure(
    "lmcache",
    "Write amplification of a cache of language models",
    __doc__,
    runs,
    table,
    chart,
    # No source states one of these: none is judged.
    settings=Settings(READING),
)
