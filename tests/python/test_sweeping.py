import copy
import pickle
import sys
import tomllib
from pathlib import Path
from typing import Any

import canaletto as cn
import numpy as np
import pytest
from canaletto._sweeping import document, executors, store, work
from canaletto._sweeping.axes import axis
from canaletto._sweeping.estimate import estimate
from canaletto._sweeping.tasks import resolve

BASE = {"design": "performance-optimized", "workload": "hm_0", "requests": 20}


def values(given: Any) -> tuple[Any, ...]:
    return axis("", "key", given).values


def points(**tables: Any) -> list[dict[str, Any]]:
    grid = document.checked("sweep.toml", {**BASE, **tables}).grid
    return [dict(point) for point in grid.points("sweep.toml")]


@pytest.fixture(autouse=True)
def own_points(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANALETTO_POINTS", str(tmp_path_factory.mktemp("points")))


def test_ranges_have_both_ends_and_the_unit_of_their_beginning() -> None:
    assert values({"from": 1, "to": 10, "step": 3}) == (1, 4, 7, 10)
    assert values({"from": "3us", "to": "12us", "step": "3000ns"}) == ("3us", "6us", "9us", "12us")
    assert values({"from": "500ns", "to": "2us", "count": 4}) == ("500ns", "1000ns", "1500ns", "2000ns")
    assert values({"from": 1, "to": 1000, "count": 4, "scale": "log"}) == (1, 10, 100, 1000)
    assert values({"from": "10%", "to": "30%", "step": "10%"}) == ("10%", "20%", "30%")
    assert values({"from": 0.1, "to": 0.3, "step": 0.1}) == (0.1, 0.2, 0.3)


def test_ends_of_ranges_are_exact() -> None:
    assert values({"from": "1000000ns", "to": "1234567ns", "count": 2}) == ("1000000ns", "1234567ns")
    assert values({"from": "4096B", "to": "1048576B", "count": 3}) == ("4096B", "526336B", "1048576B")
    assert values({"from": "4096B", "to": "1MiB", "step": "522240B"}) == ("4096B", "526336B", "1048576B")
    assert values({"from": 0.1234567, "to": 0.7654321, "count": 2}) == (0.1234567, 0.7654321)
    first = 2**53 + 1
    assert values({"from": first, "to": first + 10, "count": 2}) == (first, first + 10)
    # No end where no step reaches it.
    assert values({"from": 1_000_000_000, "to": 1_000_000_005, "step": 2})[-1] == 1_000_000_004
    assert values({"from": "3us", "to": "4us", "step": "2us"}) == ("3us",)


def test_values_in_python_are_whatever_can_be_gone_through() -> None:
    assert values(name for name in ("bus", "venice")) == ("bus", "venice")
    assert values({"venice": 1, "bus": 2}.keys()) == ("venice", "bus")
    assert values({"venice", "bus", "mesh"}) == ("bus", "mesh", "venice")
    assert values(frozenset({10, 9})) == (9, 10)
    for given in (np.arange(1, 3), list(np.arange(1, 3)), range(1, 3)):
        assert [type(value) for value in values(given)] == [int, int]
    assert values(np.linspace(0.25, 0.75, 3)) == (0.25, 0.5, 0.75)
    assert values(np.array([["46us", "66us"]])) == (["46us", "66us"],)


def test_columns_carry_the_unit() -> None:
    time = axis("", "flash.read", ["3us", "2ms"])
    assert (time.column, [time.cell(value) for value in time.values]) == ("flash.read_us", [3.0, 2000.0])
    rate = axis("", "fabric.rate", ["1.2GB/s", "800MB/s"])
    assert (rate.column, [rate.cell(value) for value in rate.values]) == ("fabric.rate_mb_s", [1200.0, 800.0])
    assert axis("", "fabric", ["bus", "venice"]).column == "fabric"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["3us", "6MB/s"], "time"),
        (["3us", 6], "expected values of one kind"),
        ([1, "two"], "expected values of one kind"),
        ([], "expected a list of values"),
        ("3us", "expected a list of values"),
        (b"3us", "expected a list of values"),
        (3, "expected a list of values"),
        (iter(()), "expected a list of values"),
        (["3us", "3000ns"], "more than once"),
        ({"from": "3us", "to": "6MB/s", "count": 3}, "a time with its unit"),
        ({"from": "3us", "to": "6us", "step": 1}, "a time with its unit"),
        ({"from": "6us", "to": "3us", "count": 2}, "expected from below to"),
        ({"from": 0, "to": 10, "count": 3, "scale": "log"}, "above 0"),
        ({"from": 1, "to": 2}, "either step or count"),
        ({"from": 1, "to": 2, "steps": 1}, "unknown key"),
        ({"from": 0, "to": 1e9, "step": 1}, "expected at most 100,000"),
    ],
)
def test_an_axis_that_is_none_says_why(given: Any, says: str) -> None:
    with pytest.raises(cn.ConfigError, match=says):
        axis("sweep.toml:3: ", "flash.read", given)


