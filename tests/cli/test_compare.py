import json
import re
import shutil
from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from conftest import Canaletto

FABRICS = ["bus", "packetized", "ideal"]
SPEEDUPS = {"execution_time", "mean_latency", "p99_latency", "iops"}
RUN_FILES = ["design.toml", "requests.parquet", "result.json", "run.json", "workload.toml"]
PROFILE = ["performance-optimized", "--workload", "hm_0", "--requests", "1500"]


def compare(canaletto: Any, *words: object) -> Any:
    return canaletto.ok("compare", *words, "--fabrics", ",".join(FABRICS), "--json").json


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    Canaletto(folder).ok("compare", *PROFILE, "--fabrics", ",".join(FABRICS), "--out", "runs/all")
    return folder / "runs"


@pytest.fixture
def frozen(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "runs") / "all"


@pytest.mark.parametrize("name", ["tpcc-small", "wsrch-small"])
def test_json_is_that_of_the_contract(name: str, canaletto: Any, shared: Path) -> None:
    trace = shared / "traces" / "mqsim" / f"{name}.trace"
    found = compare(canaletto, "performance-optimized", "--workload", trace)
    assert set(found) == {"schema", "verdict", "notes", "runs", "speedup"}
    assert found["schema"] == 1
    assert [run["fabric"] for run in found["runs"]] == list(found["speedup"]) == FABRICS
    for run in found["runs"]:
        assert run["requests"]["completed"] == run["requests"]["generated"] > 1000
        blamed = sum(run["blame_us"]["all"].values())
        assert blamed == pytest.approx(run["latency_us"]["all"]["mean"], rel=1e-9)
    for speedup in found["speedup"].values():
        assert set(speedup) == SPEEDUPS
    assert set(found["speedup"]["bus"].values()) == {1.0}
    first, _, last = found["runs"]
    ratios = {
        "execution_time": first["execution_time_us"] / last["execution_time_us"],
        "mean_latency": first["latency_us"]["all"]["mean"] / last["latency_us"]["all"]["mean"],
        "p99_latency": first["latency_us"]["all"]["p99"] / last["latency_us"]["all"]["p99"],
        "iops": last["iops"] / first["iops"],
    }
    assert found["speedup"]["ideal"] == pytest.approx(ratios)
    assert last["path_conflicts"]["free_request_share"] == 1


def test_each_run_is_what_run_prints(canaletto: Any) -> None:
    words = [*PROFILE, "--seed", "3", "--warmup", "100", "--set", "flash.read=9us", "--queue-depth", "8"]
    together = compare(canaletto, *words)["runs"]
    for run in together:
        alone = canaletto.ok("run", *words, "--fabric", run["fabric"], "--json").json
        assert without_cost(run) == without_cost(alone)


def test_the_usual_fabrics_are_those_there_are(canaletto: Any) -> None:
    known = [entry["name"] for entry in canaletto.ok("presets", "--json").json["fabrics"]]
    found = canaletto.ok("compare", *PROFILE, "--json").json
    assert [run["fabric"] for run in found["runs"]] == [
        name
        for name in known
        if name not in ("sca", "mesh-2bit", "scheduled-mesh", "clusters", "daisy-chain", "ring", "custom")
    ]


def test_the_answer_in_80_columns(canaletto: Any) -> None:
    answer = canaletto.ok("compare", *PROFILE)
    assert answer.err == ""
    assert max(map(len, answer.out.splitlines())) <= 80
    text = " ".join(answer.out.split())
    for part in (
        "as fast as bus (mean latency",
        "path conflicts",
        "speedup over",
        "busiest part",
        "latency by root cause,",
    ):
        assert part in text
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    heads = next(at for at, line in enumerate(lines) if line.split()[:2] == ["fabric", "IOPS"])
    assert lines[heads].split()[-3:] == ["p99.99", "energy", "power"]
    bus = lines[heads + 1].split()
    assert bus[0] == "bus"
    assert float(bus[1]) > 0
    assert "–: fewer than ten requests are slower" in answer.out


