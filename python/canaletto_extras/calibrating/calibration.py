"""A design calibrated from measurements."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto._io import files
from canaletto._run.config import Design
from canaletto._run.shown import Shown
from canaletto._sweeping.run import Report
from canaletto._sweeping.sweep import reporting

from canaletto_extras.calibrating import document, model
from canaletto_extras.calibrating.document import Asked
from canaletto_extras.calibrating.fit import Fitted, check_optuna, fit
from canaletto_extras.calibrating.identify import Identified, identify
from canaletto_extras.calibrating.measured import Point, halved
from canaletto_extras.calibrating.parameters import Parameter, applied, value_of

if TYPE_CHECKING:
    from rich.console import RenderableType

AT_BOUND = 0.01


@dataclass(frozen=True, repr=False)
class Calibration(Shown):
    """A calibration that was carried out."""

    design: Design
    """The calibrated design."""
    report: Mapping[str, Any]
    """As `calibrate --json` prints it."""

    def to_dict(self) -> dict[str, Any]:
        """The report, as plain dictionaries and lists."""
        return dict(self.report)

    def to_toml(self) -> str:
        """The calibrated design, every calibrated value marked with its range."""
        from canaletto_extras.calibrating.marked import marked

        return marked(self.design, self.report)

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Writes the calibrated design.

        Parameters
        ----------
        path
            A new TOML file.
        force
            Whether to replace it.

        Raises
        ------
        ConfigError
            If it exists already.
        OSError
            If it cannot be written.
        """
        files.check_free(path, force=force)
        with files.whole(path) as out:
            out.write(self.to_toml().encode())

    @cached_property
    def notes(self) -> list[str]:
        """On values at bounds, and on parameters that the data do not determine."""
        return list(self.report["notes"])

    def _parts(self) -> "Iterator[RenderableType]":
        from canaletto_extras.calibrating import terminal

        return terminal.tables(self.report)


def calibrate(
    design: Design | str | PathLike[str],
    ranges: Mapping[str, Sequence[Any]],
    measured: Iterable[Any] | str | PathLike[str],
    *,
    judge: str = "half",
    capacity: str | None = None,
    trials: int = 60,
    requests: int = 4000,
    seed: int = 1,
    progress: bool | Report | None = None,
) -> Calibration:
    """Finds values of a design's keys with which it answers as a measured drive does.

    Parameters
    ----------
    design
        The drive to start from; or a preset's name or a TOML file.
    ranges
        The range of each parameter: `{"flash.read": ["40us", "58us"]}`. Keys with a comma between them share one
        value; a number behind the key of a list is one of its values (`flash.read.0`).
    measured
        Results of fio (`--output-format=json`) or logs of latencies: paths, or for a log a dictionary with `file` and
        fio's options `rw`, `bs` and `iodepth`.
    judge
        "half" keeps every second point for judging, "none" fits all.
    capacity
        What the host sees of the measured drive, such as "1TB"; an error if the design has another.
    trials
        Points that Optuna tries before the last steps.
    requests
        Requests of each simulated job.
    seed
        Of the search and of the simulated jobs.
    progress
        As for `sweep`.

    Returns
    -------
    Calibration
        The design, and a report on errors and on what the data can distinguish.

    Raises
    ------
    ConfigError
        For measurements or ranges that are none, or if Optuna is not installed.
    OSError
        If a file cannot be read.
    """
    paths: list[Any] = [measured] if isinstance(measured, str | os.PathLike) else list(measured)
    given = {
        **{"design": design, "ranges": dict(ranges), "measured": paths},
        **{"judge": judge, "trials": trials, "requests": requests, "seed": seed},
        **({} if capacity is None else {"capacity": capacity}),
    }
    asked = document.checked("calibrate", given)
    with reporting(progress, "designs") as report:
        return carry_out(asked, report)


