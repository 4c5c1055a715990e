"""Variations of `prior-holds`, one at a time, and a search over its switches.

Method: the headline of `prior-holds` with fewer requests on both drives. `prior-holds-variations` changes one thing:
which operations hold their path, NoSSD as circuits or packets, pnSSD's controllers, all 24 allocations, rates, the host
link, a fresh drive, transfers of the buses that take no time (MQSim's at Table 1's rate, by integer division), requests
of a page each, and for each workload the rate at which Fig. 13's share of the baseline's requests meets no conflict.
`table-prior-holds-search` tries all combinations of three allocations, the host link, the rate, what is held, and
NoSSD's and pnSSD's variants, and prints the best few. `ours` is the mean factor between our numbers and Fig. 9's;
`judged` is the mean factor for Fig. 10 and 13, which the search does not use.

Assumptions: a sensitivity study. Switches and one factor on all arrival times are the only unknowns; several
combinations are as near as the best one, so that none is an explanation. Full runs: 1,000 requests, one seed.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations, product
from statistics import fmean
from typing import Any

from canaletto._report.charts import Spec

from canaletto_papers.bars import dots, fabric_colours
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import workload
from canaletto_papers.venice import fig13, prior_holds
from canaletto_papers.venice.causes import UNLIMITED
from canaletto_papers.venice.evaluation import BASELINE, COST, OWN, PERFORMANCE, SKEWED, SSDS, SYSTEMS, TABLE2, flows
from canaletto_papers.venice.prior_holds import CHOSEN, HOLDS, OTHER_RATE, OWN_RATE, PRIOR, Compared, Keys, drive

HELD_BY = (BASELINE, "pSSD", "pnSSD", "NoSSD")
BUSES = (BASELINE, "pSSD", "pnSSD", "ideal")
PACKETS: Keys = {"fabric.kind": "mesh", "fabric.hold_path": "never"}
RATES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
FREE = fig13.PUBLISHED[PERFORMANCE, BASELINE, "average"]


@dataclass(frozen=True)
class Variation:
    keys: Keys = field(default_factory=dict)
    of: Mapping[str, Keys] = field(default_factory=dict)
    rate: float | None = None
    """None: as in the headline."""
    by_page: bool = False
    """A request is a page, with as many pages per second."""
    hot_row: bool = False


def _all(systems: tuple[str, ...], keys: Keys) -> dict[str, Keys]:
    return dict.fromkeys(systems, keys)


RELEASED = _all(HELD_BY, {"fabric.hold_path": "never"})

VARIATIONS = {
    "as it is": Variation(),
    "reads hold": Variation(of=_all(HELD_BY, {"fabric.hold_path": "reads"})),
    "no system holds": Variation(of=RELEASED),
    "all systems hold": Variation(of=_all(("Venice", "ideal"), HOLDS)),
    "Venice as printed": Variation(of={"Venice": {"fabric.venice.as_printed": True}}),
    "NoSSD as packets": Variation(of={"NoSSD": PACKETS}),
    "pnSSD with two transfers per controller": Variation(of={"pnSSD": {"fabric.omnibus.transfers_per_controller": 2}}),
    "half of the requests on one row": Variation(hot_row=True),
    "half of the requests on one row, no system holds": Variation(of=RELEASED, hot_row=True),
    "no limit at the host": Variation(UNLIMITED),
    "fresh drive": Variation({"precondition.kind": "none"}),
    "transfers of buses take no time": Variation(of=_all(BUSES, {"fabric.link_rate": "1000GB/s"})),
    "requests of a page": Variation(by_page=True),
    **{f"arrivals {rate:g} times as fast": Variation(rate=rate) for rate in RATES},
    **{
        f"allocation {order}": Variation({"ftl.allocation": order})
        for order in sorted(map("".join, permutations("CWDP")))
        if order != "WPDC"
    },
}
MATCHED = f"each workload at the rate of {FREE:g} % free requests on the baseline"


def _drive(ssd: str, system: str, keys: Keys) -> Any:
    return drive(ssd, system, **keys)


@cache
def _traffic(name: str, rate: float, requests: int, *, by_page: bool = False, hot_row: bool = False) -> Any:
    """By the page, as many bytes per second in requests of 4 KiB."""
    pages = TABLE2[name][1] / 4.096 if by_page else 1.0
    kind = SKEWED if hot_row else OWN
    parts = flows(name, kind, requests, inter_arrival_us=TABLE2[name][2] / rate / pages)
    for part in parts if by_page else ():
        kept = {key: value for key, value in part["synthetic"].items() if key != "sizes"}
        part["synthetic"] = {**kept, "size": "4KiB", "alignment": "4KiB"}
    return workload(name, parts, partitioned=hot_row)


def variations(scale: Scale) -> dict[Label, Run]:
    return {
        (ssd, change, "8x8", name, system, "1"): Run(
            _drive(ssd, system, {**how.keys, **how.of.get(system, {})}),
            _traffic(name, how.rate or CHOSEN[ssd], scale.of(1_000, 400), by_page=how.by_page, hot_row=how.hot_row),
        )
        for ssd in SSDS
        for change, how in VARIATIONS.items()
        for name in list(TABLE2)[:: scale.of(1, 4)]
        for system in PRIOR
    }


def _matched(found: Mapping[Label, Data], ssd: str) -> dict[Label, Data]:
    """At the rate whose share of free requests is nearest to Fig. 13's."""
    rates = [f"arrivals {rate:g} times as fast" for rate in RATES]

    def apart(name: str, rate: str) -> float:
        free = found[ssd, rate, "8x8", name, BASELINE, "1"]["path_conflicts"]["free_request_share"]
        return abs(100 * float(free) - FREE)

    names = dict.fromkeys(label[3] for label in found if label[0] == ssd)
    best = {name: min(rates, key=lambda rate: apart(name, rate)) for name in names}
    return {(ssd, MATCHED, *label[2:]): data for label, data in found.items() if label[:2] == (ssd, best[label[3]])}


