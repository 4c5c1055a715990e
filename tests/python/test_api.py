import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import canaletto as cn
import numpy as np
import polars as pl
import pytest
from canaletto._io import frames
from canaletto._io.rows import Rows
from canaletto._io.temporary import TemporaryFolder
from canaletto._run.repeat import rerun

FEW = {"requests": 2000}
# Minutes, even on a fast machine: tests end it.
LONG = cn.workload("hm_0", requests=10**9)


@pytest.fixture(scope="module")
def result() -> cn.Result:
    return cn.run(cn.design("performance-optimized"), cn.workload("hm_0", **FEW))


def test_fields_are_attributes_and_items(result: cn.Result) -> None:
    assert result.latency_us.all.p99 == result["latency_us"]["all"]["p99"] > 0
    assert result.requests.height == result.to_dict()["requests"]["completed"] == 2000
    assert result.flows[0].name == "hm_0"
    assert "latency_us" in dir(result)
    with pytest.raises(AttributeError, match="no field 'latency'; there are schema"):
        _ = result.latency


def test_requests_account_for_every_picosecond(result: cn.Result) -> None:
    frame = result.requests
    assert frame.columns[:14] == [
        *("request", "flow", "op", "failed", "status", "lba", "sectors", "first_byte", "bytes"),
        *("arrival_us", "enqueued_us", "completed_us", "latency_us", "path_conflict"),
    ]
    causes = frame.columns[14:]
    assert all(name.endswith("_us") for name in causes)
    roots = [name for name in causes if name.startswith("root_")]
    for account in (roots, [name for name in causes if name not in roots]):
        off = frame.select((pl.sum_horizontal(account) - pl.col("latency_us")).abs().max()).item()
        assert off < 1e-6
    assert frame["latency_us"].max() == pytest.approx(result.latency_us.all.max)
    assert frame["op"].value_counts().height == 2
    assert frame["completed_us"].is_sorted()


def test_blame_is_the_mean_over_requests(result: cn.Result) -> None:
    blame = result.blame
    assert blame.columns == ["cause", "mean_us", "mean_share", "p99_us", "p99_share"]
    assert blame["mean_share"].sum() == pytest.approx(1)
    assert blame["p99_share"].sum() == pytest.approx(1)
    for cause, mean in zip(blame["cause"], blame["mean_us"], strict=True):
        assert result.requests[f"{cause}_us"].mean() == pytest.approx(mean)


def test_results_show_themselves(result: cn.Result) -> None:
    assert "latency by root cause" in repr(result)
    assert "<table>" in result._repr_html_()
    assert repr(result.requests)


def test_overrides_and_sugar() -> None:
    design = cn.design("performance-optimized", fabric="bus", **{"flash.read": "10us", "geometry.channels": 4})
    assert design.to_dict()["flash"]["read"] == "10us"
    assert design.to_dict()["geometry"]["channels"] == 4
    assert cn.workload("YCSB_B", read_share=np.float64(0.5)).to_dict()["flow"][0]["synthetic"]["read_share"] == 0.5
    assert design.fabric == "bus"
    changed = design.replace(name="other", **{"flash.die_interleaving": False})
    assert (design.name, changed.name) == ("performance-optimized", "other")
    assert changed.to_dict()["flash"]["die_interleaving"] is False
    assert changed != design == cn.design("performance-optimized", **{"flash.read": "10us", "geometry.channels": 4})
    assert "other" in repr(changed)
    assert "<pre>" in changed._repr_html_()


def test_workload_options() -> None:
    closed = cn.workload("hm_0", requests=10, queue_depth=3).to_dict()["flow"][0]["synthetic"]
    assert (closed["requests"], closed["queue_depth"]) == (10, 3)
    assert "inter_arrival" not in closed
    with pytest.raises(cn.ConfigError, match="expected a workload that replays a trace"):
        cn.workload("hm_0", out_of_range="wrap")
    with pytest.raises(cn.ConfigError, match="expected one of refuse, wrap, fit"):
        cn.workload("hm_0", out_of_range="warp")


