"""The same work on several fabrics, side by side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from canaletto import names, parallel, simulate
from canaletto._engine import ConfigError
from canaletto.config import Design, Workload, check_whole
from canaletto.config import design as load_design
from canaletto.config import workload as load_workload
from canaletto.progress import Bar, Progress, Row
from canaletto.results import Fields, Result
from canaletto.together import NamedProgress, naming, side_by_side

if TYPE_CHECKING:
    from canaletto.timeline import Timeline, Window

T = TypeVar("T")

FabricProgress: TypeAlias = NamedProgress
"""Called with the fabric, requests done, requests in all (0 if unknown) and simulated picoseconds."""


class Comparison:
    """One run for each fabric, of the same work; the first is what the others are measured against."""

    def __init__(self, runs: Sequence[Result]) -> None:
        self._runs = list(runs)

    @property
    def runs(self) -> list[Result]:
        """The results, in the order in which the fabrics were named."""
        return list(self._runs)

    @property
    def fabrics(self) -> list[str]:
        """The fabrics' names, in that order."""
        return [run["fabric"] for run in self._runs]

    def __getitem__(self, fabric: str) -> Result:
        """The result on this fabric."""
        for run in self._runs:
            if run["fabric"] == fabric:
                return run
        raise KeyError(f"{fabric!r}; there are {', '.join(self.fabrics)}")

    @property
    def speedup(self) -> Fields:
        """For each fabric its execution_time, mean_latency, p99_latency and iops over those of the first.

        More than 1 is always better. What is not defined is None.
        """
        return Fields(speedups(self._runs))

    @property
    def verdict(self) -> str:
        """Verdict: the fastest fabric, its gain, and the cause."""
        from canaletto.report import summary

        return summary.verdict(self._runs)

    def timelines(
        self,
        window: "Window | None" = None,
        *,
        limit: int | None = None,
        progress: bool | FabricProgress | None = None,
    ) -> "dict[str, Timeline]":
        """Returns the timelines of all fabrics in the same window of simulated time (picoseconds) on each.

        By default about 100 us around the request of the first fabric that lost most to path conflicts early in the
        run, or at the start if requests were not kept. The runs are repeated up to there, exactly, side by side. limit:
        the most spans and steps of each. progress: as for `compare`.

        Raises ConfigError for a window that is none, SimulationError if a run stops before its end, OSError for a trace
        that cannot be read.
        """
        from canaletto import timeline

        chosen = timeline.merged([window or timeline.telling(self._runs[0])[0]])
        most = timeline.LIMIT if limit is None else limit

        def job(run: Result) -> "Callable[[Progress], Timeline]":
            return lambda report: timeline.of_result(run, chosen[0], most, report)

        designs = [run.configuration[0] for run in self._runs]
        workers = _workers(designs, self._runs[0].configuration[1], records=False)
        found = _side_by_side(self.fabrics, map(job, self._runs), workers, progress)
        return dict(zip(self.fabrics, found, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Returns the data that `canaletto compare --json` prints."""
        return {"schema": 1, "runs": [run.to_dict() for run in self._runs], "speedup": self.speedup.to_dict()}

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Freezes the comparison as a folder, in which each fabric's run is a folder that `canaletto rerun` takes.

        Raises ConfigError if the folder exists, unless `force` is given and it holds a run or a comparison; OSError if
        it cannot be written. Nothing half-written stays behind.
        """
        from canaletto import folder

        folder.save_comparison(self, path, force=force)

    def __repr__(self) -> str:
        from canaletto.report import side_by_side

        return side_by_side.text(self._runs)

    def _repr_html_(self) -> str:
        from canaletto.report import side_by_side

        return side_by_side.html(self._runs)


def compare(
    design: Design | str | PathLike[str],
    workload: Workload | str | PathLike[str],
    fabrics: Iterable[str] | None = None,
    *,
    seed: int = 1,
    warmup: int = 0,
    records: bool = True,
    progress: bool | FabricProgress | None = None,
) -> Comparison:
    """Simulates the drive with each of several fabrics, under the same workload.

    fabrics: their names, the one that the others are measured against first; by default the usual ones,
    `names.usual_fabrics()`. seed, warmup, records: as for `run`. progress: show a bar for each fabric (by default, when
    standard error is a terminal), or call a function with the fabric, requests done, requests in all (0 if unknown)
    and simulated picoseconds, from several threads.

    The runs share the processors and do not change each other's results; there are fewer at a time if memory is short.
    Ctrl-C stops all of them, and so does the first that fails, whose error names its fabric.

    Raises ConfigError for what cannot be simulated, SimulationError for a run that stopped and explained why, OSError
    for a trace that cannot be read.
    """
    if isinstance(design, Design):
        designs = on_fabrics(lambda name: design.set(fabric=name), fabrics)
    else:
        designs = on_fabrics(lambda name: load_design(design, fabric=name), fabrics)
    if not isinstance(workload, Workload):
        workload = load_workload(workload)
    return run_all(designs, workload, seed=seed, warmup=warmup, records=records, progress=progress)


def on_fabrics(make: Callable[[str], Design], fabrics: Iterable[str] | None) -> list[Design]:
    """A design with each of the fabrics (by default the usual ones).

    Raises ConfigError for a name that is unknown or given twice, for none at all, and for a fabric that the design
    cannot have.
    """
    known = names.fabrics()
    if isinstance(fabrics, str):
        fabrics = [fabrics]
    chosen = list(names.usual_fabrics() if fabrics is None else fabrics)
    if not chosen:
        raise ConfigError(f"fabrics: got none, expected some of {', '.join(known)}")
    designs = []
    for name in chosen:
        if name in known and chosen.count(name) > 1:
            raise ConfigError(f"fabrics: got {name} {chosen.count(name)} times, expected each fabric once")
        with naming(f"fabric {name}") if name in known else nullcontext():
            designs.append(make(name))
    return designs


def run_all(
    designs: Sequence[Design],
    workload: Workload,
    *,
    seed: int = 1,
    warmup: int = 0,
    records: bool = True,
    progress: bool | FabricProgress | None = None,
) -> Comparison:
    """Runs designs that differ in their fabrics, as `compare` does."""
    check_whole("seed", seed, 0, 2**64 - 1)
    check_whole("warmup", warmup, 0, 2**64 - 1)
    simulate.check_rereadable(workload, "all of them")

    def job(design: Design) -> Callable[[Progress], Result]:
        def run(report: Progress) -> Result:
            data, columns = simulate.run_once(design, workload, seed, warmup, records, report)
            options = {"seed": seed, "seeds": 1, "warmup": warmup}
            return Result(data, design, workload, options, simulate.frame_of(data, columns))

        return run

    fabrics = [design.fabric for design in designs]
    workers = _workers(designs, workload, records)
    return Comparison(_side_by_side(fabrics, map(job, designs), workers, progress))


def speedups(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float | None]]:
    """`Comparison.speedup` of results."""
    first = runs[0]
    return {
        run["fabric"]: {
            "execution_time": _ratio(first["execution_time_us"], run["execution_time_us"]),
            "mean_latency": _ratio(first["latency_us"]["all"]["mean"], run["latency_us"]["all"]["mean"]),
            "p99_latency": _ratio(first["latency_us"]["all"]["p99"], run["latency_us"]["all"]["p99"]),
            "iops": _ratio(run["iops"], first["iops"]),
        }
        for run in runs
    }


def _side_by_side(
    fabrics: Sequence[str],
    jobs: Iterable[Callable[[Progress], T]],
    workers: int,
    progress: bool | FabricProgress | None,
) -> list[T]:
    """Does a job for each fabric, so many at a time, with a bar each or reports to `progress`.

    Ctrl-C stops all of them, and so does the first that fails, whose error names its fabric.
    """
    with Bar.when_wanted() if progress is None or progress is True else nullcontext() as bar:
        rows: Sequence[Row | None] = bar.tasks(fabrics) if bar is not None else [None] * len(fabrics)
        return side_by_side("fabric", fabrics, jobs, workers, rows, progress if callable(progress) else None)


def _workers(designs: Sequence[Design], workload: Workload, records: bool) -> int:
    """Number of runs at a time that processors and memory allow.

    Raises ConfigError if the memory is too small for one at a time.
    """
    bare, kept = [], 0
    for design in designs:
        with naming(f"fabric {design.fabric}"):
            bare.append(simulate.memory_bytes(design, workload, records=False))
            kept += simulate.memory_bytes(design, workload, records) - bare[-1]
    bare.sort(reverse=True)
    most = min(len(designs), parallel.processors())
    # Single requests are kept until the end, those of runs that are over too.
    needs = [kept + sum(bare[:count]) for count in range(most, 0, -1)]
    what = f"{designs[0].name}, {workload.name}: the {len(designs)} runs"
    return most - simulate.check_memory(what, needs, records)


def _ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a and b else None
