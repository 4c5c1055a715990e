from pathlib import Path
from typing import Any

import pytest


def test_limits_come_least_first(canaletto: Any) -> None:
    found = canaletto.ok("bound", "performance-optimized", "--size", "512B", "--reads", "90%", "--json").json
    limits = list(found["limits_iops"].values())
    assert limits == sorted(limits)
    assert found["schema"] == 1
    assert found["ceiling_iops"] == limits[0]
    assert found["peak_iops"] < limits[0]
    assert found["bandwidth_mb_s"] == pytest.approx(found["peak_iops"] * 512 / 1e6)
    tails = [each["p99_us"] for each in found["latency"]]
    assert tails == sorted(tails)
    assert tails[0] > found["unloaded_us"]


def test_no_load_above_saturation_is_shown(canaletto: Any) -> None:
    found = canaletto.ok("bound", "performance-optimized", "--reads", "30%", "--json").json
    assert all(each["load"] < 1 for each in found["latency"])
    assert found["knee_iops"] < found["peak_iops"]
    out = canaletto.ok("bound", "performance-optimized", "--reads", "30%").out
    said = " ".join(out.split())
    assert "saturates at" in said
    assert "limited by contention: dies alone would allow" in said
    assert "requests at saturation: write amplification 1.00." in said
    assert "idle latency reads 7.35 µs · writes 104 µs · mean 75" in said


def test_a_peak_at_its_limit_is_not_called_below_it(canaletto: Any) -> None:
    words = ["bound", "pcie4-tlc", "--reads", "99%", "--size", "64KiB"]
    found = canaletto.ok(*words, "--json").json
    said = " ".join(canaletto.ok(*words).out.split())
    assert ("alone would allow" in said) == (found["peak_iops"] < found["ceiling_iops"])
    assert "limited by host link, to host" in said


def test_a_closed_loop_has_no_load_to_vary(canaletto: Any) -> None:
    words = ["bound", "performance-optimized", "--reads", "30%", "--queue-depth", "2"]
    found = canaletto.ok(*words, "--json").json
    assert (found["limit"], found["latency"]) == ("queue depth", [])
    out = canaletto.ok(*words).out
    assert "knee          none" in out
    assert "99%" not in out


def test_a_short_workload_is_saturated_all_the_same(canaletto: Any) -> None:
    (canaletto.folder / "few.toml").write_text(FEW)
    few = canaletto.ok("bound", "pcie5-tlc", "--workload", "few.toml", "--json").json
    many = canaletto.ok("bound", "pcie5-tlc", "--size", "64KiB", "--reads", "50%", "--json").json
    assert few["simulated_requests"] >= 8000
    assert few["peak_iops"] == pytest.approx(many["peak_iops"], rel=0.05)


def test_people_read_what_limits(canaletto: Any) -> None:
    out = canaletto.ok(
        "bound", "performance-optimized", "--fabric", "venice", "--size", "64KiB", "--set", "link.lanes=16"
    ).out
    assert "limited by controllers" in " ".join(out.split())
    assert "venice has no closed form" in out


def test_a_dry_run_has_a_line_of_it(canaletto: Any) -> None:
    out = canaletto.ok("run", "performance-optimized", "--workload", "YCSB_B", "--dry-run").out
    assert "limited by host link, to host" in " ".join(out.split())


def test_a_dry_run_says_that_limits_know_no_failed_parts(canaletto: Any) -> None:
    failed = ["--set", "fabric.failures.buses=2", "--set", "fabric.failures.links=1"]
    told = canaletto.ok("run", "performance-optimized", "--workload", "YCSB_B", "--dry-run", *failed)
    assert "fabric.failures.buses = 2: the limits below are for the whole interconnect" in told.err
    whole = canaletto.ok("bound", "performance-optimized", "--set", "fabric.failures.links=1", "--json").json
    assert whole["peak_iops"] == canaletto.ok("bound", "performance-optimized", "--json").json["peak_iops"]


FEW = """name = "few"
[[flow]]
name = "a"
synthetic = { requests = 50, read_share = 0.5, size = "64KiB", alignment = "4KiB", queue_depth = 2000 }
"""

BAD = {
    (
        "--set",
        "fabric.failures.buses=1",
    ): "fabric.failures.buses: got 1, expected 0: an interconnect of which",
    ("--size", "500B"): 'size: got "500B", expected a multiple of 512 B',
    ("--size", "big"): 'size: got "big", expected a multiple of 512 B',
    ("--reads", "120%"): "got 120%, expected a share",
    ("--write-amplification", "0.5"): "write_amplification: got 0.5, expected a number from 1",
    ("--write-amplification", "nan"): "write_amplification: got nan, expected a number from 1",
    ("--set", "workload.read_share=1"): "given without --workload",
    ("--set", "attachment.kind=nbdp"): 'attachment.kind: got "nbdp", expected "none"',
}


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_bad_input_gets_one_line(words: tuple[str, ...], canaletto: Any) -> None:
    answer = canaletto("bound", "performance-optimized", *words)
    assert answer.status == 2
    assert answer.out == ""
    assert len(answer.err.splitlines()) == 1
    assert BAD[words] in answer.err


def test_requests_of_a_trace_have_no_closed_form(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "a.trace").write_text("0 0 0 8 0\n1000 0 8 8 1\n")
    answer = canaletto("bound", "performance-optimized", "--workload", str(tmp_path / "a.trace"))
    assert answer.status == 2
    assert "expected generated ones" in answer.err