def test_axes_take_the_numbers_of_numpy() -> None:
    assert repr(axis("", "seed", list(np.arange(2))).values) == "(0, 1)"
    assert repr(axis("", "workload.read_share", list(np.linspace(0, 1, 3))).values) == "(0.0, 0.5, 1.0)"


def test_axes_are_combined_zipped_and_conditional() -> None:
    found = points(
        grid={"fabric": ["bus", "venice"], "seed": [1, 2]},
        zip=[{"geometry.channels": [4, 8], "geometry.chips_per_channel": [16, 8]}],
    )
    assert len(found) == 8
    assert {(p["geometry.channels"], p["geometry.chips_per_channel"]) for p in found} == {(4, 16), (8, 8)}
    found = points(
        grid={"fabric": ["bus", "venice"], "fabric.venice.scouts": ["atomic", "clocked"]},
        only_where={"fabric.venice.scouts": {"fabric": "venice"}},
    )
    assert found == [
        {"fabric": "bus"},
        {"fabric": "venice", "fabric.venice.scouts": "atomic"},
        {"fabric": "venice", "fabric.venice.scouts": "clocked"},
    ]
    found = points(grid={"fabric": ["bus", "venice"], "seed": [1, 2]}, skip=[{"fabric": "bus", "seed": [2]}])
    assert found == [{"fabric": "bus", "seed": 1}, {"fabric": "venice", "seed": 1}, {"fabric": "venice", "seed": 2}]


def test_conditions_on_conditional_axes_mean_the_same_in_any_order() -> None:
    grid = {"fabric": ["bus", "venice"], "geometry.channels": [4, 8], "geometry.chips_per_channel": [2, 4]}
    conditions = {
        "geometry.chips_per_channel": {"geometry.channels": 8},
        "geometry.channels": {"fabric": "venice"},
    }
    found = points(grid=grid, only_where=conditions)
    assert found == points(grid=grid, only_where=dict(reversed(conditions.items())))
    assert found == [
        {"fabric": "bus"},
        {"fabric": "venice", "geometry.channels": 4},
        {"fabric": "venice", "geometry.channels": 8, "geometry.chips_per_channel": 2},
        {"fabric": "venice", "geometry.channels": 8, "geometry.chips_per_channel": 4},
    ]


def test_values_that_are_lists_and_numbers_of_two_kinds_are_points_of_their_own() -> None:
    reads = [["46us", "66us", "46us"], ["40us", "60us", "40us"]]
    assert points(grid={"flash.read": reads}) == [{"flash.read": read} for read in reads]
    expected = [{"flash.read": reads[0], "seed": 1}, {"flash.read": reads[1], "seed": 2}]
    assert points(zip=[{"flash.read": [*reads, reads[1]], "seed": [1, 2, 2]}]) == expected
    assert len(points(grid={"workload.read_share": [1, 1.0]})) == 2


def test_a_latin_hypercube_hits_every_part_once_and_is_the_same_again() -> None:
    table = {"points": 10, "seed": 3, "flash.read": {"from": "0us", "to": "10us"}, "fabric": ["bus", "venice"]}
    found = points(latin=table)
    assert found == points(latin=table)
    assert found != points(latin={**table, "seed": 4})
    assert sorted(int(float(p["flash.read"].removesuffix("us"))) for p in found) == list(range(10))
    assert [p["fabric"] for p in found].count("bus") == 5


