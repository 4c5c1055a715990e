import copy
import json
import platform
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from canaletto._report import sections, side_by_side, summary
from canaletto._run import memory, names, simulate
from canaletto._run.gains import Gain, gains
from canaletto._run.parallel import in_threads

FABRICS = ["bus", "packetized", "ideal"]
# Nearly every request of this one meets a path conflict on the bus.
BUSY = cn.workload("YCSB_B", requests=3000)
# Minutes, even on a fast machine: tests end it.
LONG = cn.workload("hm_0", requests=10**9)


@pytest.fixture(scope="module")
def comparison() -> cn.Comparison:
    return cn.compare("performance-optimized", BUSY, FABRICS)


def test_timelines_of_all_fabrics_show_the_same_window(comparison: cn.Comparison) -> None:
    found = comparison.timelines(progress=False)
    assert list(found) == FABRICS
    assert len({timeline.windows for timeline in found.values()}) == 1
    requests = comparison["bus"].requests
    worst = requests.sort("path_conflict_us", descending=True).row(0, named=True)
    ((start, end),) = found["bus"].windows
    assert start <= worst["arrival_us"] * 1e6 < end
    assert 100_000_000 <= end - start <= 200_000_000
    assert all(worst["request"] in timeline.requests["number"] for timeline in found.values())
    given = comparison.timelines((5_000_000, 9_000_000), progress=False)
    assert {timeline.windows for timeline in given.values()} == {((5_000_000, 9_000_000),)}
    kept_none = cn.compare("performance-optimized", BUSY, ["bus"], records=False)
    assert kept_none.timelines()["bus"].windows == ((0, 100_000_000),)
    with pytest.raises(cn.ConfigError, match="ends after it starts"):
        comparison.timelines((9, 5))


def test_runs_are_in_order_and_those_of_run(comparison: cn.Comparison) -> None:
    assert comparison.fabrics == FABRICS
    assert [run.fabric for run in comparison.runs] == FABRICS
    alone = cn.run(cn.design("performance-optimized", fabric="ideal"), BUSY)
    assert without_cost(comparison["ideal"].to_dict()) == without_cost(alone.to_dict())
    assert comparison["ideal"].requests.equals(alone.requests)
    assert comparison["ideal"].configuration == alone.configuration
    with pytest.raises(KeyError, match="there are bus, packetized, ideal"):
        comparison["mesh"]


def test_a_comparison_is_a_mapping_of_its_fabrics(comparison: cn.Comparison) -> None:
    assert list(comparison) == comparison.fabrics
    assert len(comparison) == len(comparison.runs)
    assert "ideal" in comparison
    assert "no-ssd" not in comparison
    assert comparison.get("no-ssd") is None
    assert [run.fabric for run in comparison.values()] == comparison.fabrics


def test_speedup_is_over_the_first(comparison: cn.Comparison) -> None:
    bus, ideal = comparison["bus"], comparison["ideal"]
    assert comparison.speedup.bus.to_dict() == dict.fromkeys(
        ("execution_time", "mean_latency", "p99_latency", "iops"), 1.0
    )
    assert comparison.speedup["ideal"].mean_latency == bus.latency_us.all.mean / ideal.latency_us.all.mean > 1
    assert comparison.speedup["ideal"].iops == pytest.approx(ideal.iops / bus.iops)
    turned = cn.compare(cn.design("performance-optimized"), BUSY, ["ideal", "bus"], records=False)
    assert turned.speedup.bus.mean_latency == pytest.approx(1 / comparison.speedup.ideal.mean_latency)


def test_a_comparison_shows_itself(comparison: cn.Comparison) -> None:
    assert comparison.verdict in " ".join(repr(comparison).split())
    assert comparison._repr_html_().count("<table>") == 6
    assert comparison._repr_html_().count("<img ") == 2
    assert set(comparison.to_dict()) == {"schema", "verdict", "notes", "runs", "speedup"}


