"""Simulations through a running Dask scheduler; `jobs.py` starts one whose workers are jobs."""

import contextlib
import logging
import math
import re
import signal
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from canaletto._engine import ConfigError, SimulationError
from canaletto._sweeping.document import Document
from canaletto._sweeping.executors import MOST_DEATHS, Done
from canaletto._sweeping.tasks import Task

from canaletto_extras.cluster import remote

Client: TypeAlias = Any
Future: TypeAlias = Any
"""`distributed` need not be installed."""

TIMEOUT_S, WORKERS_S = 10, 60
"""For a scheduler's answer, and for its first worker: busy machines start slowly."""

TELL_S = 60
"""A missing worker is reported after this time, then after twice as long, and so on."""

_ASK_AGAIN_S = 2

_LOOK_S = 0.1

_AHEAD = 2
"""One task is carried out, one is on its way."""


class Watch:
    """Reports that a scheduler has no worker left: tasks would wait in silence."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self.tell = tell
        self._gone_since: float | None = None
        self._tell_at_s = TELL_S

    def look(self, threads: int) -> None:
        now = time.monotonic()
        if threads:
            self._gone_since = None
        elif self._gone_since is None:
            self._gone_since, self._tell_at_s = now, TELL_S
        elif now - self._gone_since >= self._tell_at_s:
            self.none_left(self._tell_at_s)
            self._tell_at_s *= 2

    def none_left(self, waited_s: int) -> None:
        self.tell(f"no worker has been there for {waited_s} s: the sweep continues once one joins; Ctrl-C gives up")


class Dask:
    """Workers only need this package: traces reach them by hash."""

    def __init__(self, client: Client, watch: Watch, queue: Any = None) -> None:
        self._client = client
        self._watch = watch
        self._queue = queue
        self._traces: dict[str, Future] = {}
        self._threads = 0
        self._asked = -math.inf

    @property
    def workers(self) -> int:
        return max(1, self._counted())

    def carry_out(self, tasks: Iterable[Task]) -> Generator[Done]:
        """A worker that dies only costs the time it had taken.

        Raises SimulationError if the scheduler is lost, or no worker will come.
        """
        waiting = iter(tasks)
        running: dict[Future, tuple[Task, int]] = {}
        finished = package("distributed").as_completed(
            [], loop=self._client.loop, raise_errors=False, with_results=True
        )

        def submit(task: Task, attempt: int, content: Mapping[str, Any]) -> None:
            future = self._client.submit(
                remote.answer, task.to_dict(), dict(content), key=f"canaletto-{task.key}-{attempt}", pure=False
            )
            running[future] = task, attempt
            finished.add(future)

        def fill() -> None:
            # By what is there now: workers come and go.
            while len(running) < _AHEAD * self.workers and (task := next(waiting, None)) is not None:
                submit(task, 1, {})

        fill()
        while running:
            self._await_one(finished)
            future, found = next(finished)
            task, attempt = running.pop(future)
            sign, content = self._answer(future, found)
            if sign == remote.MISSING:
                submit(task, attempt + 1, self._sent(task, content.decode()))
            elif sign == remote.LOST and attempt < MOST_DEATHS:
                submit(task, attempt + 1, {})
            else:
                yield Done(task, content) if sign == remote.RECORD else Done(task, failure=content.decode())
            fill()

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._client.close()
            if self._queue is not None:
                self._queue.close()

    def _counted(self) -> int:
        # Not always: each question takes as long as a short simulation.
        if time.monotonic() - self._asked > _ASK_AGAIN_S:
            # A scheduler that does not answer may do so in a moment; if it is lost, its tasks end and tell.
            with contextlib.suppress(OSError):
                self._threads = sum(self._client.nthreads().values())
            self._asked = time.monotonic()
        return self._threads

    def _await_one(self, finished: Any) -> None:
        self._watch.look(self._counted())
        while not finished.has_ready():
            with finished.thread_condition:
                if not finished.has_ready():
                    finished.thread_condition.wait(_LOOK_S)
            self._watch.look(self._counted())

    def _answer(self, future: Future, found: Any) -> tuple[bytes, bytes]:
        """Or that a worker is lost: it died too often, or does not have this package."""
        if self._client.status != "running":
            raise SimulationError("the Dask scheduler is lost; the same command continues from here")
        if future.status == "finished":
            sign, content = found
            return sign, content
        reason = found[1] if isinstance(found, tuple) and len(found) > 1 else found
        return remote.LOST, f"no worker brought it to an end: {type(reason).__name__}: {reason}".encode()

    def _sent(self, task: Task, digest: str) -> dict[str, Future]:
        """Read once; then it goes from worker to worker."""
        file = next(file for file, found in task.traces.items() if found == digest)
        known = self._traces.get(digest)
        if known is None or known.status != "finished":
            (self._traces[digest],) = self._client.scatter([Path(file).read_bytes()], hash=False)
        return {digest: self._traces[digest]}


def connected(asked: Document, where: str, tell: Callable[[str], object]) -> Dask:
    """tell: called with reports for those who wait.

    The address is `dask://HOST:PORT`.
    """
    found = re.fullmatch(r"dask://([^/\s:]+|\[[0-9a-fA-F:]+\]):(\d{1,5})", where)
    if found is None:
        raise ConfigError(f"--on {where}: expected dask://HOST:PORT, such as dask://head:8786")
    distributed = package("distributed")
    try:
        client = distributed.Client(f"tcp://{found[1]}:{found[2]}", timeout=TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError(f"--on {where}: no scheduler can be reached there: {reason}") from None
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
        _check_workers(where, client.run(remote.build, on_error="return"))
    except TimeoutError:
        client.close()
        raise ConfigError(
            f"--on {where}: the scheduler has no workers, expected some (dask worker {found[1]}:{found[2]})"
        ) from None
    except ConfigError:
        client.close()
        raise
    return Dask(client, Watch(tell))


def _check_workers(where: str, found: Mapping[str, Any]) -> None:
    for worker, told in found.items():
        if told != remote.build():
            theirs = f"no canaletto that answers ({told})" if isinstance(told, Exception) else _told(*told)
            raise ConfigError(f"--on {where}: worker {worker} has {theirs}, expected {_told(*remote.build())}")


def _told(version: str, build: str) -> str:
    return f"canaletto {version} (build {build[:12]})"


def package(name: str) -> Any:
    from importlib import import_module

    interrupt = signal.getsignal(signal.SIGINT)
    try:
        module = import_module(name)
    except ImportError:
        raise ConfigError(
            f"{name}: not installed, expected it for clusters: pip install 'canaletto[cluster]'"
        ) from None
    if signal.getsignal(signal.SIGINT) is not interrupt:
        # dask_jobqueue has Ctrl-C end the process in silence from the moment it is loaded.
        signal.signal(signal.SIGINT, interrupt)
    # Workers come and go; those that are lost for good are told of once, by us.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    return module
