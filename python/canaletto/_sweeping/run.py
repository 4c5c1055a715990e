"""Simulations carried out once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from canaletto._sweeping.executors import Done, Executor
from canaletto._sweeping.store import Store
from canaletto._sweeping.tasks import Task

Report = Callable[[int, int], object]


@dataclass
class Carried:
    computed: int = 0
    failures: list[Done] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Keys without effect in any point."""


def carry_out(tasks: Sequence[Task], store: Store, executor: Executor, report: Report) -> Carried:
    """Computes missing records, and keeps each at once.

    Ctrl-C stops it; what was kept is not computed again.
    """
    missing = [task for task in tasks if store.get(task.key) is None]
    done = len(tasks) - len(missing)
    found = Carried()
    report(done, len(tasks))
    if not missing:
        return found
    with closing(executor.carry_out(_still_missing(missing, store))) as results:
        for each in results:
            if each.failure:
                found.failures.append(each)
            else:
                store.put(each.task.key, each.record)
                found.computed += 1
            report(done + found.computed, len(tasks))
    return found


def _still_missing(tasks: Sequence[Task], store: Store) -> Iterator[Task]:
    """Sweeps may share a folder."""
    return (task for task in tasks if store.get(task.key) is None)
