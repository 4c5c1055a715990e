from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from canaletto._run import names
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published

FABRICS = [name for name in names.fabrics() if name != "mesh-2bit"]


@pytest.mark.parametrize("fabric", FABRICS)
def test_explanations_account_for_every_picosecond(
    fabric: str, canaletto: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ["--requests", "3000", "--queue-depth", "64", "--fabric", fabric, "--out", "a", "--no-report"]
    canaletto.ok("run", "performance-optimized", "--workload", "hm_0", *words)
    found = canaletto.ok("explain", "a", "--slowest", "5", "--json").json
    slowest = pl.read_parquet(tmp_path / "a" / "requests.parquet").sort("latency_us", descending=True).head(5)
    assert {each["request"] for each in found["requests"]} == set(slowest["request"])
    assert found["left_out"] == []
    for each in found["requests"]:
        (row,) = slowest.filter(pl.col("request") == each["request"]).iter_rows(named=True)
        assert each["latency_ps"] / 1e6 == pytest.approx(row["latency_us"])
        steps = each["steps"]
        assert sum(step["duration_ps"] for step in steps) == each["latency_ps"]
        assert all(a["start_ps"] + a["duration_ps"] == b["start_ps"] for a, b in pairwise(steps))
        by_cause = {cause: ps for cause, ps in each["by_cause_ps"].items() if ps}
        assert by_cause == {
            cause: pytest.approx(row[f"{cause}_us"] * 1e6, abs=1000) for cause in by_cause if f"{cause}_us" in row
        }
    text = canaletto.ok("explain", "a", "--slowest", "2").out
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("mostly:") == 2


def test_waits_for_the_chip_have_holders(canaletto: Any) -> None:
    words = ["--requests", "3000", "--queue-depth", "64", "--out", "a"]
    canaletto.ok("run", "performance-optimized", "--workload", "hm_0", *words)
    waits = [
        step
        for each in canaletto.ok("explain", "a", "--slowest", "5", "--json").json["requests"]
        for step in each["steps"]
        if step["cause"] in ("chip_busy_user", "path_conflict") and step["duration_ps"] > 10_000_000
    ]
    assert waits
    for step in waits:
        assert sum(holder["time_ps"] for holder in step["holders"]) > step["duration_ps"] / 2, step


@pytest.mark.parametrize("fabric", FABRICS)
def test_a_trace_of_a_window(fabric: str, canaletto: Any, tmp_path: Path) -> None:
    words = ["--requests", "2000", "--fabric", fabric, "--timeline", "t.pftrace", "--window", "200us:400us"]
    answer = canaletto.ok("run", "performance-optimized", "--workload", "hm_0", "--queue-depth", "32", *words)
    assert "wrote t.pftrace" in answer.err
    trace = published.Trace.FromString((tmp_path / "t.pftrace").read_bytes())
    times = [packet.timestamp for packet in trace.packet if packet.HasField("track_event")]
    assert len(times) > 100
    assert 200_000 <= min(times) <= max(times) <= 400_000
    again = canaletto.ok("run", "performance-optimized", "--workload", "hm_0", "--queue-depth", "32", *words, "--force")
    assert again.out.split("cost")[0] == answer.out.split("cost")[0]
    assert published.Trace.FromString((tmp_path / "t.pftrace").read_bytes()) == trace


def test_explain_takes_a_run_of_a_comparison(canaletto: Any) -> None:
    words = ["--workload", "hm_0", "--requests", "500", "--fabrics", "bus,ideal", "--out", "c"]
    canaletto.ok("compare", "performance-optimized", *words)
    assert len(canaletto.ok("explain", "c/ideal", "--slowest", "1", "--json").json["requests"]) == 1
    canaletto.refuses("explain", "c", says=("a comparison", "c/bus"))
