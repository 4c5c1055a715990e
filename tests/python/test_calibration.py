import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import canaletto as cn
import numpy as np
import pytest
from canaletto._run.quantities import time_us
from canaletto_extras.calibrating import document, fio_results, latency_log, load_curve
from canaletto_extras.calibrating.identify import identify
from canaletto_extras.calibrating.measured import halved
from canaletto_extras.calibrating.model import workload_of
from canaletto_extras.calibrating.parameters import read, value_of, with_values
from canaletto_papers.flows import flow, workload

pytest.importorskip("optuna", reason="no Optuna (extra search)")

TRUE = {"flash.read": "52us", "controller.ecc_latency": "9us"}
RANGES = {"flash.read": ["40us", "70us"], "controller.ecc_latency": ["1us", "20us"]}
OPTIONS = {"rw": "randread", "bs": "4k", "ioengine": "io_uring"}


def base(**keys: Any) -> cn.Design:
    small = {"geometry.channels": 2, "geometry.chips_per_channel": 2, "geometry.dies_per_chip": 1}
    small |= {"flash.pslc.static_size": "0B"} | keys
    return cn.design("pcie4-tlc").replace(**small)


def side(latencies_us: Sequence[float], iops: float) -> dict[str, Any]:
    cuts = {f"{cut:.6f}": float(np.percentile(latencies_us, cut)) * 1e3 for cut in (1, 10, 50, 90, 99, 99.9)}
    mean = float(np.mean(latencies_us)) * 1e3
    return {
        "total_ios": len(latencies_us),
        "iops": iops,
        "slat_ns": {"mean": 0.0},
        "clat_ns": {"mean": mean, "percentile": cuts},
        "lat_ns": {"mean": mean},
    }


def measured(path: Path, drive: cn.Design, depths: Sequence[int] = (1, 2, 4, 8), bs: str = "4k") -> Path:
    jobs = []
    for depth in depths:
        size = f"{bs[:-1]}KiB"
        shape = {"requests": 6000, "read_share": 1.0, "size": size, "alignment": size, "queue_depth": depth}
        result = cn.run(drive, workload("measured", [flow("measured", shape)]), seed=7)
        latencies = result.requests["latency_us"].to_numpy()
        options = {**OPTIONS, "bs": bs, "iodepth": str(depth), "numjobs": "1"}
        jobs.append({"jobname": f"qd{depth}", "error": 0, "job options": options, "read": side(latencies, result.iops)})
    path.write_text("fio: a warning\n" + json.dumps({"fio version": "fio-3.36", "jobs": jobs}))
    return path


