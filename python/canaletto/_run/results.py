"""Result of a run."""

from collections.abc import Mapping
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

from canaletto._io.fields import Fields
from canaletto._run import caveats, shown
from canaletto._run.config import Design, Workload
from canaletto._run.links import interconnect
from canaletto.result import Requests, RunResult

if TYPE_CHECKING:
    import polars as pl

    from canaletto._io.rows import Rows, Saved
    from canaletto._run.own import Parts
    from canaletto._run.timeline import Timeline


class Result(shown.Shown, RunResult):
    """One run's results: the fields of `canaletto run --json`, and every request.

    design and workload are the names; `configuration` holds what they stand for.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        design: Design,
        workload: Workload,
        options: Mapping[str, Any],
        rows: "Rows | Saved | None",
        parts: "Parts | None" = None,
    ) -> None:
        counted = {
            # Those of a frozen run are with it.
            "notes": data.get("notes") or caveats.notes(data, design, workload),
            "interconnect": data.get("interconnect")
            or interconnect(design.to_dict(), data, own=parts.fabric if parts else None),
        }
        super().__init__({**data, **counted})
        self._design = design
        self._workload = workload
        self._options = dict(options)
        self._rows = rows
        self._parts = parts

    @property
    def configuration(self) -> tuple[Design, Workload]:
        """The design and the workload that ran."""
        return self._design, self._workload

    @property
    def parts(self) -> "Parts | None":
        return self._parts

    @property
    def options(self) -> dict[str, Any]:
        """The run's options: seed, seeds, warmup (requests left out of the statistics), and switches that were used."""
        return dict(self._options)

    @property
    def request_counts(self) -> Requests:
        """Numbers of requests: the field `requests`, as `requests` itself is the frame of all of them."""
        return Requests(self._data["requests"])

    @property
    def confidence(self) -> Fields | None:
        """The seeds and, by the dotted name of a field, its mean over them and the half_width of its 95 % interval.

        None for a single seed.
        """
        found = self._data.get("confidence")
        return None if found is None else Fields(found)

    @property
    def has_requests(self) -> bool:
        """Whether the single requests were kept."""
        return self._rows is not None

    @cached_property
    def requests(self) -> "pl.DataFrame":
        """One row per request: flow, op, failed, status, lba, sectors, bytes, times in microseconds, causes.

        `first_byte` is where its bytes begin in its first sector.
        `<cause>_us` is the time charged to a cause, `root_<cause>_us` to a root cause; either sum to `latency_us`.
        Raises RuntimeError if the run did not keep requests.
        """
        return self.rows.frame()

    def scan_requests(self) -> "pl.LazyFrame":
        """Returns `requests` as a query, for runs whose requests do not fit into memory.

        Raises RuntimeError if the run did not keep them.
        """
        return self.rows.scan()

    @property
    def rows(self) -> "Rows | Saved":
        if self._rows is None:
            raise RuntimeError("this run kept no single requests; run it with records=True")
        return self._rows

    @cached_property
    def blame(self) -> "pl.DataFrame":
        """Latency by cause: mean over all requests and over the slowest hundredth, with shares.

        A wait is charged to what was waited for; `root_causes` passes it on.
        """
        from canaletto._io import frames

        return frames.causes(self._data["blame_us"])

    @cached_property
    def root_causes(self) -> "pl.DataFrame":
        """Latency by root cause: mean over all requests and over the slowest hundredth, with shares.

        A wait is charged to what the holder did or waited for itself, and so on.

        Raises ValueError for a run that did not follow them.
        """
        from canaletto._io import frames

        if self._data.get("root_cause_us") is None:
            raise ValueError("root_causes: the run did not follow them (root_causes=False)")
        return frames.causes(self._data["root_cause_us"])

    def timeline(
        self,
        *,
        from_us: float | None = None,
        to_us: float | None = None,
        limit: int | None = None,
        progress: bool | None = None,
    ) -> "Timeline":
        """Returns the timeline between two moments of simulated time.

        The run (of the first seed) is repeated up to there, exactly.

        Parameters
        ----------
        from_us, to_us
            First and last moment, in microseconds. By default around the slowest request, or, if requests were not
            kept, the first 200 us.
        limit
            The most spans and steps to keep.
        progress
            Whether to show a bar; by default, when standard error is a terminal.

        Returns
        -------
        Timeline
            Spans, steps and requests as Polars frames, times in picoseconds.

        Raises
        ------
        ConfigError
            For a window that is none.
        SimulationError
            If the run stops before the window's end.
        """
        from canaletto._run import timeline

        window = timeline.window_us(from_us, to_us)
        return timeline.of_result(self, window, timeline.LIMIT if limit is None else limit, progress)

    def save(self, path: str | PathLike[str], *, force: bool = False, report: bool = True) -> None:
        """Freezes the run as a folder that `canaletto rerun` and `canaletto diff` take.

        The folder is written completely or not at all.

        Parameters
        ----------
        path
            The new folder.
        force
            Whether to replace a folder that is empty, or holds a run or a comparison.
        report
            Whether to write a report page.

        Raises
        ------
        ConfigError
            If the folder exists, unless `force` is given and it is one of these.
        OSError
            If it cannot be written.
        """
        from canaletto._run import folder

        folder.save(self, path, force=force, report=report)


def frozen(path: str | PathLike[str]) -> Result:
    """The result of a frozen run. Raises ConfigError if the folder is none, OSError if it cannot be read."""
    from canaletto._run import folder

    return Result(*folder.load(path))


_LARGE = ("tail_us", "series", "map")


def lean(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: found for key, found in data.items() if key not in _LARGE}