@pytest.mark.parametrize(("command", "runs"), [("compare", 2), ("load", 2 * 7)])
def test_a_dry_run_answers_for_each_fabric_and_runs_nothing(
    command: str, runs: int, canaletto: Any, tmp_path: Path
) -> None:
    words = [command, "performance-optimized", "--workload", "YCSB_B", "--requests", "2e4", "--fabrics", "bus,mesh"]
    words += ["--loads", "4"] if command == "load" else []
    found = canaletto.ok(*words, "--dry-run", "--out", "a", "--json").json
    assert [each["fabric"] for each in found["drives"]] == ["bus", "mesh"]
    for each in found["drives"]:
        bound = canaletto.ok("bound", *words[1:4], "--fabric", each["fabric"], "--json").json
        assert (each["peak_iops"], each["limit"]) == (bound["peak_iops"], bound["limit"])
        assert each["memory_mb"] > 0
    assert found["simulations"] == runs
    assert found["cpu_s"] == pytest.approx(runs / 2 * sum(each["cpu_s"] for each in found["drives"]))
    assert not (tmp_path / "a").exists()
    said = canaletto.ok(*words, "--dry-run").out
    assert f"{runs} simulations, about " in said
    assert max(map(len, said.splitlines())) <= 80


def test_notes_of_a_comparison_are_for_machines_too(canaletto: Any) -> None:
    words = [
        "compare",
        "performance-optimized",
        "--workload",
        "YCSB_B",
        "--requests",
        "2e3",
        "--fabrics",
        "bus,packetized",
    ]
    told = " ".join(canaletto.ok(*words).out.split())
    found = canaletto.ok(*words, "--json=summary").json
    assert any(note.startswith("Not structure alone: the wires at packetized's") for note in found["notes"])
    assert all(note in told for note in found["notes"])


def test_a_folder_holds_the_comparison_and_its_runs(canaletto: Any, frozen: Path) -> None:
    assert sorted(path.name for path in frozen.iterdir()) == sorted(
        [*FABRICS, "compare.json", "report.html", "run.json"]
    )
    record = json.loads((frozen / "run.json").read_text())
    assert (record["schema"], record["kind"], record["fabrics"]) == (1, "compare", FABRICS)
    assert record["command"][:2] == ["canaletto", "compare"]
    assert record["options"] == {"seed": 1, "seeds": 1, "warmup": 0}
    assert record["version"] == canaletto.ok("--version").out.split()[1]
    found = json.loads((frozen / "compare.json").read_text())
    assert [without_cost(run) for run in found["runs"]] == [
        without_cost(r) for r in compare(canaletto, *PROFILE)["runs"]
    ]
    for run in found["runs"]:
        home = frozen / run["fabric"]
        assert sorted(path.name for path in home.iterdir()) == RUN_FILES
        assert json.loads((home / "result.json").read_text()) == run
        assert pl.read_parquet(home / "requests.parquet").height == 1500
    assert "1,500 requests" in (frozen / "report.html").read_text()


def played(page: Path) -> Any:
    found = re.search(r'id="timeline-data">(.*?)</script>', page.read_text())
    return found and json.loads(found[1])


def test_the_report_plays_a_window_worth_it(frozen: Path) -> None:
    found = played(frozen / "report.html")
    assert [each["fabric"] for each in found["fabrics"]] == FABRICS
    requests = pl.read_parquet(frozen / "bus" / "requests.parquet").sort("path_conflict_us", descending=True)
    worst = requests.row(0, named=True)
    assert found["request"] == worst["request"]
    assert found["start"] <= worst["arrival_us"] * 1e6 <= found["start"] + found["end"]
    assert found["end"] == found["whole"] >= 100_000_000
    for each in found["fabrics"]:
        assert worst["request"] in [request[0] for request in each["requests"]]


