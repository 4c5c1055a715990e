import math
import tomllib
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from canaletto import ConfigError
from canaletto._io import _toml, files, frames, units
from canaletto._run import confidence, folder, repeat
from canaletto._run.config import trace_name
from hypothesis import given
from hypothesis import strategies as st

# Python's own floats and the strings TOML allows; keys of any text.
PLAIN = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
DOCUMENTS = st.recursive(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), PLAIN | st.lists(PLAIN)),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner | st.lists(inner, min_size=1, max_size=3) | PLAIN),
    max_leaves=8,
)


@given(DOCUMENTS)
def test_toml_that_is_written_reads_back(document: dict[str, Any]) -> None:
    assert tomllib.loads(_toml.dumps(document)) == document


class Place(StrEnum):
    THERE = "there"


class Count(IntEnum):
    FOUR = 4


class Mixed(str, Enum):  # noqa: UP042 - many programs have such ones.
    HERE = "here"


@pytest.mark.parametrize(
    ("given", "spelt"),
    [
        (np.float64(0.5), "0.5"),
        (np.int64(4), "4"),
        (np.str_("text"), "text"),
        (Place.THERE, "there"),
        (Mixed.HERE, "here"),
        (Count.FOUR, "4"),
        ([np.float64(0.5), Mixed.HERE], '[0.5, "here"]'),
        (True, "true"),
    ],
)
def test_numbers_and_texts_of_other_types_are_spelt_as_python_s_own(given: object, spelt: str) -> None:
    assert _toml.bare(given) == spelt


def test_toml_has_no_word_for_everything() -> None:
    with pytest.raises(TypeError, match="expected a value that TOML can express"):
        _toml.value(object())


@pytest.mark.parametrize(
    ("degrees", "t"),
    [(1, 12.706205), (4, 2.776445), (30, 2.042272), (31, 2.039513), (100, 1.983972), (10_000, 1.960201)],
)
def test_student_t_is_that_of_the_tables(degrees: int, t: float) -> None:
    assert confidence.student_t(degrees) == pytest.approx(t, abs=2e-6)


def test_half_width_is_the_textbook_s() -> None:
    assert confidence.half_width([1.0, 2.0, 3.0]) == pytest.approx(4.302653 / math.sqrt(3))
    assert confidence.half_width([7.0]) is None
    assert confidence.half_width([7.0, 7.0]) == 0


def test_headlines_that_do_not_apply_are_left_out() -> None:
    found = confidence.intervals([1, 2], [{"iops": 1.0}, {"iops": 3.0}])
    assert set(found) == {"seeds", "level", "iops"}
    assert found["iops"]["mean"] == 2


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (None, "–"),
        (0, "0"),
        (0.0000042, "4.20 ps"),
        (0.0734, "73.4 ns"),
        (0.99949, "999 ns"),
        (0.9996, "1.00 µs"),
        (73.44, "73.4 µs"),
        (999.4, "999 µs"),
        (999.6, "1.00 ms"),
        (5.78e6, "5.78 s"),
        (86_400e6, "86,400 s"),
    ],
)
def test_times_have_three_digits_and_the_unit_that_fits(microseconds: float | None, text: str) -> None:
    assert units.time_us(microseconds) == text


