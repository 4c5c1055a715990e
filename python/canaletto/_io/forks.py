"""After a fork Polars waits for ever: its threads stay in the parent."""

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

_threads = False
_lost = False


def check_polars() -> None:
    """Raises RuntimeError where Polars would wait for ever."""
    if _lost:
        raise RuntimeError(
            "this process was forked from one in which Polars had been at work, and would wait for its threads for "
            "ever; expected a process started anew: use multiprocessing.get_context('spawn')"
        )


def _has_threads() -> bool:
    """Polars starts its threads when they first have something to do."""
    if "polars" not in sys.modules:
        return False
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():  # Not Linux: nobody says so.
        return True
    for task in tasks.iterdir():
        with suppress(OSError):  # One that has ended meanwhile.
            if re.match(r"polars-\d", (task / "comm").read_text()):
                return True
    return False


def _before() -> None:
    global _threads
    _threads = _has_threads()


def _in_child() -> None:
    global _lost
    _lost = _lost or _threads


if hasattr(os, "register_at_fork"):  # Windows has no forks.
    os.register_at_fork(before=_before, after_in_child=_in_child)