def test_save(comparison: cn.Comparison, tmp_path: Path) -> None:
    comparison.save(tmp_path / "c")
    loaded = cn.load(tmp_path / "c" / "packetized")
    assert loaded.to_dict() == comparison["packetized"].to_dict()
    assert loaded.requests.equals(comparison["packetized"].requests)
    with pytest.raises(cn.ConfigError, match="exists already"):
        comparison.save(tmp_path / "c")
    whole = cn.load(tmp_path / "c")
    assert whole.to_dict() == comparison.to_dict()
    assert whole.verdict == comparison.verdict
    record = json.loads((tmp_path / "c" / "run.json").read_text())
    assert record["platform"]["python"] == platform.python_version()
    assert record["packages"]["polars"] == pl.__version__
    assert record["commit"] is None or len(record["commit"]) == 40
    (tmp_path / "c" / "compare.json").write_text("{}")
    with pytest.raises(cn.ConfigError, match=r"compare\.json: is not what the run wrote"):
        cn.load(tmp_path / "c")
    comparison.save(tmp_path / "c", force=True)


def test_a_comparison_of_seeds_is_opened_with_its_intervals(tmp_path: Path) -> None:
    made = cn.compare("performance-optimized", BUSY, ["bus", "ideal"], seeds=2, records=False)
    made.save(tmp_path / "c", report=False)
    assert cn.load(tmp_path / "c").to_dict() == made.to_dict()


@pytest.mark.parametrize(
    ("fabrics", "says"),
    [
        ([], "fabrics: got none, expected some of bus"),
        (["bus", "ideal", "bus"], "fabrics: got bus 2 times"),
        (["bus", "idael"], "idael.*did you mean `ideal`"),
        (["bus", ""], "unknown value ``"),
    ],
)
def test_fabrics_that_cannot_be_compared(fabrics: list[str], says: str) -> None:
    for design in ("performance-optimized", cn.design("performance-optimized")):
        with pytest.raises(cn.ConfigError, match=says):
            cn.compare(design, BUSY, fabrics)


def test_a_design_that_a_fabric_cannot_have_names_the_fabric() -> None:
    design = cn.design("performance-optimized", **{"fabric.hold_path": "always"})
    with pytest.raises(cn.ConfigError, match=r"fabric omnibus-split: .*fabric\.hold_path"):
        cn.compare(design, BUSY, ["bus", "omnibus-split"])


def test_memory_is_that_of_all_runs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    drives = [cn.design("performance-optimized")]
    needed = [simulate.memory_needed(drives * count, BUSY, records=True) for count in (3, 1)]
    at_once: list[int] = []
    monkeypatch.setattr("canaletto._run.parallel.processors", lambda: 3)
    monkeypatch.setattr("canaletto._run.parallel.in_threads", lambda jobs, workers: at_once.append(workers) or [])
    for free in (10 * needed[0], needed[1]):
        monkeypatch.setattr(memory, "available_bytes", lambda free=free: free)
        cn.compare("performance-optimized", BUSY, FABRICS)
    assert at_once[0] == 3
    assert at_once[-1] == 1
    assert at_once == sorted(at_once, reverse=True)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1)
    with pytest.raises(cn.ConfigError, match="the 3 runs may take"):
        cn.compare("performance-optimized", BUSY, FABRICS)


def test_cpu_time_is_the_run_s_own() -> None:
    work = cn.workload("hm_0", requests=200_000)
    for run in cn.compare("performance-optimized", work, FABRICS, records=False).runs:
        assert 0 < run.cost.cpu_s <= run.cost.wall_s + 0.01


def test_ctrl_c_stops_all_runs() -> None:
    before = threading.active_count()
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the signal must not come before
        timer.start()
        cn.compare("performance-optimized", LONG, FABRICS, records=False)
    timer.join()
    assert threading.active_count() <= before


def test_progress_names_the_fabric_and_its_errors_end_all_runs() -> None:
    seen: dict[str, list[int]] = {}

    def note(fabric: str, done: int, total: int, _: int) -> None:
        assert total == 10**9
        seen.setdefault(fabric, []).append(done)
        if fabric == "bus" and len(seen[fabric]) == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError) as ended:
        cn.compare("performance-optimized", LONG, FABRICS, records=False, progress=note)
    assert ended.value.__notes__ == ["fabric bus"]
    assert set(seen) <= set(FABRICS)
    assert all(done == sorted(done) for done in seen.values())

    def fail(fabric: str, *_: int) -> None:
        if fabric == "packetized":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as failed:
        cn.compare("performance-optimized", LONG, ["packetized", "bus"], records=False, progress=fail)
    assert failed.value.__notes__ == ["fabric packetized"]


