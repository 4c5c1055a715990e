from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto._report import wires
from canaletto._run import links, names
from canaletto._run.gains import gains
from canaletto._run.repeat import rerun

# Of 8 x 8 chips and 8 controllers: MT/s, data wires of a link, pins of a controller and of a chip, wires × pitches.
BY_HAND = {
    "bus": (1200, 8, 8, 8, 8 * 64),
    "packetized": (1200, 16, 16, 16, 16 * 64),
    # A row bus and a column bus; these are driven along rows of 1 to 8 pitches.
    "omnibus": (1200, 8, 16, 16, 8 * (64 + 36 + 8 * 7)),
    # 112 links between neighbours and 8 of controllers, one each way.
    "mesh": (1000, 8, 16, 64, 2 * 8 * 120),
    "mesh-2bit": (1000, 2, 4, 16, 2 * 2 * 120),
    "venice": (1000, 8, 8, 8, 8 * 120),
    "ideal": (1200, 8, 64, 8, 8 * 8 * 36),
}
WORK = cn.workload("YCSB_B", requests=400)


def run(fabric: str) -> cn.Result:
    return cn.run(cn.design("performance-optimized", fabric=fabric), WORK, records=False)


@pytest.mark.parametrize("fabric", BY_HAND)
def test_wires_are_counted(fabric: str) -> None:
    found = run(fabric).interconnect
    assert found is not None
    counted = (found.rate_mt_s, found.width, found.data_pins_per_controller, found.data_pins_per_chip)
    assert (*counted, found.wire_length_pitches) == BY_HAND[fabric]
    assert (found.area_mm2 is None) == fabric.startswith("mesh")
    assert ("nobody published" in found.area_source) == fabric.startswith("mesh")


@pytest.mark.parametrize("fabric", names.fabrics())
def test_pins_and_lengths_of_every_fabric_are_known(fabric: str) -> None:
    found = run(fabric).interconnect
    assert found is not None
    assert found.data_pins_per_controller
    assert found.wire_length_pitches


def test_links_of_a_class_are_counted() -> None:
    class Rows(cn.Fabric):
        @property
        def links(self) -> Any:
            return [(at, *((at[0], column) for column in range(self.array.columns))) for at in self.array.controllers]

        def route(self, transfer: Any) -> list[int] | None:
            return None if transfer.chip[0] in self.taken else [transfer.chip[0]]

    found = cn.run("performance-optimized", WORK, records=False, fabric=Rows).interconnect
    assert found is not None
    # A bus for each row of eight chips: from the controller to the first chip, and to the next.
    counted = (found.rate_mt_s, found.width, found.data_pins_per_controller, found.data_pins_per_chip)
    assert (*counted, found.wire_length_pitches) == (1000, 8, 8, 8, 8 * 64)
    assert found.area_mm2 is None
    assert found.area_source == "nobody published the area of a user-defined fabric"
    assert "property links" in found.pins_source


def test_links_of_a_class_are_those_of_the_same_fabric() -> None:
    class Mesh(cn.Fabric):
        def route(self, transfer: Any) -> list[int] | None:
            raise AssertionError("not asked")

    keys = {"fabric.network.controllers": "alternating", "geometry.channels": 4}
    for more in ({}, keys):
        design = cn.design("performance-optimized", fabric="venice", **more).to_dict()
        venice, own = links.interconnect(design), links.interconnect(design, own=Mesh)
        for key in ("data_pins_per_controller", "data_pins_per_chip", "wire_length_pitches"):
            # A chip of Venice has its router's port; of a class the links end at the chip.
            assert own[key] == venice[key] or key == "data_pins_per_chip"


@pytest.mark.parametrize("fabric", names.fabrics())
def test_every_figure_has_a_source(fabric: str) -> None:
    result = run(fabric)
    found = result.interconnect
    assert found is not None
    assert len({found.pins_source, found.area_source, found.energy_source}) == 3
    # Energy of the wires and routers of this run, over its requests.
    assert found.energy_nj_per_request == pytest.approx(1e6 * result.energy_mj.fabric / 400)
    assert found.energy_nj_per_request > 0


def test_tables_have_the_same_fields_and_sources() -> None:
    compared = cn.compare("performance-optimized", WORK, ["bus", "mesh"])
    heads, bus, mesh = wires.sheet([each.to_dict() for each in compared.runs])
    assert len(heads) == len(bus) == len(mesh) == 8
    assert bus[-1].endswith("J")
    assert mesh[-2] == "–"
    about = wires.about([each.to_dict() for each in compared.runs])
    assert "bus: ONFI: a channel of eight data wires" in about
    assert "nobody published the area of NoSSD's routers" in about
    assert "Energy: keys energy.wires.*" in about


