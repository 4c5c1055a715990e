"""Cost of a sweep, from a few of its points."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from canaletto._engine import ConfigError, SimulationError
from canaletto._run import simulate
from canaletto._run.config import Design, Workload
from canaletto._sweeping.tasks import Task

SAMPLES = 8
BUDGET_S = 0.5
"""After this CPU time a try is given up; its progress gives the rest."""


@dataclass(frozen=True)
class Estimate:
    cpu_hours: float | None
    tried: int
    memory_mb: float


def estimate(tasks: Sequence[Task]) -> Estimate:
    chosen = _spread(tasks)
    found = [cpu_s(*_configuration(task), task.seed, task.warmup) for task in chosen]
    known = [each for each in found if each is not None]
    memory = [simulate.inspect(*_configuration(task))["memory_mb"] for task in chosen]
    hours = sum(known) / len(known) * len(tasks) / 3600 if known else None
    return Estimate(hours if tasks else 0.0, len(chosen), max(memory, default=0.0))


def affordable(tasks: Sequence[Task], workers: int) -> int:
    """Processes up to `workers` that memory allows, by a few of the tasks."""
    chosen = map(_configuration, _spread(tasks))
    needed = max((simulate.memory_needed([design], work, False) for design, work in chosen), default=0)
    return workers - simulate.check_memory("a point", [count * needed for count in range(workers, 0, -1)])


def _spread(tasks: Sequence[Task]) -> Sequence[Task]:
    return tasks if len(tasks) <= SAMPLES else [tasks[len(tasks) * n // SAMPLES] for n in range(SAMPLES)]


def _configuration(task: Task) -> tuple[Design, Workload]:
    return Design(task.design, "design"), Workload(task.workload, "workload")


class _EnoughError(Exception):
    """Raised by a try that is given up."""


def cpu_s(design: Design, workload: Workload, seed: int, warmup: int) -> float | None:
    """Seconds; None if requests are not counted beforehand and it takes long."""
    begun = time.process_time()
    share = 0.0

    def look(done: int, total: int, simulated_ps: int) -> None:
        nonlocal share
        # Without simulated time it is the drive that is being filled.
        share = done / total if total and simulated_ps else 0.0
        if time.process_time() - begun > BUDGET_S:
            raise _EnoughError

    try:
        simulate.run_once(design, workload, seed, warmup, False, look)
        share = 1.0
    except _EnoughError:
        pass
    except (ConfigError, SimulationError):
        # It stops there when it is carried out, and says why.
        share = 1.0
    return (time.process_time() - begun) / share if share else None
