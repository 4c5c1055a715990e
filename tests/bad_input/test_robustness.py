import hashlib
import json
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from canaletto import traces
from canaletto._cli import console
from canaletto._io import files
from canaletto._io.printable import printable
from canaletto._run import explain, folder, laboratory, repeat
from canaletto._sweeping import document as sweeping
from canaletto_extras.calibrating import document as calibrating
from canaletto_extras.calibrating import fio_results
from canaletto_extras.searching import document as searching
from conftest import COMMAND, REPOSITORY, Canaletto

LIMIT_S = 60
"""The most that a command may take; none takes a tenth of it."""
GOOD = "1000 0 0 8 1\n2000 0 8 8 0\n"
RUN = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "50"]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / "a"
    cn.run("performance-optimized", cn.workload("hm_0", requests=50)).save(path, report=False)
    return path


@pytest.fixture
def frozen(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "a")


def seal(run: Path) -> None:
    record = json.loads((run / "run.json").read_text())
    for name in record["files"]:
        record["files"][name] = f"sha256:{hashlib.sha256((run / name).read_bytes()).hexdigest()}"
    (run / "run.json").write_text(json.dumps({**record, "checksum": folder._checksum(record)}))


JUNK: list[Any] = [None, True, -1, 1.5, 1e300, 2**70, "", "x", "/none", [], {}, [None], {"a": 1}, [[]]]


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(document, dict | list):
        items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def mutated(document: Any, draw: random.Random) -> Any:
    document = json.loads(json.dumps(document))
    # Keys near the root are few and matter most.
    top = draw.choice(list(document))
    *way, key = draw.choice([(top,), *((top, *path) for path in places(document[top]))])
    inner = document
    for each in way:
        inner = inner[each]
    how = draw.randrange(4)
    before = inner.pop(key) if how < 2 else inner[key]
    if how == 1 and isinstance(inner, dict):
        inner[f"{key}x"] = before
    elif how > 1:
        inner[key] = draw.choice([junk for junk in JUNK if junk != before])
    return document


def survives(*calls: Callable[[], object]) -> int:
    refused = []
    for call in calls:
        try:
            call()
        except (cn.ConfigError, OSError) as error:
            refused.append(str(error))
    assert not [said for said in refused if "\n" in said]
    return len(refused)


def test_any_change_of_a_frozen_run_is_noticed(frozen: Path) -> None:
    for seed in range(100):
        draw = random.Random(seed)
        name = draw.choice(["run.json", "result.json"])
        sound = (frozen / name).read_text()
        changed = mutated(json.loads(sound), draw)
        (frozen / name).write_text(json.dumps(changed))
        assert survives(lambda: cn.load(frozen), lambda: repeat.diff(frozen, frozen)) == 2, seed
        (frozen / name).write_text(sound)


