"""Progress on standard error: a bar, or one for each of several runs at a time."""

import sys
from collections.abc import Callable, Sequence
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from canaletto._io.units import scaled, time_us

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

Progress: TypeAlias = Callable[[int, int, int], object]
"""Called with requests done, requests in all (0 if unknown) and simulated picoseconds.

While a drive is written before the run: pages written and the most that may be.
"""


class Row:
    def __init__(self, bar: "Bar", label: str) -> None:
        self._bar = bar
        self._label = label
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int, simulated_ps: int, *, rate: str = "") -> None:
        rich = self._bar.shown()
        rich.update(
            self.place(rich),
            visible=True,
            completed=done,
            total=total or None,
            done=scaled(done) + (f" of {scaled(total)}" if total else ""),
            simulated=f", {time_us(simulated_ps / 1e6)} simulated" if simulated_ps else rate and f", {rate}",
        )

    def place(self, rich: "RichProgress") -> "TaskID":
        if self._task is None:
            self._task = rich.add_task(self._label, visible=False, total=None, done="", simulated="")
        return self._task

    def finish(self) -> None:
        if self._task is not None:
            self._bar.shown().update(self._task, visible=True, completed=1, total=1, done="done", simulated="")


class Bar:
    """Shows nothing of runs that end at once, and removes itself.

    A context manager.
    """

    def __init__(self) -> None:
        self._rich: RichProgress | None = None
        self._rows: list[Row] = []
        self._lock = Lock()

    @staticmethod
    def when_wanted() -> "Bar | _NoBar":
        return Bar() if sys.stderr.isatty() else _NoBar()

    def task(self, label: str) -> Progress:
        (row,) = self.tasks([label])
        return row

    def tasks(self, labels: Sequence[str]) -> list[Row]:
        with self._lock:
            if self._rich is not None:
                for earlier in self._rich.task_ids:
                    self._rich.remove_task(earlier)
            self._rows = [Row(self, label) for label in labels]
        return self._rows

    def shown(self) -> "RichProgress":
        with self._lock:
            if self._rich is None:
                self._rich = _display()
                self._rich.start()
            for row in self._rows:
                row.place(self._rich)
            return self._rich

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._rich is not None:
            self._rich.stop()


def _display() -> "RichProgress":
    from rich import progress as rich_progress
    from rich.console import Console

    return rich_progress.Progress(
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(bar_width=None),
        rich_progress.TextColumn("{task.fields[done]}{task.fields[simulated]}"),
        rich_progress.TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


class _NoBar:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None
