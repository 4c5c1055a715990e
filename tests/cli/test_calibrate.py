import json
from typing import Any

import pytest
from conftest import Canaletto

pytest.importorskip("optuna", reason="no Optuna (extra search)")

CALIBRATION = """
design = "pcie4-tlc"
measured = ["fio-*.json"]
trials = 2
requests = 1000

[ranges]
controller.ecc_latency = ["1us", "20us"]
"""


def result(depth: int, mean_us: float) -> dict[str, Any]:
    cuts = {"50.000000": mean_us * 1e3, "99.000000": mean_us * 1.2e3}
    reads = {
        "total_ios": 1000,
        "iops": depth / mean_us * 1e6,
        "clat_ns": {"mean": mean_us * 1e3, "percentile": cuts},
        "lat_ns": {"mean": mean_us * 1e3},
    }
    options = {"rw": "randread", "bs": "4k", "iodepth": str(depth), "ioengine": "io_uring"}
    return {"jobs": [{"jobname": f"qd{depth}", "job options": options, "read": reads}]}


@pytest.fixture
def measured(canaletto: Canaletto) -> Canaletto:
    (canaletto.folder / "c.toml").write_text(CALIBRATION)
    for depth in (1, 4):
        (canaletto.folder / f"fio-{depth}.json").write_text(json.dumps(result(depth, 62.0)))
    return canaletto


def test_the_table_and_the_files_say_the_same(measured: Canaletto) -> None:
    told = measured.ok("calibrate", "c.toml", "--out", "made.toml")
    report = json.loads((measured.folder / "made.json").read_text())
    (parameter,) = report["parameters"]
    assert parameter["value"] in told.out
    assert "fitted" in told.out
    assert "judged" in told.out
    assert "wrote made.toml and made.json" in told.err
    text = (measured.folder / "made.toml").read_text()
    assert text.count("# calibrated, range 1us to 20us") == 1
    dry = measured.ok("run", "made.toml", "--workload", "hm_0", "--dry-run")
    assert "pcie4-tlc" in dry.out


def test_files_are_replaced_by_force_only(measured: Canaletto) -> None:
    measured.ok("calibrate", "c.toml", "--out", "made.toml")
    before = (measured.folder / "made.toml").read_text()
    measured.refuses("calibrate", "c.toml", "--out", "made.toml", says=("exists already", "--force"))
    measured.ok("calibrate", "c.toml", "--out", "made.toml", "--force", "--seed", "1")
    assert (measured.folder / "made.toml").read_text() == before


def test_machines_get_the_report(measured: Canaletto) -> None:
    found = measured.ok("calibrate", "c.toml", "--json", "--judge", "none").json
    assert [point["half"] for point in found["points"]] == ["fitted", "fitted"]
    assert found["error"]["after"]["judged"] is None
    assert found["error"]["after"]["fitted"] <= found["error"]["before"]["fitted"]
    assert found["parameters"][0]["keys"] == ["controller.ecc_latency"]