def carry_out(asked: Asked, report: Report) -> Calibration:
    check_optuna()
    points = halved(asked.points, judge=asked.judge)
    # The ends of every range before anything takes long: a value that cannot be simulated shows here.
    for part in (0.0, 1.0):
        model.check_fits(applied(asked.design, asked.parameters, [part] * len(asked.parameters)), (), None)
    model.check_fits(asked.design, points, asked.capacity_bytes)
    fitted = [point for point in points if point.half == "fitted"]
    how = {"requests": asked.requests, "seed": asked.seed}
    found = fit(asked.design, asked.parameters, fitted, trials=asked.trials, report=report, **how)
    told = identify(found.columns, found.error)
    best = applied(asked.design, asked.parameters, found.parts)
    before, after = (model.answers(each, points, asked.requests, asked.seed) for each in (asked.design, best))
    return Calibration(best, _report(asked, points, found, told, before, after))


def _report(
    asked: Asked,
    points: Sequence[Point],
    found: Fitted,
    told: Identified,
    before: Sequence[model.Statistics],
    after: Sequence[model.Statistics],
) -> dict[str, Any]:
    parameters = [
        _parameter(asked.design, each, part, told, number)
        for number, (each, part) in enumerate(zip(asked.parameters, found.parts, strict=True))
    ]
    names = [each.name for each in asked.parameters]
    left = model.errors(points, after)
    apart = {
        "without_effect": [names[number] for number in told.without_effect],
        "not_apart": [[names[number] for number in group] for group in told.together],
    }
    return {
        "schema": 1,
        "design": asked.design.name,
        "seed": asked.seed,
        "requests": asked.requests,
        "designs_tried": found.trials,
        "parameters": parameters,
        "identifiability": apart,
        "error": {"before": _errors(points, model.errors(points, before)), "after": _errors(points, left)},
        "points": [
            {
                "name": point.name,
                "job": point.label,
                "half": point.half,
                "measured": dict(point.statistics),
                "ours": dict(ours),
                "error": {name: _relative(value) for name, value in errors.items()},
            }
            for point, ours, errors in zip(points, after, left, strict=True)
        ],
        "notes": _notes(parameters, apart),
    }


def _parameter(design: Design, each: Parameter, part: float, told: Identified, number: int) -> dict[str, Any]:
    at_bound = "low" if part <= AT_BOUND else "high" if part >= 1 - AT_BOUND else None
    uncertainty = told.uncertainties[number]
    return {
        "keys": list(each.keys),
        "low": each.low,
        "high": each.high,
        "before": value_of(design, each.keys[0]),
        "value": each.at(part),
        "at_bound": at_bound,
        "effect_of_range": told.effects[number],
        "uncertainty_of_range": uncertainty,
    }


def _errors(points: Sequence[Point], found: Sequence[Mapping[str, float]]) -> dict[str, float | None]:
    halves = {
        half: model.rms(model.flat([each for point, each in zip(points, found, strict=True) if point.half == half]))
        for half in ("fitted", "judged")
    }
    return {half: None if value is None else _relative(value) for half, value in halves.items()}


def _relative(logarithm: float) -> float:
    return float(2.718281828459045**logarithm - 1)


def _notes(parameters: Sequence[Mapping[str, Any]], apart: Mapping[str, Any]) -> list[str]:
    notes = []
    for each in parameters:
        if each["at_bound"]:
            way = "less" if each["at_bound"] == "low" else "more"
            notes.append(
                f"{', '.join(each['keys'])}: {each['value']} is at the end of its range {each['low']} to "
                f"{each['high']}: the data ask for {way}, so that something else is missing or wrong in the design"
            )
    notes += [
        f"{name}: its whole range changes next to nothing: these data do not determine it"
        for name in apart["without_effect"]
    ]
    notes += [
        f"{'; '.join(group)}: these data determine only a combination of them"
        for group in apart["not_apart"]
        if len(group) > 1
    ]
    return notes


def write(found: Calibration, out: Path, *, force: bool) -> None:
    import json

    report = out.with_suffix(".json")
    files.check_free(out, force=force)
    files.check_free(report, force=force)
    found.save(out, force=force)
    with files.whole(report) as file:
        file.write((json.dumps(found.to_dict(), indent=1, allow_nan=False) + "\n").encode())
