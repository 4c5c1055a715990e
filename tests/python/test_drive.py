import copy
import itertools
import pickle
import runpy
import signal
import threading
import time
from collections.abc import Callable
from typing import Literal

import canaletto as cn
import numpy as np
import pytest
from conftest import REPOSITORY

SMALL = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 16,
    "geometry.pages_per_block": 8,
}


def small(**settings: object) -> cn.Drive:
    return cn.Drive(cn.design("performance-optimized", **SMALL, **settings))


def test_requests_submitted_while_it_is_iterated_count() -> None:
    drive, tags = small(), []
    drive.submit("write", 0, 8, tag=0)
    for completion in drive:
        tags.append(completion.tag)
        assert completion.completed_ps == drive.now_ps
        assert sum(completion.blame_ps.values()) == completion.latency_ps
        if completion.tag < 9:
            drive.submit("read", 0, 8, tag=completion.tag + 1)
    assert tags == list(range(10))
    assert (drive.outstanding, drive.next_completion()) == (0, None)
    counts = drive.results.requests
    assert (counts.reads, counts.writes, counts.completed) == (9, 1, 10)


def test_every_operation_is_served() -> None:
    drive = small(**{"cache.capacity": "64KiB"})
    drive.submit("write", 0, 8, tag=1)
    drive.submit("write", 8, 8, fua=True, tag=2)
    drive.submit("write-zeroes", 16, 8, tag=3)
    drive.submit("trim", 0, 8, tag=4)
    drive.submit("flush", tag=5)
    done = {completion.tag: completion for completion in drive}
    assert set(done) == {1, 2, 3, 4, 5}
    assert done[2].latency_ps > done[1].latency_ps, "force unit access waits for the flash"
    assert repr(done[1]).startswith("<Completion 1 after ")


def test_completions_may_be_pickled_and_copied() -> None:
    drive = small()
    drive.submit("write", 0, 8, tag=7)
    (done,) = drive
    for again in (pickle.loads(pickle.dumps(done)), copy.deepcopy(done)):
        assert (repr(again), again.failed, again.blame_ps) == (repr(done), done.failed, done.blame_ps)
        assert (again.status, again.lba) == (done.status, done.lba)
        assert (again.arrival_ps, again.enqueued_ps) == (done.arrival_ps, done.enqueued_ps)
    with pytest.raises(cn.ConfigError, match="blame_ps: got sleep, which is not a cause"):
        cn.Completion(1, 0, 0, 0, 0, 5, {"sleep": 5})
    with pytest.raises(cn.ConfigError, match="completed_ps: got 4, before arrival_ps, 5"):
        cn.Completion(1, 0, 0, 5, 5, 4, {})


def test_time_goes_to_limits() -> None:
    drive = small()
    drive.submit("read", 0, 8, at_ps=5_000_000)
    assert drive.next_event_ps == 5_000_000
    assert drive.next_completion(4_000_000) is None
    assert drive.now_ps == 4_000_000
    drive.advance_to(10**9)
    assert (drive.now_ps, drive.outstanding) == (10**9, 0)
    frame = drive.take()
    assert frame["tag"].to_list() == [0]
    assert frame["op"].to_list() == ["read"]
    assert drive.take().is_empty()
    assert "at 1.00 ms, 0 requests outstanding" in repr(drive)


def test_columns_are_broadcast_and_may_be_mixed() -> None:
    drive = small()
    drive.submit_many(["write", "flush", "read"], [0, 0, 8], [8, 0, 8], at_ps=[0, 1_000, 2_000], tags=[7, 8, 9])
    drive.submit_many("read", range(0, 80, 8), 8, at_ps=10**9)
    drive.advance_to(10**10)
    assert sorted(drive.take()["tag"]) == sorted([7, 8, 9, *range(10)])


def test_columns_may_be_empty_and_operations_an_array() -> None:
    drive = small()
    drive.submit_many([], [], [])
    drive.submit_many("read", [], 8, at_ps=[], tags=[])
    assert drive.outstanding == 0
    drive.submit_many(np.array(["read", "write"]), [0, 8], 8)
    assert drive.outstanding == 2


def refusals(drive: cn.Drive) -> list[tuple[Callable[[], object], str]]:
    drive.advance_to(1_000)
    return [
        (lambda: drive.submit("read", 0, 0), "a request for no sectors"),
        (lambda: drive.submit("reed", 0, 8), "got operation"),  # type: ignore[arg-type]
        (lambda: drive.submit("read", drive.sectors, 8), "do not exist: the drive has"),
        (lambda: drive.submit("read", -1, 8), "expected whole numbers from 0"),
        (lambda: drive.submit("read", 0, 1 << 32), "below 2^32 of sectors"),
        (lambda: drive.submit("read", 0, 8, at_ps=999), "lies in the past"),
        (lambda: drive.advance_to(999), "which the drive has reached"),
        (lambda: drive.advance_to(-1), "expected a moment from 0"),
        (lambda: drive.next_completion(1 << 64), "expected a moment from 0"),
        (lambda: drive.submit_many("read", [0, -8], 8), "expected whole numbers from 0"),
        (lambda: drive.submit_many("read", [0.5], 8), "expected whole numbers from 0"),
        (lambda: drive.submit_many(["read", "reed"], [0, 8], 8), "got operation 'reed'"),  # type: ignore[list-item]
        (lambda: drive.submit_many("read", [0, drive.sectors], 8), "request 1: sectors"),
        (lambda: drive.submit_many("read", [0], 1 << 32), "request 0: got 4294967296 sectors"),
        (lambda: cn.Drive.restore(b"something else, of some length"), "not a snapshot"),
        (lambda: cn.Drive.restore(drive.snapshot()[:-1]), "damaged"),
        (lambda: cn.Drive(drive.design, "mix1"), "got 2 flows, expected one"),
        (lambda: cn.Drive(drive.design, seed=-1), "seed"),
    ]


