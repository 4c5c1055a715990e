import json
import os
import re
import resource
import subprocess
from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest

SMALL = """design = "performance-optimized"
workload = "hm_0"
requests = 50

[grid]
fabric = ["bus", "venice"]
seed = [1, 2, 3]
"flash.read" = ["3us", "6us"]
"""


@pytest.fixture(autouse=True)
def own_points(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANALETTO_POINTS", str(tmp_path_factory.mktemp("points")))


def same_everywhere(path: Path) -> pl.DataFrame:
    table = pl.read_parquet(path / "table.parquet")
    return table.drop([name for name in table.columns if name.startswith("machine_")])


def test_the_smallest_file_end_to_end(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SMALL)
    assert canaletto.ok("sweep", "sweep.toml", "--out", "a").err == (
        "canaletto: wrote a (12 points, 12 of them computed now; open a/report.html)\n"
    )
    table = pl.read_parquet(tmp_path / "a" / "table.parquet")
    assert table.height == 12
    assert table.select("point", "fabric", "seed", "flash.read_us").row(11) == (11, "venice", 3, 6.0)
    assert table["machine_cpu_s"].min() > 0
    assert table["error"].null_count() == 12
    # Again, and in another folder: nothing is computed.
    for out in ("a", "b"):
        words = ("sweep", "sweep.toml", "--out", out, "--no-report")
        assert "12 points, 0 of them computed now" in canaletto.ok(*words).err
        assert pl.read_parquet(tmp_path / out / "table.parquet").equals(table)


def test_kills_at_random_moments_lose_and_count_nothing(tmp_path: Path) -> None:
    """Four here; `tests/cli/kill_sweep.py 200` does more."""
    from kill_sweep import kill_until_done

    kill_until_done(tmp_path, kills=4, seed=7)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("requests", "reqests"), "sweep.toml:3: reqests: unknown key, expected one of design"),
        (('"flash.read"', '"flash.raed"'), "sweep.toml:8: flash.raed: unknown key"),
        (('"6us"]', '"6MB"]'), 'sweep.toml:8: flash.read: got "3us" (time) and "6MB" (size), expected values of one'),
        (('"6us"]', "6]"), 'got "3us" (time) and 6 (number)'),
        (('"venice"', '"venise"'), "venise"),
        (("[1, 2, 3]", "{ from = 1, to = 1000000000, step = 1 }"), "sweep.toml:7: seed: got a range of 1,000,000,000"),
        (("[1, 2, 3]", "{ from = 1, to = 99999, step = 1 }"), "got 399,996 points (2 x 99999 x 2), expected at most"),
        (("[1, 2, 3]", "[1, -2]"), "seed: got -2"),
        (("[grid]", "[grid"), "sweep.toml:5: not TOML"),
        (('"hm_0"', '"hm0"'), "hm_0"),
        (('"hm_0"', '"nowhere.csv"'), "nowhere.csv: No such file"),
        (("[grid]", '[set]\n"flash.read" = "3us"\n[grid]'), "flash.read: given as an axis and in set"),
        (("[grid]", '[only_where]\nseeds = { fabric = "bus" }\n[grid]'), "only_where.seeds: no axis of that name"),
        (("[grid]", '[[skip]]\nfabric = "mesh"\n[grid]'), "fabric: got 'mesh', expected one of its values"),
        (("[grid]", "[[zip]]\nrequests = [1, 2]\nevery = [1]\n[grid]"), "requests has 2, every has 1 values"),
        (("[grid]", "[latin]\npoints = 0\n[grid]"), "latin.points: got 0"),
        (('"hm_0"', "5"), "sweep.toml:2: workload: got 5, expected a workload's name or file"),
        (("[grid]", "[grid]\nworkload = [true]"), "workload: got True, expected a workload's name or file"),
        (("[grid]", "read = 3\n[grid]"), "read: got 3, expected a table"),
        (("[grid]", "job = 5\n[grid]"), "job: got 5, expected names"),
        (("[grid]", "as_fast_as_possible = 1\n[grid]"), "as_fast_as_possible: got 1, expected true or false"),
        (("[grid]", 'inter_arrival = "5"\n[grid]'), 'hm_0: inter_arrival: got "5", expected a time'),
    ],
)
def test_a_file_that_is_none(change: tuple[str, str], says: str, canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SMALL.replace(*change))
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", says=(says,))
    assert not (tmp_path / "a").exists()


def test_options_and_folders_that_are_none(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SMALL)
    for text in ("0/3", "4/3", "3", "a/b"):
        canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--shard", text, says=("expected I/N",))
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--collect", says=("a: no such folder",))
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--collect", "--dry-run", says=("both given",))
    assert not (tmp_path / "a").exists()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "thesis.tex").write_text("years")
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", says=("a: exists and is not the folder of a sweep",))
    canaletto.refuses("sweep", "sweep.toml", "--out", "a/thesis.tex", says=("is a file",))
    assert os.listdir(tmp_path / "a") == ["thesis.tex"]


