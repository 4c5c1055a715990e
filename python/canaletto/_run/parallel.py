"""Several jobs at a time, in threads: the engine runs without the interpreter's lock."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

T = TypeVar("T")

_LOOK_S = 0.1


class StoppedError(Exception):
    """Error of a job that stopped because it was told to."""


def in_threads(jobs: Sequence[Callable[[Event], T]], workers: int) -> list[T]:
    """Results of jobs in order.

    The first that fails, or Ctrl-C, sets the event at which jobs must give up. None runs when this returns or raises.
    """
    stop = Event()
    pool = ThreadPoolExecutor(workers)
    try:
        futures = [pool.submit(job, stop) for job in jobs]
        waiting: set[Future[T]] = set(futures)
        # Not one long wait: a signal that reaches another thread, or a notebook's interrupt, does not end it.
        while waiting:
            done, waiting = wait(waiting, _LOOK_S, FIRST_EXCEPTION)
            if any(future.exception() for future in done):
                break
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    for future in futures:
        error = None if future.cancelled() else future.exception()
        if error is not None and not isinstance(error, StoppedError):
            raise error
    return [future.result() for future in futures]


def processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
