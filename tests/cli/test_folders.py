import json
import re
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Canaletto

FILES = ["design.toml", "report.html", "requests.parquet", "result.json", "run.json", "workload.toml"]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    words = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "1500", "--out", "runs/a"]
    Canaletto(folder).ok(*words)
    return folder / "runs"


@pytest.fixture
def frozen(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "runs") / "a"


def test_a_folder_holds_the_whole_run(canaletto: Any, frozen: Path) -> None:
    assert sorted(path.name for path in frozen.iterdir()) == FILES
    assert [path.name for path in frozen.parent.iterdir()] == ["a"]
    record = json.loads((frozen / "run.json").read_text())
    assert record["command"][:2] == ["canaletto", "run"]
    assert record["options"] == {"seed": 1, "seeds": 1, "warmup": 0}
    assert record["version"] == canaletto.ok("--version").out.split()[1]
    requests = pl.read_parquet(frozen / "requests.parquet")
    result = json.loads((frozen / "result.json").read_text())
    assert requests.height == result["requests"]["completed"]
    assert requests["latency_us"].mean() == pytest.approx(result["latency_us"]["all"]["mean"])


def test_the_report_is_complete_in_itself(frozen: Path) -> None:
    page = (frozen / "report.html").read_text()
    for outside in ("src=", "<link", "@import", "<iframe"):
        assert outside not in page.split("<script>")[0]
    assert page.count("</script>") == len(re.findall(r"<script[ >]", page)) >= 6
    assert "1,500 requests" in page
    assert "prefers-color-scheme: dark" in page
    specs = [part.split("</script>")[0].split(">", 1)[1] for part in page.split('<script type="application/json"')[1:]]
    assert len([json.loads(spec) for spec in specs]) >= 5


def test_rerun_repeats_exactly(canaletto: Any, frozen: Path) -> None:
    again = canaletto.ok("rerun", frozen, "--json").json
    assert again["identical"] is True
    assert again["differences"] == []
    assert "identical" in canaletto.ok("rerun", frozen).out


def test_rerun_repeats_seeds_and_traces_too(canaletto: Any, shared: Path, tmp_path: Path) -> None:
    trace = shared / "traces" / "msr" / "hm_0-sample1000.csv.gz"
    canaletto.ok("run", "cost-optimized", "--workload", trace, "--warmup", "10", "--seeds", "2", "--out", "r")
    assert canaletto.ok("rerun", "r", "--json").json["identical"] is True
    (recorded,) = json.loads((tmp_path / "r" / "run.json").read_text())["traces"]
    assert recorded["file"] == str(trace)
    assert recorded["hash"].startswith("sha256:")


def test_rerun_notices_other_results(canaletto: Any, frozen: Path) -> None:
    result = json.loads((frozen / "result.json").read_text())
    result["iops"] += 1
    (frozen / "result.json").write_text(json.dumps(result))
    canaletto.refuses("rerun", frozen, says=("result.json: is not what the run wrote",))


def test_rerun_refuses_another_trace(canaletto: Any, tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("1000 0 0 8 1\n2000 0 8 8 0\n")
    canaletto.ok("run", "performance-optimized", "--workload", "t.trace", "--out", "r")
    trace.write_text("1000 0 0 8 1\n2000 0 16 8 0\n")
    canaletto.refuses("rerun", "r", says=("t.trace", "sha256:", "expected"))


def test_diff_tells_configuration_and_results_apart(canaletto: Any, frozen: Path) -> None:
    words = ["--workload", "hm_0", "--requests", "1500", "--seed", "3", "--set", "flash.read=9us"]
    canaletto.ok("run", "performance-optimized", *words, "--out", "runs/b")
    found = canaletto.ok("diff", "runs/a", "runs/b", "--json").json
    assert [(line["name"], line["a"], line["b"]) for line in found["configuration"]] == [
        ("design.flash.read", "3us", "9us"),
        ("options.seed", 1, 3),
    ]
    (mean,) = (line for line in found["results"] if line["name"] == "latency_us.read.mean")
    assert mean["b"] > mean["a"]
    assert mean["change"] == pytest.approx(mean["b"] / mean["a"] - 1)
    text = canaletto.ok("diff", "runs/a", "runs/b").out
    assert "design.flash.read" in text
    assert "read latency mean" in text
    assert "The configurations are the same." in canaletto.ok("diff", "runs/a", "runs/a").out


def test_force_replaces_a_run(canaletto: Any, frozen: Path) -> None:
    words = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "700", "--out", "runs/a"]
    canaletto.ok(*words, "--force")
    assert json.loads((frozen / "result.json").read_text())["requests"]["completed"] == 700
    assert [path.name for path in frozen.parent.iterdir()] == ["a"]
