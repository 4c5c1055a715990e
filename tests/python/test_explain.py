from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from canaletto import _engine
from canaletto._report import explanation
from canaletto._run import explain, folder
from canaletto._run.explain import Explained, Explanation, Holder
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from test_timeline import command, made
from timelines import CAUSES, NOBODY, WORKS, Drawing, bus, collected, crossed, ps, routed


def told(drawing: Drawing, number: int) -> Explanation:
    return explain.explain_one(made(drawing), number, page_bytes=4096, median_ps=3_000_000)


def shown(*explanations: Explanation) -> str:
    out = StringIO()
    Console(file=out, width=80, color_system=None).print(*explanation.render(Explained(list(explanations), [], 0)))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def test_steps_tile_the_latency() -> None:
    found = told(bus(), 1)
    assert (found.pages, found.page, found.latency_ps) == (2, 2, 129_000_500)
    assert found.steps[0].start_ps == found.arrival_ps
    assert all(a.end_ps == b.start_ps for a, b in pairwise(found.steps))
    assert sum(step.duration_ps for step in found.steps) == sum(found.by_cause().values()) == found.latency_ps
    assert sum(took for _, took, _ in explanation.lines(found)) == found.latency_ps


def test_who_held_the_chip() -> None:
    steps = {(step.cause, step.start_ps): step for step in told(bus(), 1).steps}
    collected = steps["chip_busy_erase", 3_000_000]
    assert collected.holders == (Holder("array_erase", None, ("chip 0,0 plane 0",), 2_000_000, "gc"),)
    # Charged as 101.5 us after the 2 us of collection, though the erase came last: the program took 100 of them.
    user = steps["chip_busy_user", 5_000_000]
    assert user.holders == (
        Holder("array_program", 0, ("chip 0,0 plane 0",), 100_000_000),
        Holder("data", 0, ("chip 0,0",), 1_500_000),
    )
    assert (user.chip, user.unheld_ps) == ("chip 0,0", 0)
    # Read data wait for the port alone, whatever the planes do meanwhile.
    port = steps["chip_busy_user", 112_100_500]
    assert port.holders == (Holder("data", 1, ("chip 0,0",), 3_399_500),)


def test_who_held_the_channel() -> None:
    (conflict,) = (step for step in told(bus(), 1).steps if step.cause == "path_conflict")
    assert conflict.parts == ("channel 0",)
    assert conflict.holders == (Holder("data", 2, ("channel 0",), 2_500_000),)
    assert conflict.unheld_ps == 0
    (free,) = (step for step in told(bus(), 2).steps if step.cause == "path_conflict")
    assert (free.holders, free.unheld_ps) == ((), 1_500_000)


def test_who_held_the_row_and_the_column() -> None:
    conflict, write, _ = told(crossed(), 1).steps
    assert set(conflict.parts) == {"row 1", "column 0"}
    assert conflict.holders == (
        Holder("data", 2, ("row 1",), 4_000_000),
        Holder("data", None, ("column 0",), 3_000_000, "cache"),
    )
    assert conflict.unheld_ps == 0
    assert write.holders == (Holder("array_program", 0, ("chip 0,1 plane 1",), 3_000_000),)


def test_who_held_circuits() -> None:
    conflict, reservation, _ = told(routed(), 1).steps
    assert conflict.holders == (
        Holder("reserved", 0, ("controller 0", "link 0,0-0,1", "controller link 0"), 5_000_000),
        Holder("data", 2, ("controller 1",), 4_000_000),
    )
    assert conflict.unheld_ps == 500_000
    assert reservation.parts == ("controller link 0",)


def test_own_paths_have_one_user() -> None:
    drawing = bus()
    for number, part in enumerate(drawing.parts):
        if part["kind"] == "channel":
            drawing.parts[number] = {**part, "kind": "path", "to": [0, 0]}
    (conflict,) = (step for step in told(drawing, 1).steps if step.cause == "path_conflict")
    assert conflict.parts == ("channel 0", "channel 1")


