import os
import re
from pathlib import Path
from typing import Any

import pytest

LATENCIES = {"mean", "p50", "p90", "p99", "p99_9", "p99_99", "max"}
MEASURES = {
    "requests",
    "execution_time_us",
    "iops",
    "bandwidth_mb_s",
    "latency_us",
    "blame_us",
    "path_conflicts",
    "device_response_us",
}

# Trace, requests that it holds, and what it needs to find room on the drive.
TRACES = {
    "mqsim/tpcc-small.trace": (6999, []),
    "mqsim/wsrch-small.trace": (24783, []),
    "msr/hm_0-sample1000.csv.gz": (1000, []),
    "umass_spc/Financial1-first10k.ascii.gz": (10_000, ["--devices", "offset"]),
}


def one_run(canaletto: Any, *words: object, **environment: str) -> Any:
    return canaletto.ok("run", "performance-optimized", "--json", "--workload", *words, **environment).json


@pytest.mark.parametrize("name", TRACES)
def test_every_request_of_a_real_trace_is_served(name: str, canaletto: Any, shared: Path) -> None:
    requests, options = TRACES[name]
    result = one_run(canaletto, shared / "traces" / name, *options)
    assert result["requests"]["generated"] == result["requests"]["completed"] == requests
    assert result["requests"]["reads"] + result["requests"]["writes"] == requests


def test_compression_does_not_matter(canaletto: Any, shared: Path, tmp_path: Path) -> None:
    import gzip

    plain = (shared / "traces" / "mqsim" / "tpcc-small.trace").read_bytes()
    (tmp_path / "t.trace").write_bytes(plain)
    (tmp_path / "t.trace.gz").write_bytes(gzip.compress(plain))
    first, second = (one_run(canaletto, name) for name in ("t.trace", "t.trace.gz"))
    for result in (first, second):
        del result["replays"][0]["traces"][0]["file"], result["traces"][0]["file"], result["notes"]
    assert without_cost(first) == without_cost(second)


def test_json_holds_the_contract_s_fields(canaletto: Any) -> None:
    result = one_run(canaletto, "hm_0", "--requests", "2000")
    assert set(result) >= MEASURES | {
        *("schema", "design", "workload", "fabric", "seed", "flash", "energy_mj", "average_power_mw"),
        *("flows", "fairness", "cost"),
    }
    assert result["schema"] == 1
    assert set(result["latency_us"]) == {"all", "read", "write", "trim", "flush"}
    for latency in result["latency_us"].values():
        assert set(latency) >= LATENCIES
    assert set(result["requests"]) == {
        *("generated", "completed", "reads", "writes", "trims", "flushes", "failed", "bytes"),
    }
    assert set(result["path_conflicts"]) == {"free_request_share", "free_transaction_share", "lost_us"}
    assert set(result["flash"]) >= {
        "reads",
        "programs",
        "erases",
        "write_amplification",
        "gc",
        "wear",
        "blocks",
        "series",
    }
    assert set(result["cost"]) == {"wall_s", "cpu_s", "events", "requests_per_cpu_s", "peak_rss_mb"}
    (flow,) = result["flows"]
    assert set(flow) >= MEASURES | {"name"}


def test_blame_adds_up_to_the_mean_latency(canaletto: Any) -> None:
    result = one_run(canaletto, "prxy_0", "--requests", "3000")
    assert sum(result["blame_us"]["all"].values()) == pytest.approx(result["latency_us"]["all"]["mean"], rel=1e-9)


def test_nothing_is_infinite_where_nothing_happens(canaletto: Any) -> None:
    result = one_run(canaletto, "hm_0", "--requests", "1", "--set", "workload.flow.0.synthetic.read_share=1.0")
    assert result["latency_us"]["write"]["mean"] is None
    assert result["flash"]["write_amplification"] is None