def test_replay_options(tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text("".join(f"{n * 1000} 0 {n * 8} 8 {n % 2}\n" for n in range(20)))
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[[flow]]\nname = "a"\n[flow.mix]\nspeed = 3\n[[flow.mix.trace]]\nfile = "t.trace"\nsample = 0.5\n'
    )
    (alone,) = cn.workload(tmp_path / "t.trace", inter_arrival="5us", after="3us", repeat=2).to_dict()["flow"]
    assert (alone["trace"]["after"], alone["trace"]["repeat"]) == ("3us", 2)
    mixed = cn.workload(tmp_path / "w.toml", as_fast_as_possible=True, every=4, requests=3)
    mix = mixed.to_dict()["flow"][0]["mix"]
    assert (mix["as_fast_as_possible"], mix["requests"], "speed" in mix) == (True, 3, False)
    assert (mix["trace"][0]["every"], "sample" in mix["trace"][0]) == (4, False)
    assert mixed.traces() == [str(tmp_path / "t.trace")]
    assert cn.run("cost-optimized", mixed).requests["arrival_us"].to_list() == [0.0, 0.0, 0.0]
    with pytest.raises(cn.ConfigError, match="speed and inter_arrival: both given"):
        cn.workload("hm_0", speed=2, inter_arrival="1us")


def test_names_and_paths_are_taken_directly() -> None:
    assert cn.run("cost-optimized", cn.workload("hm_0", requests=50), records=False)["requests"].completed == 50


@pytest.mark.parametrize(("option", "given"), [("seed", -1), ("seeds", 0), ("warmup", 1.5), ("seed", True)])
def test_options_out_of_range_are_refused(option: str, given: object) -> None:
    with pytest.raises(cn.ConfigError, match=f"{option}: got {given}, expected a whole number"):
        cn.run("cost-optimized", "hm_0", **{option: given})  # type: ignore[arg-type]


def test_without_records_there_is_no_frame() -> None:
    result = cn.run("cost-optimized", cn.workload("hm_0", **FEW), records=False)
    assert not result.has_requests
    with pytest.raises(RuntimeError, match="records=True"):
        _ = result.requests


def test_save_and_load(result: cn.Result, tmp_path: Path) -> None:
    result.save(tmp_path / "run")
    loaded = cn.load(tmp_path / "run")
    assert loaded.to_dict() == result.to_dict()
    assert loaded.requests.equals(result.requests)
    assert loaded.configuration == result.configuration
    with pytest.raises(cn.ConfigError, match="exists already"):
        result.save(tmp_path / "run")


def test_requests_in_files_go_along_with_a_pickled_result(result: cn.Result, tmp_path: Path) -> None:
    rows = Rows(["hm_0"])
    flow = _few_requests()
    rows.add(flow)
    kept = pickle.dumps(rows.end(flow))
    del rows
    assert pickle.loads(kept).frame()["lba"].to_list() == [8, 16, 8, 16]

    result.save(tmp_path / "run", report=False)
    assert pickle.loads(pickle.dumps(cn.load(tmp_path / "run"))).requests.equals(result.requests)


def test_a_temporary_folder_goes_with_the_last_that_holds_it_in_its_process() -> None:
    held = [TemporaryFolder()]
    place = held[0].path
    _in_a_fork(held.clear)
    held = [copy.copy(held[0]), copy.deepcopy(held[0])]
    del held[0]
    assert place.is_dir()
    held.clear()
    assert not place.exists()


def test_a_process_without_the_threads_of_polars_says_so_and_does_not_wait(result: cn.Result) -> None:
    assert pl.select(pl.lit(1), two=pl.lit(2)).height == 1
    saved = result.to_dict()["blame_us"]
    few = cn.workload("hm_0", requests=10)
    uses = [
        lambda: cn.run("performance-optimized", few),
        lambda: Rows(["hm_0"]),
        lambda: frames.raw(_few_requests()),
        lambda: frames.causes(saved),
        lambda: result.rows.scan(),
    ]

    def all_refuse() -> None:
        for use in uses:
            with pytest.raises(RuntimeError, match=r"forked .* Polars .*get_context\('spawn'\)"):
                use()
        assert cn.run("performance-optimized", few, records=False).request_counts.completed == 10

    _in_a_fork(all_refuse)


