"""Workers as jobs of a batch system, by dask-jobqueue."""

import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from canaletto._engine import ConfigError, SimulationError
from canaletto._sweeping.document import Document

from canaletto_extras.cluster.cluster import TELL_S, Client, Dask, Watch, package

_QUEUES = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "lsf": "LSFCluster"}

_LOOK_S = 1


def started(asked: Document, where: str, tell: Callable[[str], object]) -> Dask:
    """Workers of the table `[cluster]`, once one has joined."""
    place, kind, jobs, keys = _checked(asked)
    distributed, jobqueue = package("distributed"), package("dask_jobqueue")
    kind_of_queue = getattr(jobqueue, _QUEUES[kind])
    refusals: list[str] = []
    with contextlib.ExitStack() as owned:
        with _interrupts_held():
            try:
                queue = kind_of_queue(job_cls=_noting(kind_of_queue.job_cls, refusals), **keys)
            except (TypeError, ValueError) as error:
                said = " ".join(str(error).split())
                raise ConfigError(f"{place}: {said}; expected keys of dask-jobqueue's {_QUEUES[kind]}") from None
            # Jobs that nobody waits for any more are not to be left in the queue.
            owned.callback(queue.close)
            queue.scale(jobs=jobs)
            client = distributed.Client(queue, set_as_default=False)
        _await_worker(client, lambda: _check_taken(place, jobs, refusals), tell)
        owned.pop_all()
    return Dask(client, _JobWatch(place, queue, jobs, refusals, tell), queue)


def _checked(asked: Document) -> tuple[str, str, int, dict[str, Any]]:
    table = dict(asked.cluster)
    place = f"{asked.place('cluster')}cluster"
    if not table:
        raise ConfigError(f"{place}: absent, expected a table [cluster] for --on cluster")
    kind, jobs = table.pop("kind", None), table.pop("jobs", None)
    if kind not in _QUEUES:
        raise ConfigError(f"{place}.kind: got {kind!r}, expected one of {', '.join(_QUEUES)}")
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ConfigError(f"{place}.jobs: got {jobs!r}, expected the number of jobs")
    return place, kind, jobs, table


def _noting(kind: Any, refusals: list[str]) -> Any:
    """Notes why a job is refused, which Dask only logs."""

    class Job(kind):  # type: ignore[misc]
        async def start(self) -> None:
            try:
                await super().start()
            except (OSError, RuntimeError, ValueError) as error:
                # Of a command that ended with an error, what it said there.
                refusals.append(" ".join(str(error).rpartition("stderr:")[2].split()))
                self.status = package("distributed").Status.running

    return Job


def _check_taken(place: str, jobs: int, refusals: list[str]) -> None:
    if len(refusals) >= jobs:
        raise ConfigError(f"{place}: no job is taken: {_said(refusals[0])}")


def _said(refusal: str) -> str:
    return refusal or "no reason given"


class _JobWatch(Watch):
    """Reports refused jobs, and submits ended ones again once no worker is left."""

    def __init__(
        self, place: str, queue: Any, jobs: int, refusals: Sequence[str], tell: Callable[[str], object]
    ) -> None:
        """refusals: grow in Dask's thread."""
        super().__init__(tell)
        self._place = place
        self._queue = queue
        self._jobs = jobs
        self._refusals = refusals
        self._told = 0
        self._joined: set[str] = set()

    def look(self, threads: int) -> None:
        """Raises SimulationError if there is neither worker nor job."""
        # As the queue knows them: threads may have been counted before one joined, whose job has not ended.
        here = {worker["name"] for worker in list(self._queue.scheduler_info["workers"].values())}
        # A job that was refused stays so: as many refusals as jobs are one of each.
        if not here and len(self._refusals) >= self._jobs:
            raise SimulationError(
                f"{self._place}: no worker is left and no job is taken: {_said(self._refusals[-1])}; the same command "
                "continues from here"
            )
        if new := self._refusals[self._told :]:
            self._told += len(new)
            self.tell(
                f"{len(new)} of {self._jobs} jobs not taken: {_said(new[0])}; the sweep continues with the others"
            )
        self._joined |= here
        super().look(len(here))

    def none_left(self, waited_s: int) -> None:
        ended = self._ended()
        if not ended:
            self.tell(_none_joined(waited_s))
            return
        self.tell(f"no worker is left: {len(ended)} of {self._jobs} jobs ended, submitted again now; Ctrl-C gives up")
        self._joined.clear()
        # Dask itself opens no job again, and of jobs with several processes does not notice that they ended.
        self._queue.sync(self._queue.scale_down, ended)
        self._queue.scale(jobs=self._jobs)

    def _ended(self) -> list[str]:
        return [
            job for job in self._queue.worker_spec if any(f"{name}-".startswith(f"{job}-") for name in self._joined)
        ]


def _await_worker(client: Client, check: Callable[[], None], tell: Callable[[str], object]) -> None:
    tell_at_s = TELL_S
    for waited_s in count(_LOOK_S, _LOOK_S):
        check()
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(1, timeout=_LOOK_S)
            return
        if waited_s >= tell_at_s:
            tell(_none_joined(waited_s))
            tell_at_s *= 2


def _none_joined(waited_s: int) -> str:
    return (
        f"no worker has joined after {waited_s} s: jobs wait in the queue, or have ended and their own output "
        "says why; Ctrl-C gives up"
    )


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Interrupted connecting leaves behind what Dask cannot close."""
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
