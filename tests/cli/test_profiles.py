import random
import tomllib
from pathlib import Path
from typing import Any

import pytest

COMMON = {"requests", "read share", "mean size", "footprint", "sequential share", "page accesses again"}


def write_trace(path: Path, count: int = 20_000) -> None:
    """A trace in MSR's format: Zipf-like reads of two sizes, writes of another, in bursts of eight or so."""
    draw = random.Random(7)
    lines, now = [], 0
    for number in range(count):
        now += int(draw.expovariate(1 / (20 if number % 8 else 8000)))
        page = min(int(draw.paretovariate(0.6)), 200_000) * 7919 % 200_003
        read = draw.random() < 0.6
        size = (4096 if draw.random() < 0.7 else 16384) if read else 8192
        lines.append(f"{now},h,0,{'Read' if read else 'Write'},{page * 4096},{size},0\n")
    path.write_text("".join(lines))


def test_a_profile_is_like_its_trace(canaletto: Any, tmp_path: Path) -> None:
    write_trace(tmp_path / "t.csv")
    answer = canaletto.ok("trace", "fit", "t.csv", "-o", "p.toml")
    assert "wrote p.toml" in answer.err
    profile = tomllib.loads((tmp_path / "p.toml").read_text())
    keys = profile["flow"][0]["synthetic"]
    assert keys["origin"]["read_share"] == "fitted"
    assert keys["origin"]["popular_regions"] == "assumed"
    assert keys["addresses"] == "zipf"
    assert {each["size"] for each in keys["sizes"]} == {"4KiB", "16KiB"}
    assert [each["size"] for each in keys["write_sizes"]] == ["8KiB"]
    found = canaletto.ok("trace", "info", "t.csv", "--against", "p.toml", "--design", "cost-optimized", "--json").json
    alike = found["against"]["alike"]
    ratios = {line["name"]: line["ratio"] for line in alike["figures"]}
    for name in COMMON - {"sequential share"}:
        assert ratios[name] == pytest.approx(1, abs=0.25), name
    assert ratios["mean time between arrivals"] == pytest.approx(1, abs=0.05)
    assert ratios["busiest channel"] == pytest.approx(1, abs=0.3)
    distances = {line["name"]: line["distance"] for line in alike["distributions"]}
    assert distances["sizes of reads"] < 0.02
    assert distances["times between arrivals"] < 0.15
    table = canaletto.ok("trace", "info", "t.csv", "--against", "p.toml").out
    assert all(name in table for name in COMMON)


def test_a_profile_runs_and_keeps_its_origins(canaletto: Any, tmp_path: Path) -> None:
    write_trace(tmp_path / "t.csv", 2000)
    canaletto.ok("trace", "fit", "t.csv", "-o", "p.toml", "--name", "mine", "--design", "networked-ssd")
    result = canaletto.ok("run", "performance-optimized", "--workload", "p.toml", "--json", "--out", "r").json
    assert result["requests"]["completed"] == 2000
    frozen = tomllib.loads((tmp_path / "r" / "workload.toml").read_text())
    assert frozen["name"] == "mine"
    assert frozen["flow"][0]["synthetic"]["origin"]["sizes"] == "fitted"
    shorter = canaletto.ok(
        "run", "performance-optimized", "--workload", "p.toml", "--requests", "5", "--dry-run", "--full"
    ).out
    assert 'sizes = "fitted"' in shorter
    assert 'requests = "fitted"' not in shorter


def test_without_a_file_the_profile_is_printed(canaletto: Any, tmp_path: Path) -> None:
    write_trace(tmp_path / "t.csv", 500)
    printed = tomllib.loads(canaletto.ok("trace", "fit", "t.csv").out)
    assert printed["name"] == "t"


def test_info_of_a_workload_is_about_its_traffic(canaletto: Any) -> None:
    found = canaletto.ok("trace", "info", "prxy_0", "--design", "performance-optimized", "--json").json
    assert found["format"] == "generated"
    assert found["read_share"] == pytest.approx(0.03, abs=0.003)
    assert found["size_bytes"]["mean"] == pytest.approx(7200, rel=0.01)
    assert found["mean_inter_arrival_us"] == pytest.approx(242, rel=0.02)
    assert found["channels"]["imbalance"] > 1.2, "some channels are busier than others, as in its sample"


def test_mixes_are_flows_at_their_own_rates(canaletto: Any) -> None:
    mix = canaletto.ok("trace", "info", "mix4", "--json").json
    assert mix["mean_inter_arrival_us"] == pytest.approx(64.0, rel=0.03)
    assert mix["requests"] == pytest.approx(100_000, abs=3)


def test_what_cannot_be_fitted_is_refused(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "flushes.csv").write_text("arrival_ns,device,offset_bytes,bytes,kind\n5,0,0,0,flush\n")
    canaletto.refuses("trace", "fit", "flushes.csv", says=("flushes.csv", "no reads and no writes"))
    write_trace(tmp_path / "t.csv", 100)
    canaletto.refuses("trace", "fit", "t.csv", "-o", "p.txt", says=("p.txt", ".toml"))
    canaletto.refuses("trace", "info", "hm_0", "--on-error", "skip", says=("hm_0", "workload and no trace"))
    (tmp_path / "w.toml").write_text('name = "w"\n[[flow]]\nname = "r"\n[flow.trace]\nfile = "t.csv"\n')
    canaletto.refuses("trace", "info", "w.toml", says=('flow "r" replays a trace',))
