"""Prior designs hold their paths, Venice releases its: a setting that comes near the paper's numbers (Fig. 4 and 9).

Method: every prior design holds the path of a flash operation from its command to its data or to the end of its
program. The baseline and pSSD hold their bus, pnSSD its bus with a controller that serves one transfer at a time. NoSSD
holds a circuit along the row and then the column from the nearest free controller. Venice and the ideal SSD release
theirs. Pages are allocated plane after plane (WPDC). The cost-optimized drive has Table 2's rates, the
performance-optimized one arrivals that are 1, 3, 10 and 30 times as fast, both with Table 1's host link and in the
steady state. Lines are Fig. 9's and 4's speedups in execution time, then throughput (Fig. 10), tails (Fig. 11), mixes
(Fig. 12), conflicts (Fig. 13), energy (Fig. 14) and shapes (Fig. 15).

Assumptions: a sensitivity study. The paper states neither that prior designs hold their paths nor that Venice does not,
nor these rates; the name says nothing about how the authors evaluated. No default follows from it, and no constant is
fitted. `speaks` is what the papers print for and against a number's setting. `size` is the extent of its runs: 100,000
requests and three seeds for the rates of the headline, 20,000 and one seed for other rates, shapes and mixes; with
--quick 10,000 and 2,000, one seed.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any

from canaletto._io.units import count, number_of
from canaletto._report.charts import Spec
from canaletto._run import confidence, config
from canaletto._run.config import Design, Workload

from canaletto_papers.bars import dots
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import workload
from canaletto_papers.venice import fig9, fig10, fig11, fig12, fig13, fig14, fig15
from canaletto_papers.venice.evaluation import (
    AVERAGE,
    BASELINE,
    COST,
    MOST,
    OCCUPANCY,
    OWN,
    PERFORMANCE,
    SYSTEMS,
    TABLE2,
    execution_time,
    flows,
    seeds,
)
from canaletto_papers.venice.mixes import SCALED, TABLE3, mixed

Keys = Mapping[str, Any]

HOLDS: Keys = {"fabric.hold_path": "always"}
ONE_TRANSFER: Keys = {"fabric.omnibus.transfers_per_controller": 1}
CIRCUITS: Keys = {"fabric.kind": "custom", "fabric.custom.route": "x-then-y"}
PRIOR: dict[str, Keys] = {
    BASELINE: HOLDS,
    "pSSD": HOLDS,
    "pnSSD": {**HOLDS, **ONE_TRANSFER},
    "NoSSD": {**HOLDS, **CIRCUITS},
    "Venice": {},
    "ideal": {},
}
WPDC: Keys = {"ftl.allocation": "WPDC"}

RATES = (1.0, 3.0, 10.0, 30.0)
"""Arrivals over Table 2's on the performance-optimized drive."""
CHOSEN = {COST: 1.0, PERFORMANCE: 30.0}
"""The paper's own, and the nearest of `RATES` on the other drive."""

OF_SYSTEM = {
    BASELINE: (
        "for: §3.1, a request waits for a path that another one uses",
        "against: Fig. 3, array times on one channel overlap",
    ),
    "pSSD": ("for: §3.2, pSSD only widens the channel", "against: Fig. 3, array times on one channel overlap"),
    "pnSSD": (
        "for: Networked SSD, footnote 4, both buses have a single, shared driver",
        "against: Networked SSD, §V-C, a controller has the bandwidth of both buses",
    ),
    "NoSSD": ("for: §3.2, its routes do not adapt", "against: §3.2, its routers have buffers, so it sends packets"),
    "Venice": (
        "for: §4.2, the path is for the transfer",
        "against: §6.3, a controller is busy until its request ends",
    ),
    "ideal": ("for: §3.3, only a busy chip delays a request",),
}
OF_FIGURE = {
    "fig11": ("against: Fig. 11, tails fall by a third at the most",),
    "fig12": ("against: Table 3, its rates do not follow from Table 2",),
    "fig13": ("against: Fig. 13, three quarters of the baseline's requests meet no conflict",),
    "fig14": ("for: §6.4, energy falls with execution time",),
    "fig15": ("against: Fig. 15, 8x8 is the best shape",),
}
OWN_RATE, OTHER_RATE = "for: the rate is Table 2's", "against: the rate is not Table 2's"


def speaks(figure: str, what: str, rate: str, changed: Collection[str] = ()) -> str:
    """For and against: its systems', its figure's, its rate's."""
    systems = [system for system in PRIOR if system in re.findall(r"\w+", what)]
    named = systems if " over " in what else [BASELINE, *systems]
    parts = [part for system in named if system not in changed for part in OF_SYSTEM[system]]
    return "; ".join(dict.fromkeys((*parts, *OF_FIGURE.get(figure, ()), rate)))


@cache
def drive(ssd: str, system: str, **keys: Any) -> Design:
    steady: Keys = {"precondition.kind": "steady", "precondition.occupancy": OCCUPANCY}
    if keys.get("precondition.kind") == "none":
        steady = {}
    return config.quiet_design(ssd, fabric=SYSTEMS[system], **{**steady, **WPDC, **PRIOR[system], **keys})