def test_a_partial_write_waits_for_its_old_page() -> None:
    d = bus()
    d.request(5, 0, 1, 150_000, 160_000, op="write")
    d.step(5, 20, "read_modify_write", 150_000, 155_000)
    d.step(5, 20, "array_program", 155_000, 160_000, "chip 1,1")
    d.step(5, 21, "chip_busy_user", 149_000, 151_500, "chip 1,1")
    d.step(5, 21, "array_read", 151_500, 154_500, "chip 1,1")
    d.step(5, 21, "ecc", 154_500, 155_000)
    old, _ = told(d, 5).steps
    assert old.holders == (
        Holder("array_read", 5, ("chip 1,1",), 3_000_000),
        Holder("chip_busy_user", 5, ("chip 1,1",), 1_500_000),
        Holder("ecc", 5, (), 500_000),
    )
    flat = " ".join(shown(told(d, 5)).split())
    assert "the old page to be read: reading the array (3.00 µs), chip busy (1.50 µs), ecc (500 ns)" in flat


def test_a_chip_that_nobody_used_is_not_called_busy_with_something() -> None:
    d = bus()
    d.request(5, 0, 8, 150_000, 160_000, op="write")
    d.step(5, 20, "chip_busy_user", 150_000, 160_000, "chip 1,1")
    d.span("chip 1,1 plane 0", "array_read", 150_500, 153_500, 6, 21)
    (wait,) = told(d, 5).steps
    assert wait.unheld_ps == 7_000_000
    text = shown(told(d, 5))
    assert "others before it in line while the chip was idle (7.00 µs)" in " ".join(text.split())
    assert "mostly: in line for a chip that was idle (70.0 %)" in text


USES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 50), st.integers(0, 30)).map(lambda u: (u[0], u[1], u[1] + u[2])),
    max_size=12,
)


@given(USES)
def test_every_moment_goes_to_one_use(uses: list[tuple[int, int, int]]) -> None:
    owned = [(*use, number) for number, use in enumerate(uses)]
    expected: dict[int, int] = {}
    for moment in range(81):
        here = [use for use in owned if use[1] <= moment < use[2]]
        if here:
            owner = min(here, key=lambda use: (use[0], use[1], use[3]))[3]
            expected[owner] = expected.get(owner, 0) + 1
    shares = explain.share_out(owned)
    assert sum(shares.values()) == sum(expected.values())
    by_rank = [{}, {}]
    for found, sums in zip((shares, expected), by_rank, strict=True):
        for owner, time in found.items():
            key = uses[owner][:2]
            sums[key] = sums.get(key, 0) + time
    assert by_rank[0] == by_rank[1]


CUTS = st.lists(st.tuples(st.integers(1, 10**8), st.sampled_from(["host_link", "ecc", "array_read"])), min_size=1)


@given(CUTS, st.integers(0, 10**13))
def test_what_is_shown_adds_up_to_what_is_shown(cuts: list[tuple[int, str]], arrival: int) -> None:
    now, steps = arrival, []
    for duration, cause in cuts:
        steps.append(explain.Step(cause, now, now + duration, None))
        now += duration
    found = Explanation(1, "f", "read", 0, 8, 0, 4096, arrival, now, 1, 1, tuple(steps), None)
    text = shown(found)
    rows = re.findall(r"^ +([0-9.,]+) +([0-9.,]+) µs", text, re.MULTILINE)
    afters, tooks = ([round(float(row[place].replace(",", "")) * 1000) for row in rows] for place in (0, 1))
    total = round(float(re.search(r", ([0-9.,]+) µs", text)[1].replace(",", "")) * 1000)
    assert sum(tooks) == total
    assert afters == [sum(tooks[:place]) for place in range(len(tooks))]


def test_words() -> None:
    text = shown(told(bus(), 1))
    assert max(map(len, text.splitlines())) <= 80
    flat = " ".join(text.split())
    for said in (
        "request 1: read of 8 KiB at LBA 1600, 129.0 µs, 43.0 times the median",
        "arrived at 0.002 000 ms; 2 pages, of which the last to finish is shown",
        "101.5 µs waited for chip 0,0: page programs of request 0 on plane 0 (100 µs), data of request 0 (1.50 µs)",
        "2.5 µs waited for a path to chip 0,0 (channel 0): data of request 2 (2.50 µs)",
        "waited for an erase at chip 0,0: erases of garbage collection on plane 0 (2.00 µs)",
        "data of this request's own pages (3.40 µs)",
        "mostly: chip busy with a write (77.5 %)",
    ):
        assert said in flat
    assert "circuits of request 0 on controller 0" in " ".join(shown(told(routed(), 1)).split())


