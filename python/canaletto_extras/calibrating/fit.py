"""Optuna's TPE over the ranges, then damped least squares from the best trial.

TPE (Bergstra et al., NIPS 2011) finds the valley. Sensitivities give the steps to its floor (Gauss and Newton; a step
that does not gain is not taken). Seeded: the same data give the same design.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from canaletto._engine import ConfigError
from canaletto._run.config import Design

from canaletto_extras.calibrating import model
from canaletto_extras.calibrating.measured import Point
from canaletto_extras.calibrating.parameters import Parameter, applied, value_of

STEPS = 4
"""A further step would be within the noise of the runs."""
ENOUGH = 1e-4
"""Least gain of a step, in root mean square."""


@dataclass(frozen=True)
class Fitted:
    parts: tuple[float, ...]
    error: float
    """Root mean square over all fitted statistics."""
    columns: tuple[tuple[float, ...], ...]
    """For each parameter, what its whole range does to each error."""
    trials: int


def check_optuna() -> None:
    _optuna()


def fit(
    design: Design,
    parameters: Sequence[Parameter],
    points: Sequence[Point],
    *,
    trials: int,
    requests: int,
    seed: int,
    report: Callable[[int, int], object],
) -> Fitted:
    found = _Search(design, parameters, points, requests, seed)
    optuna = _optuna()
    total = trials + (STEPS + 1) * (len(parameters) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        names = [f"{number}" for number in range(len(parameters))]
        space = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in names}
        for start in _starts(design, parameters):
            study.enqueue_trial(dict(zip(names, start, strict=True)))
        for number in range(trials):
            asked = study.ask(space)
            study.tell(asked, found.error([asked.params[name] for name in names]))
            report(number + 1, total)
        best = [study.best_params[name] for name in names]
    best, columns = found.descend(best, lambda more: report(min(trials + more, total), total))
    report(total, total)
    return Fitted(tuple(best), found.error(best), tuple(map(tuple, columns)), found.evaluated)


def _starts(design: Design, parameters: Sequence[Parameter]) -> list[list[float]]:
    """The design as it is, if within the ranges, and their middle."""
    given = [each.part(value_of(design, each.keys[0])) for each in parameters]
    middle = [0.5] * len(parameters)
    return [middle] if None in given else [[part for part in given if part is not None], middle]


class _Search:
    def __init__(
        self, design: Design, parameters: Sequence[Parameter], points: Sequence[Point], requests: int, seed: int
    ) -> None:
        self._asked = design, parameters, points, requests, seed
        self._known: dict[str, list[float]] = {}

    @property
    def evaluated(self) -> int:
        return len(self._known)

    def errors(self, parts: Sequence[float]) -> list[float]:
        design, parameters, points, requests, seed = self._asked
        # Values and not parts tell designs apart: they are rounded to what anybody would write.
        key = repr([each.at(part) for each, part in zip(parameters, parts, strict=True)])
        if key not in self._known:
            made = applied(design, parameters, parts)
            self._known[key] = model.flat(model.errors(points, model.answers(made, points, requests, seed)))
        return self._known[key]

    def error(self, parts: Sequence[float]) -> float:
        found = model.rms(self.errors(parts))
        if found is None:
            raise ConfigError("the fitted points have no statistic in common with their simulated runs")
        return found

    def descend(self, parts: Sequence[float], report: Callable[[int], object]) -> tuple[list[float], list[list[float]]]:
        import numpy as np

        here = list(parts)
        for step in range(STEPS + 1):
            columns = self._columns(here)
            report((step + 1) * (len(here) + 1))
            if step == STEPS:
                break
            matrix = np.asarray(columns).T
            # Damped: what the data say nothing of stays where it is.
            damping = 1e-3 * max(float(np.max(np.sum(matrix**2, axis=0))), 1e-12)
            normal = matrix.T @ matrix + damping * np.eye(len(here))
            move = np.linalg.solve(normal, -matrix.T @ np.asarray(self.errors(here)))
            tried = [
                [float(np.clip(at + share * way, 0.0, 1.0)) for at, way in zip(here, move, strict=True)]
                for share in (1.0, 0.3)
            ]
            best = min(tried, key=self.error)
            if self.error(best) > self.error(here) - ENOUGH:
                break
            here = best
        return here, columns

    def _columns(self, here: Sequence[float]) -> list[list[float]]:
        found = []
        for number, each in enumerate(self._asked[1]):
            ends = [max(here[number] - each.step, 0.0), min(here[number] + each.step, 1.0)]
            below, above = ([*here[:number], end, *here[number + 1 :]] for end in ends)
            width = ends[1] - ends[0]
            pairs = zip(self.errors(above), self.errors(below), strict=True)
            found.append([(high - low) / width for high, low in pairs])
        return found


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise ConfigError(
            "optuna: not installed, expected it for a calibration: pip install 'canaletto[search]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna
