"""Trials, asked of Optuna and carried out as points of a sweep.

Sampler and results are seeded, so a search that is started again asks for the same points, whose records are there.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from canaletto._engine import ConfigError
from canaletto._run import parallel
from canaletto._run.config import Design, Workload
from canaletto._sweeping import work
from canaletto._sweeping.axes import Value
from canaletto._sweeping.estimate import affordable
from canaletto._sweeping.run import Report
from canaletto._sweeping.store import Store
from canaletto._sweeping.tasks import Point, Resolver, Task

from canaletto_extras.searching.document import Constraint, Search
from canaletto_extras.searching.measures import DESIGN_ONLY, most_iops, value


@dataclass(frozen=True)
class Trial:
    point: Point
    values: tuple[float | None, ...]
    """None where an objective does not apply, or without a run."""
    excesses: tuple[float, ...]
    is_pruned: bool = False
    error: str = ""

    @property
    def is_feasible(self) -> bool:
        known = None not in self.values and not self.error and not self.is_pruned
        return known and all(excess <= 0 for excess in self.excesses)


def carry_out(asked: Search, store: Store, report: Report) -> list[Trial]:
    optuna = _optuna()
    study = optuna.create_study(
        directions=["maximize" if each.more_is_better else "minimize" for each in asked.objectives],
        sampler=_sampler(optuna, asked),
    )
    resolver = Resolver(asked.points)
    space = Space(optuna, asked)
    found: dict[str, Trial] = {}
    done = 0
    while done < asked.trials and len(found) < space.size:
        batch = [study.ask(space.distributions) for _ in range(min(asked.batch, asked.trials - done))]
        points = [resolver.point(len(found) + n, space.values(each.params)) for n, each in enumerate(batch)]
        new = {point.task.key: point for point in points if point.task.key not in found}
        for trial in _tried(asked, list(new.values()), store):
            found[trial.point.task.key] = trial
        for each, point in zip(batch, points, strict=True):
            _tell(optuna, study, each, found[point.task.key])
        done += len(batch)
        report(done, asked.trials)
    return list(found.values())


def check(asked: Search) -> list[Task]:
    """Returns simulations in which each value of each key occurs."""
    optuna = _optuna()
    space, resolver = Space(optuna, asked), Resolver(asked.points)
    tasks = []
    for number in range(max(map(len, space.choices), default=1)):
        # One after the other, all at a time: mistakes show before hours of work.
        point = resolver.point(0, space.values({key: space.choice(key, number) for key in space.distributions}))
        _check_requests(asked, point.task)
        tasks.append(point.task)
    return tasks


LEAST_FOR_P99 = 1_000
"""Ten are slower."""


def _check_requests(asked: Search, task: Task) -> None:
    names = {each.name for each in (*asked.objectives, *(each.measure for each in asked.constraints))}
    flows = Workload(task.workload, "workload").to_dict()["flow"]
    if "p99" not in names or not all("synthetic" in flow for flow in flows):
        return
    counted = sum(flow["synthetic"]["requests"] for flow in flows) - task.warmup
    if counted < LEAST_FOR_P99:
        raise ConfigError(
            f"p99: a 99th percentile needs {LEAST_FOR_P99:,} requests, got {max(counted, 0)}; raise `requests`, or "
            "judge by mean_latency"
        )


class Space:
    def __init__(self, optuna: Any, asked: Search) -> None:
        grid = asked.points.grid
        spans = grid.latin.spans if grid.latin else {}
        self._grid = grid
        self._spans = spans
        self._axes = {axis.key: axis for axis in grid.all_axes}
        self.distributions: dict[str, Any] = {}
        for key, axis in self._axes.items():
            if key in spans:
                # The part of the way between the ends: scale, unit and rounding are the span's.
                self.distributions[key] = optuna.distributions.FloatDistribution(0.0, 1.0)
            elif axis.is_ordered:
                self.distributions[key] = optuna.distributions.IntDistribution(0, len(axis.values) - 1)
            else:
                self.distributions[key] = optuna.distributions.CategoricalDistribution(range(len(axis.values)))
        self.size = float("inf") if spans else len(grid.points(asked.points.label))

    @property
    def choices(self) -> list[Sequence[Value]]:
        return [axis.values for axis in self._axes.values()]

    def choice(self, key: str, number: int) -> float:
        return number % 2 if key in self._spans else number % len(self._axes[key].values)

    def values(self, params: dict[str, Any]) -> dict[str, Value]:
        chosen = {
            key: self._spans[key].at(given) if key in self._spans else self._axes[key].values[given]
            for key, given in params.items()
        }
        return self._grid.pruned(chosen)


def front(asked: Search, trials: Sequence[Trial]) -> list[Trial]:
    signs = [-1 if each.more_is_better else 1 for each in asked.objectives]
    costs = {
        number: [sign * each for sign, each in zip(signs, trial.values, strict=True) if each is not None]
        for number, trial in enumerate(trials)
        if trial.is_feasible
    }

    def is_beaten(mine: list[float]) -> bool:
        return any(other != mine and all(a <= b for a, b in zip(other, mine, strict=True)) for other in costs.values())

    best = sorted((cost, number) for number, cost in costs.items() if not is_beaten(cost))
    return [trials[number] for _, number in best]


def _tried(asked: Search, points: Sequence[Point], store: Store) -> Iterator[Trial]:
    """The engine leaves the interpreter to others while it runs."""
    reasons = {point.task.key: _excesses_beforehand(asked, point) for point in points}
    run_missing(asked, [point.task for point in points if max(reasons[point.task.key]) <= 0], store)
    for point in points:
        yield _judged(asked, point, store, reasons[point.task.key])


def run_missing(asked: Search, tasks: Sequence[Task], store: Store) -> None:
    missing = [task for key, task in {task.key: task for task in tasks}.items() if store.get(key) is None]

    def job(task: Task) -> Callable[[Event], None]:
        def run(stop: Event) -> None:
            def look(*_: int) -> None:
                if stop.is_set():
                    raise parallel.StoppedError

            # Kept at once: whatever ends the batch, only what was still going on is lost.
            store.put(task.key, work.compute(task, look))

        return run

    parallel.in_threads([job(task) for task in missing], affordable(missing, asked.batch))


def _judged(asked: Search, point: Point, store: Store, beforehand: Sequence[float]) -> Trial:
    if max(beforehand) > 0:
        return Trial(point, (None,) * len(asked.objectives), tuple(beforehand), is_pruned=True)
    kept = store.get(point.task.key)
    assert kept is not None, "what was tried was kept"
    result, _ = kept
    design = Design(point.task.design, "design").to_dict()
    values = tuple(value(each, design, result) for each in asked.objectives)
    excesses = tuple(each.excess(value(each.measure, design, result)) for each in asked.constraints)
    return Trial(point, values, excesses, error=result.get("error", ""))


def _excesses_beforehand(asked: Search, point: Point) -> list[float]:
    """By closed forms: more than 0 needs no run."""
    design = Design(point.task.design, "design")
    keys = design.to_dict()

    def excess(each: Constraint) -> float:
        if each.measure.name in DESIGN_ONLY:
            return each.excess(value(each.measure, keys, {}))
        if each.measure.name == "iops" and each.is_least:
            most = most_iops(design, Workload(point.task.workload, "workload"))
            return 0.0 if most is None else each.excess(most)
        return 0.0

    return [excess(each) for each in asked.constraints] or [0.0]


def _tell(optuna: Any, study: Any, asked: Any, trial: Trial) -> None:
    for number, excess in enumerate(trial.excesses):
        asked.set_constraint(str(number), excess)
    if trial.is_pruned:
        study.tell(asked, state=optuna.trial.TrialState.PRUNED)
    elif trial.error or None in trial.values:
        study.tell(asked, state=optuna.trial.TrialState.FAIL)
    else:
        study.tell(asked, list(trial.values))


def _sampler(optuna: Any, asked: Search) -> Any:
    kinds = {"tpe": "TPESampler", "nsga2": "NSGAIISampler", "random": "RandomSampler"}
    return getattr(optuna.samplers, kinds[asked.sampler])(seed=asked.sampler_seed)


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise ConfigError("optuna: not installed, expected it for a search: pip install 'canaletto[search]'") from None
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna
