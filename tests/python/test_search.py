import time
import tomllib
from pathlib import Path
from threading import Event
from typing import Any

import canaletto as cn
import pytest
from canaletto._run import memory, simulate
from canaletto._run.confidence import half_width
from canaletto_extras.searching import document, measures, repeats, study

optuna = pytest.importorskip("optuna", reason="no Optuna (extra search)")

BASE = {"design": "performance-optimized", "workload": "YCSB_B", "requests": 60, "queue_depth": 16}
SPACE = {
    "fabric": ["bus", "packetized", "mesh", "venice"],
    "geometry.channels": [4, 8, 16],
}


@pytest.fixture(autouse=True)
def own_points(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANALETTO_POINTS", str(tmp_path_factory.mktemp("points")))


def found(out: Path | None = None, **more: Any) -> cn.Search:
    asked = {"objectives": ["mean_latency", "pins"], "space": SPACE, "trials": 400, "out": out, "progress": False}
    base = dict(BASE)
    return cn.search(base.pop("design"), base.pop("workload"), **{**base, **asked, **more})


def test_the_front_is_that_of_all_points(tmp_path: Path) -> None:
    limits = {"pins": {"max": 150}}
    search = found(tmp_path / "s", constraints=limits)
    base = dict(BASE)
    everything = cn.sweep(base.pop("design"), base.pop("workload"), SPACE, workers=1, progress=False, **base)
    pins = {
        point: measures.of_design(tomllib.loads(text))["pins"]
        for point, text in everything._folder.plan().select("point", "design_toml").iter_rows()
    }
    costs = {(row["latency_mean_us"], pins[row["point"]]) for row in everything.table.iter_rows(named=True)}
    kept = {cost for cost in costs if cost[1] <= 150}
    best = {a for a in kept if not any(b != a and b[0] <= a[0] and b[1] <= a[1] for b in kept)}
    front = search.front
    assert set(front.select("latency_mean_us", "pins").rows()) == best
    assert front["latency_mean_us"].is_sorted()
    # All 12 points were tried, and those with too many pins were not run.
    table = search.table
    assert table.height == 12
    assert table.filter(table["pruned"])["pins"].min() > 150
    assert table.filter(table["pruned"])["iops"].null_count() == table["pruned"].sum() > 0
    first = front.row(0, named=True)
    text = (tmp_path / "s" / "designs" / f"{first['point']}.toml").read_text()
    assert search.design(first["point"]).to_toml() == text
    again = cn.run(
        cn.design(tmp_path / "s" / "designs" / f"{first['point']}.toml"),
        cn.workload("YCSB_B", requests=60, queue_depth=16),
        records=False,
    )
    assert again.latency_us.all.mean == first["latency_mean_us"]


def test_a_search_is_reproducible_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = {"fabric": ["bus", "venice"], "flash.read": {"from": "3us", "to": "9us"}}
    whole = found(tmp_path / "a", space=space, trials=12, seeds=1)
    calls: list[str] = []
    original = study.work.compute
    monkeypatch.setattr(study.work, "compute", lambda task, look: calls.append(task.key) or original(task, look))
    half = found(tmp_path / "b", space=space, trials=5, seeds=1)
    assert calls == []
    assert half.table["key"].to_list() == whole.table["key"].to_list()[:5]
    monkeypatch.setenv("CANALETTO_POINTS", str(tmp_path / "empty"))
    on = found(tmp_path / "b", space=space, trials=12, seeds=1)
    assert len(calls) == 7
    assert on.table.drop(machine(on)).equals(whole.table.drop(machine(whole)))
    assert found(space=space, trials=12, sampler_seed=2).table["key"].to_list() != whole.table["key"].to_list()


def test_a_batch_keeps_each_result_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "s" / "points"
    original, calls = study.work.compute, iter(range(9))

    def compute(task: Any, look: Any) -> bytes:
        if next(calls) == 0:
            return original(task, look)
        ends = time.monotonic() + 20
        while not list(kept.rglob("[0-9a-f]*.json")) and time.monotonic() < ends:
            time.sleep(0.01)
        raise MemoryError("the machine has no more")

    monkeypatch.setattr(study.work, "compute", compute)
    with pytest.raises(MemoryError):
        found(tmp_path / "s", space={"fabric": ["bus", "venice"], "seed": [1, 2]}, batch=2, trials=4, sampler="random")
    assert len(list(kept.rglob("[0-9a-f]*.json"))) == 1


def test_a_batch_takes_no_more_memory_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    work = cn.workload("YCSB_B", requests=60, queue_depth=16)
    needed = simulate.memory_needed([cn.design("performance-optimized")], work, False)
    at_once: list[int] = []

    def in_threads(jobs: Any, workers: int) -> None:
        at_once.append(workers)
        for job in jobs:
            job(Event())

    monkeypatch.setattr("canaletto._run.parallel.in_threads", in_threads)
    for free in (2.5, 9):
        monkeypatch.setattr(memory, "available_bytes", lambda free=free: int(free * needed))
        found(objectives=["mean_latency"], space={"seed": [1, 2, 3, 4]}, batch=4, trials=4)
    assert at_once == [2, 4]
    monkeypatch.setattr(memory, "available_bytes", lambda: 1)
    with pytest.raises(cn.ConfigError, match="a point may take"):
        found(objectives=["mean_latency"], space={"seed": [5, 6]})


def machine(search: cn.Search) -> list[str]:
    return [name for name in search.table.columns if name.startswith("machine_")]


@pytest.mark.parametrize("fabric", ["bus", "sca", "omnibus", "mesh", "venice"])
def test_pins_wires_and_area_are_those_of_every_result(fabric: str) -> None:
    design = cn.design("performance-optimized", fabric=fabric, **{"geometry.channels": 4})
    counted = cn.run(design, cn.workload("hm_0", requests=1), records=False).interconnect
    assert counted is not None
    known = measures.of_design(design.to_dict())
    assert known["pins"] == 4 * counted.data_pins_per_controller
    assert (known["wires"], known["area"]) == (counted.wire_length_pitches, counted.area_mm2)


def test_the_best_points_are_repeated_and_differences_within_noise_are_marked(tmp_path: Path) -> None:
    space = {"fabric": ["bus", "venice"], "flash.read": ["3us", "3.001us", "60us"]}
    asked = {"objectives": "mean_latency", "space": space, "trials": 60, "inter_arrival": "20us", "queue_depth": None}
    search = found(tmp_path / "s", **asked)
    table, front = search.table, search.front
    assert table.height == 6
    assert front.height == 1
    best = front.row(0, named=True)
    means = [
        cn.run(
            search.design(best["point"]), cn.workload("YCSB_B", requests=60, inter_arrival="20us"), seed=seed
        ).latency_us.all.mean
        for seed in (1, 2, 3)
    ]
    assert best["seeds"] == 3
    assert best["latency_mean_us_mean"] == pytest.approx(sum(means) / 3)
    assert best["latency_mean_us_half_width"] == pytest.approx(half_width(means))
    # Drives that are read in 60 us are slower for sure; a nanosecond is less than what the seeds make.
    for row in table.filter(table["flash.read_us"] == 60).iter_rows(named=True):
        assert row["alike"] == []
        assert row["latency_mean_us_mean"] > best["latency_mean_us_mean"]
    single = found(**asked, seeds=1)
    assert single.table["seeds"].null_count() == 6
    assert single.front["point"].to_list() == front["point"].to_list()
    page = (tmp_path / "s" / "report.html").read_text()
    assert "Means of 3 seeds ± 95 % intervals" in page
    assert " ± " in page


def test_noise_is_judged_seed_by_seed() -> None:
    # Seeds differ much, but of two designs always in the same way.
    assert not repeats._is_alike([[10.0, 20.0, 30.0]], [[11.0, 21.0, 31.1]])
    assert repeats._is_alike([[10.0, 20.0, 30.0]], [[12.0, 18.0, 31.0]])
    assert repeats._is_alike([[1.0, 1.0], [64.0, 64.0]], [[1.0, 1.0], [64.0, 64.0]])
    assert not repeats._is_alike([[1.0, 1.0], [64.0, 64.0]], [[1.0, 1.0], [8.0, 8.0]])


def test_closed_forms_spare_runs_that_cannot_be_fast_enough() -> None:
    search = found(
        objectives=["pins"],
        constraints={"iops": {"min": 1e7}},
        space={"fabric": ["bus", "venice"]},
        queue_depth=None,
        inter_arrival="1us",
    )
    assert search.table["pruned"].all()
    assert search.front.height == 0


def test_one_objective_may_be_a_text_and_points_are_checked() -> None:
    search = found(objectives="pins", space={"fabric": ["packetized", "venice"]})
    assert search.front["fabric"].to_list() == ["venice"]
    assert search.design(1).fabric in ("packetized", "venice")
    for point in (-1, 2, True, 0.0):
        for asked in (search.design, search.run):
            with pytest.raises(cn.ConfigError, match=f"point: got {point}, expected a whole number from 0 to 1"):
                asked(point)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"objectives": ["speed"]}, "objectives: got 'speed', expected one of p99"),
        ({"objectives": []}, "objectives: got"),
        ({"space": {}}, "space: got"),
        ({"space": {"flash.raed": ["3us"]}}, "flash.raed"),
        ({"space": {"flash.read": ["3us", 4]}}, "expected values of one kind"),
        ({"space": {"flash.read": {"from": "3us", "to": "6MB"}}}, "a time with its unit"),
        ({"constraints": {"pins": 3}}, "constraints.pins: got 3"),
        ({"constraints": {"pins": {"max": "3"}}}, "constraints.pins.max: got '3'"),
        ({"constraints": {"pins": {"max": float("nan")}}}, "constraints.pins.max: got nan, expected a finite number"),
        ({"constraints": {"iops": {"min": -float("inf")}}}, "constraints.iops.min: got -inf"),
        ({"constraints": {"pin": {"max": 3}}}, "got 'pin', expected one of"),
        ({"objectives": ["p99"]}, "p99: a 99th percentile needs 1,000 requests, got 60"),
        ({"constraints": {"p99": {"max": 100}}}, "p99: a 99th percentile needs 1,000 requests, got 60"),
        ({"trials": 0}, "trials: got 0"),
        ({"sampler": "annealing"}, "sampler: got 'annealing'"),
        ({"smapler": "tpe"}, "smapler: unknown key"),
    ],
)
def test_searches_that_are_none(given: dict[str, Any], says: str) -> None:
    asked = {**BASE, "objectives": ["mean_latency"], "space": SPACE, **given}
    with pytest.raises(cn.ConfigError, match=says):
        study.check(document.checked("search.toml", asked))


def test_a_dry_run_counts_and_runs_no_search(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        "design = 'performance-optimized'\nworkload = 'YCSB_B'\nrequests = 60\ntrials = 9\nseeds = 4\n"
        "objectives = ['mean_latency']\n[space]\nfabric = ['bus', 'mesh']\n"
    )
    found = canaletto.ok("search", "s.toml", "--out", "a", "--dry-run", "--json").json
    assert (found["trials"], found["repeats"]) == (9, 18)
    assert found["cpu_hours"] > 0
    assert "at most 9 trials, and 18 runs or more" in canaletto.ok("search", "s.toml", "--out", "a", "--dry-run").out
    assert not (tmp_path / "a").exists()