@cache
def traffic(name: str, rate: float, requests: int) -> Workload:
    return workload(name, flows(name, OWN, requests, inter_arrival_us=TABLE2[name][2] / rate))


def settings() -> Iterator[tuple[str, float, bool]]:
    yield COST, CHOSEN[COST], True
    for rate in RATES:
        yield PERFORMANCE, rate, rate == CHOSEN[PERFORMANCE]


def extent(scale: Scale, headline: bool) -> int:
    return scale.of(100_000, 10_000) if headline else scale.of(20_000, 2_000)


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for ssd, rate, headline in settings():
        for name in TABLE2:
            for system in PRIOR:
                for seed in seeds(scale, headline):
                    run = Run(drive(ssd, system), traffic(name, rate, extent(scale, headline)), seed)
                    found[ssd, f"{rate:g}", "8x8", name, system, str(seed)] = run
    rate = CHOSEN[PERFORMANCE]
    for shape, (rows, columns) in fig15.SHAPES.items():
        keys = {"geometry.channels": rows, "geometry.chips_per_channel": columns}
        for system in fig15.SHOWN if shape != "8x8" else ():
            for name in TABLE2:
                work = traffic(name, rate, extent(scale, False))
                found[PERFORMANCE, f"{rate:g}", shape, name, system, "1"] = Run(
                    drive(PERFORMANCE, system, **keys), work
                )
    for name in TABLE3:
        for system in PRIOR:
            work = mixed(name, SCALED, extent(scale, False))
            found[PERFORMANCE, MIXES, "8x8", name, system, "1"] = Run(drive(PERFORMANCE, system), work)
    return found


MIXES = "Table 3's"


class Compared:
    def __init__(self, found: Mapping[Label, Data], ssd: str, rate: str, shape: str = "8x8") -> None:
        self.data = {label[3:]: data for label, data in found.items() if label[:3] == (ssd, rate, shape)}
        self.names = list(dict.fromkeys(name for name, _, _ in self.data))

    def each(self, one: str, other: str, value: Any = execution_time) -> list[float]:
        return [
            fmean(
                value(data, self.data[name, other, seed])
                for (at, system, seed), data in self.data.items()
                if (at, system) == (name, one)
            )
            for name in self.names
        ]

    @property
    def size(self) -> str:
        requests = {data["requests"]["completed"] for data in self.data.values()}
        seeds = {seed for _, _, seed in self.data}
        return f"{count(max(requests))} requests, {number_of(len(seeds), 'seed')}"

    def mean(self, system: str, value: Any) -> float:
        return fmean(value(data) for (_, of, _), data in self.data.items() if of == system)


Number = tuple[str, str, float | None, float | None]
Numbers = Iterator[Number]


def speedups(here: Compared, ssd: str) -> Numbers:
    for system in PRIOR:
        if system != BASELINE and (ssd, system, AVERAGE) not in fig9.PUBLISHED:
            yield "fig9", f"{system}, {AVERAGE}", fmean(here.each(system, BASELINE)), None
    over = {BASELINE: {key: value for key, value in fig9.PUBLISHED.items() if key[1] in PRIOR}, **fig9.VENICE_OVER}
    for other, published in over.items():
        for (drive_of, system, what), known in published.items():
            if drive_of == ssd:
                ratios = here.each(system, other)
                words = system if other == BASELINE else f"{system} over {other}"
                yield "fig9", f"{words}, {what}", max(ratios) if what == MOST else fmean(ratios), known


def throughput(here: Compared, ssd: str) -> Numbers:
    yield (
        "fig10",
        f"Venice, {AVERAGE}",
        fmean(here.each("Venice", "ideal", fig10.throughput)),
        fig10.PUBLISHED[ssd, "Venice", AVERAGE],
    )
    for other, known in fig10.VENICE_OVER.items():
        ours = fmean(here.each("Venice", other, fig10.throughput))
        yield "fig10", f"Venice over {other}, {AVERAGE}", ours, known[ssd]


def conflicts_and_energy(here: Compared) -> Numbers:
    for (_, system, _), known in fig13.PUBLISHED.items():
        share = here.mean(system, lambda data: 100 * data["path_conflicts"]["free_request_share"])
        yield "fig13", f"{system}, {AVERAGE}", share, known
    for what, published in fig14.VENICE_OVER.items():
        measure = fig14.MEASURES[what]
        for other, known in published.items():
            ratios = here.each("Venice", other, lambda data, of, measure=measure: measure(data) / measure(of))
            yield "fig14", f"{what}, Venice over {other}, {AVERAGE}", fmean(ratios), known


def tails(here: Compared) -> Numbers:
    for (name, other), known in fig11.PUBLISHED.items():
        pairs = [
            (data["latency_us"]["all"]["p99"], here.data[name, other, seed]["latency_us"]["all"]["p99"])
            for (at, system, seed), data in here.data.items()
            if (at, system) == (name, "Venice")
        ]
        ours = fmean(a / b for a, b in pairs) if pairs and all(a and b for a, b in pairs) else None
        yield "fig11", f"{name}, {fig11.OVER}{other}", ours, known


