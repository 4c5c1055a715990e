"""A progress bar on standard error."""

import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from canaletto.report.units import scaled, time_us

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

Progress: TypeAlias = Callable[[int, int, int], object]
"""Called with requests done, requests in all (0 if unknown) and simulated picoseconds."""


class Bar:
    """Shows how far a run is; shows nothing of runs that end at once, and takes itself away at the end.

    A context manager. The bar appears with the engine's first report.
    """

    def __init__(self) -> None:
        self._rich: RichProgress | None = None

    @staticmethod
    def when_wanted() -> "Bar | _NoBar":
        """A bar if standard error is a terminal."""
        return Bar() if sys.stderr.isatty() else _NoBar()

    def task(self, design: str, workload: str, number: int, count: int) -> Progress:
        """Where the engine reports to, for run `number` of `count`."""
        label = f"{design} · {workload}" + (f" · seed {number + 1} of {count}" if count > 1 else "")
        row: TaskID | None = None

        def report(done: int, total: int, simulated_ps: int) -> None:
            nonlocal row
            rich = self._show()
            if row is None:
                for earlier in rich.task_ids:
                    rich.remove_task(earlier)
                row = rich.add_task(label, total=None, done="", simulated="")
            rich.update(
                row,
                completed=done,
                total=total or None,
                done=scaled(done) + (f" of {scaled(total)}" if total else ""),
                simulated=f"{time_us(simulated_ps / 1e6)} simulated",
            )

        return report

    def _show(self) -> "RichProgress":
        if self._rich is None:
            from rich import progress as rich_progress
            from rich.console import Console

            self._rich = rich_progress.Progress(
                rich_progress.TextColumn("{task.description}"),
                rich_progress.BarColumn(bar_width=None),
                rich_progress.TextColumn("{task.fields[done]}, {task.fields[simulated]}"),
                rich_progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._rich.start()
        return self._rich

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._rich is not None:
            self._rich.stop()


class _NoBar:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None
