"""Links of each fabric: ends, length, and what grows with their width.

A link is a bundle of data wires. Strobes, enables of switches and grants count for area alone; other control pins do
not count.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from canaletto._run.confidence import lookup
from canaletto._run.fabric import Array, Fabric
from canaletto._run.quantities import area_mm2, rate

BUS_RATE, NETWORK_RATE = "fabric.link_rate", "fabric.network.link_rate"

SYNTHESISED_ROUTER_MM2 = 0.169173
"""Logic of a router with `area.router = "synthesised"` (docs/explanation/energy.md, rtl/synth/results.json)."""

_ROUTER_PADS_PER_WIRE = 5
"""I/O pads of a router for each data wire of a link (Venice §6.6: 40, five ports of eight)."""

_PAD_MM2 = 0.2
"""Board area of a pad with its safety distance (Venice §6.6: 8 mm² per router over 40 pads)."""

_FLASH_CHIP_MM2 = 100.0
"""Area of a flash chip (Venice §6.6)."""

_ROUTER_PORTS = 5
"""Ports of a router of `scheduled-mesh`, all of which have strobes: four neighbours and the chip."""


class Count(NamedTuple):
    fixed: float
    per_wire: float

    def at(self, width: int) -> float:
        return self.fixed + self.per_wire * width


class Links(NamedTuple):
    width: int
    """Data wires, as in its paper."""
    rate_key: str
    at_controllers: int
    at_chip: int
    """Ends at the chip that has most: all chips of a drive are one part."""
    length: int
    """In chip pitches, with controllers one pitch next to the array."""
    area: Count | None
    """mm² of pads, routers, switches and controllers on dies. None where nobody published it."""


Counted: TypeAlias = Callable[[Mapping[str, Any], int, int], Links]


def links_of(design: Mapping[str, Any]) -> Links | None:
    fabric, geometry = design["fabric"]["kind"], design["geometry"]
    if fabric not in _FABRICS:
        return None
    return _FABRICS[fabric][0](design, geometry["channels"], geometry["chips_per_channel"])


def interconnect(
    design: Mapping[str, Any],
    data: Mapping[str, Any] | None = None,
    *,
    own: type[Fabric] | None = None,
    width: int | None = None,
) -> dict[str, Any]:
    """data: the result, for its energy. own: a user-defined fabric. width: data wires per link if not its paper's."""
    found, rows = links_of(design) if own is None else _of_class(own, design), design["geometry"]["channels"]
    assert found is not None  # every fabric of the engine is counted, which a test holds
    wires, source = width or found.width, _OWN_LINKS if own else _FABRICS[design["fabric"]["kind"]][1]
    group, _, key = found.rate_key.rpartition(".")
    keys = design["fabric"]["network"] if group.endswith("network") else design["fabric"]
    area = None if found.area is None else found.area.at(wires)
    completed, energy = lookup(data or {}, "requests.completed"), lookup(data or {}, "energy_mj.fabric")
    return {
        "rate_mt_s": (loaded_rate(design) if found.rate_key == BUS_RATE else rate(keys[key])) * found.width / wires,
        "width": wires,
        "data_pins_per_controller": found.at_controllers * wires / rows,
        "data_pins_per_chip": found.at_chip * wires,
        "wire_length_pitches": found.length * wires,
        "pins_source": source if wires == found.width else f"{source}, here of {wires} for an equal budget",
        "area_mm2": area,
        "area_source": _OWN_AREA if own else _NO_AREA if area is None else _AREA,
        "energy_nj_per_request": 1e6 * energy / completed if completed and energy is not None else None,
        "energy_source": _ENERGY,
    }


_AREA = "keys area.* of the design, by Venice Table 4 and §6.6 and Networked SSD §VIII"
_NO_AREA = "nobody published the area of NoSSD's routers, which are in the chips"
_OWN_AREA = "nobody published the area of a user-defined fabric"
_OWN_LINKS = "the property links of the class, eight wires each, from place to place"
_ENERGY = "keys energy.wires.* and energy.routers.* of the design, by Venice Table 4"