def test_what_is_computed_has_the_same_name_however_it_is_spelt(tmp_path: Path) -> None:
    def keys(**given: Any) -> list[str]:
        found, _ = resolve(document.checked("sweep.toml", {**BASE, **given}))
        return [point.task.key for point in found]

    (same,) = keys(set={"flash.read": "3us"})
    assert keys(set={"flash.read": "3000ns"}) == [same]
    assert keys(set={"flash.read": "4us"}) != [same]
    assert keys(set={"flash.read": "3us"}, seed=2) != [same]
    trace = "".join(f"{1000 * n} 0 {8 * n} 8 1\n" for n in range(10))
    for name, text in {"a": trace, "b": trace, "c": trace.replace("9000", "9001")}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.trace").write_text(text)
    a, b, c = (keys(workload=str(tmp_path / name / "t.trace")) for name in "abc")
    assert a == b != c


def test_a_record_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    kept = store.Store(tmp_path / "points", tmp_path / "shared")
    content = work.record("ab12", {"iops": 1.5}, {"cpu_s": 0.1})
    kept.put("ab12", content)
    assert kept.get("ab12") == ({"iops": 1.5}, {"cpu_s": 0.1})
    (file,) = (tmp_path / "points").rglob("*.json")
    (shared,) = (tmp_path / "shared").rglob("*.json")
    for torn in (b"", content[:-1], content[:40], content + b"\n", content.replace(b"1.5", b"2.5"), b"\xff" * 99):
        shared.unlink(missing_ok=True)
        file.write_bytes(torn)
        assert kept.get("ab12") is None
    # Nor is the record of something else.
    file.write_bytes(work.record("ab13", {"iops": 1.5}, {"cpu_s": 0.1}))
    assert kept.get("ab12") is None
    # What another folder has computed is there without a computation.
    kept.put("ab12", content)
    other = store.Store(tmp_path / "other", tmp_path / "shared")
    assert other.get("ab12") is not None
    assert store.Store(tmp_path / "other", None).get("ab12") is not None


def test_a_shared_record_that_cannot_be_read_is_absent(tmp_path: Path) -> None:
    kept = store.Store(tmp_path / "points", tmp_path / "shared")
    content = work.record("ab12", {"iops": 1.5}, {"cpu_s": 0.1})
    shared = tmp_path / "shared" / "ab" / "ab12.json"
    shared.parent.mkdir(parents=True)
    # Whoever runs this, even root, cannot read what leads to itself.
    shared.symlink_to(shared)
    assert kept.get("ab12") is None
    assert not kept.has("ab12")
    kept.put("ab12", content)
    assert kept.get("ab12") is not None
    # One's own folder is no cache: its disk is broken.
    with pytest.raises(OSError, match="symbolic links"):
        store.Store(tmp_path / "shared", None).get("ab12")


def test_a_sweep_in_python_is_what_single_runs_are(tmp_path: Path) -> None:
    grid = {"fabric": ["bus", "venice"], "flash.read": ["3us", "6us"]}
    found = cn.sweep("performance-optimized", "hm_0", grid, seeds=2, requests=50, out=tmp_path / "a", workers=1)
    table = found.table
    assert table.select("fabric", "flash.read_us", "seed").rows() == [
        (fabric, read, seed) for fabric in ("bus", "venice") for read in (3.0, 6.0) for seed in (1, 2)
    ]
    alone = cn.run(
        cn.design("performance-optimized", fabric="venice", **{"flash.read": "6us"}),
        cn.workload("hm_0", requests=50),
        seed=2,
    )
    row = table.row(7, named=True)
    assert row["latency_p99_us"] == alone.latency_us.all.p99
    assert row["iops"] == alone.iops
    assert row["completed_requests"] == 50
    again = found.run(7, records=False)
    assert again.latency_us.all.p99 == alone.latency_us.all.p99
    causes = [name for name in table.columns if name.startswith("blame_")]
    assert sum(row[name] for name in causes) == pytest.approx(row["latency_mean_us"])
    roots = [name for name in table.columns if name.startswith("root_")]
    assert sum(row[name] for name in roots) == pytest.approx(row["latency_mean_us"])
    computed = sum(1 for _ in (tmp_path / "a" / "points").rglob("*.json"))
    assert computed == 8