def of_mixes(here: Compared) -> Numbers:
    for other, known in fig12.VENICE_OVER.items():
        yield "fig12", f"Venice over {other}, {AVERAGE}", fmean(here.each("Venice", other)), known


def shapes(found: Mapping[Label, Data], rate: str) -> Iterator[tuple[str, Number]]:
    gains: dict[str, float] = {}
    for shape, published in fig15.VENICE_OVER.items():
        here = Compared(found, PERFORMANCE, rate, shape)
        for other, known in published.items():
            ours = fmean(here.each("Venice", other))
            gains.setdefault(shape, ours)
            yield here.size, ("fig15", f"{shape}, Venice over {other}, {AVERAGE}", ours, known)
    trend = gains["8x8"] / max(gain for shape, gain in gains.items() if shape != "8x8")
    words = f"8x8 over the better of the others, Venice over {BASELINE}, {AVERAGE}"
    yield Compared(found, PERFORMANCE, rate, "4x16").size, ("fig15", words, trend, 2.6 / 2)


def of_setting(here: Compared, ssd: str) -> list[Number]:
    numbers = [*speedups(here, ssd), *throughput(here, ssd)]
    return [*numbers, *conflicts_and_energy(here), *tails(here)] if ssd == PERFORMANCE else numbers


def half_widths(found: Mapping[Label, Data], ssd: str, rate: str) -> list[float | None]:
    """Of the 95 % interval over seeds, for each number of the setting."""
    seeds = dict.fromkeys(label[5] for label in found if label[:2] == (ssd, rate))
    by_seed = [
        [ours for _, _, ours, _ in of_setting(Compared(part, ssd, rate), ssd)]
        for part in ({label: data for label, data in found.items() if label[5] == seed} for seed in seeds)
    ]
    return [confidence.half_width([ours for ours in each if ours is not None]) for each in zip(*by_seed, strict=True)]


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for ssd, rate, headline in settings():
        here = Compared(found, ssd, f"{rate:g}")
        of_rate = OWN_RATE if rate == 1 else OTHER_RATE
        setting = f"arrivals {rate:g} times as fast"
        made = _rows(setting, ssd, of_setting(here, ssd), here.size, of_rate)
        spread = half_widths(found, ssd, f"{rate:g}")
        rows += [{**row, "half_width": half} for row, half in zip(made, spread, strict=True)]
        if ssd == PERFORMANCE and headline:
            for size, number in shapes(found, f"{rate:g}"):
                rows += _rows(setting, ssd, [number], size, of_rate)
    mixes = Compared(found, PERFORMANCE, MIXES)
    numbers = [*of_mixes(mixes)]
    return rows + _rows("mixes at Table 3's rates", PERFORMANCE, numbers, mixes.size, "for: the rate is Table 3's")


def _rows(setting: str, ssd: str, numbers: Sequence[Number], size: str, rate: str) -> list[Row]:
    return [
        {
            "setting": setting,
            "figure": figure,
            "drive": ssd,
            "what": what,
            "ours": ours,
            "half_width": None,
            "published": known,
            "size": size,
            "speaks": speaks(figure, what, rate),
        }
        for figure, what, ours, known in numbers
    ]


def spelt(row: Row) -> str:
    if row["figure"] in ("fig11", "fig15"):
        return str(row["what"])
    if row["figure"] == "fig14":
        return str(row["what"]).replace(", Venice", f", {row['drive']}, Venice", 1)
    return f"{row['drive']}, {row['what']}"


COLOURS = {"ours": "#2a6f97", "published": "#c1121f"}


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for ssd, rate in CHOSEN.items():
        setting = f"arrivals {rate:g} times as fast"
        here = [row for row in rows if (row["drive"], row["setting"], row["figure"]) == (ssd, setting, "fig9")]
        shown = [
            {"what": row["what"], "system": kind, "ours": row[kind], "published": None}
            for row in here
            for kind in COLOURS
        ]
        title = "speedup in execution time (times, logarithmic)"
        drawn[f"{ssd}, {setting}: where prior designs hold their paths"] = dots(shown, "what", title, COLOURS)
    return drawn


HELD = Settings(("drive", "setting"), of="fig9", figure="figure", spelt=spelt, against="speaks")

GRIDS = {
    f"{ssd}, Fig. {figure.removeprefix('fig')}": Grid(
        "what", "setting", {"drive": ssd, "figure": figure}, across=True, notes=("size", "speaks"), spread="half_width"
    )
    for ssd, figure in (
        (COST, "fig9"),
        (PERFORMANCE, "fig9"),
        (PERFORMANCE, "fig11"),
        (PERFORMANCE, "fig12"),
        (PERFORMANCE, "fig13"),
        (PERFORMANCE, "fig15"),
    )
}

FIGURE = Figure("prior-holds", "Prior designs hold their paths", __doc__, runs, table, chart, HELD, GRIDS)