def test_same_seed_same_bytes_whatever_the_environment(canaletto: Any) -> None:
    runs = [
        one_run(canaletto, "hm_0", "--requests", "5000", **environment)
        for environment in ({}, {"RAYON_NUM_THREADS": "1"}, {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LANG": "C"})
    ]
    texts = [str(without_cost(run)) for run in runs]
    assert texts[0] == texts[1] == texts[2]
    other = one_run(canaletto, "hm_0", "--requests", "5000", "--seed", "2")
    assert str(without_cost(other)) != texts[0]


def test_the_table_fits_80_columns(canaletto: Any) -> None:
    table = canaletto.ok("run", "cost-optimized", "--workload", "hm_0", "--requests", "3000", "--seeds", "3").out
    assert max(map(len, table.splitlines())) <= 80
    for word in ("IOPS", "p99.99", "latency by root cause", "slowest 1 %", "95 % confidence", "write amplification"):
        assert word in table
    assert "\x1b" not in table


def test_warmup_leaves_requests_out(canaletto: Any) -> None:
    counts = one_run(canaletto, "hm_0", "--requests", "3000", "--warmup", "1000")["requests"]
    assert counts["generated"] == counts["completed"] == 3000
    assert counts["reads"] + counts["writes"] == 2000
    words = ["--workload", "hm_0", "--requests", "3000", "--warmup", "1000"]
    table = canaletto.ok("run", "performance-optimized", *words).out
    told = f"2,000 of 3,000 requests after the warm-up ({counts['reads']} reads, {counts['writes']:,} writes;"
    assert told in " ".join(table.split())


def test_a_warmup_that_leaves_nothing_is_refused(canaletto: Any) -> None:
    words = ["run", "cost-optimized", "--warmup", "100", "--out", "r", "--workload"]
    says = ("warmup: got 100, but the run has only 100 requests; expected fewer",)
    canaletto.refuses(*words, "hm_0", "--requests", "100", says=says)
    (canaletto.folder / "t.trace").write_text("".join(f"{number * 100_000} 0 0 8 1\n" for number in range(100)))
    canaletto.refuses(*words, "t.trace", says=says)
    assert [path.name for path in canaletto.folder.iterdir()] == ["t.trace"]


def test_seeds_give_intervals(canaletto: Any) -> None:
    result = one_run(canaletto, "hm_0", "--requests", "2000", "--seeds", "4", "--seed", "10")
    single = [one_run(canaletto, "hm_0", "--requests", "2000", "--seed", seed)["iops"] for seed in range(10, 14)]
    confidence = result["confidence"]
    assert confidence["seeds"] == [10, 11, 12, 13]
    assert result["seed"] == 10
    assert result["iops"] == single[0]
    assert confidence["iops"]["mean"] == pytest.approx(sum(single) / 4)
    assert 0 < confidence["iops"]["half_width"] < confidence["iops"]["mean"]


def test_queue_depth_closes_the_loop(canaletto: Any, shared: Path) -> None:
    trace = shared / "traces" / "mqsim" / "tpcc-small.trace"
    closed = [one_run(canaletto, trace, "--queue-depth", depth) for depth in (1, 32)]
    assert closed[1]["iops"] > 2 * closed[0]["iops"]
    assert one_run(canaletto, "hm_0", "--requests", "500", "--queue-depth", "8")["requests"]["completed"] == 500


def test_a_workload_file_finds_its_trace_beside_it(canaletto: Any, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "w.toml").write_text('name = "w"\n[[flow]]\nname = "a"\n[flow.trace]\nfile = "t.trace"\n')
    (folder / "t.trace").write_text("".join(f"{n * 1000} 0 {n * 8} 8 {n % 2}\n" for n in range(50)))
    assert one_run(canaletto, "elsewhere/w.toml")["requests"]["completed"] == 50


def test_a_design_file_builds_on_a_preset(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text('base = "performance-optimized"\nname = "mine"\n[flash]\nread = "50us"\n')
    result = canaletto.ok("run", "d.toml", "--workload", "proj_3", "--requests", "500", "--json").json
    assert result["design"] == "mine"
    assert result["latency_us"]["read"]["p50"] > 50


def test_dry_run_answers_first_and_runs_nothing(canaletto: Any, tmp_path: Path) -> None:
    words = ["run", "performance-optimized", "--workload", "hm_0", "--dry-run", "--set", "flash.read=7us"]
    text, whole = canaletto.ok(*words).out, canaletto.ok(*words, "--full").out
    assert re.match("performance-optimized on bus, .* saturates at .* IOPS, .* limited by ", " ".join(text.split()))
    for word in ("412 GB raw", "reads bound by", "memory", "time", "of CPU"):
        assert word in text
    assert text.count("\n") < 25
    for word in ('read = "7us"', "[flow.synthetic]"):
        assert word in whole
        assert word not in text
    # The estimate of time differs.
    assert whole.split()[:10] == text.split()[:10]
    canaletto.refuses(*words[:4], "--full", says=("--full", "--dry-run"))
    found = canaletto.ok(*words, "--json").json
    assert found["design"]["flash"]["read"] == "7us"
    assert found["raw_bytes"] == 8 * 8 * 2 * 1024 * 768 * 4096
    assert found["bottleneck"] == {"read": "host link", "write": "flash arrays (programming)"}
    assert found["memory_mb"] > 0
    assert os.listdir(tmp_path) == []
    narrow = canaletto.ok(
        "run", "performance-optimized", "--workload", "YCSB_B", "--set", "geometry.channels=4", "--dry-run"
    )
    assert " ".join(narrow.out.split()).startswith(
        "Saturated: 5.00 GB/s of reads are offered, and fabric allows 4.80 GB/s."
    )


def without_cost(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "cost"}


@pytest.mark.parametrize("kind", ["steady", "replay"])
def test_the_state_before_the_run_adds_up_and_is_printed(kind: str, canaletto: Any) -> None:
    words = ["--workload", "hm_0", "--requests", "300", "--precondition", kind, "--occupancy", "0.5"]
    small = ["--set", "geometry.blocks_per_plane=32", "--set", "geometry.pages_per_block=16"]
    design = ["performance-optimized", *small, "--set", "ftl.overprovisioning=0.3"]
    found = canaletto.ok("run", *design, *words, "--json").json["precondition"]
    blocks = found["blocks"]
    assert sum(blocks[kind] for kind in ("free", "open", "full", "bad")) == blocks["total"]
    assert found["kind"] == kind
    assert found["occupancy"] == [0.5]
    assert found["valid_pages"] / found["pages"] == pytest.approx(0.35, rel=0.01)
    assert f"{blocks['total']:,} blocks" in " ".join(canaletto.ok("run", *design, *words).out.split())


def test_an_occupancy_needs_a_preconditioned_drive(canaletto: Any) -> None:
    refused = canaletto("run", "performance-optimized", "--workload", "hm_0", "--occupancy", "0.5")
    assert refused.status == 2
    assert "precondition.occupancy" in refused.err
