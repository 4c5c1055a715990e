"""Power and area overheads (Table 4, §6.6).

Method: the keys of the energy and area models, and what follows from them for the 8 x 8 mesh. The energy of a page on
the wires is measured with 4 KiB reads, one at a time.

Assumptions: the table's milliwatts are the power while a 4 KB page is transferred; a link's being 90 % below a shared
channel's gives the channel's 10.8 mW. These are the models' inputs: only counts, ratios and the measured energies are
results.

Next to them, as synthesised: the hardware in rtl/ in cells of 0.18 um (OSU), wires, pads and memories not counted;
Table 4 has 65 nm (UMC). Areas of two technologies are not converted into each other: gate equivalents (a NAND of two
inputs) compare logic. The router's power is an estimate (docs/explanation/energy.md).
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.venice.evaluation import BASELINE, PERFORMANCE, SYSTEMS, drive
from canaletto_papers.venice.table1 import number

# From rtl/synth/results.json: area in um2, gate equivalents, critical path in ns.
SYNTHESISED = {
    "venice router": (169_173, 7_049, 11.81),
    "venice controller": (32_600, 1_358, 2.728),
    "nossd router": (238_276, 9_928, 2.462),
    "omnibus control": (44_755, 1_865, 2.043),
    "omnibus arbiter": (4_590, 191, 1.458),
}
# Estimated power of the Venice router (docs/explanation/energy.md), mW.
SYNTHESISED_POWER = 29.46482

POWERS = {"W": 1e3, "mW": 1.0, "uW": 1e-3, "nW": 1e-6}
AREAS = {"um2": 1.0, "mm2": 1e6, "cm2": 1e8}


def runs(_: Scale) -> dict[Label, Run]:
    read = flow("reads", {"requests": 2_000, "read_share": 1.0, "size": "4KiB", "queue_depth": 1})
    return {(system,): Run(drive(PERFORMANCE, system), workload("reads", [read])) for system in SYSTEMS}


def table(found: Mapping[Label, Data]) -> list[Row]:
    keys = drive(PERFORMANCE, "Venice").to_dict()
    link, channel = (number(keys["energy"]["wires"][name], POWERS) for name in ("link", "channel"))
    area, channels = found[("Venice",)]["area"], keys["geometry"]["channels"]
    rows: list[tuple[str, float, float | None]] = [
        ("router, mW (input)", number(keys["energy"]["routers"]["circuit"], POWERS), 0.241),
        ("link, mW (input)", link, 1.08),
        ("link's power below a channel's, % (input)", 100 * (1 - link / channel), 90.0),
        ("router, um2 (input)", number(keys["area"]["router_logic"], AREAS), 614.0),
        ("router's board area, % of a flash chip's", 100 * area["router_board_share"], 8.0),
        ("link's area, channels' (input)", channels * area["link_area_vs_channels"] / area["links"], 0.04),
        ("links of 8 x 8 chips", float(area["links"]), 112.0),
        ("area of links below the channels', %", 100 * (1 - area["link_area_vs_channels"]), 44.0),
    ]
    found_energy = {
        system: data["energy_mj"]["fabric"] * 1e6 / data["flash"]["reads"] for (system,), data in found.items()
    }
    rows += [(f"wires and routers of a read page, {system}, nJ", each, None) for system, each in found_energy.items()]
    ratio = 100 * (1 - found_energy["Venice"] / found_energy[BASELINE])
    rows.append(("Venice's wires and routers below the baseline's, %", ratio, None))
    synthesised = {rows[0][0]: SYNTHESISED_POWER, rows[3][0]: SYNTHESISED["venice router"][0]}
    compared: list[Row] = [
        {"what": what, "ours": ours, "synthesised": synthesised.get(what), "published": published}
        for what, ours, published in rows
    ]
    return compared + [
        {"what": f"{name}, {quantity}", "ours": None, "synthesised": value, "published": None}
        for name, values in SYNTHESISED.items()
        for quantity, value in zip(("um2", "gate equivalents", "critical path, ns"), values, strict=True)
        if (name, quantity) != ("venice router", "um2")
    ]


def chart(_: list[Row]) -> None:
    """The paper prints a table."""


FIGURE = Figure("table4", "Table 4: power and area overheads", __doc__, runs, table, chart, is_given=True)