@pytest.mark.parametrize("command", ["compare", "run"])
def test_the_report_plays_the_window_that_is_asked_for(command: str, canaletto: Any, tmp_path: Path) -> None:
    words = [*PROFILE, "--out", "a"] + (["--fabrics", "bus,ideal"] if command == "compare" else [])
    answer = canaletto.ok(command, *words, "--window", "1ms:1.25ms")
    assert answer.err == "canaletto: wrote a (open a/report.html)\n"
    found = played(tmp_path / "a" / "report.html")
    assert (found["start"], found["end"], found["request"]) == (10**9, 250_000_000, None)
    more = ["--queue-depth", "256", "--requests", "20000", "--force"]
    answer = canaletto.ok(command, *words, *more, "--window", "0us:80ms")
    assert "the report's window is cut" in answer.err
    assert "of the window of 80.0 ms: " in (tmp_path / "a" / "report.html").read_text()
    answer = canaletto.ok(command, *words, "--force", "--window", "100s:101s")
    assert "nothing happens in its window" in answer.err
    assert played(tmp_path / "a" / "report.html") is None


def test_its_runs_are_runs(canaletto: Any, frozen: Path) -> None:
    for fabric in FABRICS:
        assert canaletto.ok("rerun", frozen / fabric, "--json").json["identical"] is True
    found = canaletto.ok("diff", "runs/all/bus", "runs/all/ideal", "--json").json
    assert [(line["name"], line["a"], line["b"]) for line in found["configuration"]] == [
        ("design.fabric.kind", "bus", "ideal")
    ]
    canaletto.refuses("rerun", "runs/all", says=("runs/all: a comparison", "runs/all/bus", "runs/all/ideal"))
    canaletto.refuses("diff", "runs/all/bus", "runs/all", says=("runs/all: a comparison",))


def test_traces_are_recorded_with_every_run(canaletto: Any, shared: Path, tmp_path: Path) -> None:
    trace = shared / "traces" / "mqsim" / "tpcc-small.trace"
    words = ["compare", "performance-optimized", "--workload", trace, "--fabrics", "bus,ideal", "--out", "c", "--json"]
    answer = canaletto.ok(*words)
    assert answer.json["speedup"]
    assert answer.err == "canaletto: wrote c (open c/report.html)\n"
    for folder in ("c", "c/bus", "c/ideal"):
        (recorded,) = json.loads((tmp_path / folder / "run.json").read_text())["traces"]
        assert recorded["file"] == str(trace)
        assert recorded["hash"].startswith("sha256:")
    assert canaletto.ok("rerun", "c/ideal", "--json").json["identical"] is True


def test_force_replaces_a_comparison_and_a_run(canaletto: Any, frozen: Path, tmp_path: Path) -> None:
    words = ["compare", *PROFILE, "--fabrics", "ideal", "--out", "runs/all"]
    before = {path: path.read_bytes() for path in frozen.rglob("*") if path.is_file()}
    canaletto.refuses(*words, says=("runs/all: exists already", "--force"))
    assert {path: path.read_bytes() for path in frozen.rglob("*") if path.is_file()} == before
    canaletto.ok(*words, "--force")
    assert not (frozen / "bus").exists()
    canaletto.ok("run", *PROFILE, "--out", "runs/all", "--force")
    assert (frozen / "result.json").exists()
    canaletto.ok(*words, "--force")
    assert (frozen / "compare.json").exists()
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["all"]


def without_cost(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "cost"}


def test_equal_budgets_in_80_columns_and_again(canaletto: Any, tmp_path: Path) -> None:
    words = [*PROFILE, "--fabrics", "bus,mesh,clusters", "--equal", "pins=15"]
    answer = canaletto.ok("compare", *words, "--out", "a")
    assert max(map(len, answer.out.splitlines())) <= 80
    text = " ".join(answer.out.split())
    assert "links of each fabric are as wide as 15 data pins per controller allow, in whole wires" in text
    assert "mesh 8 16 7 14 1 " in text
    for run in ("bus", "mesh", "clusters", "crossbar"):
        assert canaletto.ok("rerun", f"a/{run}", "--json").json["identical"] is True
    found = canaletto.ok("compare", *words, "--json=summary").json
    assert list(found["speedup"]) == ["bus", "mesh", "clusters", "crossbar"]
    assert found["equal"] == json.loads((tmp_path / "a" / "run.json").read_text())["equal"]
    assert "map" not in found["crossbar"]
    refused = canaletto("rerun", "a")
    assert refused.status == 2
    assert "a/clusters, a/crossbar" in refused.err