def test_a_temporary_sweep_is_there_as_long_as_a_copy_of_it() -> None:
    found = cn.sweep("performance-optimized", "hm_0", {"fabric": ["bus"]}, requests=50, workers=1)
    table, place, again, kept = found.table, found.path, copy.copy(found), pickle.dumps(found)
    del found
    assert again.path == place
    assert again.run(0, records=False).iops == table["iops"][0]
    del again
    assert not place.exists()
    elsewhere = pickle.loads(kept)
    assert elsewhere.path != place
    assert elsewhere.run(0, records=False).iops == table["iops"][0]


def test_a_point_that_stops_is_a_row_with_its_reason(tmp_path: Path) -> None:
    trace = tmp_path / "far.trace"
    trace.write_text("1000 0 999999999999 8 1\n")
    found = cn.sweep("performance-optimized", trace, {"fabric": ["bus"]}, workers=1)
    (row,) = found.table.rows(named=True)
    assert "beyond" in row["error"] or "drive" in row["error"]
    assert row["iops"] is None
    # Nor does the estimate of its cost end with it.
    asked = document.checked("sweep", {**BASE, "workload": str(trace), "grid": {"fabric": ["bus"]}})
    points, _ = resolve(asked)
    assert estimate([point.task for point in points]).tried == 1


def test_a_process_that_dies_is_replaced_and_one_task_that_kills_it_given_up(tmp_path: Path) -> None:
    found, _ = resolve(document.checked("sweep", {**BASE, "grid": {"seed": [1, 2, 3, 4]}}))
    executor = executors.LocalProcesses(1)
    keys = set()
    for done in executor.carry_out([point.task for point in found]):
        assert not done.failure
        keys.add(done.task.key)
        for process in list(executor._processes):
            process.kill()
    assert keys == {point.task.key for point in found}
    # A worker that ends whenever it is asked for anything.
    deadly = executors.LocalProcesses(1)
    deadly._command = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    (done,) = deadly.carry_out([found[0].task])
    assert done.failure == "its process was killed by SIGKILL, 3 times"


def test_points_that_differ_only_in_keys_without_effect_are_run_once() -> None:
    retries = ["oracle", "immediate", "local"]
    grid = {"fabric": ["bus", "venice"], "fabric.venice.retry": retries, "flash.read": ["3us", "6us"]}
    points, notes = resolve(document.checked("sweep", {**BASE, "grid": grid}))
    assert len(points) == 12
    keys = {(point.fabric, point.values["flash.read"], point.task.key) for point in points}
    assert len(keys) == len({key for *_, key in keys}) == 2 + 6
    assert notes == ["4 of 12 points differ from others only in keys without effect: fabric.venice.retry"]
    # The point of the bus is the one of a sweep without that key.
    (alone,), _ = resolve(document.checked("sweep", {**BASE, "grid": {"fabric": ["bus"], "flash.read": ["3us"]}}))
    assert alone.task.key in {point.task.key for point in points}


def test_fio_jobs_without_a_size_have_that_of_each_points_drive(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[a]\nrw=read\nbs=1m\ndirect=1\n")
    grid = {"geometry.blocks_per_plane": [64, 128]}
    given = {"design": "performance-optimized", "workload": "job.fio", "grid": grid}
    points, _ = resolve(document.checked("sweep.toml", given, folder=tmp_path))
    few, many = (tomllib.loads(point.task.workload)["flow"][0]["synthetic"]["requests"] for point in points)
    assert few > 0
    assert abs(2 * few - many) <= 1


def test_notes_on_keys_without_effect_are_given_if_they_never_have_one() -> None:
    grid = {"fabric": ["bus", "venice"], "fabric.venice.retry": ["oracle", "immediate"]}
    assert not any("has no effect" in note for note in resolve(document.checked("sweep", {**BASE, "grid": grid}))[1])
    with pytest.warns(UserWarning, match="fabric.venice.retry"):
        cn.sweep("performance-optimized", "hm_0", {**grid, "fabric": ["bus"]}, requests=1, workers=1)
