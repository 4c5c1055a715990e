import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LONG = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "1000000000"]
SHORT_COMPARISON = ["compare", "performance-optimized", "--workload", "hm_0", "--requests", "3000"]
SHORT = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "3000"]


def cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def having_run(seconds: float) -> Callable[[int], bool]:
    return lambda process: cpu_s(process) > seconds


def in_the_middle() -> Callable[[int], bool]:
    loaded: list[float] = []

    def holds(process: int) -> bool:
        if not loaded and "/_engine." in Path(f"/proc/{process}/maps").read_text():
            loaded.append(cpu_s(process))
        return bool(loaded) and cpu_s(process) > loaded[0] + 1

    return holds


@pytest.mark.parametrize("command", ["run", "compare"])
def test_ctrl_c_in_the_middle_of_a_run(command: str, canaletto: Any, tmp_path: Path) -> None:
    answer = canaletto.interrupt(command, *LONG[1:], "--json", when=in_the_middle())
    assert answer.status == 130
    assert answer.out == ""
    assert answer.err.splitlines() == ["canaletto: interrupted; nothing was written"]


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_no_folder(number: int, command: str, canaletto: Any, tmp_path: Path) -> None:
    words = [command, "performance-optimized", "--workload", "hm_0", "--requests", "30000000", "--out", "runs/a"]
    answer = canaletto.interrupt(*words, when=lambda process: any(tmp_path.glob("runs/.a.*")), number=number)
    assert answer.status == 128 + number
    assert "Traceback" not in answer.err
    assert list((tmp_path / "runs").iterdir()) == []


MOMENTS = [*((seconds, SHORT) for seconds in (0.3, 0.5, 0.7)), *((0.2 * n, SHORT_COMPARISON) for n in range(2, 7))]


# A run takes 0.7 s, a comparison 1.4.
@pytest.mark.parametrize(("seconds", "words"), MOMENTS)
def test_ctrl_c_at_any_time(seconds: float, words: list[str], canaletto: Any, tmp_path: Path) -> None:
    answer = canaletto.interrupt(*words, "--out", "a", "--json", when=having_run(seconds))
    left = os.listdir(tmp_path)
    if answer.status == 0:
        assert left == ["a"]
    else:
        assert answer.status == 130
        assert "Traceback" not in answer.err
        assert left in ([], ["a"])  # Between the renaming and the last word, the run is there, and whole.
        assert left == [] or (tmp_path / "a" / "report.html").exists()


def test_an_output_folder_named_like_a_file(canaletto: Any, tmp_path: Path) -> None:
    canaletto.refuses(*SHORT, "--out", "a.html", says=("a.html: got a file", "expected a new folder"))
    assert list(tmp_path.iterdir()) == []


def test_an_output_folder_that_exists(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "thesis.tex").write_text("years")
    canaletto.refuses(*SHORT, "--out", "a", says=("a: exists already", "--force"))
    for words in (SHORT, SHORT_COMPARISON):
        canaletto.refuses(*words, "--out", "a", "--force", says=("not the folder of a run",))
        canaletto.refuses(*words, "--out", "a/thesis.tex/b", says=("thesis.tex",))
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "thesis.tex"]


@pytest.mark.parametrize("words", [SHORT, [*SHORT_COMPARISON[:-1], "20000"]], ids=["run", "compare"])
@pytest.mark.parametrize("limit", [0, 100, 20_000, 400_000])
def test_a_full_disk(limit: int, words: list[str], canaletto: Any, tmp_path: Path) -> None:
    """A file may not grow beyond `limit` bytes: any of the run's files is the one that does not fit."""
    from conftest import COMMAND

    full = subprocess.run(
        [COMMAND, *words, "--out", "a"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert full.returncode == 2
    (line,) = full.stderr.splitlines()
    assert "File too large" in line
    assert f"{tmp_path}/" in line
    assert os.listdir(tmp_path) == []


def test_standard_output_that_is_full(canaletto: Any) -> None:
    from conftest import COMMAND

    for words in (["schema"], [*SHORT, "--json"], SHORT, SHORT_COMPARISON, ["presets"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr == "canaletto: No space left on device\n"


def test_a_run_that_memory_is_too_small_for_says_so_first(canaletto: Any, tmp_path: Path) -> None:
    drive = ["--set", "geometry.blocks_per_plane=65536", "--set", "geometry.chips_per_channel=64"]
    words = ["performance-optimized", "--workload", "hm_0", *drive, "--requests", str(10**12), "--out", "a"]
    for command in ("run", "compare"):
        canaletto.refuses(command, *words, says=("GB of memory", "--requests"))
    assert os.listdir(tmp_path) == []


def test_a_frozen_run_that_was_damaged(canaletto: Any, tmp_path: Path) -> None:
    canaletto.ok(*SHORT, "--out", "a")
    folder = tmp_path / "a"
    sound = {path: path.read_bytes() for path in folder.iterdir()}
    for name, content, says in (
        ("run.json", b"{", "run.json: not JSON"),
        ("run.json", b"[]", "run.json: expected a JSON object"),
        ("run.json", b'{"schema": 7, "options": {}}', "schema: got 7, expected 1"),
        ("run.json", b'{"schema": 1, "options": {}, "traces": [], "version": "0"}', "its checksum is None"),
        ("result.json", b"", "result.json: is not what the run wrote"),
        ("design.toml", b"name = 3\n", "design.toml: is not what the run wrote"),
        ("workload.toml", b"", "workload.toml: is not what the run wrote"),
    ):
        (folder / name).write_bytes(content)
        canaletto.refuses("rerun", "a", says=(says,))
        for path, good in sound.items():
            path.write_bytes(good)
    assert canaletto.ok("rerun", "a", "--json").json["identical"]