def test_load_at_equal_budgets(canaletto: Any, tmp_path: Path) -> None:
    words = [
        "performance-optimized",
        "--workload",
        "YCSB_B",
        "--requests",
        "200",
        "--loads",
        "3",
        "--fabrics",
        "bus,venice",
    ]
    found = canaletto.ok("load", *words, "--equal", "pins", "--out", "a", "--json").json
    assert [each["fabric"] for each in found["curves"]] == ["bus", "venice", "crossbar"]
    assert found["equal"]["budget"] == 8
    assert json.loads((tmp_path / "a" / "load.json").read_text())["equal"] == found["equal"]
    assert "crossbar" in (tmp_path / "a" / "report.html").read_text()
    refused = canaletto("load", *words, "--equal", "area")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "--equal area: fabric venice: got 19.2 mm² of silicon and pads" in refused.err


def test_hot_spots_in_80_columns_and_again(canaletto: Any, tmp_path: Path) -> None:
    words = [
        "performance-optimized",
        "--workload",
        "YCSB_B",
        "--requests",
        "200",
        "--fabrics",
        "bus,venice",
        "--hot-spots",
    ]
    answer = canaletto.ok("compare", *words, "--out", "a")
    assert max(map(len, answer.out.splitlines())) <= 80
    assert answer.out.count("worst line") == 3
    assert canaletto.ok("rerun", "a/worst-line/venice", "--json").json["identical"] is True
    found = canaletto.ok("compare", *words, "--json=summary").json
    assert list(found["hot_spots"]) == ["channel", "chip", "worst-line"]
    assert all("map" not in run for each in found["hot_spots"].values() for run in each["runs"])

    found = canaletto.ok("load", *words, "--loads", "2", "--out", "b", "--json").json
    assert list(found["hot_spots"]) == ["channel", "chip", "worst-line"]
    assert [each["fabric"] for each in found["hot_spots"]["chip"]] == ["bus", "venice"]
    table = pl.read_csv(tmp_path / "b" / "load.csv")
    assert table.group_by("place").len()["len"].to_list() == [4] * 4
    page = (tmp_path / "b" / "report.html").read_text()
    assert 'id="worst-line-chart"' in page


def test_several_drives_are_compared(canaletto: Any, tmp_path: Path) -> None:
    drives, work = ["pcie5-tlc-cm7", "hbf-384"], ["--workload", "vector-search", "--requests", "400"]
    said = canaletto.ok("compare", *drives, *work, "--out", tmp_path / "drives")
    assert "Not structure alone" not in said.out
    found = json.loads((tmp_path / "drives" / "compare.json").read_text())
    assert [run["design"] for run in found["runs"]] == list(found["speedup"]) == drives
    assert found["speedup"]["hbf-384"]["mean_latency"] > 5
    assert "identical" in canaletto.ok("rerun", tmp_path / "drives" / "hbf-384").out
    again = cn.load(tmp_path / "drives")
    assert again.fabrics == list(again) == drives
    assert again["hbf-384"].latency_us.all.mean == again.runs[1].latency_us.all.mean
    for words, problem in [
        ([*drives, "--fabrics", "bus,ring"], "--fabrics: given with 2 drives, expected one drive"),
        (["hbf-384", "hbf-384"], "got hbf-384 2 times, expected each drive once"),
        (["hbf-384", "hbf-38"], 'did you mean "hbf-384"'),
    ]:
        canaletto.refuses("compare", *words, *work, says=(problem,))
