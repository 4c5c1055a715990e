import json
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto._run import equal, names
from canaletto._run.compare import on_fabrics
from canaletto._run.links import Links, links_of, trunk_offsets
from canaletto._run.quantities import rate

DRIVE = "performance-optimized"
NO_HOST_LIMIT = {"link.lanes": 16, "link.lane_rate": "8GB/s", "host.queues_per_flow": 16}
PAD_MM2 = 0.2


def of(fabric: str, rows: int = 8, columns: int = 8) -> tuple[cn.Design, Links]:
    shape = {"geometry.channels": rows, "geometry.chips_per_channel": columns}
    design = cn.design(DRIVE, fabric=fabric).replace(**shape)
    found = links_of(design.to_dict())
    assert found is not None
    return design, found


def equalised(asked: str, *fabrics: str, **keys: Any) -> equal.Equalised:
    drives = on_fabrics(lambda name: cn.design(DRIVE, fabric=name).replace(**keys), fabrics)
    return equal.equalised(drives, asked, "--equal")


def reads(depth: int, requests: int, hot: str = "") -> cn.Workload:
    text = f"""name = "reads"
[[flow]]
name = "reads"
[flow.synthetic]
requests = {requests}
read_share = 1.0
size = "4KiB"
queue_depth = {depth}
{hot}"""
    return cn.Workload.from_toml(text, "reads")


@pytest.mark.parametrize("fabric", names.fabrics())
def test_every_fabric_is_counted(fabric: str) -> None:
    # Ends at 8 controllers, ends at a chip, lengths: by hand.
    expected = {
        "bus": (8, 1, 64),
        "sca": (8, 1, 64),
        "packetized": (8, 1, 64),
        # Column buses: 1 + 2 + … + 8 along the rows of their controllers, and seven pitches down each.
        "omnibus": (16, 2, 64 + 36 + 56),
        "omnibus-split": (16, 2, 64 + 36 + 56),
        "mesh": (16, 8, 224 + 16),
        "mesh-2bit": (16, 8, 224 + 16),
        "venice": (8, 1, 112 + 8),
        "scheduled-mesh": (8, 1, 112 + 8),
        "custom": (8, 1, 112 + 8),
        # A chip has a link in and one out, on both sides; a ring comes back past all of them.
        "daisy-chain": (16, 4, 8 * 16),
        "ring": (16, 2, 8 * 16),
        # Inner buses end 1, 3, 5 and 7 pitches from the switch. Trunk c has switches c, c - 1, c - 3 and c - 4 (mod 8),
        # four of which are a pitch from it, and spans 7, 6, 5 or 4 rows.
        "clusters": (8, 1, 8 * 16 + 8 * 4 + sum(map(_rows_spanned, range(8)))),
        "ideal": (64, 1, 8 * 36),
    }
    links = of(fabric)[1]
    assert (links.at_controllers, links.at_chip, links.length) == expected[fabric]


def _rows_spanned(trunk: int) -> int:
    rows = [(trunk - offset) % 8 for offset in (0, 1, 3, 4)]
    return max(rows) - min(rows)


@pytest.mark.parametrize("fabric", ["bus", "packetized", "daisy-chain", "ring", "mesh", "mesh-2bit", "venice", "ideal"])
@pytest.mark.parametrize("shape", [(8, 8), (3, 5), (1, 4), (5, 1)])
def test_lengths_are_those_of_the_map(fabric: str, shape: tuple[int, int]) -> None:
    design, links = of(fabric, *shape)
    wires = cn.run(design, reads(1, 1), records=False).to_dict()["map"]["wires"]
    lengths = [sum(abs(a - b) for a, b in zip(wire["from"], wire["to"], strict=True)) for wire in wires]
    assert sum(lengths) == links.length
    assert sum(-1 in (wire["from"][1], wire["to"][1]) for wire in wires) == links.at_controllers


def test_trunks_are_those_of_the_documentation() -> None:
    assert trunk_offsets(3, 8) == [0, 1, 3]
    assert trunk_offsets(4, 8) == [0, 1, 3, 4]
    assert trunk_offsets(1, 1) == [0]