@pytest.mark.parametrize("number", range(18))
def test_what_cannot_be_is_refused(number: int) -> None:
    drive = small()
    call, text = refusals(drive)[number]
    with pytest.raises(cn.ConfigError, match=text.replace("^", r"\^")):
        call()
    assert drive.now_ps == 1_000


@pytest.mark.parametrize("repeat", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_drive_is_not_copied_but_restored(repeat: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match=r"Drive\.restore\(drive\.snapshot\(\)\) makes another one"):
        repeat(small())


def test_a_snapshot_goes_on_alike() -> None:
    drive = small(**{"cache.capacity": "64KiB", "precondition.kind": "steady"})
    for number in range(300):
        drive.submit("write" if number % 3 else "read", number * 8 % 1600, 8, tag=number, at_ps=number * 3_000_000)
    drive.advance_to(400_000_000)
    again = cn.Drive.restore(drive.snapshot())
    assert (again.now_ps, again.design) == (drive.now_ps, drive.design)
    rest = [[(done.tag, done.completed_ps, done.blame_ps) for done in each] for each in (drive, again)]
    assert rest[0] == rest[1]
    assert len(rest[0]) == 300, "completions that nobody had taken are part of it"
    assert again.results.to_dict() == drive.results.to_dict()


def test_a_drive_is_as_a_run_of_its_workload_finds_it() -> None:
    design = cn.design("performance-optimized", **SMALL, **{"precondition.kind": "replay"})
    workload = cn.workload("hm_0", requests=50)
    found = cn.Drive(design, workload).results["precondition"]
    assert found.to_dict() == cn.run(design, workload).precondition.to_dict()


def test_a_loop_in_python_is_quick_enough_for_studies() -> None:
    """100 thousand requests per second are promised; a fifth of processor time is enough here."""
    drive, count = cn.Drive("performance-optimized"), 20_000
    started = time.process_time()
    for number in range(16):
        drive.submit("read", 8 * number, 8)
    for submitted, _ in enumerate(drive, 16):
        if submitted < count:
            drive.submit("read", 8 * submitted, 8)
    taken = time.process_time() - started
    assert drive.results.requests.completed == count
    assert count / taken > 20_000


def test_the_key_value_store_serves_its_clients(capsys: pytest.CaptureFixture[str]) -> None:
    store = runpy.run_path(str(REPOSITORY / "examples/key_value_store.py"))
    store["main"]("performance-optimized", "4", "500")
    told = capsys.readouterr().out
    assert told.startswith("500 operations of 4 clients on performance-optimized: ")
    assert "flushes" in told


def scanning() -> cn.Drive:
    """Looks for old data every microsecond, so that a second of its time takes a while."""
    return small(**{"refresh.age_limit_days": 30.0, "refresh.scan_interval": "1us"})


@pytest.mark.parametrize("requests", [0, 1000], ids=["idle", "busy"])
@pytest.mark.parametrize("waits", [lambda drive: drive.advance_to(10**18), lambda drive: drive.next_completion(10**18)])
def test_ctrl_c_stops_a_drive_at_once(requests: int, waits: Callable[[cn.Drive], object]) -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    drive = scanning()
    for number in range(requests):
        drive.submit("read", 8 * (number % 700), 8)
    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, 0.3)
        with pytest.raises(KeyboardInterrupt):
            all(waits(drive) != 0 for _ in itertools.count())
        taken = time.process_time() - started
    finally:
        signal.signal(signal.SIGPROF, before)
    assert taken < 0.8
    drive.submit("read", 0, 8, tag=7)
    assert any(completion.tag == 7 for completion in drive)


def test_a_second_thread_is_told_that_a_drive_serves_one() -> None:
    drive, said = scanning(), ""
    worker = threading.Thread(target=lambda: drive.advance_to(10**12 // 2))
    worker.start()
    while worker.is_alive() and not said:
        try:
            drive.submit("read", 0, 8)
        except cn.SimulationError as error:
            said = str(error)
    worker.join()
    assert said.startswith("this Drive is at work in another thread, or in a call that a signal has interrupted")


def test_a_request_at_the_end_of_time_is_refused_in_words() -> None:
    drive, latest = small(), 1 << 63
    drive.submit("read", 0, 8, at_ps=latest)
    with pytest.raises(cn.ConfigError, match=r"no request is complete by 9223372036854775808 ps, .* 1 unfinished"):
        next(drive)
    with pytest.raises(cn.ConfigError, match="comes too late"):
        drive.submit("read", 0, 8, at_ps=latest + 1)
    assert drive.now_ps == latest


@pytest.mark.parametrize("op", ["read", "trim", "flush"])
def test_fua_of_what_writes_nothing_is_refused(op: Literal["read", "trim", "flush"]) -> None:
    drive = small()
    with pytest.raises(cn.ConfigError, match=f"got fua of a {op}, expected it of a write or of write-zeroes"):
        drive.submit(op, 0, 0 if op == "flush" else 8, fua=True)
    assert drive.outstanding == 0
    drive.submit("write-zeroes", 0, 8, fua=True)
    assert drive.outstanding == 1