def test_a_job_that_fails_stops_the_others() -> None:
    begun: list[str] = []

    def waits(stop: threading.Event) -> str:
        begun.append("waits")
        stop.wait()
        return "stopped"

    def fails(stop: threading.Event) -> str:
        raise OSError("full")

    jobs: list[Callable[[threading.Event], str]] = [waits, fails, waits]
    with pytest.raises(OSError, match="full"):
        in_threads(jobs, 2)
    assert begun[0] == "waits"
    assert in_threads([lambda stop: 1, lambda stop: 2], 1) == [1, 2]


def made_up(fabric: str, **blame: float) -> dict[str, Any]:
    mean = sum(blame.values())
    latency = {"mean": mean, "p99": 2 * mean} if blame else {"mean": None, "p99": None}
    return {
        "design": "d",
        "workload": "w",
        "seed": 1,
        "fabric": fabric,
        "requests": {"generated": 9, "completed": 9, "reads": 9, "writes": 0, "bytes": 9},
        "execution_time_us": 5.0,
        "iops": 7.0,
        "latency_us": {"all": latency},
        "blame_us": {"all": blame, "p99": {cause: 3 * time for cause, time in blame.items()}},
        "path_conflicts": {"free_request_share": 0.5, "free_transaction_share": None, "lost_us": 18.0},
        "energy_mj": None,
        "average_power_mw": None,
        "cost": {"cpu_s": 1.0, "peak_rss_mb": 10.0},
    }


BUS = made_up("bus", path_conflict=50.0, array_read=50.0)
VENICE = made_up("venice", path_conflict=1.0, array_read=49.0)
IDEAL = made_up("ideal", array_read=40.0)
LIKE_BUS = made_up("packetized", path_conflict=49.9, array_read=50.0)
SLOW = made_up("mesh", path_conflict=150.0, array_read=50.0)


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        (
            [BUS, VENICE, IDEAL],
            "venice serves this 2.00× as fast as bus (mean latency; conflict-free: 2.50×). "
            "bus loses 50.0 % of its latency to path conflicts, venice 2.0 %.",
        ),
        (
            [BUS, VENICE, SLOW, IDEAL],
            "venice serves this 2.00× as fast as bus (mean latency; conflict-free: 2.50×); mesh is slowest, at 0.50×. "
            "bus loses 50.0 % of its latency to path conflicts, venice 2.0 %.",
        ),
        (
            [BUS, IDEAL],
            "ideal serves this 2.50× as fast as bus (mean latency). "
            "bus loses 50.0 % of its latency to path conflicts, ideal nothing.",
        ),
        (
            [BUS, LIKE_BUS, IDEAL],
            "No fabric but the conflict-free one is more than 1 % faster than bus "
            "(mean latency; conflict-free: 2.50×): path conflicts cost bus 50.0 % of its latency.",
        ),
        (
            [BUS, LIKE_BUS],
            "No fabric is more than 1 % faster than bus (mean latency): path conflicts cost bus 50.0 % of its latency.",
        ),
        (
            [BUS, SLOW],
            "No fabric is more than 1 % faster than bus (mean latency); mesh is slowest, at 0.50×. "
            "mesh loses 75.0 % of its latency to path conflicts, bus 50.0 %.",
        ),
        (
            [made_up("bus", data_transfer=30.0, path_conflict=10.0), made_up("packetized", data_transfer=15.0)],
            "packetized serves this 2.67× as fast as bus (mean latency). The largest difference is data transfer, "
            "30.0 µs on bus and 15.0 µs on packetized; bus loses 25.0 % of its latency to path conflicts, "
            "packetized nothing.",
        ),
        (
            [made_up("bus", host_link=99.0, path_conflict=1.0)],
            "There is only one fabric: path conflicts cost bus 1.0 % of its latency; "
            "the largest part is host link (99.0 %).",
        ),
        ([made_up("bus"), made_up("ideal")], "No request completed: there is nothing to compare."),
        (
            [BUS | {"cut_off": {"chips": 8, "requests_failed": 1200}}, VENICE],
            "No fabric is called the fastest, because numbers of failed requests differ, and failed reads are answered "
            "at once: 1,200 on bus and 0 on venice.",
        ),
    ],
    ids=[
        "winner",
        "loser",
        "ideal alone",
        "ideal only",
        "nobody",
        "slower",
        "not conflicts",
        "single",
        "empty",
        "cut off",
    ],
)
def test_the_verdict(runs: list[dict[str, Any]], says: str) -> None:
    assert summary.verdict(runs) == says