def test_known_values_are_found_again(tmp_path: Path) -> None:
    path = measured(tmp_path / "fio.json", base(**TRUE))
    found = cn.calibrate(base(), RANGES, path, trials=30, requests=3000, progress=False)
    values = {each["keys"][0]: float(each["value"].rstrip("us")) for each in found.report["parameters"]}
    assert values["flash.read"] == pytest.approx(52, abs=3)
    # The sum is what the data know best.
    assert sum(values.values()) == pytest.approx(52 + 9, abs=1.0)
    error = found.report["error"]
    assert error["after"]["fitted"] < 0.02 < error["before"]["fitted"]
    assert error["after"]["judged"] < 0.04
    assert [point["half"] for point in found.report["points"]] == ["fitted", "judged"] * 2
    assert not [each for each in found.report["parameters"] if each["at_bound"]]
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_calibration_is_reproducible(tmp_path: Path) -> None:
    path = measured(tmp_path / "fio.json", base(**TRUE), depths=(1, 4))
    asked = {"trials": 8, "requests": 1000, "progress": False}
    first, again = (cn.calibrate(base(), RANGES, path, **asked) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    assert first.to_toml() == again.to_toml()
    other = cn.calibrate(base(), RANGES, path, seed=2, **asked)
    assert other.to_dict() != first.to_dict()


def test_the_design_is_written_with_its_ranges(tmp_path: Path) -> None:
    path = measured(tmp_path / "fio.json", base(**TRUE), depths=(1, 4))
    ranges = {"flash.read.0, flash.read.2": ["40us", "60us"], "flash.read.1": ["40us", "60us"]}
    found = cn.calibrate(base(), ranges, path, trials=5, requests=1000, progress=False)
    found.save(tmp_path / "made.toml")
    text = (tmp_path / "made.toml").read_text()
    again = cn.design(tmp_path / "made.toml")
    assert again.to_dict() == found.design.to_dict()
    (line,) = [line for line in text.splitlines() if line.startswith("read = [")]
    assert line.count("calibrated, range 40us to 60us") == 3
    times = tomllib.loads(text)["flash"]["read"]
    assert times[0] == times[2]
    with pytest.raises(cn.ConfigError, match="exists already"):
        found.save(tmp_path / "made.toml")


def test_parameters_that_the_data_cannot_tell_apart_are_named(tmp_path: Path) -> None:
    """At depth 1 only the sum of two times shows."""
    path = measured(tmp_path / "fio.json", base(**TRUE), depths=(1,))
    ranges = {**RANGES, "gc.threshold": [0.02, 0.05]}
    found = cn.calibrate(base(), ranges, path, judge="none", trials=12, requests=1000, progress=False)
    assert found.report["identifiability"]["without_effect"] == ["gc.threshold"]
    assert found.report["identifiability"]["not_apart"] == [["flash.read", "controller.ecc_latency"]]
    assert [each["uncertainty_of_range"] for each in found.report["parameters"]] == [None, None, None]
    assert any("determine only a combination of them" in note for note in found.notes)
    assert found.report["error"]["after"]["judged"] is None


def test_a_value_at_the_end_of_its_range_is_said(tmp_path: Path) -> None:
    path = measured(tmp_path / "fio.json", base(**{"flash.read": "90us"}), depths=(1, 2, 4))
    found = cn.calibrate(base(), {"flash.read": ["40us", "60us"]}, path, trials=10, requests=1000, progress=False)
    (only,) = found.report["parameters"]
    assert (only["value"], only["at_bound"]) == ("60us", "high")
    assert any("at the end of its range 40us to 60us: the data ask for more" in note for note in found.notes)
    assert "at its high end" in found.to_toml()


def test_a_log_of_one_depth_is_cut_in_the_middle(tmp_path: Path) -> None:
    rows = [f"{number},{60_000 + number % 7},0,4096,0,0" for number in range(400)]
    points = latency_log.points("\n".join(rows), "a_lat.log", {**OPTIONS, "iodepth": 1})
    parts = halved(points, judge=True)
    assert [(part.half, len(part.latencies_us)) for part in parts] == [("fitted", 200), ("judged", 200)]
    assert parts[0].statistics["p50_us"] == pytest.approx(60.003)
    (whole,) = halved(points, judge=False)
    assert whole.half == "fitted"


def test_a_csv_file_has_a_point_for_each_depth() -> None:
    lines = ["queue_depth,clat_us", *[f"{depth},{60 + depth}" for depth in (1, 2) for _ in range(150)]]
    points = latency_log.points("\n".join(lines), "x.csv", {"rw": "randread", "bs": "4k", "ioengine": "libaio"})
    assert [(point.job.depth, point.statistics["mean_us"]) for point in points] == [(1, 61.0), (2, 62.0)]
    nanoseconds = "\n".join(["latency (ns)", *["61000"] * 150])
    (point,) = latency_log.points(nanoseconds, "x.csv", {**OPTIONS, "iodepth": 1})
    assert point.statistics["mean_us"] == 61.0


@pytest.mark.parametrize("depth", ["²", "0", "-1", pytest.param("1" * 5000, id="long")])
def test_a_depth_that_is_none_is_refused(depth: str) -> None:
    with pytest.raises(cn.ConfigError, match=r"x\.csv:2: got .*, expected a whole number of at least 1"):
        latency_log.points(f"qd,latency_us\n{depth},5\n", "x.csv", OPTIONS)


def test_a_log_is_named_by_text_or_path(tmp_path: Path) -> None:
    log = tmp_path / "l.csv"
    log.write_text("latency_us\n" + "60\n" * 100)
    given = {"design": "pcie4-tlc", "ranges": RANGES}
    of_text, of_path = (
        document.checked("calibrate", {**given, "measured": [{**OPTIONS, "file": file, "iodepth": 1}]})
        for file in (str(log), log)
    )
    assert of_path.points == of_text.points


def test_percentiles_of_completion_get_the_time_of_submission() -> None:
    reads = side([60.0] * 100, 16_000)
    reads["lat_ns"]["mean"] += 2_000
    job = {"jobname": "a", "job options": {**OPTIONS, "iodepth": "1"}, "read": reads}
    (point,) = fio_results.points(json.dumps({"jobs": [job]}), "a.json")
    assert point.statistics["mean_us"] == pytest.approx(62.0)
    assert point.statistics["p99_us"] == pytest.approx(62.0)


def test_options_of_a_synchronous_engine_mean_one_request_at_a_time() -> None:
    assert fio_results.job_of({**OPTIONS, "iodepth": "8"}, "x").depth == 8
    assert fio_results.job_of({**OPTIONS, "iodepth": "8", "ioengine": "psync"}, "x").depth == 1


def test_parameters_go_into_lists_and_share_values() -> None:
    (shared, whole) = read({"flash.read.0, flash.read.2": ["40us", "60us"], "geometry.channels": [4, 12]}, "ranges")
    assert (shared.at(0.25), whole.at(0.3), whole.step) == ("45us", 6, 0.125)
    made = with_values(cn.design("pcie4-tlc"), {key: shared.at(0.25) for key in shared.keys})
    assert [value_of(made, f"flash.read.{number}") for number in range(3)] == ["45us", "64.3us", "45us"]
    assert shared.part("50us") == 0.5
    assert shared.part("90us") is None


def test_sensitivities_name_groups() -> None:
    first, second = [1.0, 2.0, 1.0, 0.5], [0.2, -1.0, 0.4, 1.0]
    both = [a + b for a, b in zip(first, second, strict=True)]
    apart = identify([first, second], 0.01)
    assert (apart.without_effect, apart.together) == ((), ())
    assert all(each is not None and each < 0.02 for each in apart.uncertainties)
    tied = identify([first, second, both, [0.0] * 4], 0.01)
    assert tied.without_effect == (3,)
    assert tied.together == ((0, 1, 2),)


def test_a_curve_of_rates_tells_what_it_determines(tmp_path: Path) -> None:
    """Latencies at light load say how long reads take, and nothing of how many dies there are."""
    lines = ["rate_iops,iops,p50_us,p99_us"]
    for rate in (2_000, 4_000, 8_000, 16_000):
        keys = {"requests": 6000, "read_share": 1.0, "size": "4KiB", "alignment": "4KiB", "queue_depth": 64}
        pace = {"inter_arrival": f"{1e9 / rate:.0f}ns", "arrivals": "fixed"}
        result = cn.run(base(**TRUE), workload("curve", [flow("curve", keys | pace)]), seed=7)
        latency = result.latency_us.all
        lines.append(f"{rate},{result.iops:.0f},{latency.p50},{latency.p99}")
    file = tmp_path / "curve.csv"
    file.write_text("\n".join(lines))
    ranges = {"flash.read": ["40us", "70us"], "flash.erase": ["3ms", "4ms"]}
    known = {"file": str(file), "rw": "randread", "bs": "4k", "iodepth": "64", "ioengine": "io_uring"}
    drive = base(**{"controller.ecc_latency": TRUE["controller.ecc_latency"]})
    found = cn.calibrate(drive, ranges, [known], trials=8, requests=2000, progress=False)
    assert abs(time_us(str(value_of(found.design, "flash.read"))) - 52) < 1
    assert found.report["identifiability"]["without_effect"] == ["flash.erase"]
    assert found.report["error"]["after"]["judged"] < 0.05


def test_a_curve_of_reads_and_writes_has_both() -> None:
    options = {"rw": "randrw", "rwmixread": 20, "bs": "4k", "iodepth": 64, "numjobs": 2, "rate_process": "poisson"}
    text = "rate_iops,iops,read_p50_us,write_p50_us,write_p99_us\n10000,9000,70,9,20\n"
    read, write = load_curve.points(text, "curve.csv", options)
    assert (read.op, write.op) == ("read", "write")
    assert read.statistics == {"p50_us": 70, "iops": 1800}
    assert write.statistics == {"p50_us": 9, "p99_us": 20, "iops": 7200}
    flows = workload_of(read.job, 1000).to_dict()["flow"]
    assert sum(flow.get("threads", 1) for flow in flows) == 2
    assert flows[0]["synthetic"] | {"read_share": 0.2, "inter_arrival": "200us"} == flows[0]["synthetic"]