def test_forged_frozen_runs_are_refused_or_read(frozen: Path, original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = cn.load(original)

    def draw_nothing(*_: object, **__: object) -> None:
        raise cn.ConfigError("the folder was read: nothing more is asked here")

    monkeypatch.setattr(repeat, "run", lambda *_, **__: again)
    monkeypatch.setattr(explain, "record", draw_nothing)
    for kind in (cn.Design, cn.Workload):  # The same text each time.
        monkeypatch.setattr(kind, "from_toml", staticmethod(cache(kind.from_toml)))
        monkeypatch.setattr(kind, "to_dict", cache(kind.to_dict))
    sound = {path: path.read_bytes() for path in frozen.iterdir()}
    refused = 0
    for seed in range(120):
        draw = random.Random(seed)
        name = draw.choice(["run.json", "result.json"])
        (frozen / name).write_text(json.dumps(mutated(json.loads(sound[frozen / name]), draw)))
        record = json.loads((frozen / "run.json").read_text())
        if name == "result.json":
            seal(frozen)
        else:
            (frozen / name).write_text(json.dumps({**record, "checksum": folder._checksum(record)}))
        calls: list[Callable[[], object]] = [lambda: cn.load(frozen), lambda: repeat.diff(original, frozen)]
        calls += [lambda: repeat.rerun(frozen), lambda: explain.explain(frozen, slowest=1)]
        try:
            refused += survives(*calls)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
        for path, content in sound.items():
            path.write_bytes(content)
    assert refused > 120  # Among them every explanation that gets as far as the drawing.


@pytest.mark.parametrize("name", ["run.json", "result.json", "design.toml", "requests.parquet"])
def test_pipes_in_a_folder_are_not_waited_for(name: str, frozen: Path) -> None:
    (frozen / name).unlink()
    os.mkfifo(frozen / name)
    says = "no run.json in it" if name == "run.json" else f"{name}: not a regular file, expected the one"
    # In its own process, since a wait for a writer does not end.
    read = f"import canaletto as cn; cn.load({str(frozen)!r}).requests"
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert says in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("latency_us", "x", "latency_us: got 'x', expected a table"),
        ("requests", {}, "requests.generated: absent"),
        ("cost", 1.5, "cost: got 1.5, expected a table"),
        ("mapping", [1], r"mapping: got \[1\], expected a table"),
        ("root_cause_us", {"all": {"x": 1.0}, "p99": {}}, "root_cause_us.all: got 'x', expected one of host_queue"),
        ("root_cause_us", {"all": {"flush": "x"}, "p99": {}}, "root_cause_us.all.flush: got 'x', expected a number"),
        ("seed", -1, "seed: got -1, expected a whole number"),
        ("iops", float("nan"), "iops: got nan, expected a number or null"),
        ("flows", [{"name": 1}], "flows.0.name: got 1, expected a text"),
        ("fabric_counts", {"x": True}, "fabric_counts.x: got True, expected a whole number"),
    ],
)
def test_results_of_other_types(key: str, value: Any, says: str, frozen: Path) -> None:
    result = frozen / "result.json"
    result.write_text(json.dumps({**json.loads(result.read_text()), key: value}))
    seal(frozen)
    with pytest.raises(cn.ConfigError, match=rf"result\.json: {says}"):
        cn.load(frozen)


def test_stored_results_of_figures_with_another_number_are_made_anew(tmp_path: Path) -> None:
    data = {"iops": 1.5}
    kept = tmp_path / "r.json"
    kept.write_text(json.dumps({"checksum": laboratory._checksum(data), "result": data}))
    assert laboratory._read(kept) == data
    kept.write_text(kept.read_text().replace("1.5", "2.5"))
    assert laboratory._read(kept) is None


DEEP_TOML = {
    "lists": (f"a = {'[' * 100_000}{']' * 100_000}", "nested more than 100 deep"),
    "tables": (f"a = {'{a=' * 100_000}1{'}' * 100_000}", "nested more than 100 deep"),
    "200 lists": (f"a = {'[' * 200}{']' * 200}", "nested more than 100 deep"),
    "parts of a key": (f"\na{' . a' * 200_000} = 1", ":2: not TOML: got a key of 200001 parts"),
    "digits": (f"\nseed = {'9' * 5000}", ":2: not TOML: got a number of 5000 digits"),
}


@pytest.mark.parametrize("case", DEEP_TOML)
def test_toml_without_end(case: str, tmp_path: Path) -> None:
    text, says = DEEP_TOML[case]
    (tmp_path / "s.toml").write_text(f"{text}\n")
    for read in (sweeping.read, searching.read, calibrating.read):
        with pytest.raises(cn.ConfigError, match=rf"s\.toml.*{says}"):
            read(tmp_path / "s.toml")


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 100_000, f'{{"jobs": {"[" * 200}{"]" * 200}}}'])
def test_json_without_end(text: str, frozen: Path, tmp_path: Path) -> None:
    (frozen / "run.json").write_text(text)
    (tmp_path / "sweep.json").write_text(text)
    for path, kind in ((frozen, "not JSON: nested more than 100 deep"), (tmp_path, "not what a sweep")):
        with pytest.raises(cn.ConfigError, match=kind):
            cn.load(path)
    with pytest.raises(cn.ConfigError, match=r"^fio\.json: not JSON"):
        fio_results.points(f'{{"jobs": {text}}}', "fio.json")