@given(st.floats(1e-7, 1e12))
def test_no_time_is_printed_wrong(microseconds: float) -> None:
    number, unit = units.time_us(microseconds).split()
    size = {"ps": 1e-6, "ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}[unit]
    assert float(number.replace(",", "")) * size == pytest.approx(microseconds, rel=0.006)


def test_numbers_for_people() -> None:
    assert [units.scaled(n, "B") for n in (0, 999.4, 999.6, 412e9)] == ["0.00 B", "999 B", "1.00 kB", "412 GB"]
    assert [units.share(s) for s in (None, 0, 0.984, 0.99996, 1)] == ["–", "0.0 %", "98.4 %", "99.996 %", "100.0 %"]
    assert [units.part_of_whole(s) for s in (0, 0.0001, 0.048)] == ["", "<0.1 %", "4.8 %"]
    assert [units.change(c) for c in (None, 0.0001, -0.0001, -0.5)] == ["–", "0.0 %", "0.0 %", "-50.0 %"]
    assert units.bar(0.5, 3) == "█▌"
    assert units.bar(2, 3) == "███"


def test_requests_frame_in_microseconds() -> None:
    def column(kind: str, size: int, *values: int) -> tuple[str, bytes]:
        return kind, b"".join(value.to_bytes(size, "little") for value in values)

    columns = {
        "request": column("u32", 4, 7, 8),
        "flow": column("u16", 2, 0, 1),
        "kind": column("u8", 1, 3, 2),
        "status": column("u8", 1, 0, 0x81),
        "lba": column("u64", 8, 8, 2**40),
        "sectors": column("u32", 4, 8, 16),
        "handle": column("u16", 2, 0, 3),
        "arrival_ps": column("u64", 8, 0, 1_000_000),
        "enqueue_ps": column("u64", 8, 500, 1_000_000),
        "complete_ps": column("u64", 8, 3_000_000, 9_000_000),
        "path_conflict": column("u8", 1, 0, 1),
        "array_read_ps": column("u64", 8, 3_000_000, 8_000_000),
        "firmware_ps": column("u64", 8, 0, 0),
    }
    frame = frames.requests(columns, ["a", "b"])
    assert frame.row(1, named=True) == {
        "request": 8,
        "flow": "b",
        "op": "trim",
        "failed": True,
        "status": 0x81,
        "lba": 2**40,
        "sectors": 16,
        "first_byte": 0,
        "bytes": 16 * 512,
        "handle": 3,
        "arrival_us": 1.0,
        "enqueued_us": 1.0,
        "completed_us": 9.0,
        "latency_us": 8.0,
        "path_conflict": True,
        "array_read_us": 8.0,
        "firmware_us": 0.0,
    }
    assert frames.requests({name: (kind, b"") for name, (kind, _) in columns.items()}, ["a"]).is_empty()


def test_blame_shares_of_nothing_are_nothing() -> None:
    assert frames.causes({"all": {}, "p99": {}}).is_empty()
    found = frames.causes({"all": {"a": 1.0, "b": 3.0}, "p99": {"b": 2.0}})
    assert found.rows() == [("b", 3.0, 0.75, 2.0, 1.0), ("a", 1.0, 0.25, 0.0, 0.0)]
    assert found.schema["mean_us"] == pl.Float64


def test_differences_are_found_at_any_depth() -> None:
    a = {"x": 1, "flow": [{"n": 1}, {"n": 2}], "same": [1, 2]}
    b = {"x": 1, "flow": [{"n": 1}, {"n": 3}, {"n": 4}], "same": [1, 2]}
    found = repeat.differences(a, b)
    assert [(line.name, line.a, line.b, line.change) for line in found] == [
        ("flow.1.n", 2, 3, 0.5),
        ("flow.2.n", None, 4, None),
    ]


def test_a_folder_takes_its_place_whole_or_not_at_all(tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def attempt(force: bool = False) -> None:
        with folder.place(tmp_path / "runs" / "r", force=force) as home:
            (home / "half").write_text("x")
            raise StopError

    for _ in range(2):
        with pytest.raises(StopError):
            attempt()
    assert list((tmp_path / "runs").iterdir()) == []
    first = '{"schema": 1, "options": {}, "traces": []}'
    with folder.place(tmp_path / "runs" / "r") as home:
        (home / folder.RUN_FILE).write_text(first)
    with pytest.raises(StopError):
        attempt(force=True)
    assert (tmp_path / "runs" / "r" / folder.RUN_FILE).read_text() == first
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["r"]


def test_force_never_replaces_what_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("years")
    (tmp_path / "link").symlink_to(tmp_path / "home")
    (tmp_path / "file").write_text("x")
    for name, content in (("foreign", '{"run": 1}'), ("list", "[]"), ("text", "run")):
        (tmp_path / name).mkdir()
        (tmp_path / name / folder.RUN_FILE).write_text(content)
    for name in ("home", "link", "file", "foreign", "list", "text"):
        with pytest.raises(ConfigError, match="not the folder of a run"), folder.place(tmp_path / name, force=True):
            pass
    (tmp_path / "empty").mkdir()
    with folder.place(tmp_path / "empty", force=True) as home:
        (home / "x").write_text("")
    assert (tmp_path / "empty" / "x").exists()


def test_a_file_takes_its_place_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with files.whole(target) as out:
        out.write(b"first")

    def interrupted() -> None:
        with files.whole(target) as out:
            out.write(b"second")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("path", "name"),
    [("a/hm_0.csv.gz", "hm_0"), ("t.trace", "t"), ("x.tar.zst", "x"), ("plain", "plain"), (".gz", ".gz")],
)
def test_traces_are_named_after_their_files(path: str, name: str) -> None:
    assert trace_name(path) == name


def test_counts_agree_with_their_nouns() -> None:
    assert [units.number_of(n, "device") for n in (0, 1, 2, 1000)] == [
        "0 devices",
        "1 device",
        "2 devices",
        "1,000 devices",
    ]
    assert units.number_of(1, "flush", "flushes") == "1 flush"


def test_energies_and_sizes_have_three_digits() -> None:
    assert [units.thousandths(n, "J") for n in (None, 0, 2e-5, 0.25, 1.0, 999.6, 2570.0)] == [
        *("–", "0", "20.0 nJ", "250 µJ", "1.00 mJ", "1.00 J", "2.57 J")
    ]
    assert [units.binary(n) for n in (None, 512, 1024, 13824, 3.5 * 2**30)] == [
        *("–", "512 B", "1.00 KiB", "13.5 KiB", "3.50 GiB")
    ]
    assert units.axis_prefix(2570.0, "J") == ("J", 1e3)
    assert units.axis_prefix(400.0, "J") == ("mJ", 1.0)