def test_at_an_equal_budget_widths_change_and_rates_do_not(tmp_path: Path) -> None:
    found = cn.compare("performance-optimized", WORK, ["bus", "packetized"], equal="pins")
    bus, packetized, crossbar = (
        each["interconnect"] for each in found.to_dict()["runs"] + [found["crossbar"].to_dict()]
    )
    assert (packetized["width"], packetized["data_pins_per_controller"]) == (8, 8)
    assert packetized["rate_mt_s"] == bus["rate_mt_s"] == crossbar["rate_mt_s"] == 1200
    assert crossbar["data_pins_per_controller"] == 8
    assert bus["pins_source"] == "ONFI: a channel of eight data wires for each row"
    assert packetized["pins_source"].endswith("of sixteen wires for each row, here of 8 for an equal budget")
    assert wires.caveat([run.to_dict() for run in found.runs], found.gains) == ""
    found.save(tmp_path / "equal", report=False)
    loaded = cn.load(tmp_path / "equal")
    assert isinstance(loaded, cn.Comparison)
    assert loaded["packetized"]["interconnect"] == packetized
    assert rerun(tmp_path / "equal" / "packetized").identical


def of(fabric: str, mean_us: float, mt_s: float, pins: int) -> dict[str, Any]:
    return {
        "fabric": fabric,
        "execution_time_us": 100.0,
        "iops": 1.0,
        "latency_us": {"all": {"mean": mean_us, "p99": mean_us}},
        "interconnect": {"rate_mt_s": mt_s, "data_pins_per_controller": pins},
    }


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        # Twice the pins, and no more than twice as fast.
        ([of("bus", 100, 1200, 8), of("packetized", 60, 1200, 16)], "packetized's controllers carry 2.00× as much"),
        # As many pins at a higher rate.
        ([of("bus", 100, 1200, 8), of("fast", 80, 1600, 8)], "fast's controllers carry 1.33× as much as bus's"),
        # More than the wires explain.
        ([of("bus", 100, 1200, 8), of("omnibus", 20, 1200, 16)], ""),
        # Faster on fewer wires: structure.
        ([of("bus", 100, 1200, 8), of("venice", 60, 1000, 8)], ""),
        # The baseline wins, by its rate.
        (
            [of("bus", 100, 1200, 8), of("venice", 110, 1000, 8)],
            "bus's controllers carry 1.20× as much as venice's",
        ),
        ([of("bus", 100, 1200, 8), of("same", 100, 2400, 8)], ""),
    ],
)
def test_what_wires_alone_can_explain_is_said(runs: list[dict[str, Any]], told: str) -> None:
    found = wires.caveat(runs, gains([runs]))
    assert told in found
    assert bool(found) == bool(told)
    pins = {run["interconnect"]["data_pins_per_controller"] for run in runs}
    assert ("--equal pins" in found) == (bool(told) and len(pins) > 1)


def test_it_stands_under_the_verdict() -> None:
    found = cn.compare("performance-optimized", WORK, ["bus", "packetized", "mesh"])
    lines = str(found).splitlines()
    table = next(at for at, line in enumerate(lines) if line.startswith("wires  "))
    verdict = next(at for at, line in enumerate(lines) if " serves this " in line or line.startswith("No fabric"))
    assert verdict < table < next(at for at, line in enumerate(lines) if line.startswith("speedup over"))
    assert lines[table + 1].split()[:-2] == ["bus", "1,200", "8", "8", "8", "512", "19.2"]
    assert lines[table + 3].split()[-3] == "–"
    assert "Area of mesh: nobody published the area of NoSSD's routers" in " ".join(lines)
    assert "MT/s per" in found._repr_html_()


@pytest.mark.parametrize("fabric", ["daisy-chain", "ring"])
def test_links_of_chains_take_energy_at_the_rate_at_which_they_work(fabric: str) -> None:
    design = cn.design("performance-optimized", fabric=fabric)
    work = cn.workload("YCSB_B", requests=20)
    rates = ("500MB/s", "2GB/s")
    found = [cn.run(design.replace(**{"fabric.network.link_rate": rate}), work, records=False) for rate in rates]
    assert found[0].energy_mj.fabric == found[1].energy_mj.fabric > 0


def test_a_host_link_takes_energy_where_the_design_states_it() -> None:
    work = cn.workload("YCSB_B", requests=20)
    assert cn.run("performance-optimized", work, records=False).energy_mj.host_link is None
    found = cn.run("hbf-384", work, records=False)
    energy = found.energy_mj
    # 0.25 pJ per bit, of which the protocol leaves 75 %; requests and answers without data are 16 B each.
    least = found.to_dict()["requests"]["bytes"] * 8 * 0.25e-9 / 0.75
    assert energy.host_link is not None
    assert least <= energy.host_link <= 1.05 * least
    assert energy.total == pytest.approx(energy.array + energy.fabric + energy.host_link + energy.static)