def test_the_largest_root_cause_is_named_with_what_is_behind_it() -> None:
    request = told(bus(), 1)
    for roots, said in (
        ({"path_conflict": 70_950_000, "chip_busy_user": 58_050_000}, "mostly: waiting for channel 0 (55.0 %)"),
        ({"chip_busy_user": 129_000_000}, "mostly: chip 0,0 busy with requests (100.000 %), longest with request 0"),
        ({"chip_busy_gc_program": 129_000_000}, "mostly: programs of garbage collection at chip 0,0 (100"),
        ({"transfer_of_others": 129_000_000}, "mostly: transfers of others at chip 0,0 (100"),
    ):
        assert said in " ".join(shown(replace(request, root_causes=roots)).split())
    assert "mostly: waiting for the ways to chip 0,0" in shown(
        replace(told(routed(), 1), root_causes={"path_conflict": 1})
    )


def test_a_request_is_named_only_for_what_it_held() -> None:
    """Most of the chip's time may be passed on from waits for other requests."""
    request = told(bus(), 1)
    held = request.steps[[step.cause for step in request.steps].index("chip_busy_user")]
    own = replace(held, holders=tuple(replace(each, request=1) for each in held.holders))
    steps = tuple(own if step is held else step for step in request.steps if step.cause != "path_conflict")
    roots = {"chip_busy_user": 129_000_000}
    assert "mostly: chip 0,0 busy with its other pages (100.000 %)" in shown(
        replace(request, steps=steps, root_causes=roots)
    )
    little = replace(held, holders=tuple(replace(each, time_ps=each.time_ps // 2) for each in held.holders))
    steps = tuple(little if step is held else step for step in request.steps)
    assert "mostly: chip 0,0 busy with requests (100.000 %)" in shown(replace(request, steps=steps, root_causes=roots))


def test_work_of_the_drive_goes_with_the_causes_that_it_is_behind() -> None:
    found = told(collected(), 1)
    steps = {step.cause: step for step in found.steps}
    uses = {cause: {holder.kind: holder.time_ps for holder in step.holders} for cause, step in steps.items()}
    us = 1_000_000
    assert uses["chip_busy_gc_read"] == {"command": us / 10, "array_read": 2.9 * us, "register": us}
    assert uses["chip_busy_gc_program"] == {"data": us, "array_program": 10 * us}
    assert uses["chip_busy_erase"] == {"command": us / 2, "array_erase": 9.5 * us}
    assert uses["chip_busy_user"] == {"data": us}
    assert all(step.unheld_ps == 0 for step in found.steps)
    flat = " ".join(shown(found).split())
    assert "waited for garbage collection to program at chip 0,0: page programs of garbage collection" in flat
    assert "mostly: programs of garbage collection at the chip (37.9 %)" in flat


def test_mapping_tables_are_told_from_collection() -> None:
    d = collected()
    mapping, read = CAUSES.index("chip_busy_mapping"), CAUSES.index("chip_busy_gc_read")
    d.steps = [(*step[:2], mapping, *step[3:]) if step[2] == read else step for step in d.steps]
    assert not next(step for step in told(d, 1).steps if step.cause == "chip_busy_mapping").holders
    now_read = [span[2] <= ps(4000) and span[5] == 7 for span in d.spans]
    d.spans = [
        (*span[:-1], WORKS.index("mapping")) if read else span for span, read in zip(d.spans, now_read, strict=True)
    ]
    (step,) = (step for step in told(d, 1).steps if step.cause == "chip_busy_mapping")
    assert {(holder.kind, holder.work) for holder in step.holders} == {
        (kind, "mapping") for kind in ("command", "array_read", "register")
    }
    assert "page reads of mapping tables" in " ".join(shown(told(d, 1)).split())


def test_writes_out_of_the_cache_are_the_hosts() -> None:
    d = collected()
    d.spans = [(*span[:-1], WORKS.index("cache")) if span[5] == 7 else span for span in d.spans]
    steps = {step.cause: step for step in told(d, 1).steps}
    assert not steps["chip_busy_gc_program"].holders
    uses = {holder.kind: (holder.work, holder.time_ps) for holder in steps["chip_busy_user"].holders}
    assert uses["array_program"] == ("cache", 10_000_000)
    assert "page programs of the data cache" in " ".join(shown(told(d, 1)).split())


def test_trims_and_flushes_are_told_as_such() -> None:
    assert "request 0: flush, 0.400 µs" in shown(told(collected(), 0))
    assert "request 2: trim of 4 KiB at LBA 128, 1.000 µs" in shown(told(collected(), 2))


def test_small_steps_share_a_line() -> None:
    d = bus()
    d.request(5, 0, 8, 0, 100_000, op="write")
    for page, cause, start, end in [
        (None, "host_link", 0, 100),
        (None, "firmware", 100, 200),
        (20, "ecc", 200, 300),
        (20, "array_program", 300, 100_000),
    ]:
        d.step(5, page, cause, start, end)
    first, second = explanation.lines(told(d, 5))
    assert first == (
        0,
        300_000,
        "waited for the host link and crossed it, was processed by the controller, passed the ECC engine",
    )
    assert second[:2] == (300_000, 99_700_000)


def test_a_long_list_of_holders_is_summed_up() -> None:
    d = bus()
    for number in range(20):
        d.span("channel 1", "data", 1000 + 100 * number, 1100 + 100 * number, 50 + number, 50 + number)
    d.request(5, 0, 8, 1000, 3000, op="read")
    d.step(5, 40, "path_conflict", 1000, 3000, "chip 1,0")
    flat = " ".join(shown(told(d, 5)).split())
    assert "data of requests 50, 51 and 18 more (20 times, 2.00 µs)" in flat


@pytest.mark.parametrize(("start", "end"), [(2001.4, 3000), (2000.4, 2999)])
def test_accounts_that_do_not_close_are_not_explained_away(start: float, end: float) -> None:
    d = bus()
    d.steps = [step for step in d.steps if (step[0], step[3]) != (1, 2_000_400)]
    d.step(1, None, "host_link", start, end)
    with pytest.raises(cn.SimulationError, match="do not account for every moment"):
        told(d, 1)


def test_only_completed_requests_are_explained() -> None:
    with pytest.raises(cn.SimulationError, match="request 3: is not completed"):
        told(bus(), 3)
    d = bus()
    d.steps = [step for step in d.steps if step[1] != NOBODY or step[3] < 130_000_000]
    with pytest.raises(cn.SimulationError, match="request 1: its steps end at"):
        told(d, 1)


@dataclass
class Frozen:
    path: Path
    drawing: Drawing
    asked: list[dict[str, Any]]


def seal(run: Path) -> None:
    record = json.loads((run / "run.json").read_text())
    record["files"]["requests.parquet"] = _engine.hash_trace(str(run / "requests.parquet"))
    (run / "run.json").write_text(json.dumps({**record, "checksum": folder._checksum(record)}))


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Frozen:
    cn.run("performance-optimized", cn.workload("hm_0", requests=5)).save(tmp_path / "run")
    times = [(2, 100.0, 125.0), (0, 0.5, 112.0), (1, 2.0004, 131.0009)]
    frame = pl.DataFrame(
        times, schema={"request": pl.UInt32, "arrival_us": pl.Float64, "completed_us": pl.Float64}, orient="row"
    )
    frame = frame.with_columns(latency_us=pl.col("completed_us") - pl.col("arrival_us"))
    frame.write_parquet(tmp_path / "run" / "requests.parquet")
    seal(tmp_path / "run")
    drawing = bus()
    drawing.step(0, None, "host_link", 500, 112_000)
    asked: list[Any] = []

    def draw(design: str, workload: str, options: str, progress: object, own: object) -> Any:
        asked.append(json.loads(options))
        return drawing.handed_over()

    monkeypatch.setattr(_engine, "timeline", draw, raising=False)
    return Frozen(tmp_path / "run", drawing, asked)


def test_the_slowest_of_a_run(frozen: Frozen) -> None:
    found = explain.explain(frozen.path, slowest=2)
    assert [each.request for each in found.explanations] == [1, 0]
    assert found.explanations[0].median_ps == 111_500_000
    (asked,) = frozen.asked
    assert asked["seed"] == 1
    ((start, end),) = asked["windows"]
    assert start == 0
    assert 131_000_900 < end < 160_000_000
    (only,) = explain.explain(frozen.path, request=2).explanations
    assert only.request == 2


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"slowest": -1}, "slowest: got -1, expected a whole number from 1"),
        ({"slowest": 0}, "slowest: got 0"),
        ({"slowest": 2.0}, "slowest: got 2.0"),
        ({"request": 1.0}, "request: got 1.0, expected a whole number from 0"),
        ({"limit": 0}, "limit: got 0, expected a whole number from 1"),
    ],
)
def test_numbers_that_are_none_are_refused(frozen: Frozen, asked: dict[str, Any], says: str) -> None:
    with pytest.raises(cn.ConfigError, match=says):
        explain.explain(frozen.path, **asked)


