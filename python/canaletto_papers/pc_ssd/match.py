"""Parameters that would give the published ratios.

Method: every ratio of `max-improvement` that is off by more than a quarter is looked at. Every number of `sensitivity`
is divided and multiplied by up to 16 until the ratio is the published one. Keys that are a choice are set to what else
they can be. A line per ratio and key has the value nearest to the default at which the ratio matches. Next to it stands
how many of the operation's three published ratios ours then agree with, within a quarter. Where no key does it, the
line has the one that comes nearest. `ours` is the ratio at that value.

Assumptions: as in the scenarios; one key at a time. A value that matches one ratio and loses the others explains
nothing: the last column tells. Numbers that a DMA needs whole are rounded.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from canaletto._engine import ConfigError

from canaletto_papers.figure import Data, Figure, Label, Row
from canaletto_papers.pc_ssd.max_improvement import AS_IT_IS
from canaletto_papers.pc_ssd.max_improvement import table as ratios
from canaletto_papers.pc_ssd.real_traces import named, trace_gain
from canaletto_papers.pc_ssd.sensitivity import CHOICES, SCALED, defaults, is_assumed, scaled
from canaletto_papers.pc_ssd.study import BASELINE, SYSTEMS, TITLES, Keys, best, nothing, published
from canaletto_papers.verdicts import NEARLY, comes_near

POWERS = range(-4, 5)

CLOSE = 0.002
STEPS = 16

NO_KEY = "none; nearest"


@dataclass(frozen=True)
class Found:
    key: str
    setting: str
    ratio: float
    matches: bool
    distance: float
    """In powers of two; of a choice, far."""


FAR = 8.0


def operations() -> dict[str, str]:
    traces = {name: number for name, (number, _) in named().items()}
    return {**{title: name for name, title in TITLES.items()}, **traces}


def ratio_of(operation: str, system: str, keys: Keys) -> float:
    if operation in named():
        return trace_gain(system, named()[operation][1], keys)
    return best(system, operations()[operation], keys)[0]


def values(measure: Callable[[Keys], float], wanted: float) -> Iterator[Found]:
    for key in dict.fromkeys([*SCALED, *CHOICES]):
        found = [*_scaled(key, measure, wanted), *_chosen(key, measure, wanted)]
        if found:
            yield min(
                found, key=lambda each: (not each.matches, each.distance if each.matches else _apart(each, wanted))
            )


def _apart(found: Found, wanted: float) -> float:
    return abs(math.log(found.ratio / wanted))


def _scaled(key: str, measure: Callable[[Keys], float], wanted: float) -> Iterator[Found]:
    if key not in SCALED:
        return
    default = defaults()[key]

    def at(power: float) -> Found | None:
        setting = scaled(default, 2.0**power)
        if not setting[:1].isdigit():
            return None
        if setting.isdigit():
            setting = str(round(float(setting)))
        try:
            ratio = measure(((key, setting),))
        except ConfigError:
            return None
        matches = comes_near(ratio, wanted, CLOSE)
        return Found(key, setting, ratio, matches, abs(power))

    tried = [(power, each) for power in POWERS if (each := at(power)) is not None]
    yield from (each for _, each in tried)
    for (low, before), (high, after) in itertools.pairwise(tried):
        if (before.ratio - wanted) * (after.ratio - wanted) < 0:
            yield from _crossing(at, (low, before.ratio - wanted), high, wanted)


def _crossing(
    at: Callable[[float], Found | None], start: tuple[float, float], high: float, wanted: float
) -> Iterator[Found]:
    low, side = start
    for _ in range(STEPS):
        middle = (low + high) / 2
        found = at(middle)
        if found is None:
            return
        if found.matches:
            yield found
            return
        low, high = (middle, high) if (found.ratio - wanted) * side > 0 else (low, middle)


def _chosen(key: str, measure: Callable[[Keys], float], wanted: float) -> Iterator[Found]:
    for setting in CHOICES.get(key, ()):
        ratio = measure(((key, setting),))
        yield Found(key, setting, ratio, comes_near(ratio, wanted, CLOSE), FAR)


def table(_: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for row in ratios({}):
        if row["setting"] != AS_IT_IS or row["published"] is None or comes_near(row["ours"], row["published"], NEARLY):
            continue
        operation, system, wanted = row["operation"], row["system"], float(row["published"])
        found = list(values(partial(ratio_of, operation, system), wanted))
        matching = sorted((each for each in found if each.matches), key=lambda each: each.distance)
        nearest = [min(found, key=lambda each: _apart(each, wanted))]
        rows += [_row(row, each) for each in matching or nearest]
    return rows


def _row(of: Row, found: Found) -> Row:
    operation = of["operation"]
    keys = ((found.key, found.setting),)
    printed = operations()[operation]
    agreeing = [
        comes_near(ratio_of(operation, system, keys), published(printed, system) or 0.0, NEARLY)
        for system in SYSTEMS
        if system != BASELINE
    ]
    return {
        "operation": operation,
        "system": of["system"],
        "as it is": of["ours"],
        "wanted": of["published"],
        "key": found.key if found.matches else f"{NO_KEY}: {found.key}",
        "default": defaults()[found.key],
        "value": found.setting,
        "given": "assumed" if is_assumed(found.key) else "with a source",
        "ours": found.ratio,
        "published": None,
        "of three within a quarter": sum(agreeing),
    }


def chart(_: list[Row]) -> None:
    """A table alone."""


FIGURE = Figure("table-match", "Parameters that would give the published ratios", __doc__, nothing, table, chart)
