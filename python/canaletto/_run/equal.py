"""Comparisons at equal budgets of pins, wire or area.

A link of twice its paper's width gets twice its rate. Widths are whole numbers of wires; the rest of the budget is
stated.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from canaletto._engine import ConfigError
from canaletto._run import names
from canaletto._run.config import Design
from canaletto._run.links import BUS_RATE, Count, Links, links_of
from canaletto._run.quantities import rate

CROSSBAR = "crossbar"
"""Name of the bound: any chip on any free trunk, with the pins of the fabric that has most of them."""

IDEAL = "ideal"

MOST_WIRES = 4096
MOST_TRUNKS = 64
"""Most trunks, inner buses and chips of a switch (`fabric.clusters`)."""


TRUNK_WIDTH = 16
"""Data wires of a trunk whose eights have `fabric.link_rate`."""


class Measure(NamedTuple):
    unit: str
    title: str
    count_of: Callable[[Links, int], Count | None]
    """Count of links, in a drive of that many controllers."""


MEASURES = {
    "pins": Measure(
        "data pins per controller",
        "pins per\ncontroller",
        lambda links, controllers: Count(0, links.at_controllers / controllers),
    ),
    "chip-pins": Measure("data pins per chip", "pins per\nchip", lambda links, _: Count(0, links.at_chip)),
    "wires": Measure("data wires × chip pitches", "wires ×\npitches", lambda links, _: Count(0, links.length)),
    "area": Measure("mm² of silicon and pads", "mm²", lambda links, _: links.area),
}


@dataclass(frozen=True)
class Widths:
    """Width before and after, and what the fabric has of the budget."""

    fabric: str
    own_width: int
    own: float
    width: int
    has: float
    left: float


@dataclass(frozen=True)
class Equal:
    """An equal budget, and how it was reached."""

    measure: str
    budget: float
    fabrics: tuple[Widths, ...]
    crossbar_pins: int
    """Data pins per controller of the bound, as many as the fabric with most has."""

    @property
    def unit(self) -> str:
        return MEASURES[self.measure].unit

    def to_dict(self) -> dict[str, Any]:
        """The counting as plain data."""
        return {**asdict(self), "unit": self.unit, "fabrics": [asdict(each) for each in self.fabrics]}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> "Equal":
        fabrics = tuple(Widths(**each) for each in found["fabrics"])
        return cls(found["measure"], found["budget"], fabrics, found["crossbar_pins"])


@dataclass(frozen=True)
class Equalised:
    designs: tuple[Design, ...]
    counting: Equal
    crossbar: Design

    def named(self) -> dict[str, Design]:
        return {**{each.fabric: each for each in self.designs}, CROSSBAR: self.crossbar}

    def widths(self) -> dict[str, int]:
        return {**{each.fabric: each.width for each in self.counting.fabrics}, CROSSBAR: self.counting.crossbar_pins}


def amount(measure: str, number: float) -> str:
    unit = MEASURES[measure].unit
    return f"{number:,.6g} {unit.replace('pins', 'pin') if number == 1 else unit}"


def usual_fabrics() -> list[str]:
    return [name for name in names.usual_fabrics() if name != IDEAL]


def equalised(designs: Sequence[Design], asked: str, label: str) -> Equalised:
    """Designs with links as wide as a budget allows, the counting, and the crossbar.

    asked: a measure, of which all get as much as the first, or `measure=budget`. label: its name in messages.

    Raises ConfigError for an unknown or unreachable budget.
    """
    measure, given = _parsed(asked, label)
    label = f"{label} {asked}"
    counted = [_counted(design.to_dict(), measure, label) for design in designs]
    own = counted[0].growth.at(counted[0].links.width)
    budget = own if given is None else given
    refused = [refusal for each in counted if (refusal := _refusal(each, measure, budget))]
    if refused:
        raise ConfigError("\n".join(f"{label}: {line}" for line in refused))
    widths = [_widths(each, budget) for each in counted]
    scaled = tuple(
        design.replace(**{each.links.rate_key: _scaled(each.rate, found.width, each.links.width)})
        for design, each, found in zip(designs, counted, widths, strict=True)
    )
    bound, pins = _crossbar(designs[0], counted, widths, label)
    return Equalised(scaled, Equal(measure, budget, tuple(widths), pins), bound)


class _Counted(NamedTuple):
    fabric: str
    links: Links
    rate: float
    growth: Count
    controllers: int


_ROUNDING = 1e-9
"""Sums of fractions are not exact."""


def _parsed(asked: str, label: str) -> tuple[str, float | None]:
    measure, equals, text = asked.partition("=")
    if measure not in MEASURES:
        raise ConfigError(f"{label}: got {measure!r}, expected {_listed(MEASURES)}, alone or with a budget (pins=16)")
    if not equals:
        return measure, None
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not (budget > 0 and math.isfinite(budget)):
        raise ConfigError(f"{label}: budget: got {text!r}, expected a number of {MEASURES[measure].unit} above 0")
    return measure, budget


def _listed(words: Mapping[str, Any]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}"


def _counted(keys: Mapping[str, Any], measure: str, label: str) -> _Counted:
    fabric, controllers = keys["fabric"]["kind"], keys["geometry"]["channels"]
    links = links_of(keys)
    count = links and MEASURES[measure].count_of(links, controllers)
    if links is None or count is None:
        raise ConfigError(f"{label}: fabric {fabric}: nobody has published its {measure}; expected other fabrics")
    network = keys["fabric"]["network"]["link_rate"]
    own = rate(keys["fabric"]["link_rate"] if links.rate_key == BUS_RATE else network)
    return _Counted(fabric, links, own, count, controllers)


def _refusal(each: _Counted, measure: str, budget: float) -> str:
    width, got = _widest(each, budget), f"fabric {each.fabric}: got {amount(measure, budget)}, expected"
    if width < 1:
        return f"{got} at least {amount(measure, each.growth.at(1))}, with links of one data wire"
    if width > MOST_WIRES:
        return f"{got} at most {amount(measure, each.growth.at(MOST_WIRES))}, with links of {MOST_WIRES:,} data wires"
    return ""


def _widest(each: _Counted, budget: float) -> int:
    return math.floor((budget - each.growth.fixed) / each.growth.per_wire + _ROUNDING)


def _widths(each: _Counted, budget: float) -> Widths:
    width = _widest(each, budget)
    has, own = each.growth.at(width), each.growth.at(each.links.width)
    return Widths(each.fabric, each.links.width, own, width, has, max(budget - has, 0.0))


def _scaled(own: float, width: int, own_width: int) -> str:
    return f"{math.floor(own * 1e6 * width / own_width + 0.5)}B/s"


def _crossbar(design: Design, counted: Sequence[_Counted], widths: Sequence[Widths], label: str) -> tuple[Design, int]:
    """Direct lines from chips to switches on every trunk."""
    controllers = counted[0].controllers
    if controllers > MOST_TRUNKS:
        raise ConfigError(f"{label}: got {controllers} controllers, expected at most {MOST_TRUNKS}, for a crossbar")
    pairs = list(zip(counted, widths, strict=True))
    bounded = [pair for pair in pairs if pair[0].fabric != IDEAL] or pairs
    width = max(math.ceil(each.links.at_controllers * found.width / controllers) for each, found in bounded)
    keys = {
        "fabric.clusters.chips_per_switch": MOST_TRUNKS,
        "fabric.clusters.inner_buses": MOST_TRUNKS,
        "fabric.clusters.trunks": controllers,
        "fabric.clusters.setup": "0ps",
        "fabric.clusters.delay": "0ps",
        "fabric.clusters.chunk": "0B",
        "fabric.clusters.grant_width": 8,
        "fabric.clusters.grant_rate": "1TB/s",
        "fabric.transfer_order": "commands-first",
        "fabric.turnarounds": "in-chip",
        BUS_RATE: _scaled(max(each.rate for each, _ in bounded), width, TRUNK_WIDTH),
    }
    return design.replace(fabric="clusters", **keys), width