def table(found: Mapping[Label, Data]) -> list[Row]:
    everything = {**found, **{label: data for ssd in SSDS for label, data in _matched(found, ssd).items()}}
    rows: list[Row] = []
    for ssd, change in product(SSDS, (*VARIATIONS, MATCHED)):
        here = Compared(everything, ssd, change)
        how = VARIATIONS.get(change, Variation())
        rate = OWN_RATE if (how.rate or CHOSEN[ssd]) == 1 and change != MATCHED else OTHER_RATE
        rows += [
            {
                "change": change,
                "drive": ssd,
                "what": what,
                "ours": ours,
                "published": known,
                "size": here.size,
                "speaks": prior_holds.speaks("fig9", what, rate, how.of),
            }
            for _, what, ours, known in prior_holds.speedups(here, ssd)
        ]
    return rows


ALLOCATIONS = ("WPDC", "CWDP", "PWCD")
HOSTS: dict[str, Keys] = {"Table 1's host link": {}, "no limit at the host": UNLIMITED}
VARIANTS: dict[str, tuple[str, Keys]] = {
    "pnSSD, two transfers": ("pnSSD", {"fabric.omnibus.transfers_per_controller": 2}),
    "NoSSD, packets": ("NoSSD", PACKETS),
}
HELD = ("reads", "always")
SEARCHED = (1.0, 3.0, 10.0, 30.0)
BEST = 8


def _kinds() -> Iterator[tuple[str, str, str, Keys]]:
    """A run's name, system, what is held and keys."""
    for system in PRIOR:
        if system not in HELD_BY:
            yield system, system, "", {}
        else:
            for held in HELD:
                yield system, system, held, {"fabric.hold_path": held}
    for name, (system, keys) in VARIANTS.items():
        for held in HELD if system == "pnSSD" else ("",):
            yield name, system, held, {**({"fabric.hold_path": held} if held else {}), **keys}


def searched(scale: Scale) -> dict[Label, Run]:
    return {
        (ssd, f"{rate:g}", order, host, name, kind, held): Run(
            _drive(ssd, system, {"ftl.allocation": order, **keys, **of}),
            _traffic(name, rate, scale.of(1_000, 200)),
        )
        for ssd in SSDS
        for rate, order, (host, keys) in product(
            SEARCHED[:: scale.of(1, 3)], ALLOCATIONS[: scale.of(3, 2)], HOSTS.items()
        )
        for name in list(TABLE2)[:: scale.of(1, 5)]
        for kind, system, held, of in _kinds()
    }