def _in_a_fork(job: Callable[[], object]) -> None:
    with warnings.catch_warnings():
        # Newer interpreters warn of threads, which these tests are about.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            job()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def _few_requests() -> frames.Columns:
    numbers = {"flow": [0, 0], "kind": [0, 0], "failed": [0, 0], "lba": [8, 16], "sectors": [8, 8]}
    columns = {name: numbers.get(name, [0, 1]) for name in frames.FIRST}
    return {name: ("u64", np.array(column, "<u8").tobytes()) for name, column in columns.items()}


def test_ctrl_c_stops_a_run() -> None:
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    before = time.thread_time()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the signal must not come before
        timer.start()
        cn.run("performance-optimized", LONG, records=False)
    timer.join()
    # All of it would be many minutes of this thread, however busy the machine is.
    assert time.thread_time() - before < 30
    assert cn.run("performance-optimized", cn.workload("hm_0", requests=10)).requests.height == 10


def test_other_threads_run_meanwhile() -> None:
    """If the thread had to wait, the run would come to its end."""

    def tick() -> None:
        for _ in range(10):
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=tick)
    work = cn.workload("hm_0", requests=20_000_000)
    came_to_its_end = False
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the signal must not come before
        thread.start()
        cn.run("performance-optimized", work, records=False)
        came_to_its_end = True
        thread.join()
    assert not came_to_its_end


def test_progress_is_reported_and_its_errors_end_the_run() -> None:
    reports: list[tuple[int, int, int]] = []

    def report(*told: int) -> None:
        reports.append((told[0], told[1], told[2]))
        if len(reports) == 5:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cn.run("performance-optimized", LONG, records=False, progress=report)
    assert len(reports) == 5
    assert all(total == 10**9 for _, total, _ in reports)
    assert reports == sorted(reports)


def test_threads_do_not_change_results() -> None:
    workload = cn.workload("hm_0", requests=20_000)
    results: list[dict] = []

    def work() -> None:
        found = cn.run("performance-optimized", workload, records=False).to_dict()
        del found["cost"]
        results.append(found)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] == results[1] == results[2]


def test_a_run_without_root_causes_is_the_same_but_for_them(tmp_path: Path) -> None:
    workload = cn.workload("hm_0", requests=500)
    with_them, without = (cn.run("performance-optimized", workload, root_causes=each) for each in (True, False))
    found, expected = without.to_dict(), with_them.to_dict()
    for part in (expected, *expected["flows"]):
        del part["root_cause_us"]
    assert {key for key in expected if found[key] != expected[key]} == {"cost"}
    assert without.options["root_causes"] is False
    with pytest.raises(ValueError, match="root_causes=False"):
        _ = without.root_causes
    home = tmp_path / "run"
    without.save(home)
    assert rerun(home).identical


def test_peak_memory_is_the_runs_own(tmp_path: Path) -> None:
    """The peak of a large parent process does not count."""
    run = "import canaletto as cn; print(cn.run('performance-optimized', 'hm_0', records=False).cost['peak_rss_mb'])"
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import subprocess, sys\n"
        "large = bytearray(10**9)\n"
        f'subprocess.run([sys.executable, "-c", {run!r}], check=True)\n'
    )
    out = subprocess.run([sys.executable, str(parent)], capture_output=True, text=True, check=True, timeout=300)
    assert 10 < float(out.stdout) < 500


def test_a_million_outstanding_requests_take_less_than_a_gigabyte(tmp_path: Path) -> None:
    """A separate process, whose memory is the run's."""
    script = tmp_path / "many.py"
    flow = 'requests = 1100000\nread_share = 1.0\nsize = "4KiB"\nqueue_depth = 1000000'
    (tmp_path / "many.toml").write_text(f'name = "many"\n[[flow]]\nname = "many"\n[flow.synthetic]\n{flow}\n')
    script.write_text(
        "import json, canaletto as cn\n"
        'design = cn.design("performance-optimized", **{"host.queues_per_flow": 2000, "host.fetch_limit": 512})\n'
        f"work = cn.workload({str(tmp_path / 'many.toml')!r})\n"
        "print(json.dumps(cn.run(design, work, records=False, root_causes=False).to_dict()))\n"
    )
    out = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=300)
    result = json.loads(out.stdout)
    assert result["requests"]["completed"] == 1_100_000
    assert max(result["series"]["outstanding"]) > 900_000
    assert result["cost"]["peak_rss_mb"] < 1000