def test_damaged_parquet(frozen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = frozen / "requests.parquet"
    sound = parquet.read_bytes()
    draw = random.Random(1)
    for number in range(36):
        damaged = bytearray(sound)
        if number % 3:
            damaged[draw.randrange(len(sound))] ^= 1 << draw.randrange(8)
        else:
            del damaged[draw.randrange(len(sound)) :]
        parquet.write_bytes(damaged)
        calls = (
            lambda: explain.explain(frozen),
            lambda: cn.load(frozen).requests,
            lambda: cn.load(frozen).scan_requests(),
        )
        assert survives(*calls) == len(calls), number
        if not number % 3:  # Cut, and sealed all the same.
            seal(frozen)
            assert survives(*calls) == len(calls), number
    parquet.write_bytes(sound)
    seal(frozen)

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds")

    monkeypatch.setattr(pl, "read_parquet", panic)
    monkeypatch.setattr(pl, "scan_parquet", panic)
    for call in calls:
        with pytest.raises(cn.ConfigError, match=r"requests\.parquet: not Parquet: index out of bounds"):
            call()


def test_parquet_is_no_trace(original: Path) -> None:
    with pytest.raises(cn.ConfigError, match=r"requests\.parquet"):
        traces.info(original / "requests.parquet")


def test_folders_whose_names_are_no_text(canaletto: Any, frozen: Path, tmp_path: Path) -> None:
    home = tmp_path / os.fsdecode(b"no\xfftext")
    home.mkdir()
    (home / "t.trace").write_text(GOOD)
    inside = Canaletto(home)
    line = inside.refuses("run", "performance-optimized", "--workload", "t.trace", says=("t.trace: got a name that",))
    assert line.startswith("canaletto: /")
    shutil.move(frozen, home / "a")
    assert survives(lambda: cn.load(home / "a"), lambda: explain.explain(home / "a")) == 2
    bad = os.fsdecode(b"\xff")
    for words in (
        ["run", f"{bad}.toml", "--workload", "hm_0"],
        [*RUN, "--out", bad],
        [*RUN, "--timeline", bad],
        ["explain", bad],
        ["diff", bad, bad],
    ):
        done = subprocess.run([COMMAND, *words], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 2
        assert re.fullmatch(r"canaletto: \\xff\S*: got a name that is not UTF-8, expected one that is\n", done.stderr)


@pytest.mark.parametrize(
    ("closed", "status", "says"),
    [(">&-", 2, "standard output is closed"), (">&- 2>&-", 2, ""), ("<&-", 0, ""), ("2>&-", 0, "")],
)
def test_closed_streams(closed: str, status: int, says: str) -> None:
    words = ["bash", "-c", f"exec {COMMAND} --version {closed}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == status
    assert says in done.stderr
    assert done.stderr.count("\n") == bool(says)


def test_standard_input_cannot_be_frozen(tmp_path: Path) -> None:
    words = [COMMAND, "run", "performance-optimized", "--workload", "/dev/stdin", "--out", "a"]
    done = subprocess.run(words, cwd=tmp_path, input=GOOD, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 2
    assert "/dev/stdin: not a regular file" in done.stderr
    assert os.listdir(tmp_path) == []


def test_a_pipe_without_a_writer_is_waited_for_aloud(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f")
    words = [COMMAND, "run", "performance-optimized", "--workload", "f"]
    running = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        assert running.stderr is not None
        assert "named pipe that nobody has written to yet" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        rest = running.communicate(timeout=LIMIT_S)[1]
    finally:
        running.kill()
    assert (running.returncode, rest) == (130, "canaletto: interrupted; nothing was written\n")


def test_a_pipe_is_opened_once(tmp_path: Path) -> None:
    """Opening and closing it in passing takes its writer away."""
    os.mkfifo(tmp_path / "f")
    assert cn.workload(tmp_path / "f").traces() == [str(tmp_path / "f")]


@pytest.mark.parametrize("milliseconds", [0, 5, 10, 20, 40, 60])
def test_ctrl_c_in_the_first_moments(milliseconds: int, tmp_path: Path) -> None:
    words = [COMMAND, *RUN, "--out", "a"]
    running = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(milliseconds / 1000)  # The moment itself is what is asked about.
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=LIMIT_S)[1]
    if "KeyboardInterrupt" in told and running.returncode == 0:
        # The interpreter caught it in a callback of its own imports, said that it ignores it, and continued.
        assert os.listdir(tmp_path) == ["a"]
        return
    # Before the interpreter is up the signal is nobody's to handle; what it says while it starts is its own.
    assert running.returncode in (130, -signal.SIGINT, 1)
    assert str(REPOSITORY / "python") not in told, "in the package it is always told as ours"
    if running.returncode == 130:
        assert told == "canaletto: interrupted; nothing was written\n"
    assert os.listdir(tmp_path) == []


def test_leftovers_of_killed_calls_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_SETTLED_S", -1)
    target = tmp_path / "a"
    dead, running = files.beside(target), files.beside(target)
    mine = tmp_path / ".a.notes"
    for each in (dead, running, mine):
        each.mkdir()
        (each / "part").write_text("")
    with files.in_use(running), folder.place(target):
        assert not dead.exists()
        assert running.exists()
        assert mine.exists()


ESCAPES = "\x1b]0;x\x07\x1b[31m\r\x9b\u202e\u2066"


def test_codes_stand_for_what_terminals_act_on() -> None:
    assert printable(ESCAPES) == r"\x1b]0;x\x07\x1b[31m\x0d\x9b\u202e\u2066"
    assert printable("µs · größer\t…\n") == "µs · größer\t…\n"


def harmless(told: str) -> bool:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", told.replace("\x1b[31m", "RED")).replace("\r\n", "\n")
    return plain == printable(plain) and "RED" not in told.replace("\x1b[31m", "RED")


def on_terminal(folder: Path, *words: object, columns: int = 80) -> tuple[int, str]:
    ours, its = pty.openpty()
    setting = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    streams = {"stdin": subprocess.DEVNULL, "stdout": its, "stderr": its}
    running = subprocess.Popen([COMMAND, *map(str, words)], cwd=folder, env=setting, **streams)
    os.close(its)
    told = bytearray()
    try:
        while part := os.read(ours, 1 << 16):
            told += part
    except OSError:  # Its end has been closed.
        pass
    finally:
        os.close(ours)
    return running.wait(LIMIT_S), told.decode()


def test_escape_sequences_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / f"{ESCAPES}.trace").write_text(GOOD)
    (tmp_path / f"{ESCAPES}2.trace").write_text(f"{GOOD}3000 0 {ESCAPES} 8 0\n")
    spelt = json.dumps(ESCAPES)
    (tmp_path / "d.toml").write_text(f'base = "performance-optimized"\nname = {spelt}\n')
    (tmp_path / "k.toml").write_text(f'base = "performance-optimized"\n{spelt} = 1\n')
    for status, words in (
        (0, ["run", "d.toml", "--workload", f"{ESCAPES}.trace"]),
        (2, ["trace", "info", f"{ESCAPES}2.trace"]),
        (2, ["run", "k.toml", "--workload", "hm_0"]),
    ):
        found, told = on_terminal(tmp_path, *words)
        assert found == status, told
        assert harmless(told), repr(told)
        assert "\\u202e" in told or "\\xe2\\x80\\xae" in told


def test_toml_with_codes_means_the_same() -> None:
    design = cn.design("performance-optimized", name=ESCAPES)
    assert harmless(design.shown_toml())
    assert cn.Design.from_toml(design.shown_toml(), "d").to_dict() == design.to_dict()


@pytest.mark.parametrize("pair", [("x", "x"), ("./x", "x"), ("here/x", "x"), ("x", "here/x"), ("x", "x/y")])
def test_a_timeline_and_a_folder_of_one_name(
    pair: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").symlink_to(tmp_path)
    timeline, out = pair
    with pytest.raises(cn.ConfigError, match="expected two names"):
        files.check_free(timeline, made_later=Path(out))
    files.check_free("x/t.pftrace", made_later=Path("x"))


@pytest.mark.parametrize("command", ["run", "compare"])
def test_narrow_terminals_cut_no_figures(command: str, tmp_path: Path) -> None:
    status, told = on_terminal(tmp_path, command, *RUN[1:], columns=40)
    assert status == 0
    assert "…" not in told
    assert re.search(r"\d µs", told)


def test_narrow_explanations_and_traces(frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from io import StringIO

    from canaletto._report import explanation, tables

    (tmp_path / "t.trace").write_text(GOOD)
    out = StringIO()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")  # Rich takes it for a terminal.
    monkeypatch.setenv("TERM", "xterm")
    console.show(*explanation.render(explain.explain(frozen, slowest=1, progress=False)))
    console.show(*tables.trace(traces.info(tmp_path / "t.trace")))
    told = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert "…" not in told
    assert max(map(len, told.splitlines())) <= 40


def test_completions_are_not_replaced_unasked(canaletto: Any, shared: Path, tmp_path: Path) -> None:
    case = shared / "reference" / "mqsim" / "perf-randread-4k-qd1"
    (tmp_path / "log.csv").write_text("years")
    words = ["mqsim", "-i", case / "ssdconfig.xml", "-w", case / "workload.xml", "--completions", "log.csv"]
    canaletto.refuses(*words, says=("log.csv: exists already", "--force"))
    assert (tmp_path / "log.csv").read_text() == "years"