def test_parts_are_collected_once_all_are_there(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SMALL)
    canaletto.ok("sweep", "sweep.toml", "--out", "a", "--shard", "2/2")
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--collect", says=("6 of 12 points are not computed yet",))
    found = canaletto.ok("sweep", "sweep.toml", "--out", "b", "--dry-run", "--json").json
    assert (found["points"], found["computed"], found["axes"]) == (12, 6, {"fabric": 2, "seed": 3, "flash.read": 2})
    assert 0 < found["cpu_hours"] < 1
    assert not (tmp_path / "b").exists()
    canaletto.ok("sweep", "sweep.toml", "--out", "a", "--shard", "1/2")
    found = canaletto.ok("sweep", "sweep.toml", "--out", "a", "--collect", "--no-report", "--json").json
    assert found == {"schema": 1, "points": 12, "computed": 0, "stopped": 0, "table": "a/table.parquet"}
    # Another sweep leaves it alone.
    (tmp_path / "other.toml").write_text(SMALL.replace("6us", "7us"))
    canaletto.refuses("sweep", "other.toml", "--out", "a", says=("the folder of another sweep than other.toml",))
    assert "12 points" in canaletto.ok("sweep", "other.toml", "--out", "a", "--force", "--no-report").err
    (tmp_path / "mine").mkdir()
    canaletto.refuses("sweep", "other.toml", "--out", "mine", "--force", says=("mine: no sweep.json in it",))
    assert (tmp_path / "mine").is_dir()
    assert pl.read_parquet(tmp_path / "a" / "table.parquet").height == 12


def test_two_sweeps_on_one_folder_do_not_hurt_each_other(tmp_path: Path) -> None:
    from kill_sweep import start, table

    (tmp_path / "sweep.toml").write_text(SMALL)
    both = [start(tmp_path, "a") for _ in range(2)]
    told = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert table(tmp_path / "a").height == 12
    assert table(tmp_path / "a")["point"].n_unique() == 12


def test_ctrl_c_leaves_a_folder_to_go_on_with(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SMALL.replace("requests = 50", "requests = 20000"))
    points = tmp_path / "a" / "points"
    words = ["sweep", "sweep.toml", "--out", "a", "--no-report"]
    answer = canaletto.interrupt(*words, when=lambda _: len(list(points.glob("*/[0-9a-f]*.json"))) >= 2)
    assert answer.status == 130
    assert answer.err == "canaletto: interrupted; the same command continues with a\n"
    kept = len(list(points.glob("*/[0-9a-f]*.json")))
    assert 2 <= kept < 12
    assert f"{12 - kept} of them computed now" in canaletto.ok(*words).err


