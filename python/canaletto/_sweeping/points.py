"""Common parts of sweeps and searches."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canaletto._io.temporary import TemporaryFolder
from canaletto._run.config import Design, Workload, check_whole
from canaletto._run.running import run

if TYPE_CHECKING:
    from canaletto._run.results import Result
    from canaletto._sweeping.folder import Folder


class Points:
    def __init__(self, folder: "Folder") -> None:
        self._folder = folder
        self._temporary: TemporaryFolder | None = None

    @property
    def path(self) -> Path:
        return self._folder.path

    def run(self, point: int, *, records: bool = True, progress: bool | None = None) -> "Result":
        """Repeats one point, with every request, as `canaletto.run` gives it; `save` makes a folder of it.

        Parameters
        ----------
        point
            Its number, from 0: the column `point` of `table`.
        records
            Whether to keep every single request.
        progress
            Whether to show a bar; by default, when standard error is a terminal.

        Returns
        -------
        Result
            The same results, to the bit.

        Raises
        ------
        ConfigError
            For a point that there is not, or whose trace has changed.
        """
        from canaletto._sweeping import work
        from canaletto._sweeping.folder import task_of

        row = self._planned(point)
        task = task_of(row)
        work.check(task)
        design, workload = Design(task.design, row["design"]), Workload(task.workload, row["workload"])
        return run(design, workload, seed=task.seed, warmup=task.warmup, records=records, progress=progress)

    def _planned(self, point: int) -> dict[str, Any]:
        plan = self._folder.plan()
        check_whole("point", point, 0, plan.height - 1)
        return plan.row(point, named=True)

    def remove_folder_at_end(self) -> None:
        self._temporary = TemporaryFolder(self.path)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Pickled, a temporary folder has become another one.
        if self._temporary is not None:
            self._folder = self._folder.moved(self._temporary.path)


@contextmanager
def place(out: str | PathLike[str] | None) -> Iterator[Path]:
    if out is not None:
        yield Path(out)
        return
    made = Path(tempfile.mkdtemp(prefix="canaletto-"))
    try:
        yield made
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
