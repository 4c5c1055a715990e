import gc
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("CANALETTO_SHARED", REPOSITORY.parent / "shared"))
COMMAND = Path(sys.executable).with_name("canaletto")

# Nearly all that is loaded stays; looking through it for garbage takes longer than many a test.
gc.set_threshold(50_000)

# A shell starts background jobs with interrupts ignored, and children inherit that: tests interrupt runs on purpose.
signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class Answer:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(constant: str) -> Any:
            raise AssertionError(f"{constant} in JSON")

        return json.loads(self.out, parse_constant=refuse)


def _run_anew(words: list[str], folder: Path, out: Path, err: Path, environment: dict[str, str]) -> int:
    everything = {**os.environ, **environment}
    with open(out, "w") as told, open(err, "w") as said:
        files = {"stdin": subprocess.DEVNULL, "stdout": told, "stderr": said}
        return subprocess.run([COMMAND, *words], cwd=folder, env=everything, check=False, **files).returncode


_FORKS = multiprocessing.get_context("forkserver")
# What commands load, but nothing that has threads, which do not survive a fork.
_OUTER = ["canaletto_command", "canaletto._cli.app", "typer._adapters", "altair", "numpy"]
_INNER = ["_run.running", "_run.compare", "_bounding.bound", "_report.summary", "_report.terminal"]
_FORKS.set_forkserver_preload([*_OUTER, *(f"canaletto.{name}" for name in _INNER)])
# Else numpy has threads from the start.
os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _run_forked(words: list[str], folder: Path, out: Path, err: Path, _: dict[str, str]) -> int:
    files = [os.devnull, str(out), str(err)]
    child = _FORKS.Process(target=_command, args=(words, str(folder), files, dict(os.environ)))
    child.start()
    child.join()
    assert child.exitcode is not None
    return child.exitcode


def _command(words: list[str], folder: str, files: list[str], environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, file in enumerate(files):
        handle = os.open(file, os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY)
        os.dup2(handle, number)
        os.close(handle)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
    sys.argv = [str(COMMAND), *words]
    from canaletto_command import main

    main()


class Canaletto:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *words: object, **environment: str) -> Answer:
        with TemporaryDirectory() as home:
            run = _run_anew if environment else _run_forked
            files = Path(home, "out"), Path(home, "err")
            status = run([str(word) for word in words], self.folder, *files, environment)
            out, err = (file.read_text() for file in files)
        blanks = [line for line in out.splitlines() if line != line.rstrip()]
        assert "--help" in words or not blanks, blanks
        return Answer(status, out, err)

    def ok(self, *words: object, **environment: str) -> Answer:
        answer = self(*words, **environment)
        assert answer.status == 0, answer.err
        return answer

    def refuses(self, *words: object, says: tuple[str, ...] = (), status: int = 2) -> str:
        answer = self(*words)
        assert answer.status == status, (answer.status, answer.err)
        assert answer.out == ""
        lines = answer.err.splitlines()
        assert len(lines) == 1, answer.err
        assert lines[0].startswith("canaletto: ")
        for part in says:
            assert part in lines[0]
        return lines[0]

    def interrupt(self, *words: object, when: Callable[[int], bool], number: int = signal.SIGINT) -> Answer:
        # Files, since a pipe that nobody reads yet may be full before the moment comes.
        with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            running = subprocess.Popen([COMMAND, *map(str, words)], cwd=self.folder, stdout=out, stderr=err)
            try:
                while running.poll() is None and not when(running.pid):
                    time.sleep(0.01)
                running.send_signal(number)
                running.wait()
            finally:
                running.kill()
            told = [file.seek(0) or file.read() for file in (out, err)]
        return Answer(running.returncode, *told)


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """None takes a tenth of this, on however busy a machine."""

    def give_up(*_: object) -> None:
        raise TimeoutError("the test hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(300)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def canaletto(tmp_path: Path) -> Canaletto:
    assert COMMAND.exists(), f"{COMMAND} is not installed: use `make test`"
    return Canaletto(tmp_path)


@pytest.fixture(scope="session")
def shared() -> Path:
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no reference data in {SHARED}; set CANALETTO_SHARED")
        pytest.skip(f"no reference data in {SHARED}")
    return SHARED
