"""The best designs of many, found by Optuna."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto._run.config import Design, Workload
from canaletto._sweeping.points import place
from canaletto._sweeping.run import Report
from canaletto._sweeping.sweep import reporting

from canaletto_extras.searching import document
from canaletto_extras.searching.document import Search as Asked
from canaletto_extras.searching.found import Search

if TYPE_CHECKING:
    pass


def search(
    design: Design | str | PathLike[str],
    workload: Workload | str | PathLike[str],
    space: Mapping[str, Any],
    objectives: str | Iterable[str],
    *,
    constraints: Mapping[str, Mapping[str, float]] | None = None,
    trials: int = 100,
    out: str | PathLike[str] | None = None,
    progress: bool | Report | None = None,
    **more: Any,
) -> Search:
    """Looks for the designs that are best in one or several objectives, by Optuna (Akiba et al., KDD 2019).

    Parameters
    ----------
    design, workload
        The drive and its work, as for `run`.
    space
        The values that each key may take, as the axes of a sweep: lists, or ranges between whose ends any value is
        possible.
    objectives
        One or some of p99, mean_latency, iops, energy, power, endurance, write_amplification, area, pins, wires.
    constraints
        Limits of these, such as `{"pins": {"max": 128}}`.
    trials
        The most points to try.
    out
        The folder, new or that of the same search to continue with; by default a temporary one, which goes with the
        result.
    progress
        As for `sweep`.
    more
        Further keys of a search's file (`docs/reference/sweep.md`).

    Returns
    -------
    Search
        Its `front` has the designs that none is better than.

    Raises
    ------
    ConfigError
        For what cannot be searched, or if Optuna is not installed.
    OSError
        For a disk that is full.
    """
    named = objectives if isinstance(objectives, str) else list(objectives)
    given = {"design": design, "workload": workload, "space": dict(space), "objectives": named}
    asked = document.checked("search", {**given, "constraints": constraints or {}, "trials": trials, **more})
    with place(out) as home, reporting(progress, "trials") as report:
        made = go_on(asked, home, report=report, page=out is not None)
    if out is None:
        made.remove_folder_at_end()
    return made


def go_on(
    asked: Asked, out: Path, *, report: Report, command: Sequence[str] | None = None, page: bool = True
) -> Search:
    """Carries a search out and writes table, designs and page."""
    from canaletto._sweeping.folder import PLAN, REPORT, SEARCH, TABLE, Folder, plan_of

    from canaletto_extras.searching import repeats, study, table

    folder = Folder(out, SEARCH)
    folder.check(asked)
    study.check(asked)
    folder.claim(asked, command)
    trials = study.carry_out(asked, folder.store, report)
    best = study.front(asked, trials)
    plan = plan_of(asked.points, [trial.point for trial in trials])
    folder.write_frame(PLAN, plan)
    again = repeats.carry_out(asked, trials, best, folder.store)
    folder.write_frame(TABLE, table.frame(asked, plan, trials, best, folder.store, again))
    shutil.rmtree(out / "designs", ignore_errors=True)
    for trial in best:
        folder.write(f"designs/{trial.point.number}.toml", trial.point.task.design.encode())
    found = Search(folder)
    if page:
        from canaletto_extras.searching import page as pages

        folder.write(REPORT, pages.html(asked, found).encode())
    return found
