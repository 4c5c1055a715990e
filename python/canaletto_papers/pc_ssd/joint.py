"""Unpublished parameters together: chosen by half of the ratios, judged by the other half.

Method: the parameters of `table-joint-values` take the values there, all of them at once. From the defaults and from a
drawn start, one after the other is set to the value that brings the chosen half of the 15 ratios of `max-improvement`
nearest, until none changes. Halves are every other ratio in the slides' order. A number is the mean factor between our
ratios and the published ones, at least 1: for the defaults, and for what was found. `ours` is the judged half's.
Parameters that explain the study bring both halves' factors down, whichever half chooses.

Assumptions: as in the scenarios. A sensitivity study: no default follows from it. The ranges are what the stated
source allows, or what a part of the time has where the source is a data sheet. Traces are others' and are left out.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean

from canaletto_papers.figure import Data, Figure, Label, Row
from canaletto_papers.pc_ssd.sensitivity import defaults
from canaletto_papers.pc_ssd.study import BASELINE, SYSTEMS, TITLES, Keys, best, nothing, published, times


@dataclass(frozen=True)
class Range:
    keys: tuple[str, ...]
    values: tuple[str, ...]
    source: str

    @property
    def default(self) -> str:
        return defaults()[self.keys[0]]


BUSES = (
    Range(
        ("attachment.ata.rate",), ("133MB/s", "150MB/s", "300MB/s"), "slides, 133 to 300 MB/s; Serial ATA 1.0 and 2.6"
    ),
    Range(("attachment.ata.frame",), ("4KiB", "8KiB"), "Serial ATA 2.6 §10.3.11, at most 8 KiB"),
    Range(
        ("attachment.ata.handshake",),
        ("50ns", "200ns", "1us"),
        "Serial ATA 2.6 §9: four primitives of 13 to 27 ns, and the delays of both ports",
    ),
    Range(
        ("attachment.dma.chunk",),
        ("64B", "128B", "512B", "4KiB"),
        "a cache line, a packet, a sector, a page (AHCI 1.1 allows up to 4 MiB)",
    ),
    Range(
        ("attachment.bridges.max_payload",),
        ("64B", "128B"),
        "PCI Express Base §2.3.1.1: completions end at 64 or 128 B",
    ),
    Range(
        ("attachment.bridges.latency",),
        ("50ns", "100ns", "250ns", "500ns"),
        "Neugebauer et al., SIGCOMM 2018: reads of 64 B take half a microsecond and more, both ways",
    ),
    Range(
        ("attachment.ddr.trcd", "attachment.ddr.tcl", "attachment.ddr.trp"),
        ("10ns", "12.5ns", "15ns"),
        "JESD79-2, DDR2-800 4-4-4, 5-5-5 and 6-6-6",
    ),
    Range(
        ("attachment.ddr.dqs_delay",), ("2.5ns", "5ns", "20ns"), "slides: DQS, no time; one to eight clocks of 400 MHz"
    ),
    Range(("attachment.ddr.shared",), ("true", "false"), "slides: 6.4 GB/s at the north bridge, in all or for each"),
)

INSIDE = (
    Range(("ssd.miss_latency",), ("25us", "50us", "100us"), "tR of SLC and MLC flash, with as much for the controller"),
    Range(("ssd.miss_rate",), ("100MB/s", "175MB/s", "250MB/s"), "slides, SSD Benchmark Chart"),
    Range(("ssd.write_latency",), ("0us", "200us", "800us"), "none with a write buffer; tPROG of SLC and MLC flash"),
    Range(("ssd.write_rate",), ("80MB/s", "100MB/s", "170MB/s"), "slides, SSD Benchmark Chart"),
    Range(("ssd.internals",), ("per-port", "shared"), "slides draw a dual-port drive and not what is behind its ports"),
    Range(
        ("attachment.direct.division",), ("split", "by-direction"), "slides draw two paths and not what each carries"
    ),
)

GROUPS = {"buses": BUSES, "buses and the drive": (*BUSES, *INSIDE)}
RATIOS = tuple((scenario, system) for scenario in TITLES for system in SYSTEMS if system != BASELINE)
HALVES = {"odd ratios": RATIOS[::2], "even ratios": RATIOS[1::2]}

Point = tuple[str, ...]


def keys_of(ranges: Sequence[Range], point: Point) -> Keys:
    pairs = zip(ranges, point, strict=True)
    return tuple((key, value) for each, value in pairs if value != each.default for key in each.keys)


@cache
def errors(keys: Keys) -> dict[tuple[str, str], float]:
    found = {
        (scenario, system): abs(math.log(best(system, scenario, keys)[0] / (published(scenario, system) or 1.0)))
        for scenario, system in RATIOS
    }
    times.cache_clear()
    return found


def factor(keys: Keys, half: str) -> float:
    return math.exp(fmean(errors(keys)[ratio] for ratio in HALVES[half]))


@cache
def nearest(group: str, half: str) -> Point:
    ranges = GROUPS[group]
    drawn = random.Random(1)
    starts = [tuple(each.default for each in ranges), tuple(drawn.choice(each.values) for each in ranges)]

    def at(point: Point) -> float:
        return factor(keys_of(ranges, point), half)

    def improved(point: Point) -> Point:
        for place, each in enumerate(ranges):
            tried = [(*point[:place], value, *point[place + 1 :]) for value in each.values]
            point = min([point, *tried], key=at)
        return point

    def settled(point: Point) -> Point:
        after = improved(point)
        return point if after == point else settled(after)

    return min(map(settled, starts), key=at)


def table(_: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for group, ranges in GROUPS.items():
        for half, other in zip(HALVES, reversed(HALVES), strict=True):
            keys = keys_of(ranges, nearest(group, half))
            rows.append(
                {
                    "parameters": group,
                    "chosen by": half,
                    "chosen half, defaults": factor((), half),
                    "chosen half, found": factor(keys, half),
                    "judged half, defaults": factor((), other),
                    "ours": factor(keys, other),
                    "published": None,
                }
            )
    return rows


def values(_: Mapping[Label, Data]) -> list[Row]:
    group = "buses and the drive"
    found = {half: nearest(group, half) for half in HALVES}
    return [
        {
            "parameter": ", ".join(each.keys),
            "tried": ", ".join(each.values),
            "source": each.source,
            "default": each.default,
            **{f"by {half}": point[place] for half, point in found.items()},
            "ours": None,
            "published": None,
        }
        for place, each in enumerate(GROUPS[group])
    ]


def chart(_: list[Row]) -> None:
    """Tables alone."""


FIGURES = [
    Figure("table-joint", "Unpublished parameters together", __doc__, nothing, table, chart),
    Figure(
        "table-joint-values", "Unpublished parameters: ranges, and what was chosen", __doc__, nothing, values, chart
    ),
]