def test_a_full_disk_leaves_what_was_done(canaletto: Any, tmp_path: Path) -> None:
    """A file may not grow beyond the limit: records fit, tables do not."""
    from conftest import COMMAND

    (tmp_path / "sweep.toml").write_text(SMALL)
    words = [COMMAND, "sweep", "sweep.toml", "--out", "a", "--no-report"]
    for limit in (3_000, 12_000):
        full = subprocess.run(
            words,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        assert (full.returncode, len(full.stderr.splitlines())) == (2, 1), full.stderr
        assert "File too large" in full.stderr
        assert not list(tmp_path.rglob(".*.*"))
    assert "0 of them computed now" in canaletto.ok(*words[1:]).err


def test_a_point_becomes_a_run_folder_and_folders_open(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SMALL)
    canaletto.ok("sweep", "sweep.toml", "--out", "a", "--no-report")
    canaletto.ok("sweep", "sweep.toml", "--out", "a", "--point", 11)
    opened = cn.load(tmp_path / "a")
    run = cn.load(tmp_path / "a" / "runs" / "11")
    assert isinstance(opened, cn.Sweep)
    assert (run.fabric, run.seed) == ("venice", 3)
    assert run.latency_us.all.p99 == opened.table["latency_p99_us"][11]
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--point", 12, says=("point: got 12", "from 0 to 11"))


def test_the_page_draws_one_key_against_another(canaletto: Any, tmp_path: Path) -> None:
    grid = """[grid]
fabric = ["bus", "venice"]
inter_arrival = ["1us", "10us", "100us"]
"flash.read" = ["3us", "6us"]
"fabric.venice.scouts" = ["hop-by-hop", "atomic"]
"""
    asked = f'design = "performance-optimized"\nworkload = "hm_0"\nrequests = 60\n{grid}'
    (tmp_path / "s.toml").write_text(asked)
    said = canaletto.ok("sweep", "s.toml", "--out", "a").err
    assert "6 of 24 points differ from others only in keys without effect: fabric.venice.scouts\n" in said
    page = (tmp_path / "a" / "report.html").read_text()
    table = cn.load(tmp_path / "a").table
    assert "24 points, 18 different" in page
    assert "Results by inter_arrival_us" in page

    def spec(name: str) -> dict[str, Any]:
        found = re.search(rf'id="{name}-spec">(.*?)</script>', (tmp_path / "a" / "report.html").read_text())
        assert found is not None
        return dict(json.loads(found[1]))

    (rows,) = spec("lines-chart")["datasets"].values()
    assert {(row["line"], row["x"]) for row in rows} == {(f, x) for f in ("bus", "venice") for x in (1, 10, 100)}
    some = table.filter((pl.col("fabric") == "bus") & (pl.col("inter_arrival_us") == 10))
    mean = next(row["value"] for row in rows if (row["line"], row["x"]) == ("bus", 10))
    assert mean == pytest.approx(some["latency_mean_us"].mean(), rel=1e-3)
    # Ends of the axes of parallel coordinates are numbers with units, and every text.
    texts = {row["text"] for rows in spec("parallel-lines")["datasets"].values() for row in rows if "text" in row}
    assert {"1", "100", "3", "6", "bus", "venice", "atomic"} <= texts
    assert any(text.endswith("J") for text in texts)
    assert "Latency by root cause for each fabric" in page

    (tmp_path / "s.toml").write_text(f'{asked}\n[page]\nx = "flash.read"\nlines = "inter_arrival"\n')
    again = canaletto.ok("sweep", "s.toml", "--out", "a").err
    assert "0 of them computed now" in again
    (rows,) = spec("lines-chart")["datasets"].values()
    assert {row["line"] for row in rows} == {"1", "10", "100"}
    (tmp_path / "s.toml").write_text(f'{asked}\n[page]\nx = "flash.program"\n')
    canaletto.refuses("sweep", "s.toml", "--out", "a", says=("page.x: got 'flash.program', expected x or lines",))


def test_curves_of_ones_own_design(canaletto: Any, tmp_path: Path) -> None:
    words = ["load", "performance-optimized", "--workload", "YCSB_B", "--requests", "300", "--loads", "4"]
    found = canaletto.ok(*words, "--fabrics", "bus,mesh", "--out", "curves", "--json").json
    assert [each["fabric"] for each in found["curves"]] == ["bus", "mesh"]
    for curve in found["curves"]:
        latencies = [point["mean_latency_us"] for point in curve["points"]]
        assert latencies == sorted(latencies)
        assert curve["idle_latency_us"] < latencies[0] < 2 * curve["idle_latency_us"] < latencies[-1]
        assert 0 < curve["knee"]["iops"] < curve["most_served_iops"]
    opened = cn.load(tmp_path / "curves")
    assert opened["load"].height == 8
    assert opened["load"].columns[:3] == ["fabric", "offered_iops", "served_iops"]
    told = canaletto.ok(*words, "--fabrics", "bus,mesh", "--out", "curves").out
    knees = sorted((curve["knee"]["iops"], curve["fabric"]) for curve in found["curves"])
    assert told.startswith(f"{knees[-1][1]} carries ")
    assert f"{knees[0][1]} only " in " ".join(told.split())
    assert "IOPS before latency is twice" in (tmp_path / "curves" / "report.html").read_text()


@pytest.mark.parametrize(
    ("stream", "says"),
    [
        (
            "[flow.synthetic]\nrequests = 9\nread_share = 1.0\nsize = '4KiB'\nqueue_depth = 4",
            "synthetic.queue_depth: got 4",
        ),
        ("[flow.trace]\nfile = 't.trace'\nqueue_depth = 2", "trace.queue_depth: got 2"),
        ("[flow.mix]\nas_fast_as_possible = true\ntrace = [{ file = 't.trace' }]", "mix.as_fast_as_possible: got true"),
    ],
)
def test_load_scales_arrivals_and_refuses_flows_without(stream: str, says: str, canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text("0 0 0 8 1\n1000 0 8 8 1\n")
    paced = (
        "[[flow]]\nname = 'a'\n[flow.synthetic]\nrequests = 9\nread_share = 1.0\nsize = '4KiB'\ninter_arrival = '9us'\n"
    )
    (tmp_path / "w.toml").write_text(f"name = 'w'\n{paced}[[flow]]\nname = 'b'\n{stream}\n")
    words = ("load", "performance-optimized", "--workload", "w.toml", "--loads", 2)
    canaletto.refuses(*words, says=(f"w.toml: flow.1.{says} for flow b, expected ",))


def test_closed_loops_have_the_queue_depth_as_their_axis(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(
        "name = 'w'\n[[flow]]\nname = 'a'\n[flow.synthetic]\n"
        "requests = 400\nread_share = 1.0\nsize = '4KiB'\nqueue_depth = 7\n"
    )
    words = ["load", "performance-optimized", "--fabrics", "bus", "--loads", "5", "--json"]
    (curve,) = canaletto.ok(*words, "--workload", "w.toml").json["curves"]
    assert [point["queue_depth"] for point in curve["points"]] == [2, 4, 8, 16, 32]
    assert {point["offered_iops"] for point in curve["points"]} == {None}
    rates = [point["served_iops"] for point in curve["points"]]
    assert rates == sorted(rates)
    # Little's law holds of a closed loop: as many requests are outstanding as its depth says.
    for point in curve["points"]:
        assert point["served_iops"] * point["mean_latency_us"] / 1e6 == pytest.approx(point["queue_depth"], rel=0.1)
    (opened,) = canaletto.ok(*words, "--workload", "YCSB_B", "--requests", "300", "--axis", "queue_depth").json[
        "curves"
    ]
    assert [point["queue_depth"] for point in opened["points"]] == [2, 4, 8, 16, 32]
    refused = canaletto(*words, "--workload", "w.toml", "--axis", "arrivals")
    assert refused.status == 2
    assert "got 7 for flow a, expected inter_arrival, which load scales; --axis queue_depth makes" in refused.err


def test_a_page_of_curves_answers_a_choice(canaletto: Any, tmp_path: Path) -> None:
    words = ["load", "performance-optimized", "--workload", "YCSB_B", "--requests", "1000", "--loads", "5"]
    answer = canaletto.ok(*words, "--fabrics", "bus,mesh", "--out", "a")
    assert "energy per" in answer.out
    assert "nobody published the area of NoSSD's routers" in " ".join(answer.out.split())
    found = json.loads((tmp_path / "a" / "load.json").read_text())["curves"]
    bus, mesh = found
    assert (bus["interconnect"]["data_pins_per_controller"], mesh["interconnect"]["area_mm2"]) == (8, None)
    for curve in found:
        assert curve["energy_mj_per_request"] > 0
        assert next(iter(curve["root_cause_us"])) == "idle"
        for at in curve["root_cause_us"].values():
            assert at["served_iops"] > 0
            assert sum(at["all"].values()) > 0
        idle = sum(curve["root_cause_us"]["idle"]["all"].values())
        assert idle == pytest.approx(curve["idle_latency_us"], rel=1e-6)
    page = (tmp_path / "a" / "report.html").read_text()
    found = re.findall(r'id="([a-z0-9_]+)-chart-spec">(.*?)</script>', page)
    specs = {name: json.loads(text) for name, text in found}
    assert list(specs) == ["curves", "p99_us"]
    assert "A p99.99 latency needs 100,000 requests per load." in page
    for name, column in (("curves", "ours"), ("p99_us", "p99_us")):
        line, dots = (specs[name]["datasets"][layer["data"]["name"]] for layer in specs[name]["layer"])
        assert len(dots) == 2
        # Every knee is a point of its own line.
        assert all(any(dot[column] == row[column] and dot["system"] == row["system"] for row in line) for dot in dots)
    assert page.count('id="causes-') >= 2 * 2


def test_no_curve_is_best_where_chips_are_cut_off(canaletto: Any) -> None:
    words = ["load", "performance-optimized", "--workload", "YCSB_B", "--requests", "200", "--loads", "2"]
    fabrics = ["--fabrics", "bus,venice", "--set", "fabric.failures.controllers=1"]
    told = " ".join(canaletto.ok(*words, *fabrics).out.split())
    assert told.startswith("No fabric is said to carry most, because numbers of failed requests differ")
    assert "0 % on venice" in told


def test_a_dry_run_needs_no_folder_and_a_sweep_does(canaletto: Any) -> None:
    (canaletto.folder / "s.toml").write_text(
        'design = "pcie4-tlc"\nworkload = "hm_0"\nrequests = 50\n[grid]\nseed = [1, 2]\n'
    )
    assert canaletto.ok("sweep", "s.toml", "--dry-run", "--json").json["simulations"] == 2
    canaletto.refuses("sweep", "s.toml", says=("--out: not given", "--dry-run needs none"))


def test_a_page_says_what_no_key_changes(canaletto: Any) -> None:
    text = (
        'design = "performance-optimized"\nworkload = "hm_0"\nrequests = 50\n[grid]\n"gc.policy" = ["greedy", "fifo"]\n'
    )
    (canaletto.folder / "s.toml").write_text(text)
    canaletto.ok("sweep", "s.toml", "--out", "a")
    page = (canaletto.folder / "a" / "report.html").read_text()
    assert "No key changes the mean latency by more than 1 %." in page
    assert "depends most" not in page
