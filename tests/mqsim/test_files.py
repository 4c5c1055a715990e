import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HEADER = ["arrival_ns", "enqueue_ns", "complete_ns", "type", "start_lba", "sectors"]


@pytest.fixture
def case(shared: Path) -> Callable[[str], tuple[str, str]]:
    def paths(name: str) -> tuple[str, str]:
        folder = shared / "reference" / "mqsim" / name
        return str(folder / "ssdconfig.xml"), str(folder / "workload.xml")

    return paths


def rows(path: Path) -> list[list[str]]:
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_completions_are_in_order_of_completion(canaletto: Any, case: Any, tmp_path: Path) -> None:
    device, workload = case("cost-mix70-16k-qd16")
    answer = canaletto.ok("mqsim", "-i", device, "-w", workload, "--json", "--completions", "done.csv")
    header, *body = rows(tmp_path / "done.csv")
    assert header == HEADER
    flow = answer.json["scenarios"][0]["flows"][0]
    assert len(body) == flow["completed"] == flow["generated"]
    ends = [int(row[2]) for row in body]
    assert ends == sorted(ends)
    assert {row[3] for row in body} == {"R", "W"}
    responses = [int(row[2]) - int(row[1]) for row in body]
    times = flow["device_response_ns"]
    assert times["mean"] == pytest.approx(sum(responses) / len(responses), abs=1e-3)
    assert [times["min"], times["max"]] == [min(responses), max(responses)]
    assert times["p50"] == pytest.approx(sorted(responses)[(len(responses) - 1) // 2], rel=0.01)
    assert [flow["reads"], flow["writes"]] == [sum(row[3] == kind for row in body) for kind in "RW"]
    assert flow["bandwidth_mb_s"] == pytest.approx(sum(int(row[5]) for row in body) * 512 * 1e3 / ends[-1])


def test_json_is_the_contract_s(canaletto: Any, case: Any) -> None:
    device, workload = case("perf-randread-4k-qd1")
    found = canaletto.ok("mqsim", "-i", device, "-w", workload, "--json").json
    assert list(found) == ["scenarios", "warnings"]
    (scenario,) = found["scenarios"]
    assert list(scenario) == ["class", "why", "flows", "cost"]
    (flow,) = scenario["flows"]
    counts = ["completed", "generated", "reads", "writes", "iops", "bandwidth_mb_s"]
    assert list(flow) == ["name", *counts, "device_response_ns", "end_to_end_ns"]
    times = ["mean", "min", "p50", "p90", "p99", "p99_9", "p99_99", "max"]
    assert sorted(flow["device_response_ns"]) == sorted(flow["end_to_end_ns"]) == sorted(times)
    assert flow["name"] == "Host.IO_Flow.Synth.No_0"


def test_results_do_not_depend_on_whether_completions_are_kept(canaletto: Any, case: Any) -> None:
    for name in ("cost-trace-tpcc-small", "diag-2flows-high-low"):
        device, workload = case(name)
        bare = canaletto.ok("mqsim", "-i", device, "-w", workload, "--json").json
        kept = canaletto.ok("mqsim", "-i", device, "-w", workload, "--json", "--completions", f"{name}.csv").json
        assert bare["scenarios"][0]["flows"] == kept["scenarios"][0]["flows"]


def test_each_flow_and_scenario_has_its_file(canaletto: Any, case: Any, tmp_path: Path) -> None:
    device, workload = case("diag-2flows-high-low")
    text = Path(workload).read_text()
    scenario = text[text.index("<IO_Scenario>") : text.index("</IO_Scenario>") + len("</IO_Scenario>")]
    one = scenario[: scenario.rindex("<IO_Flow_Parameter_Set_Synthetic>")] + "</IO_Scenario>"
    (tmp_path / "two.xml").write_text(text.replace(scenario, scenario + one))
    canaletto.ok("mqsim", "-i", device, "-w", "two.xml", "--completions", "log.csv")
    written = sorted(path.name for path in tmp_path.glob("log*"))
    assert written == ["log.scenario0.flow0.csv", "log.scenario0.flow1.csv", "log.scenario1.csv"]


def test_traces_are_found_beside_the_workload_file(canaletto: Any, case: Any, tmp_path: Path) -> None:
    device, workload = case("cost-trace-tpcc-small")
    lines = [f"{1000 * n} 0 {8 * n} 8 {n % 2}" for n in range(100)]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "small.trace").write_text("\n".join(lines) + "\n")
    text = Path(workload).read_text().replace("../../../traces/mqsim/tpcc-small.trace", "small.trace")
    (tmp_path / "sub" / "workload.xml").write_text(text)
    found = canaletto.ok("mqsim", "-i", device, "-w", "sub/workload.xml", "--json").json
    assert found["scenarios"][0]["flows"][0]["completed"] == 100
    half = text.replace(">100</Percentage_To_Be_Executed>", ">50</Percentage_To_Be_Executed>")
    (tmp_path / "sub" / "workload.xml").write_text(half)
    found = canaletto.ok("mqsim", "-i", device, "-w", "sub/workload.xml", "--json").json
    assert found["scenarios"][0]["flows"][0]["completed"] == 50


def test_tags_without_effect_are_told(canaletto: Any, case: Any) -> None:
    device, workload = case("perf-randread-4k-qd1")
    short = canaletto.ok("mqsim", "-i", device, "-w", workload).err
    assert len(short.splitlines()) == 1
    assert "tags have no effect" in short
    notes = canaletto.ok("mqsim", "-i", device, "-w", workload, "--notes").err
    assert "<Static_Wearleveling_Threshold>" in notes