def test_saturation_stands_before_other_caveats() -> None:
    work = cn.workload("YCSB_B", requests=1000)
    found = cn.compare("performance-optimized", work, ["bus", "venice"], records=False, progress=False)
    for said in (side_by_side.text(found.shown), sections.opening("", "", found.shown)):
        assert said.count("venice is saturated by") == 1
        assert said.index("venice is saturated by") < said.index("No block was collected")


def test_a_fabric_that_is_saturated_is_named_first() -> None:
    busy = {"saturated": False, "bottleneck": {"part": "link of controller 5", "use": 0.961}}
    slow = made_up("venice", path_conflict=1900.0, array_read=50.0) | {"load": busy}
    idle = BUS | {"load": {"saturated": False, "bottleneck": {"part": "channel 2", "use": 0.55}}}
    said = summary.verdict([idle, slow])
    assert said.startswith("venice is saturated by link of controller 5 (96.1 % in use): ")
    assert "docs/explanation/reproduction.md" in said
    assert "venice is slowest, at 0.051×" in said
    ring = made_up("ring", path_conflict=2900.0, array_read=50.0) | {"load": busy}
    both = summary.verdict([idle, ring, slow])
    assert both.startswith("venice is saturated by link of controller 5 (96.1 % in use), ring by link of controller 5")
    assert "their latencies" in both
    # Where the baseline is, too, or the other is no slower, it is no news.
    assert "saturated" not in summary.verdict([BUS | {"load": busy}, slow])
    assert "saturated" not in summary.verdict([idle, VENICE | {"load": busy}])


def test_a_page_names_no_winner_where_chips_are_cut_off(tmp_path: Path) -> None:
    drive = cn.design("performance-optimized", **{"fabric.failures.controllers": 1})
    compared = cn.compare(drive, cn.workload("YCSB_B", requests=300), ["bus", "venice"], records=False)
    assert compared["bus"].cut_off.requests_failed > compared["venice"].cut_off.requests_failed == 0
    assert compared.verdict.startswith("No fabric is called the fastest")
    compared.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "No fabric is called the fastest" in page
    assert "times as fast" not in page
    assert "× as fast as" not in page


def samples(*speedups: float) -> list[list[dict[str, Any]]]:
    return [[made_up("bus", array_read=50.0), made_up("venice", array_read=50.0 / each)] for each in speedups]


def test_gains_are_means_of_ratios_seed_by_seed() -> None:
    found = gains(samples(1.1, 1.2, 1.3))["venice"]["mean_latency"]
    assert found is not None
    assert found.mean == pytest.approx(1.2)
    assert found.half_width == pytest.approx(4.3026527 * 0.1 / 3**0.5)
    assert gains(samples(1.1))["venice"]["mean_latency"] == Gain(pytest.approx(1.1))
    baseline = gains(samples(1.1, 1.3))["bus"]["mean_latency"]
    assert baseline == Gain(1.0, 0.0)


@pytest.mark.parametrize(
    ("speedups", "says"),
    [
        ((1.19, 1.20, 1.21), "venice serves this 1.20 ± 0.02× as fast as bus"),
        ((1.0, 1.20, 1.40), "No fabric is surely more than 1 % faster than bus (mean latency): "),
        ((0.79, 0.80, 0.81), "(mean latency); venice is slowest, at 0.80 ± 0.02×."),
        ((0.6, 0.80, 1.0), "No fabric is surely more than 1 % faster than bus (mean latency): "),
    ],
)
def test_differences_within_the_interval_are_none(speedups: tuple[float, ...], says: str) -> None:
    of_seeds = samples(*speedups)
    assert says in summary.verdict(of_seeds[0], gains(of_seeds))


