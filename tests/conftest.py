"""Parts that all tiers share: the command, the shared data, and the forms of answers."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("CANALETTO_SHARED", REPOSITORY.parent / "shared"))
COMMAND = Path(sys.executable).with_name("canaletto")

# A shell starts background jobs with interrupts ignored, and children inherit that: tests interrupt runs on purpose.
signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class Answer:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON document without NaN or infinity."""

        def refuse(constant: str) -> Any:
            raise AssertionError(f"{constant} in JSON")

        return json.loads(self.out, parse_constant=refuse)


class Canaletto:
    """The installed command, run in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *words: object, **environment: str) -> Answer:
        """Runs it to the end."""
        done = subprocess.run(
            [COMMAND, *map(str, words)],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        blanks = [line for line in done.stdout.splitlines() if line != line.rstrip()]
        assert "--help" in words or not blanks, blanks
        return Answer(done.returncode, done.stdout, done.stderr)

    def ok(self, *words: object, **environment: str) -> Answer:
        """Runs it, and it must end well."""
        answer = self(*words, **environment)
        assert answer.status == 0, answer.err
        return answer

    def refuses(self, *words: object, says: tuple[str, ...] = (), status: int = 2) -> str:
        """Runs it, and it must end with one line that holds all of `says`; returns the line."""
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
        """Runs it, and sends it a signal as soon as `when` holds of its process."""
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


@pytest.fixture
def canaletto(tmp_path: Path) -> Canaletto:
    """The installed command."""
    assert COMMAND.exists(), f"{COMMAND} is not installed: use `make test`"
    return Canaletto(tmp_path)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference runs and traces."""
    if not SHARED.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no reference data in {SHARED}; set CANALETTO_SHARED")
        pytest.skip(f"no reference data in {SHARED}")
    return SHARED
