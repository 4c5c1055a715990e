"""`cn.sweep`: one row per run in a table."""

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto._engine import ConfigError, SimulationError
from canaletto._io import plugins
from canaletto._io.progress import Bar
from canaletto._io.units import digits, number_of
from canaletto._run.config import Design, Workload, check_whole
from canaletto._sweeping import document
from canaletto._sweeping.document import Document
from canaletto._sweeping.estimate import affordable
from canaletto._sweeping.executors import Executor, LocalProcesses
from canaletto._sweeping.points import Points, place
from canaletto._sweeping.run import Carried, Report, carry_out
from canaletto._sweeping.shard import Shard
from canaletto._sweeping.tasks import resolve

if TYPE_CHECKING:
    import polars as pl


class Sweep(Points):
    """A sweep that was carried out."""

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row a point: the axes' values, the results with their units, and, named machine_…, what it cost here."""
        from canaletto._sweeping import table

        return table.frame(self._folder.plan(), self._folder.store.get)

    @cached_property
    def axes(self) -> list[str]:
        """Columns of what differs among its points."""
        from canaletto._sweeping.table import PLAN_ONLY

        plan = self._folder.plan().drop("point", "key", *PLAN_ONLY)
        return [name for name in plan.columns if plan[name].n_unique() > 1]

    @property
    def points(self) -> int:
        """Number of its points, computed or not."""
        return self._folder.plan().height

    def __repr__(self) -> str:
        return f"<sweep of {self.table.height} points in {self.path}>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def sweep(
    design: Design | str | PathLike[str],
    workload: Workload | str | PathLike[str],
    grid: Mapping[str, Iterable[Any]],
    *,
    seeds: int | None = None,
    out: str | PathLike[str] | None = None,
    workers: int | None = None,
    progress: bool | Report | None = None,
    **more: Any,
) -> Sweep:
    """Simulates every combination of the axes' values, in processes side by side.

    Points that were computed before are not computed again. Results are kept in `out`.

    Parameters
    ----------
    design, workload
        The drive and its work, as for `run`.
    grid
        The values of each axis by key: `{"fabric": ["bus", "venice"], "flash.read": ["3us", "6us"],
        "workload.read_share": {"from": 0.1, "to": 0.9, "step": 0.2}}`. Lists may be anything that can be gone through:
        generators, sets, NumPy arrays.
    seeds
        Number of seeds with which each point is repeated.
    out
        The folder, new or that of the same sweep to continue with; by default a temporary one, which goes with the
        result.
    workers
        Simulations at a time; by default one a processor.
    progress
        Whether to show a bar; by default, when standard error is a terminal. Or a function, called with points done and
        points in all.
    more
        More keys and tables of a sweep's file (`docs/reference/sweep.md`), such as `requests=2000`, `only_where={…}`.

    Returns
    -------
    Sweep
        Its `table` has one row a point.

    Raises
    ------
    ConfigError
        For what cannot be simulated.
    SimulationError
        For points without a result because of the machine (a worker that was killed).
    OSError
        For a disk that is full.

    Examples
    --------
    >>> import canaletto as cn
    >>> s = cn.sweep("performance-optimized", "hm_0", {"fabric": ["bus", "ideal"]}, requests=200, workers=1)
    >>> s.points
    2
    """
    if workers is not None:
        check_whole("workers", workers, 1, 4096)
    asked = {"design": design, "workload": workload, "grid": dict(grid), **more}
    found = document.checked("sweep", asked if seeds is None else {**asked, "seeds": seeds})
    with place(out) as home, reporting(progress) as report:
        made, done = go_on(found, home, LocalProcesses(workers), report=report, page=out is not None)
    for note in done.notes:
        warnings.warn(note, stacklevel=2)
    if out is None:
        made.remove_folder_at_end()
    return made


def go_on(
    asked: Document,
    out: Path,
    executor: Executor,
    *,
    report: Report,
    command: Sequence[str] | None = None,
    shard: Shard | None = None,
    page: bool = True,
) -> tuple[Sweep, Carried]:
    """Computes what is missing, and writes table and page unless it is a shard."""
    from canaletto._sweeping.folder import PLAN, Folder, plan_of

    folder = Folder(out)
    folder.check(asked)
    points, notes = resolve(asked)
    tasks = (shard or Shard()).tasks(points)
    if isinstance(executor, LocalProcesses):
        executor.workers = affordable(tasks, executor.workers)
    folder.claim(asked, command)
    folder.write_frame(PLAN, plan_of(asked, points))
    done = carry_out(tasks, folder.store, executor, report)
    done.notes = notes
    if done.failures:
        first = done.failures[0]
        number = next(point.number for point in points if point.task.key == first.task.key)
        raise SimulationError(
            f"{out}: {number_of(len(done.failures), 'point')} without a result, such as point {number}: "
            f"{first.failure}; the same command tries again"
        )
    found = Sweep(folder)
    if shard is None:
        collect(found, page=page)
    return found, done


def collect(found: Sweep, *, page: bool = True) -> None:
    from canaletto._sweeping.folder import REPORT, TABLE

    missing = found.points - found.table.height
    if missing:
        raise ConfigError(
            f"{found.path}: {missing} of {found.points} points are not computed yet; expected all: go on with the "
            "sweep, or with its shards, first"
        )
    found._folder.write_frame(TABLE, found.table)
    if page:
        found._folder.write(REPORT, plugins.load("page", "sweep")(found).encode())


def reporting(progress: bool | Report | None = None, what: str = "points") -> AbstractContextManager[Report]:
    if callable(progress):
        return nullcontext(progress)
    return nullcontext(lambda done, total: None) if progress is False else _bar(what)


@contextmanager
def _bar(what: str) -> Iterator[Report]:
    with Bar.when_wanted() as bar:
        row = bar.tasks([what])[0] if bar else None
        begun: list[tuple[float, int]] = []

        def report(done: int, total: int) -> None:
            if row is None:
                return
            # Points that were there before say nothing about the pace.
            begun[:] = begun or [(time.monotonic(), done)]
            (since, before) = begun[0]
            pace = (done - before) / max(time.monotonic() - since, 1e-9)
            row(done, total, 0, rate=f"{digits(pace)} a second" if done > before else "")

        yield report