@dataclass(frozen=True)
class Combination:
    words: str
    rate: str
    apart: float
    judged: float


def combinations(found: Mapping[Label, Data], ssd: str) -> Iterator[Combination]:
    groups: dict[tuple[str, str, str], dict[Label, Data]] = {}
    for (on, rate, order, host, *rest), data in found.items():
        if on == ssd:
            groups.setdefault((rate, order, host), {})[tuple(rest)] = data
    for (rate, order, host), runs in groups.items():
        for held, pn, no in product(HELD, ("pnSSD", "pnSSD, two transfers"), ("NoSSD", "NoSSD, packets")):
            kinds = {system: system for system in PRIOR} | {"pnSSD": pn, "NoSSD": no}
            chosen: dict[Label, Data] = {}
            for system, kind in kinds.items():
                of = held if system in HELD_BY and no_packets(kind) else ""
                chosen |= {
                    (ssd, rate, "8x8", name, system, "1"): data
                    for (name, its, holds), data in runs.items()
                    if (its, holds) == (kind, of)
                }
            here = Compared(chosen, ssd, rate)
            others = [*prior_holds.throughput(here, ssd)]
            if ssd == PERFORMANCE:
                others += [each for each in prior_holds.conflicts_and_energy(here) if each[0] == "fig13"]
            words = ", ".join((f"hold: {held}", order, host, pn, no))
            yield Combination(words, rate, factor(prior_holds.speedups(here, ssd)), factor(iter(others)))


def no_packets(kind: str) -> bool:
    return kind != "NoSSD, packets"


def factor(numbers: prior_holds.Numbers) -> float:
    """At least 1."""
    return math.exp(fmean(abs(math.log(ours / known)) for _, _, ours, known in numbers if ours and known))


BOTH = "both, at one rate"


def best(found: Mapping[Label, Data]) -> list[Row]:
    """On each drive and on both."""
    by_drive = {ssd: list(combinations(found, ssd)) for ssd in (COST, PERFORMANCE)}
    other = {(each.words, each.rate): each for each in by_drive[PERFORMANCE]}
    pairs = [(each, other[each.words, each.rate]) for each in by_drive[COST]]
    by_drive[BOTH] = [
        Combination(a.words, a.rate, math.sqrt(a.apart * b.apart), math.sqrt(a.judged * b.judged)) for a, b in pairs
    ]
    return [
        {
            "drive": ssd,
            "rank": f"{rank}",
            "combination": each.words,
            "rate": each.rate,
            "judged": each.judged,
            "ours": each.apart,
            "published": None,
        }
        for ssd, all_of in by_drive.items()
        for rank, each in enumerate(sorted(all_of, key=lambda each: each.apart)[:BEST], 1)
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    shades = fabric_colours({system: SYSTEMS[system] for system in PRIOR if system != BASELINE})
    shown = [
        {**row, "system": row["what"].removesuffix(", average")}
        for row in rows
        if row["what"].removesuffix(", average") in shades
    ]
    title = "speedup over Baseline (times, logarithmic)"
    return {
        f"{ssd}; dashed: published": dots([row for row in shown if row["drive"] == ssd], "change", title, shades)
        for ssd in SSDS
    }


TRIED = Settings(("change",), of="fig9", beside=("drive",), against="speaks")
GRIDS = {f"{ssd}, Fig. 9": Grid("change", "what", {"drive": ssd}, notes=("size",)) for ssd in (COST, PERFORMANCE)}

FIGURES = [
    Figure(
        "prior-holds-variations",
        "Prior designs hold their paths: one change at a time",
        __doc__,
        variations,
        table,
        chart,
        TRIED,
        GRIDS,
    ),
    Figure(
        "table-prior-holds-search",
        "Prior designs hold their paths: the nearest combinations",
        __doc__,
        searched,
        best,
        lambda _: None,
    ),
]