def loaded_rate(design: Mapping[str, Any]) -> float:
    """Rate of eight data pins of a bus with the pads of its dies, bytes per microsecond (`fabric.load`)."""
    fabric, geometry, own = design["fabric"], design["geometry"], rate(design["fabric"]["link_rate"])
    full, behind = fabric["load"]["full_rate_dies"], fabric["load"]["dies_per_buffer"]
    if not full or fabric["kind"] not in ("bus", "packetized", "ideal"):
        return own
    dies = geometry["dies_per_chip"] * (1 if fabric["kind"] == "ideal" else geometry["chips_per_channel"])
    pads = max(-(-dies // behind), min(behind, dies)) if behind else dies
    return float(own * full / max(full, pads))


def _of_class(fabric: type[Fabric], design: Mapping[str, Any]) -> Links:
    rows, columns = design["geometry"]["channels"], design["geometry"]["chips_per_channel"]
    alternating = design["fabric"]["network"]["controllers"] == "alternating"
    controllers = [(row, columns if alternating and row % 2 else -1) for row in range(rows)]
    array = Array(rows, columns, tuple(controllers))
    links = fabric(array)._checked_links()
    ends = Counter(end for link in links for end in link)
    length = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for link in links for a, b in pairwise(link))
    at_chip = max(ends[chip] for chip in array.chips)
    return Links(8, NETWORK_RATE, sum(ends[place] for place in controllers), at_chip, length, None)


def _bus(width: int, *, packets: bool) -> Counted:
    def links(design: Mapping[str, Any], rows: int, columns: int) -> Links:
        dies = _on_dies(design, rows * columns) if packets else 0.0
        return Links(width, BUS_RATE, rows, 1, rows * columns, _at_controllers(design, rows, dies))

    return links


def _ideal(design: Mapping[str, Any], rows: int, columns: int) -> Links:
    length = rows * columns * (columns + 1) // 2
    return Links(8, BUS_RATE, rows * columns, 1, length, _at_controllers(design, rows * columns))


def _chain(*, both_ways: bool) -> Counted:
    def links(design: Mapping[str, Any], rows: int, columns: int) -> Links:
        at_chip = 4 if both_ways and columns > 1 else 2
        area = _at_controllers(design, 2 * rows, _on_dies(design, rows * columns))
        return Links(8, BUS_RATE, 2 * rows, at_chip, 2 * rows * columns, area)

    return links


def _omnibus(design: Mapping[str, Any], rows: int, columns: int) -> Links:
    buses = min(rows, columns)
    along_rows = sum(-(-(bus + 1) * columns // buses) for bus in range(buses))
    length = rows * columns + along_rows + columns * (rows - 1)
    area = _at_controllers(design, rows + buses, _on_dies(design, rows * columns))
    return Links(8, BUS_RATE, rows + buses, 2, length, area)


def _mesh(width: int) -> Counted:
    def links(_: Mapping[str, Any], rows: int, columns: int) -> Links:
        neighbours = rows * (columns - 1) + columns * (rows - 1)
        ports = min(columns, 2) + min(rows - 1, 2)
        return Links(width, NETWORK_RATE, 2 * rows, 2 * ports, 2 * (neighbours + rows), None)

    return links


def _venice(design: Mapping[str, Any], rows: int, columns: int) -> Links:
    keys = design["area"]
    pads = _ROUTER_PADS_PER_WIRE * _PAD_MM2
    controllers = _at_controllers(design, rows, rows * columns * _router_logic(keys))
    area = Count(controllers.fixed, controllers.per_wire + rows * columns * pads)
    neighbours = rows * (columns - 1) + columns * (rows - 1)
    return Links(8, NETWORK_RATE, rows, 1, neighbours + rows, area)


def _scheduled_mesh(design: Mapping[str, Any], rows: int, columns: int) -> Links:
    """Strobes at both ends; grants have pins at routers and, for each row, at controllers."""
    venice, keys, chips = _venice(design, rows, columns), design["area"], rows * columns
    assert venice.area is not None  # Venice's is published
    grants = design["fabric"]["scheduled_mesh"]["grant_width"] + 1
    pads = chips * (_ROUTER_PORTS * keys["strobe_pins"] + grants) + rows * grants
    cell_um2 = area_mm2(keys["router_logic"]) * 1e6 // 10  # Assumed, as in the engine: a tenth of a router's logic.
    arbiter = chips * cell_um2 / 1e6
    return venice._replace(area=venice.area._replace(fixed=venice.area.fixed + pads * _PAD_MM2 + arbiter))


def _clusters(design: Mapping[str, Any], rows: int, columns: int) -> Links:
    keys, chips = design["fabric"]["clusters"], rows * columns
    per_switch = keys["chips_per_switch"]
    per_bus = -(-per_switch // keys["inner_buses"])
    firsts = range(0, chips, per_switch)
    offsets = trunk_offsets(min(keys.get("trunks", 4), rows), rows)
    trunks = sum(_trunk(controller, list(firsts), offsets, rows, columns) for controller in range(rows))
    buses = [(first, last) for first in firsts for last in _inner_buses(first, per_switch, per_bus, chips)]
    length = trunks + sum(_distance(first, last, columns) for first, last in buses)

    pad, strobes, grants = _PAD_MM2, design["area"]["strobe_pins"], keys["grant_width"] + 1
    most = min(per_switch, chips)
    ends = len(offsets) + -(-most // per_bus)
    switch = Count(_router_logic(design["area"]) + (ends * strobes + most + grants) * pad, ends * pad)
    fixed = _on_dies(design, chips) + len(firsts) * (switch.fixed + grants * pad)
    controllers = _at_controllers(design, rows, fixed)
    area = Count(controllers.fixed, controllers.per_wire + len(firsts) * switch.per_wire)
    return Links(16, BUS_RATE, rows, 1, length, area)


def trunk_offsets(trunks: int, controllers: int) -> list[int]:
    """Two switches share as few trunks as possible (fabrics.md)."""
    offsets = [0]

    def shared(candidate: int) -> int:
        tried = [*offsets, candidate]
        steps = [(a - b) % controllers for a in tried for b in tried]
        return max(steps.count(step) for step in range(1, controllers))

    while len(offsets) < trunks:
        rest = [step for step in range(1, controllers) if step not in offsets]
        offsets.append(min(rest, key=lambda step: (shared(step), step)))
    return offsets


def _trunk(controller: int, firsts: list[int], offsets: list[int], rows: int, columns: int) -> int:
    own = [number * rows // len(firsts) for number in range(len(firsts))]
    mine = [first for first, start in zip(firsts, own, strict=True) if (controller - start) % rows in offsets]
    reached = [controller, *(first // columns for first in mine)]
    return max(reached) - min(reached) + sum(first % columns + 1 for first in mine)


def _inner_buses(first: int, per_switch: int, per_bus: int, chips: int) -> list[int]:
    end = min(first + per_switch, chips)
    return [min(start + per_bus, end) - 1 for start in range(first, end, per_bus)]


def _distance(a: int, b: int, columns: int) -> int:
    return abs(a // columns - b // columns) + abs(a % columns - b % columns)


def _at_controllers(design: Mapping[str, Any], ends: int, others_mm2: float = 0.0) -> Count:
    return Count(others_mm2 + ends * design["area"]["strobe_pins"] * _PAD_MM2, ends * _PAD_MM2)


def _on_dies(design: Mapping[str, Any], chips: int) -> float:
    return float(chips * design["area"]["on_die_controller"] * _FLASH_CHIP_MM2)


def _router_logic(keys: Mapping[str, Any]) -> float:
    return SYNTHESISED_ROUTER_MM2 if keys["router"] == "synthesised" else area_mm2(keys["router_logic"])


_OMNIBUS = "Networked SSD §V: a row bus and a column bus of eight wires at each chip"
_NOSSD = "NoSSD as in Venice §3.2: a link each way between neighbours"

_FABRICS: dict[str, tuple[Counted, str]] = {
    "bus": (_bus(8, packets=False), "ONFI: a channel of eight data wires for each row"),
    "sca": (_bus(8, packets=False), "JESD230G: a channel of eight data wires for each row; CA pins do not count"),
    "packetized": (_bus(16, packets=True), "Networked SSD §IV: a channel of sixteen wires for each row"),
    "omnibus": (_omnibus, _OMNIBUS),
    "omnibus-split": (_omnibus, _OMNIBUS),
    "mesh": (_mesh(8), f"{_NOSSD}, of eight wires"),
    "mesh-2bit": (_mesh(2), f"{_NOSSD}, of two wires"),
    "venice": (_venice, "Venice §4.2: one link of eight wires between neighbours, used one way at a time"),
    "scheduled-mesh": (_scheduled_mesh, "our design on the links of Venice; grants and strobes do not count"),
    "clusters": (_clusters, "our design: trunks to switches and buses behind them, of sixteen wires"),
    "daisy-chain": (_chain(both_ways=True), "Kioxia's bridge chips: eight data wires each way between neighbours"),
    "ring": (_chain(both_ways=False), "HLNAND: eight data wires from chip to chip and back to the controller"),
    "custom": (_venice, "the links of Venice"),
    "ideal": (_ideal, "Venice §3.1: a channel of eight data wires for each chip"),
}