def test_the_chart_of_speedups_says_what_the_verdict_says() -> None:
    of_seeds = [[*runs, made_up("ideal", array_read=25.0)] for runs in samples(1.0, 1.2, 1.4)]
    found = gains(of_seeds)
    heading = sections._gain(of_seeds[0], found)
    assert heading == (
        "No fabric but the conflict-free one is surely more than 1 % faster than bus "
        "(mean latency; conflict-free: 2.00 ± 0.00×)"
    )
    assert summary.verdict(of_seeds[0], found).startswith(heading)


def test_several_seeds_are_run_and_told() -> None:
    found = cn.compare("performance-optimized", BUSY, ["bus", "ideal"], seed=5, seeds=3, records=False)
    singles = [
        cn.compare("performance-optimized", BUSY, ["bus", "ideal"], seed=seed, records=False) for seed in (5, 6, 7)
    ]
    speedups = [each.speedup.ideal.mean_latency for each in singles]
    assert found.speedup.ideal.mean_latency == pytest.approx(sum(speedups) / 3)
    assert found.confidence is not None
    assert found.confidence.seeds == [5, 6, 7]
    interval = found.confidence.speedup.ideal.mean_latency
    assert interval.mean == found.speedup.ideal.mean_latency
    assert 0 < interval.half_width == found.gains["ideal"]["mean_latency"].half_width
    alone = cn.run(cn.design("performance-optimized"), BUSY, seed=5, seeds=3)
    assert found["bus"].confidence == alone.confidence
    assert alone.confidence is not None
    assert alone.confidence["latency_us.all.mean"].half_width > 0
    assert singles[0]["bus"].confidence is None
    assert without_cost(found["ideal"].to_dict() | {"confidence": None}) == without_cost(
        singles[0]["ideal"].to_dict() | {"confidence": None}
    )
    text = repr(found)
    assert "seeds 5 to 7" in text
    assert f"{interval.mean:.2f} ± {interval.half_width:.2f}×" in text
    assert max(map(len, text.splitlines())) <= 80
    assert singles[0].confidence is None


def test_all_fabrics_fit_80_columns() -> None:
    causes = ("chip_busy_gc_program", "command_transfer", "path_reservation", "path_conflict", "array_program")
    runs = [made_up(name, **dict.fromkeys(causes, 98.76 * 5**number)) for number, name in enumerate(names.fabrics())]
    for number, run in enumerate(runs):
        run["energy_mj"] = {"total": 9.87 * 10.0 ** (number - 3)}
        run["average_power_mw"] = 98.7 * 3**number
        run["map"] = {"wires": [{"name": "controller link 7 east", "share": 0.99}], "controllers": []}
    text = side_by_side.text(runs)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert "controller link 7 east 99.0 %" in text
    for unit in ("mJ", "J", "mW", "W"):
        assert f" {unit}" in text


def test_columns_of_blame_sum_to_their_last_row() -> None:
    heads, *rows = side_by_side.blame([BUS, IDEAL], "all")
    assert heads == ["latency by cause,\nall requests", "bus", "ideal"]
    assert rows == [
        ["path conflict", "50.0 µs", ""],
        ["array read", "50.0 µs", "40.0 µs"],
        ["mean latency", "100 µs", "40.0 µs"],
    ]
    assert side_by_side.blame([BUS], "p99")[-1] == ["mean latency", "300 µs"]


def test_what_is_absent_is_a_dash_or_left_out() -> None:
    empty = copy.deepcopy(made_up("bus"))
    empty.update(iops=None, execution_time_us=None)
    empty["requests"] = dict.fromkeys(empty["requests"], 0)
    empty["path_conflicts"] = dict.fromkeys(empty["path_conflicts"])
    assert gains([[empty]])["bus"] == dict.fromkeys(("execution_time", "mean_latency", "p99_latency", "iops"))
    text = side_by_side.text([empty, empty])
    assert "energy" not in text
    assert "–" in text
    assert "<table>" in side_by_side.html([empty])


def test_the_busiest_part_is_the_fabric_s() -> None:
    assert side_by_side.busiest(BUS) is None
    wires = [{"name": "link a", "share": 0.5}, {"name": "link b", "share": 0.7}]
    layout = {"wires": wires, "controllers": [{"name": "controller 2", "share": 0.7}]}
    assert side_by_side.busiest({**BUS, "map": layout}) == ("link b", 0.7)


def without_cost(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "cost"}
