"""Variations of `prior-holds`, one at a time, and a search over its switches.

Method: the headline of `prior-holds` with fewer requests on both drives. `prior-holds-variations` changes one thing.
MQSim's transfers take no time at Table 1's rate, by integer division. The last change has for each workload the rate at
which Fig. 13's share of the baseline's requests meets no conflict. Chips have one die, so that the 24 allocations are
six, whatever the place of D. `table-prior-holds-search` tries all combinations of two allocations, four rates, what is
held, transfers of buses that take no time, and variants of NoSSD, pnSSD and Venice, and prints the best few. `ours` is
the mean factor between our numbers and Fig. 4 and 9. The columns of other figures have the mean factors of theirs,
which the search does not use. It takes every fourth workload, and three for Fig. 15.

Assumptions: a sensitivity study. Switches and one factor on all arrival times are the only unknowns; several
combinations are as near as the best one, so that none is an explanation. Full runs: 1,000 requests, one seed.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations, product
from statistics import fmean
from typing import Any

from canaletto._report.charts import Spec

from canaletto_papers.bars import dots, fabric_colours
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import workload
from canaletto_papers.venice import fig13, fig15, prior_holds
from canaletto_papers.venice.causes import UNLIMITED
from canaletto_papers.venice.evaluation import BASELINE, COST, OWN, PERFORMANCE, SKEWED, SSDS, SYSTEMS, TABLE2, flows
from canaletto_papers.venice.mixes import SCALED, TABLE3, mixed
from canaletto_papers.venice.prior_holds import (
    CHOSEN,
    HOLDS,
    MIXES,
    OTHER_RATE,
    OWN_RATE,
    PRIOR,
    WPDC,
    Compared,
    Keys,
    drive,
)

HELD_BY = (BASELINE, "pSSD", "pnSSD", "NoSSD")
BUSES = (BASELINE, "pSSD", "pnSSD", "ideal")
PACKETS: Keys = {"fabric.kind": "mesh", "fabric.hold_path": "never"}
RATES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
FEW_CHIPS: Keys = {"geometry.channels": 4, "geometry.chips_per_channel": 4}
FREE = fig13.PUBLISHED[PERFORMANCE, BASELINE, "average"]
ORDERS = {
    without_d: [order for order in map("".join, permutations("CDPW")) if order.replace("D", "") == without_d]
    for without_d in map("".join, permutations("CPW"))
}
"""All 24 allocations by what is left without dies, of which a chip has one."""


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
    "4 x 4 chips": Variation(FEW_CHIPS),
    "4 x 4 chips, no system holds": Variation(FEW_CHIPS, RELEASED),
    "no limit at the host": Variation(UNLIMITED),
    "fresh drive": Variation({"precondition.kind": "none"}),
    "transfers of buses take no time": Variation(of=_all(BUSES, {"fabric.link_rate": "1000GB/s"})),
    "requests of a page": Variation(by_page=True),
    **{f"arrivals {rate:g} times as fast": Variation(rate=rate) for rate in RATES},
    **{
        f"allocation {', '.join(orders)}": Variation({"ftl.allocation": orders[0]})
        for orders in ORDERS.values()
        if WPDC["ftl.allocation"] not in orders
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


ALLOCATIONS = ("WPDC", "CWDP")
PACKETED = "NoSSD, packets"
VARIANTS: dict[str, tuple[str, Keys]] = {
    "pnSSD, two transfers": ("pnSSD", {"fabric.omnibus.transfers_per_controller": 2}),
    PACKETED: ("NoSSD", PACKETS),
    "Venice as printed": ("Venice", {"fabric.venice.as_printed": True}),
}
KINDS = {**{system: (system, {}) for system in PRIOR}, **VARIANTS}
HELD = ("reads", "always")
IN_TIME, IN_NO_TIME = "", "transfers of buses in no time"
SEARCHED = (1.0, 5.0, 10.0, 30.0)
SQUARE = "8x8"
BEST = 8


def _holds(kind: str) -> tuple[str, ...]:
    return HELD if KINDS[kind][0] in HELD_BY and kind != PACKETED else ("",)


def _times(kind: str) -> tuple[str, ...]:
    return (IN_TIME, IN_NO_TIME) if KINDS[kind][0] in BUSES else (IN_TIME,)


def _kinds(systems: Collection[str]) -> Iterator[tuple[tuple[str, str, str], str, Keys]]:
    """Systems in every variant: labels, the system, and keys."""
    for kind, (system, keys) in KINDS.items():
        for held, time in product(_holds(kind), _times(kind)) if system in systems else ():
            holding = {"fabric.hold_path": held} if held else {}
            timing = {"fabric.link_rate": "1000GB/s"} if time else {}
            yield (kind, held, time), system, {**holding, **timing, **keys}


def searched(scale: Scale) -> dict[Label, Run]:
    """Every workload on every system in each variant, at each rate and allocation; mixes; a few in other shapes."""
    number, names = scale.of(1_000, 200), list(TABLE2)
    found: dict[Label, Run] = {}
    rates = SEARCHED[:: scale.of(1, 3)]
    for ssd, order in product(SSDS, ALLOCATIONS):
        for shape, (rows, columns) in fig15.SHAPES.items() if ssd == PERFORMANCE else [(SQUARE, (8, 8))]:
            array = {} if shape == SQUARE else {"geometry.channels": rows, "geometry.chips_per_channel": columns}
            systems = PRIOR if shape == SQUARE else fig15.SHOWN
            # The inner loop is over runs that begin with the same blocks, which are made once.
            for name, rate in product(names[:: scale.of(4 if shape == SQUARE else 7, 7)], rates):
                for label, system, keys in _kinds(systems):
                    design = _drive(ssd, system, {"ftl.allocation": order, **array, **keys})
                    found[ssd, f"{rate:g}", order, shape, name, *label] = Run(design, _traffic(name, rate, number))
    for order, name in product(ALLOCATIONS, TABLE3):
        for label, system, keys in _kinds(PRIOR):
            design = _drive(PERFORMANCE, system, {"ftl.allocation": order, **keys})
            found[PERFORMANCE, MIXES, order, SQUARE, name, *label] = Run(design, mixed(name, SCALED, number))
    return found


JUDGES = ("fig10", "fig11", "fig12", "fig13", "fig14", "fig15")
"""Figures that the search does not use."""


@dataclass(frozen=True)
class Combination:
    words: str
    rate: str
    apart: float
    judges: Mapping[str, float | None]


def combinations(found: Mapping[Label, Data], ssd: str) -> Iterator[Combination]:
    groups: dict[tuple[str, str], dict[Label, Data]] = {}
    for (on, rate, order, *rest), data in found.items():
        if on == ssd:
            groups.setdefault((rate, order), {})[tuple(rest)] = data
    of_kinds = [[kind for kind, (of, _) in KINDS.items() if of == system] for system in PRIOR]
    for rate, order in groups:
        if rate == MIXES:
            continue
        for held, time, *kinds in product(HELD, (IN_TIME, IN_NO_TIME), *of_kinds):
            chosen = dict(zip(kinds, PRIOR, strict=True))

            def is_in(label: Label, held: str = held, time: str = time, chosen: Mapping[str, str] = chosen) -> bool:
                kind, holds, lasts = label[2:]
                of = _times(kind)
                return kind in chosen and holds in ("", held) and lasts == (time if time in of else IN_TIME)

            here: dict[Label, Data] = {
                (ssd, at, shape, name, chosen[rest[0]], "1"): data
                for at in (rate, MIXES)
                for (shape, name, *rest), data in groups.get((at, order), {}).items()
                if is_in((shape, name, *rest))
            }
            words = (f"hold: {held}", time, order, *(kind for kind in kinds if kind in VARIANTS))
            compared = Compared(here, ssd, rate)
            numbers = [*judging(here, ssd, rate)]
            judges = {figure: factor(iter([each for each in numbers if each[0] == figure])) for figure in JUDGES}
            apart = factor(prior_holds.speedups(compared, ssd)) or math.inf
            yield Combination(", ".join(filter(None, words)), rate, apart, judges)


def judging(found: Mapping[Label, Data], ssd: str, rate: str) -> prior_holds.Numbers:
    """Numbers that the search does not use."""
    here = Compared(found, ssd, rate)
    yield from prior_holds.throughput(here, ssd)
    if ssd == PERFORMANCE:
        yield from prior_holds.conflicts_and_energy(here)
        yield from prior_holds.tails(here)
        yield from prior_holds.of_mixes(Compared(found, ssd, MIXES))
        few = {name for _, _, shape, name, *_ in found if shape != SQUARE}
        shaped = {label: data for label, data in found.items() if label[3] in few}
        yield from (number for _, number in prior_holds.shapes(shaped, rate))


def factor(numbers: prior_holds.Numbers) -> float | None:
    """Mean factor between our numbers and published ones, at least 1; None without any."""
    apart = [abs(math.log(ours / known)) for _, _, ours, known in numbers if ours and known]
    return math.exp(fmean(apart)) if apart else None


BOTH = "both, at one rate"


def _both(one: float | None, other: float | None) -> float | None:
    there = [each for each in (one, other) if each is not None]
    return math.prod(there) ** (1 / len(there)) if there else None


def best(found: Mapping[Label, Data]) -> list[Row]:
    by_drive = {ssd: list(combinations(found, ssd)) for ssd in (COST, PERFORMANCE)}
    other = {(each.words, each.rate): each for each in by_drive[PERFORMANCE]}
    pairs = [(each, other[each.words, each.rate]) for each in by_drive[COST]]
    by_drive[BOTH] = [
        Combination(
            a.words,
            a.rate,
            math.sqrt(a.apart * b.apart),
            {figure: _both(a.judges[figure], b.judges[figure]) for figure in JUDGES},
        )
        for a, b in pairs
    ]
    return [
        {
            "drive": ssd,
            "rank": f"{rank}",
            "combination": each.words,
            "rate": each.rate,
            **each.judges,
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
