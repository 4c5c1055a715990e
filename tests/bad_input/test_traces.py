import subprocess
from pathlib import Path
from typing import Any

import pytest

GOOD = "".join(f"{n * 1000} 0 {n * 8} 8 {n % 2}\n" for n in range(200))

# Content, and what the message must say. Faults within a trace: crates/canaletto-trace/tests/integration/bad_input.rs.
TRACES: dict[str, tuple[bytes, list[str]]] = {
    "foreign line": (GOOD.encode() + b"hello world\n" + GOOD.encode(), ["t.trace:201:", "hello world"]),
    "other packing": (b"PK\x03\x04" + bytes(100), ["t.trace", "zip"]),
    "beyond the drive": (GOOD.encode() + f"201000 0 {2**32} 8 1\n".encode(), ["--wrap", "--fit"]),
    "larger than the drive": (GOOD.encode() + f"201000 0 0 {2**31} 1\n".encode(), ["larger"]),
}


@pytest.mark.parametrize("case", TRACES)
def test_traces(case: str, canaletto: Any, tmp_path: Path) -> None:
    content, says = TRACES[case]
    (tmp_path / "t.trace").write_bytes(content)
    canaletto.refuses("run", "performance-optimized", "--workload", "t.trace", says=tuple(says))


def test_what_only_looks_wrong_is_read(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text("\n" + GOOD.replace("\n", "\r\n") + "201000 0 13 1 1", newline="")
    result = canaletto.ok("run", "performance-optimized", "--workload", "t.trace", "--json").json
    assert result["requests"]["completed"] == 201


def test_beyond_the_drive_wrap_and_fit_help(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD + f"201000 0 {2**32} 8 1\n")
    for way in ("--wrap", "--fit"):
        result = canaletto.ok("run", "performance-optimized", "--workload", "t.trace", way, "--json").json
        assert result["requests"]["completed"] == 201


def test_a_format_of_another_name(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD)
    run = ["run", "performance-optimized", "--workload", "t.trace", "--format"]
    canaletto.refuses(*run, "msr", says=("t.trace:1:", "msr"))
    canaletto.refuses(*run, "mrs", says=("mrs", "mqsim, msr"))
    canaletto.refuses("trace", "info", "t.trace", "--format", "msr", says=("t.trace:1:",))


def test_time_running_backwards(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD + "5 0 8 8 1\n")
    run = ["run", "performance-optimized", "--workload", "t.trace"]
    canaletto.refuses(*run, "--sort-window", "0", says=("t.trace:201:", "backwards"))
    assert canaletto.ok(*run, "--json").json["traces"][0]["out_of_order_lines"] == 1
    left_out = canaletto.ok(*run, "--sort-window", "0", "--on-error", "skip", "--json").json["traces"][0]
    assert (left_out["skipped_lines"], left_out["out_of_order_lines"]) == (1, 0)


def test_options_that_mean_nothing_or_are_wrong(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD)
    info = ["trace", "info", "t.trace"]
    canaletto.refuses(*info, "--events", "Q", says=("t.trace: read as mqsim: events is given", "blkparse"))
    canaletto.refuses(*info, "--columns", "time=a", says=("columns", "offset is missing"))
    canaletto.refuses(*info, "--on-error", "hope", says=("--on-error", "stop"))
    canaletto.refuses(*info, "--sort-window", "-1", says=("--sort-window",))
    canaletto.refuses(*info, "--design", "nonesuch", says=("nonesuch",))
    run = ["run", "performance-optimized", "--workload", "t.trace", "--set"]
    canaletto.refuses(*run, "workload.flow.0.trace.read.sort_window=-1", says=("sort_window",))
    canaletto.refuses(*run, "workload.flow.0.trace.read.on_error=hope", says=("on_error", "hope", "skip"))
    canaletto.refuses("run", "performance-optimized", "--workload", "hm_0", "--events", "D", says=("replays a trace",))


def test_conversions_that_cannot_be(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD.replace(" 8 1", " 8 1") + "200001 0 8 8 1\n")
    (tmp_path / "bad.trace").write_text(GOOD + "oops\n")
    convert = ["trace", "convert", "t.trace"]
    canaletto.refuses(
        *convert, "o", "--to", "msr", says=("t.trace: format msr cannot hold", "200001", "multiple of 100")
    )
    canaletto.refuses(*convert, "o", "--to", "vscsi", says=("format vscsi is read, but not written",))
    canaletto.refuses(*convert, "o", "--to", "mrs", says=('unknown trace format "mrs"',))
    canaletto.refuses(*convert, "no/o", "--to", "mqsim", says=("no folder",))
    canaletto.refuses(*convert, "t.trace", "--to", "csv", says=("exists already",))
    canaletto.refuses(*convert, "t.trace", "--to", "csv", "--force", says=("the trace itself",))
    for to in ("csv", "parquet"):
        canaletto.refuses("trace", "convert", "bad.trace", "o", "--to", to, says=("bad.trace:201:",))
        canaletto.refuses("trace", "convert", "gone.trace", "o", "--to", to, says=("gone.trace: No such file",))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.trace", "t.trace"]


def test_a_full_disk(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD)
    for to in ("csv", "parquet"):
        canaletto.refuses("trace", "convert", "t.trace", "/dev/full", "--to", to, says=("/dev/full: No space left",))


def test_a_trace_without_permission(canaletto: Any, tmp_path: Path) -> None:
    import os

    (tmp_path / "t.trace").write_text(GOOD)
    (tmp_path / "t.trace").chmod(0)
    if os.access(tmp_path / "t.trace", os.R_OK):
        pytest.skip("this user may read everything")
    canaletto.refuses("run", "performance-optimized", "--workload", "t.trace", says=("t.trace", "Permission denied"))


def test_a_trace_that_vanishes_is_told_when_it_is_repeated(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD)
    canaletto.ok("run", "performance-optimized", "--workload", "t.trace", "--out", "r")
    (tmp_path / "t.trace").unlink()
    canaletto.refuses("rerun", "r", says=("t.trace: No such file",))


def test_nothing_is_left_of_a_run_whose_trace_breaks_off(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(GOOD + "oops\n")
    for command in ("run", "compare"):
        words = [command, "performance-optimized", "--workload", "t.trace", "--out", "r"]
        canaletto.refuses(*words, says=("t.trace:201:",))
    assert [path.name for path in tmp_path.iterdir()] == ["t.trace"]


def test_a_pipe_is_read_where_once_is_enough(canaletto: Any, tmp_path: Path) -> None:
    from conftest import COMMAND

    (tmp_path / "t.trace").write_text(GOOD)
    script = f"{COMMAND} run performance-optimized --workload <(cat t.trace) --json"
    piped = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert piped.returncode == 0, piped.stderr


def test_a_pipe_is_not_enough_for_several_runs(tmp_path: Path) -> None:
    from conftest import COMMAND

    (tmp_path / "t.trace").write_text(GOOD)
    script = f"{COMMAND} compare performance-optimized --workload <(cat t.trace)"
    piped = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert piped.returncode == 2
    assert "not a regular file" in piped.stderr