def test_everything_is_in_the_json(frozen: Frozen) -> None:
    found = explanation.to_dict(explain.explain(frozen.path, slowest=1))
    json.dumps(found, allow_nan=False)
    (request,) = found["requests"]
    assert request["latency_ps"] == sum(step["duration_ps"] for step in request["steps"])
    assert request["steps"][2]["holders"][0] == {
        **{"kind": "array_program", "request": 0, "work": "host", "parts": ["chip 0,0 plane 0"]},
        "time_ps": 100_000_000,
    }
    assert request["mostly"] == "chip busy with a write (77.5 %)"


def test_what_a_cut_timeline_does_not_hold_is_left_out(frozen: Frozen) -> None:
    frozen.drawing.truncated, frozen.drawing.until_ns = True, 126_000
    found = explain.explain(frozen.path, slowest=3)
    assert [each.request for each in found.explanations] == [0, 2]
    assert (found.left_out, found.until_ps) == ([1], 126_000_000)


def test_the_command(frozen: Frozen, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("explain", frozen.path, "--slowest", "1") == 0
    assert "mostly: chip busy with a write" in capsys.readouterr().out
    assert command("explain", frozen.path, "--request", "2", "--json") == 0
    assert [each["request"] for each in json.loads(capsys.readouterr().out)["requests"]] == [2]
    frozen.drawing.truncated, frozen.drawing.until_ns = True, 90_000
    assert command("explain", frozen.path, "--request", "2") == 1
    assert "request 2: left out, as more than 20,000,000 things had happened by 90.0 µs" in capsys.readouterr().err


def test_a_request_that_there_is_not(frozen: Frozen) -> None:
    with pytest.raises(cn.ConfigError, match=r"request 9: .* expected one of its 3 requests with numbers from 0 to 2"):
        explain.explain(frozen.path, request=9)


def test_folders_that_cannot_be_explained(frozen: Frozen) -> None:
    parquet = frozen.path / "requests.parquet"
    pl.read_parquet(parquet).drop("request").write_parquet(parquet)
    seal(frozen.path)
    with pytest.raises(cn.ConfigError, match=r"requests\.parquet: no column request"):
        explain.explain(frozen.path)
    parquet.write_bytes(b"years")
    with pytest.raises(cn.ConfigError, match=r"requests\.parquet: is not what the run wrote"):
        explain.explain(frozen.path)
    seal(frozen.path)
    with pytest.raises(cn.ConfigError, match=r"requests\.parquet: not Parquet"):
        explain.explain(frozen.path)
    parquet.unlink()
    with pytest.raises(cn.ConfigError, match=r"requests\.parquet: no such file"):
        explain.explain(frozen.path)
    record = json.loads((frozen.path / "run.json").read_text())
    (frozen.path.parent / "run.json").write_text(json.dumps({**record, "kind": "compare"}))
    with pytest.raises(cn.ConfigError, match="a comparison; expected the folder of one of its runs"):
        explain.explain(frozen.path.parent)
    with pytest.raises(cn.ConfigError, match="no such folder"):
        explain.explain(frozen.path / "none")