@pytest.mark.parametrize("fabric", [name for name in names.fabrics() if not name.startswith("mesh")])
@pytest.mark.parametrize("shape", [(8, 8), (2, 9)])
def test_areas_are_those_of_results(fabric: str, shape: tuple[int, int]) -> None:
    chips = shape[0] * shape[1]
    design, links = of(fabric, *shape)
    area = cn.run(design, reads(1, 1), records=False).to_dict()["area"]
    on_dies = chips * (area["on_die_share"] or 0) * 100
    routers = chips * (area["router_board_share"] or 0) * 100
    switches = area.get("switches", 0) * area.get("switch_board_share", 0) * 100
    arbiter = area.get("arbiter_um2", 0) / 1e6
    # Of fabrics of which no pins are reported, data and strobes of the ends at controllers.
    pins = area.get("controller_pins", links.at_controllers * (links.width + 4))
    assert links.area is not None
    expected = on_dies + routers + switches + arbiter + pins * PAD_MM2
    assert links.area.at(links.width) == pytest.approx(expected, rel=1e-12)


def test_rates_follow_widths() -> None:
    fabrics = ("bus", "sca", "packetized", "omnibus", "mesh", "mesh-2bit", "venice", "clusters", "ideal")
    found = equalised("pins=16", *fabrics)
    own = {each.fabric: (each.own, each.width, each.has, each.left) for each in found.counting.fabrics}
    assert own == {
        "bus": (8, 16, 16, 0),
        "sca": (8, 16, 16, 0),
        "packetized": (16, 16, 16, 0),
        "omnibus": (16, 8, 16, 0),
        "mesh": (16, 8, 16, 0),
        "mesh-2bit": (4, 8, 16, 0),
        "venice": (8, 16, 16, 0),
        "clusters": (16, 16, 16, 0),
        "ideal": (64, 2, 16, 0),
    }
    rates = {
        design.fabric: (rate(keys["link_rate"]), rate(keys["network"]["link_rate"]))
        for design in found.designs
        for keys in [design.to_dict()["fabric"]]
    }
    assert rates == {
        "bus": (2400, 1000),
        "sca": (2400, 1000),
        "packetized": (1200, 1000),
        "omnibus": (1200, 1000),
        "mesh": (1200, 1000),
        "mesh-2bit": (1200, 4000),
        "venice": (1200, 2000),
        "clusters": (1200, 1000),
        "ideal": (300, 1000),
    }
    assert found.counting.crossbar_pins == 16
    assert rate(found.crossbar.to_dict()["fabric"]["link_rate"]) == 1200
    assert equal.Equal.from_dict(json.loads(json.dumps(found.counting.to_dict()))) == found.counting


def test_the_first_one_sets_the_budget_and_remainders_are_told() -> None:
    found = equalised("wires", "venice", "omnibus", "clusters").counting
    assert found.budget == 960
    assert [(each.width, each.has, each.left) for each in found.fabrics] == [(8, 960, 0), (6, 936, 24), (4, 808, 152)]
    found = equalised("pins=15", "mesh", "bus").counting
    assert [(each.width, each.has, each.left) for each in found.fabrics] == [(7, 14, 1), (15, 15, 0)]
    assert found.crossbar_pins == 15
    # Two column buses for four controllers: three buses for two of these in the mean.
    keys = {"geometry.channels": 4, "geometry.chips_per_channel": 2}
    found = equalised("pins", "bus", "omnibus", **keys).counting
    assert [(each.own, each.width, each.has, each.left) for each in found.fabrics] == [(8, 8, 8, 0), (12, 5, 7.5, 0.5)]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("pin", r"--equal: got 'pin', expected pins, chip-pins, wires or area, alone or with a budget \(pins=16\)"),
        ("pins=", "--equal: budget: got '', expected a number of data pins per controller above 0"),
        ("pins=-1", "budget: got '-1'"),
        ("pins=inf", "budget: got 'inf'"),
        ("pins=1", "--equal pins=1: fabric omnibus: got 1 data pin per controller, expected at least 2 data pins per"),
        ("pins=1e12", "fabric bus: got 1e[+]12 data pins per controller, expected at most 4,096 data pins per"),
        ("area", "--equal area: fabric omnibus: got 19.2 mm² of silicon and pads, expected at least 1,296 mm²"),
    ],
)
def test_what_cannot_be_is_refused(asked: str, message: str) -> None:
    with pytest.raises(cn.ConfigError, match=message):
        equalised(asked, "bus", "omnibus")


