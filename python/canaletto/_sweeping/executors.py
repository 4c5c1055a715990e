"""Executors take tasks and give their records as they come."""

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from canaletto._run import parallel
from canaletto._sweeping.tasks import Task


@dataclass(frozen=True)
class Done:
    task: Task
    record: bytes = b""
    failure: str = ""


class Executor(Protocol):
    @property
    def workers(self) -> int:
        """Simulations at a time."""

    def carry_out(self, tasks: Iterable[Task]) -> Generator[Done]:
        """As soon as they are there. Tasks are taken when they are needed."""

    def close(self) -> None:
        """Gives up what is still going on."""


MOST_DEATHS = 3
"""A task that kills this many workers is given up."""


class LocalProcesses:
    """Processes of this machine.

    They need nothing of the script that started them and die with it. A killed one is replaced.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or parallel.processors()
        self._command = [sys.executable, "-m", "canaletto._sweeping.worker"]
        self._stop = threading.Event()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    def carry_out(self, tasks: Iterable[Task]) -> Generator[Done]:
        waiting = iter(tasks)
        results: queue.Queue[Done | BaseException | None] = queue.Queue()
        threads = [
            threading.Thread(target=self._tend, args=(waiting, results), daemon=True) for _ in range(self.workers)
        ]
        for thread in threads:
            thread.start()
        try:
            left = len(threads)
            while left:
                try:
                    # Not for ever: a signal that reaches another thread does not end the wait.
                    found = results.get(timeout=_LOOK_S)
                except queue.Empty:
                    continue
                if found is None:
                    left -= 1
                elif isinstance(found, BaseException):
                    raise found
                else:
                    yield found
        finally:
            self.close()
            for thread in threads:
                thread.join()

    def close(self) -> None:
        self._stop.set()
        with self._lock:
            for process in self._processes:
                process.kill()

    def _tend(self, waiting: Iterator[Task], results: "queue.Queue[Done | BaseException | None]") -> None:
        process = None
        try:
            while not self._stop.is_set() and (task := self._next(waiting)) is not None:
                for deaths in range(1, MOST_DEATHS + 1):
                    process = process or self._start()
                    found = _asked(process, task)
                    if found is not None or self._stop.is_set():
                        break
                    told = _end_of(process)
                    self._forget(process)
                    process = None
                    if deaths == MOST_DEATHS:
                        found = Done(task, failure=f"its process {told}, {deaths} times")
                if found is not None:
                    results.put(found)
        except parallel.StoppedError:
            pass
        except BaseException as error:
            results.put(error)
        finally:
            if process is not None:
                self._forget(process)
            results.put(None)

    def _next(self, waiting: Iterator[Task]) -> Task | None:
        with self._lock:
            return next(waiting, None)

    def _start(self) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._stop.is_set():
                raise parallel.StoppedError
            process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._processes.add(process)
        return process

    def _forget(self, process: "subprocess.Popen[bytes]") -> None:
        process.kill()
        process.communicate()
        with self._lock:
            self._processes.discard(process)


_LOOK_S = 0.1


def _asked(process: "subprocess.Popen[bytes]", task: Task) -> Done | None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(task.to_dict()).encode() + b"\n")
        process.stdin.flush()
        length = process.stdout.readline()
        content = process.stdout.read(int(length[1:])) if length.endswith(b"\n") else b""
    except (BrokenPipeError, ValueError):
        return None
    if not length.endswith(b"\n") or len(content) < int(length[1:]):
        return None
    return Done(task, content) if length.startswith(b"+") else Done(task, failure=content.decode())


def _end_of(process: "subprocess.Popen[bytes]") -> str:
    status = process.wait()
    return f"was killed by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
