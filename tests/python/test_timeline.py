from __future__ import annotations

import json
import signal
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from canaletto import _engine
from canaletto.__main__ import main
from canaletto._io import protobuf
from canaletto._run import timeline
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import given
from hypothesis import strategies as st
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published
from timelines import Drawing, bus, collected, crossed, routed

WHOLE = (0, 200_000_000)


def made(drawing: Drawing, *windows: timeline.Window) -> timeline.Timeline:
    return timeline.from_columns(*drawing.handed_over(), flows=["hm_0"], windows=windows or [WHOLE], title="mine · bus")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = []

    def draw(design: str, workload: str, options: str, progress: object, own: object) -> Any:
        asked.append(json.loads(options))
        return bus().handed_over()

    monkeypatch.setattr(_engine, "timeline", draw, raising=False)
    return asked


def assert_known(message: Any) -> None:
    assert not len(UnknownFieldSet(message)), message
    for field, value in message.ListFields():
        for part in value if field.is_repeated else [value]:
            if field.message_type is not None:
                assert_known(part)


class Trace:
    def __init__(self, content: bytes) -> None:
        trace = published.Trace()
        trace.ParseFromString(content)
        assert_known(trace)
        self.packets = list(trace.packet)
        self.tracks = {
            p.track_descriptor.uuid: p.track_descriptor for p in self.packets if p.HasField("track_descriptor")
        }
        self.events = [packet for packet in self.packets if packet.HasField("track_event")]
        self.slices = self._slices()

    def path(self, uuid: int) -> str:
        track = self.tracks[uuid]
        above = self.path(track.parent_uuid) if track.HasField("parent_uuid") else ""
        return f"{above}/{track.name}" if above else track.name if track.HasField("parent_uuid") else ""

    def _slices(self) -> list[SimpleNamespace]:
        found, stacks = [], defaultdict[int, list[SimpleNamespace]](list)
        for packet in self.events:
            event = packet.track_event
            stack = stacks[event.track_uuid]
            if event.type == event.TYPE_SLICE_BEGIN:
                kinds = {"uint_value", "string_value"}
                notes = {
                    note.name: next(getattr(note, kind) for kind in kinds if note.HasField(kind))
                    for note in event.debug_annotations
                }
                here = SimpleNamespace(
                    start=packet.timestamp, event=event, notes=notes, depth=len(stack), above=stack[-1:]
                )
                here.track = self.path(event.track_uuid)
                stack.append(here)
                found.append(here)
            elif event.type == event.TYPE_SLICE_END:
                stack.pop().end = packet.timestamp
        assert not any(stacks.values()), "a slice never ends"
        return found

    def on(self, track: str) -> list[tuple[str, int, int, int]]:
        return [(s.event.name, s.start, s.end, s.depth) for s in self.slices if s.track == track]


def written(found: timeline.Timeline, folder: Path) -> Trace:
    found.save(folder / "t.pftrace", force=True)
    return Trace((folder / "t.pftrace").read_bytes())


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**29 - 1))
def test_numbers_are_encoded_as_published(number: int, field: int) -> None:
    note = published.DebugAnnotation()
    note.ParseFromString(protobuf.uint(3, number) + protobuf.text(10, "µs"))
    assert (note.uint_value, note.name) == (number, "µs")
    event = published.TrackEvent()
    event.ParseFromString(protobuf.fixed64(47, number) + protobuf.message(4, protobuf.uint(3, number)))
    assert list(event.flow_ids) == [number]
    assert event.debug_annotations[0].uint_value == number
    assert published.TrackEvent.FromString(protobuf.uint(field, 1)) is not None


def test_words_and_nulls_stand_for_numbers() -> None:
    found = made(bus())
    assert found.spans.schema["kind"] == pl.Enum(json.loads(bus().handed_over()[0])["kinds"])
    erase = found.spans.filter(pl.col("kind") == "array_erase").row(0, named=True)
    assert (erase["request"], erase["page"], found.parts[erase["part"]]["name"]) == (None, 9, "chip 0,0 plane 0")
    own = found.steps.filter(pl.col("page").is_null())
    assert own.filter(pl.col("request") == 1)["cause"].to_list() == ["host_link", "host_link", "completion"]
    assert own["part"].null_count() == own.height
    assert tuple(found.requests.columns) == timeline.REQUESTS
    assert found.requests["complete_ps"].to_list()[3] is None
    assert found.requests["flow"].unique().to_list() == ["hm_0"]


