import json
from pathlib import Path

import canaletto as cn
import pytest
from canaletto._run.hot_spots import SHARES, places

READS = cn.Workload.from_toml(
    """name = "reads"
[[flow]]
name = "reads"
[flow.synthetic]
requests = 2000
read_share = 1.0
size = "4KiB"
queue_depth = 64
channel_skew = { share = 0.3, channels = 8, page = "4KiB" }
""",
    "reads",
)
FABRICS = ["bus", "clusters"]


@pytest.fixture(scope="module")
def compared() -> cn.Comparison:
    # No limit at the host, which would hide what wires do.
    drive = cn.design("performance-optimized", **{"link.lanes": 16, "link.lane_rate": "8GB/s"})
    return cn.compare(drive, READS, FABRICS, equal="pins=16", hot_spots=True, progress=False)


def test_workloads_have_their_share_at_each_place() -> None:
    found = {place: work.to_dict()["flow"][0]["synthetic"] for place, work in places(READS, "hot_spots").items()}
    assert {place: keys["hot_spot"] for place, keys in found.items()} == {
        "channel": {"at": "channel", "share": 0.5},
        "chip": {"at": "chip", "share": 0.25},
        "worst-line": {"at": "worst-line", "share": 0.5},
    }
    assert all("channel_skew" not in keys for keys in found.values())


def test_a_trace_and_sequential_addresses_are_refused(shared: Path) -> None:
    trace = cn.workload(shared / "traces" / "mqsim" / "tpcc-small.trace")
    with pytest.raises(cn.ConfigError, match="hot_spots: flow 'tpcc-small': replays a trace, expected generated"):
        places(trace, "hot_spots")
    text = READS.to_toml().replace('addresses = "uniform"', 'addresses = "sequential"')
    one_by_one = cn.Workload.from_toml(text[: text.index("[flow.synthetic.channel_skew]")], "reads")
    with pytest.raises(cn.ConfigError, match=r"--hot-spots: half on a channel: .*sequential"):
        places(one_by_one, "--hot-spots")


def test_places_are_runs_of_their_own(compared: cn.Comparison) -> None:
    assert list(compared.hot_spots) == list(SHARES)
    design, work = compared.hot_spots["worst-line"]["clusters"].configuration
    alone = cn.run(design, work, records=False, progress=False).to_dict()
    found = compared.hot_spots["worst-line"]["clusters"].to_dict()
    assert {**found, "cost": None} == {**alone, "cost": None}
    # Half of the load on a row is half of what its eight chips send, all pages being alike; of a chip a quarter.
    for place, chips, share in (("channel", slice(0, 8), 0.5), ("chip", slice(0, 1), 0.25)):
        ports = [chip["port"] for chip in compared.hot_spots[place]["bus"].to_dict()["map"]["chips"]]
        assert sum(ports[chips]) / sum(ports) == pytest.approx(share, abs=0.03)


def test_a_bus_loses_on_its_line_and_a_crossbar_does_not(compared: cn.Comparison) -> None:
    line = compared.hot_spots["worst-line"]
    assert line["bus"].iops < 0.6 * compared["bus"].iops
    assert line["crossbar"].iops > 0.8 * compared["crossbar"].iops
    assert line["crossbar"].iops >= line["clusters"].iops > line["bus"].iops


def test_tables_and_folders_have_them(compared: cn.Comparison, tmp_path: Path) -> None:
    text = repr(compared)
    rows = [line.split() for line in text.splitlines() if line.startswith("crossbar")]
    assert sum(len(row) == 9 for row in rows) >= 2  # Four latencies with their units.
    assert text.count("half on the") == 3
    assert compared._repr_html_().count("<table>") == 10
    compared.save(tmp_path / "c")
    assert "Hot spots" in (tmp_path / "c" / "report.html").read_text()
    again = cn.load(tmp_path / "c")
    assert isinstance(again, cn.Comparison)
    assert repr(again) == text
    found = json.loads((tmp_path / "c" / "compare.json").read_text())
    assert list(found["hot_spots"]) == list(SHARES)
    assert found["hot_spots"]["chip"]["equal"] == found["equal"]