def test_nobody_knows_the_area_of_a_mesh() -> None:
    with pytest.raises(cn.ConfigError, match="--equal area: fabric mesh: nobody has published its area"):
        equalised("area", "bus", "mesh")


def test_the_crossbar_has_the_latency_of_a_wide_bus_and_bounds_what_is_served() -> None:
    found = equalised("pins=16", "packetized", "omnibus", "clusters", "venice", **NO_HOST_LIMIT).named()
    idle = {name: cn.run(found[name], reads(1, 200), records=False).latency_us.all.mean for name in found}
    # A transfer is granted within a few picoseconds, twice a read.
    assert 0 <= idle["crossbar"] - idle["packetized"] < 1e-5
    for hot in ("", 'hot_spot = { at = "worst-line", share = 0.5 }'):
        served = {name: cn.run(found[name], reads(256, 10_000, hot), records=False).bandwidth_mb_s for name in found}
        assert max(served, key=lambda name: served[name]) == "crossbar"
    # Eight trunks of 16 pins carry 19.2 GB/s; of a page's 4,096 + 5 + command flits, 4,096 are data.
    uniform = cn.run(found["crossbar"], reads(512, 20_000), records=False).bandwidth_mb_s
    assert 0.97 * 19_200 < uniform < 19_200 * 4096 / 4101


def test_a_comparison_keeps_the_budget(tmp_path: Path) -> None:
    work = cn.workload("YCSB_B", requests=300)
    compared = cn.compare(DRIVE, work, ["bus", "venice"], equal="pins=16", progress=False)
    assert compared.fabrics == ["bus", "venice"]
    assert list(compared.speedup) == ["bus", "venice", "crossbar"]
    assert compared["crossbar"].latency_us == compared.crossbar.latency_us  # type: ignore[union-attr]
    assert compared.runs[0].configuration[0].to_dict()["fabric"]["link_rate"] == "2.4GB/s"
    assert "crossbar: 1." in compared.verdict or "crossbar: 0." in compared.verdict or "No fabric" in compared.verdict
    assert "Equal pins: links of each fabric" in " ".join(repr(compared).split())
    assert compared._repr_html_().count("<table>") == 7
    assert list(compared.timelines((0, 1_000_000), progress=False)) == ["bus", "venice", "crossbar"]

    compared.save(tmp_path / "c")
    record = json.loads((tmp_path / "c" / "run.json").read_text())
    assert record["equal"] == compared.equal.to_dict()  # type: ignore[union-attr]
    page = (tmp_path / "c" / "report.html").read_text()
    assert "Equal pins" in page
    assert page.count(">crossbar<") > 3
    again = cn.load(tmp_path / "c")
    assert isinstance(again, cn.Comparison)
    assert again.equal == compared.equal
    assert repr(again) == repr(compared)
    assert json.loads((tmp_path / "c" / "compare.json").read_text())["crossbar"]["fabric"] == "clusters"


def test_several_seeds_bound_the_crossbar_too(tmp_path: Path) -> None:
    work = cn.workload("YCSB_B", requests=200)
    compared = cn.compare(DRIVE, work, ["bus", "venice"], equal="wires", seeds=2, progress=False)
    gain = compared.gains["crossbar"]["mean_latency"]
    assert gain is not None
    assert gain.half_width is not None
    compared.save(tmp_path / "c", report=False)
    again = cn.load(tmp_path / "c")
    assert isinstance(again, cn.Comparison)
    assert again.gains["crossbar"]["mean_latency"] == gain


def test_the_crossbar_stands_in_for_ideal() -> None:
    compared = cn.compare(DRIVE, cn.workload("YCSB_B", requests=20), equal="chip-pins", progress=False)
    assert compared.fabrics == [name for name in names.usual_fabrics() if name != "ideal"]
    assert {each.has for each in compared.equal.fabrics} == {8}  # type: ignore[union-attr]
