"""The best points with further seeds.

Points just behind the Pareto front may owe that to a seed: they are repeated as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from canaletto._run.confidence import half_width
from canaletto._run.config import Design
from canaletto._sweeping.store import Store
from canaletto._sweeping.tasks import Resolver

from canaletto_extras.searching import study
from canaletto_extras.searching.document import Search
from canaletto_extras.searching.measures import value
from canaletto_extras.searching.study import Trial


@dataclass(frozen=True)
class Repeated:
    values: tuple[tuple[float, ...], ...]
    alike: tuple[int, ...] = ()

    @property
    def seeds(self) -> int:
        return len(self.values[0])

    @property
    def means(self) -> list[float]:
        return [fmean(each) for each in self.values]

    @property
    def half_widths(self) -> list[float]:
        return [half_width(each) or 0.0 for each in self.values]


RUNNERS_UP = 5
"""Whole fronts behind the first."""


def candidates(asked: Search, trials: Sequence[Trial]) -> list[Trial]:
    chosen = study.front(asked, trials)
    least = len(chosen) + RUNNERS_UP
    while len(chosen) < least:
        known = {trial.point.number for trial in chosen}
        behind = study.front(asked, [trial for trial in trials if trial.point.number not in known])
        if not behind:
            break
        chosen += behind
    return chosen


def carry_out(asked: Search, trials: Sequence[Trial], best: Sequence[Trial], store: Store) -> Mapping[int, Repeated]:
    """Repeats by number.

    best: the front's. None for a single seed, or where the seed is a key to choose.
    """
    if asked.seeds == 1 or "seed" in {axis.key for axis in asked.points.grid.all_axes}:
        return {}
    chosen = candidates(asked, trials)
    resolver = Resolver(asked.points)
    points = {
        trial.point.number: [
            resolver.point(trial.point.number, {**trial.point.values, "seed": trial.point.task.seed + more})
            for more in range(1, asked.seeds)
        ]
        for trial in chosen
    }
    study.run_missing(asked, [point.task for each in points.values() for point in each], store)
    found: dict[int, Repeated] = {}
    front = {trial.point.number for trial in best}
    for trial in chosen:
        design = Design(trial.point.task.design, "design").to_dict()
        kept = [store.get(point.task.key) for point in points[trial.point.number]]
        results = [each[0] for each in kept if each is not None]
        columns = [
            [first, *(value(each, design, result) for result in results)]
            for each, first in zip(asked.objectives, trial.values, strict=True)
        ]
        values = tuple(tuple(each for each in column if each is not None) for column in columns)
        if all(len(each) == asked.seeds for each in values):
            alike = (number for number, other in found.items() if number in front and _is_alike(values, other.values))
            found[trial.point.number] = Repeated(values, tuple(alike))
    return found


def _is_alike(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> bool:
    """Both have the same seeds and requests: differences are paired."""
    differences = [[x - y for x, y in zip(mine, other, strict=True)] for mine, other in zip(a, b, strict=True)]
    return all(abs(fmean(each)) <= (half_width(each) or 0.0) for each in differences)