def test_the_steps_of_the_last_page_close_the_account() -> None:
    path = made(bus()).critical_path
    steps = path.filter(pl.col("request") == 1)
    assert steps["last_page"].unique().to_list() == [2]
    assert steps["start_ps"].to_list()[1:] == steps["end_ps"].to_list()[:-1]
    assert path.filter(pl.col("request") == 3)["last_page"].to_list() == [None]


def test_of_pages_that_finish_together_the_last_charged_counts() -> None:
    d = bus()
    for page in (30, 32, 31):
        d.step(0, page, "array_program", 4500, 104_500, "chip 0,0")
    path = made(d).critical_path
    assert path.filter(pl.col("request") == 0)["page"].to_list() == [31]


def test_each_part_has_its_track_in_order(tmp_path: Path) -> None:
    trace = written(made(bus()), tmp_path)
    (root,) = (track for track in trace.tracks.values() if not track.HasField("parent_uuid"))
    assert root.name == "canaletto · mine · bus"
    paths = [trace.path(uuid) for uuid in trace.tracks]
    expected = ["host/outstanding requests", "controllers/controller 1", "channels/channel 0", "chips/chip 1,1/plane 1"]
    assert set(expected) <= set(paths)
    assert paths.count("host/requests") == 4
    siblings = defaultdict(list)
    for track in trace.tracks.values():
        siblings[track.parent_uuid].append((track.sibling_order_rank, track.name))
        assert track.child_ordering == track.EXPLICIT
    assert [name for _, name in sorted(siblings[root.uuid])] == ["host", "controllers", "channels", "chips"]
    (chips,) = (track.uuid for track in trace.tracks.values() if track.name == "chips")
    assert [name for _, name in sorted(siblings[chips])] == [f"chip {row},{column}" for row in "01" for column in "01"]


def test_slices_carry_what_they_stand_for(tmp_path: Path) -> None:
    trace = written(made(bus()), tmp_path)
    assert trace.on("channels/channel 0")[:2] == [("command 0", 1000, 1100, 0), ("data 0", 1100, 4500, 0)]
    (data, *_) = (s for s in trace.slices if s.track == "channels/channel 0" and s.event.name == "data 1")
    about = {"request": 1, "page": 1, "work": "host", "lba": 1600}
    assert data.notes == {**about, "start_ps": 112_100_500, "duration_ps": 3_399_500}
    assert list(data.event.categories) == ["data"]
    (erase,) = (s for s in trace.slices if s.event.name == "array erase gc")
    assert "request" not in erase.notes
    assert erase.notes["work"] == "gc"
    (read,) = (s for s in trace.slices if s.event.name == "read 1")
    assert (read.notes["latency_ps"], read.notes["bytes"], read.notes["flow"]) == (129_000_500, 8192, "hm_0")
    inside = [s for s in trace.slices if s.above == [read]]
    assert [s.event.name for s in inside][:3] == ["host link", "chip busy (erases)", "chip busy (other requests)"]
    assert inside[1].notes["chip"] == "chip 0,0"
    assert (inside[0].start, inside[-1].end) == (read.start, read.end)
    assert all(a.end == b.start for a, b in pairwise(inside))


def test_every_kind_of_request_has_its_name(tmp_path: Path) -> None:
    trace = written(made(collected()), tmp_path)
    names = {each.event.name for each in trace.slices}
    assert {"flush 0", "read 1", "trim 2", "array read gc", "array erase gc"} <= names


def overlapping() -> Drawing:
    """With picoseconds that nanoseconds cannot distinguish."""
    d = bus()
    for page, (start, end) in enumerate([(0, 10), (0, 10), (2, 5.2), (5.2, 5.4), (5.4, 12), (7, 9), (7, 7), (12, 13)]):
        d.span("channel 1", "data", start, end, 0, 100 + page)
    d.span("channel 1", "reserved", 0, 10, 0, 108)
    return d


@pytest.mark.parametrize("draw", [bus, routed, crossed, overlapping, collected])
def test_slices_nest_and_times_run_forward(draw: Any, tmp_path: Path) -> None:
    drawing = draw()
    trace = written(made(drawing), tmp_path)
    times = [packet.timestamp for packet in trace.events]
    assert times == sorted(times)
    for each in trace.slices:
        assert 0 <= each.start <= each.end <= 200_000
        for above in each.above:
            assert above.start <= each.start
            assert each.end <= above.end
    drawn = Counter(
        (drawing.parts[part]["name"], start // 1000, end // 1000) for _, part, start, end, *_ in drawing.spans
    )
    names = {part["name"] for part in drawing.parts}
    shown = Counter()
    for each in trace.slices:
        *_, above, name = ["", *each.track.split("/")]
        name = f"{above} {name}" if name.startswith("plane") else name
        if name in names:
            shown[name, each.start, each.end] += 1
    assert shown == drawn


def test_arrows_lead_from_wire_to_array_and_back(tmp_path: Path) -> None:
    trace = written(made(bus()), tmp_path)
    flows = defaultdict(list)
    for each in trace.slices:
        for flow in (*each.event.flow_ids, *each.event.terminating_flow_ids):
            flows[flow].append((each.event.name, each.track))
    assert list(flows.values()) == [
        [
            ("command 0", "channels/channel 0"),
            ("data 0", "channels/channel 0"),
            ("array program 0", "chips/chip 0,0/plane 0"),
        ],
        [("array read 2", "chips/chip 0,1/plane 0"), ("data 2", "channels/channel 0")],
        [
            ("command 1", "channels/channel 0"),
            ("array read 1", "chips/chip 0,0/plane 0"),
            ("data 1", "channels/channel 0"),
        ],
        [("array read 1", "chips/chip 0,0/plane 1"), ("data 1", "channels/channel 0")],
    ]
    ends = [each for each in trace.slices if each.event.terminating_flow_ids]
    assert len(ends) == len(flows)


def test_outstanding_requests_are_counted(tmp_path: Path) -> None:
    def counts(*windows: timeline.Window) -> list[tuple[int, int]]:
        trace = written(made(bus(), *windows), tmp_path)
        return [
            (packet.timestamp, packet.track_event.counter_value)
            for packet in trace.events
            if packet.track_event.type == published.TrackEvent.TYPE_COUNTER
        ]

    assert counts() == [
        *((0, 0), (500, 1), (2000, 2), (100_000, 3), (110_000, 4), (112_000, 3), (125_000, 2), (131_000, 1))
    ]
    assert counts((105_000_000, 113_000_000)) == [(105_000, 3), (110_000, 4), (112_000, 3)]


def test_a_window_shows_what_is_inside_and_cuts_the_rest(tmp_path: Path) -> None:
    trace = written(made(bus(), (105_000_000, 113_000_000)), tmp_path)
    assert all(105_000 <= each.start <= each.end <= 113_000 for each in trace.slices)
    assert trace.on("channels/channel 0") == [
        ("data 2", 105_500, 109_000, 0),
        ("command 1", 109_000, 109_100, 0),
        ("data 1", 112_100, 113_000, 0),
    ]
    (erase,) = (each for each in trace.slices if each.event.name.startswith("array erase"))
    assert (erase.start, erase.notes["duration_ps"]) == (105_000, 2_000_000)


def test_a_truncated_timeline_ends_where_it_is_complete(tmp_path: Path) -> None:
    drawing = bus()
    drawing.truncated, drawing.until_ns = True, 110_000
    trace = written(made(drawing), tmp_path)
    assert max(each.end for each in trace.slices) == 110_000


def test_a_timeline_of_nothing_is_a_trace_too(tmp_path: Path) -> None:
    drawing = bus()
    drawing.spans, drawing.steps, drawing.requests = [], [], []
    assert written(made(drawing), tmp_path).slices == []


def test_files_are_replaced_only_by_force(tmp_path: Path) -> None:
    file = tmp_path / "t.pftrace"
    made(bus()).save(file)
    with pytest.raises(cn.ConfigError, match="exists already"):
        made(bus()).save(file)
    made(bus()).save(file, force=True)
    with pytest.raises(cn.ConfigError, match="is a folder"):
        made(bus()).save(tmp_path, force=True)
    with pytest.raises(cn.ConfigError, match="there is no folder"):
        made(bus()).save(tmp_path / "none" / "t.pftrace")
    assert list(tmp_path.iterdir()) == [file]


def test_a_result_repeats_itself_for_its_timeline(engine: list[dict[str, Any]]) -> None:
    result = cn.run("performance-optimized", cn.workload("hm_0", requests=300), seed=7, warmup=3)
    slowest = result.requests.sort("latency_us").row(-1, named=True)
    assert result.timeline().windows == tuple(map(tuple, engine[0]["windows"]))
    assert (engine[0]["seed"], engine[0]["warmup"], engine[0]["limit"]) == (7, 3, timeline.LIMIT)
    ((start, end),) = engine[0]["windows"]
    assert start / 1e6 <= slowest["arrival_us"] < slowest["completed_us"] <= end / 1e6
    result.timeline(from_us=1.5, to_us=2, limit=10)
    assert (engine[1]["windows"], engine[1]["limit"]) == ([[1_500_000, 2_000_000]], 10)
    result.timeline(from_us=1000)
    assert engine[2]["windows"] == [[1_000_000_000, 1_200_000_000]]
    result.timeline(to_us=100)
    assert engine[3]["windows"] == [[0, 100_000_000]]
    cn.run("performance-optimized", cn.workload("hm_0", requests=30), records=False).timeline()
    assert engine[4]["windows"] == [[0, 200_000_000]]
    for wrong in ({"from_us": 2.0, "to_us": 1.0}, {"from_us": -1.0}, {"to_us": float("nan")}, {"from_us": 1e99}):
        with pytest.raises(cn.ConfigError, match="expected 0 <= from_us < to_us"):
            result.timeline(**wrong)


def command(*words: object) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["canaletto", *map(str, words)])
        patch.setattr(signal, "signal", lambda *_: None)
        with pytest.raises(SystemExit) as left:
            main()
    return int(left.value.code or 0)


