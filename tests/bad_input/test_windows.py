import os
from pathlib import Path
from typing import Any

import pytest

RUN = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "200"]


@pytest.mark.parametrize(
    ("window", "says"),
    [
        ("5:7", ["5 without a unit", "1.5ms:1.7ms"]),
        ("2ms:1ms", ["ends before it has started"]),
        ("1ms", ["FROM:TO"]),
        ("1ms:2parsec", ["parsec", "ps, ns, us, ms, s"]),
        ("-1us:2us", ["-1us"]),
    ],
)
def test_windows_that_are_none(window: str, says: list[str], canaletto: Any, tmp_path: Path) -> None:
    canaletto.refuses(*RUN, "--timeline", "t", f"--window={window}", says=(f"--window {window}", *says))
    assert os.listdir(tmp_path) == []


def test_windows_of_reports_that_are_none(canaletto: Any, tmp_path: Path) -> None:
    for command in (RUN, ["compare", *RUN[1:], "--fabrics", "bus,ideal"]):
        canaletto.refuses(*command, "--out", "a", "--window", "2ms:1ms", says=("ends before it has started",))
        canaletto.refuses(*command, "--out", "a", "--window", "1ms:10000000s", says=("--window", "at most"))
    assert os.listdir(tmp_path) == []


def test_a_window_of_nothing(canaletto: Any) -> None:
    canaletto.refuses(*RUN, "--window", "1ms:2ms", says=("--window", "--timeline FILE or --out DIR"))
    canaletto.refuses("compare", *RUN[1:], "--window", "1ms:2ms", says=("--window", "--out DIR"))


def test_a_file_that_must_not_be_written(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years")
    canaletto.refuses(*RUN, "--timeline", "thesis.tex", says=("thesis.tex: exists already", "--force"))
    canaletto.refuses(*RUN, "--timeline", tmp_path, "--force", says=("is a folder",))
    canaletto.refuses(*RUN, "--timeline", "none/t.pftrace", says=("there is no folder",))
    canaletto.refuses(*RUN, "--timeline", "none/t.pftrace", "--out", "runs/a", says=("there is no folder",))
    assert [path.name for path in tmp_path.rglob("*")] == ["thesis.tex"]
    assert (tmp_path / "thesis.tex").read_text() == "years"


def test_folders_that_are_no_run(canaletto: Any, tmp_path: Path) -> None:
    canaletto.refuses("explain", "none", says=("none: no such folder", "canaletto run --out"))
    canaletto.refuses("explain", ".", says=("no run.json",))
    canaletto.ok(*RUN, "--out", "a")
    (tmp_path / "a" / "requests.parquet").unlink()
    canaletto.refuses("explain", "a", says=("requests.parquet: no such file",))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--slowest", "0"], ["--slowest"]),
        (["--request", "-1"], ["--request"]),
        (["--request", "x"], ["--request"]),
        (["--slowest", "1", "--request", "1"], ["--slowest and --request"]),
    ],
)
def test_words_of_explain(words: list[str], says: list[str], canaletto: Any) -> None:
    canaletto.refuses("explain", "a", *words, says=tuple(says))


def test_a_request_that_there_is_not(canaletto: Any) -> None:
    canaletto.ok(*RUN, "--out", "a")
    canaletto.refuses("explain", "a", "--request", "200", says=("request 200", "numbers from 0 to 199"))


def test_a_trace_that_has_changed(canaletto: Any, tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("1000 0 0 8 1\n2000 0 8 8 0\n")
    canaletto.ok("run", "performance-optimized", "--workload", "t.trace", "--out", "a")
    trace.write_text("1000 0 0 8 1\n2000 0 16 8 0\n")
    canaletto.refuses("explain", "a", says=("t.trace", "sha256:", "expected"))