RUN = ("run", "performance-optimized", "--workload", "hm_0", "--requests", "300")


def test_run_writes_the_timeline_of_its_slowest_request(
    engine: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.pftrace"
    assert command(*RUN, "--timeline", file, "--json", "--seed", "4") == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["requests"]["completed"] == 300
    assert said.err == f"canaletto: wrote {file} (open it in https://ui.perfetto.dev)\n"
    assert engine[0]["seed"] == 4
    assert Trace(file.read_bytes()).slices
    assert command(*RUN, "--timeline", file) == 2
    assert command(*RUN, "--timeline", file, "--window", "100us:0.2ms", "--force", "--seeds", "2") == 0
    assert engine[1]["windows"] == [[100_000_000, 200_000_000]]


def test_run_puts_a_timeline_into_its_folder_too(engine: list[dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "runs" / "a" / "t.pftrace"
    words = [*RUN, "--out", file.parent, "--timeline", file]
    assert command(*words) == 0
    assert Trace(file.read_bytes()).slices
    assert (file.parent / "requests.parquet").exists()
    assert command(*words, "--force") == 0
    assert file.exists()


def test_run_says_when_a_timeline_is_cut_or_empty(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = bus()
    drawing.truncated, drawing.until_ns = True, 110_000
    monkeypatch.setattr(_engine, "timeline", lambda *_: drawing.handed_over(), raising=False)
    file = tmp_path / "t.pftrace"
    assert command(*RUN, "--timeline", file, "--window", "5us:200us") == 0
    said = capsys.readouterr().err
    assert "the timeline is cut at 110 µs, where it holds 250,000 spans and steps; choose a smaller window" in said
    assert "such as --window 5us:110us\n" in said
    drawing.truncated, drawing.spans, drawing.steps, drawing.requests = False, [], [], []
    assert command(*RUN, "--timeline", file, "--window", "5s:6s", "--force") == 0
    assert "nothing happens in the window 5000ms:6000ms" in capsys.readouterr().err


def test_windows_that_touch_are_one() -> None:
    assert timeline.merged([(5, 9), (0, 2), (2, 4), (6, 7)]) == [(0, 4), (5, 9)]
    for wrong in ([], [(3, 3)], [(4, 3)], [(-1, 3)], [(0, 2**63)]):
        with pytest.raises(cn.ConfigError, match="window"):
            timeline.merged(wrong)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("1.5ms:1.7ms", (1_500_000_000, 1_700_000_000)),
        ("0s:1s", (0, 10**12)),
        ("0.001 ns: 1_000 µs", (1, 10**9)),
        (".5us:1us", (500_000, 1_000_000)),
    ],
)
def test_windows_are_read_exactly(text: str, window: timeline.Window) -> None:
    assert timeline.parse_window(text) == window


@given(st.integers(0, 2**62), st.integers(2000, 10**13))
def test_windows_are_told_as_they_are_read(start: int, length: int) -> None:
    told = timeline.parse_window(timeline.window_text(start, start + length))
    assert start <= told[0] < start + 1000
    assert start + length - 1000 < told[1] <= start + length


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("5ms", "FROM:TO"),
        ("1ms:2ms:3ms", "FROM:TO"),
        ("5:7", "5 without a unit"),
        ("1ms:", "got ''"),
        ("1min:2min", "the unit 'min'"),
        ("2ms:1ms", "ends before it has started"),
        ("1ms:1ms", "ends before it has started"),
        ("-1ms:1ms", "got '-1ms'"),
        ("_ms:1ms", "got '_ms'"),
        ("1e3us:1s", "got '1e3us'"),
        ("0s:99999999999s", "at most 9,223,372 s"),
    ],
)
def test_windows_that_are_none_are_refused(text: str, says: str) -> None:
    with pytest.raises(cn.ConfigError) as refused:
        timeline.parse_window(text)
    assert says in str(refused.value)
    assert f"--window {text}" in str(refused.value)
