"""The same work on several fabrics, or drives, side by side."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from canaletto._engine import ConfigError
from canaletto._io.fields import Fields
from canaletto._io.progress import Bar, Progress, Row
from canaletto._run import gains as speedups
from canaletto._run import names, parallel, shown, simulate
from canaletto._run.config import Design, Workload, check_whole
from canaletto._run.config import design as load_design
from canaletto._run.config import workload as load_workload
from canaletto._run.equal import CROSSBAR, Equal, Equalised, equalised, usual_fabrics
from canaletto._run.fabric import Fabric
from canaletto._run.gc_policy import GcPolicy
from canaletto._run.hot_spots import places
from canaletto._run.links import interconnect
from canaletto._run.own import OWN, Parts, check_name, named
from canaletto._run.results import Result
from canaletto._run.scheduler import Scheduler
from canaletto._run.together import NamedProgress, naming, side_by_side

if TYPE_CHECKING:
    from canaletto._run.timeline import Timeline, Window

T = TypeVar("T")

FabricProgress: TypeAlias = NamedProgress
"""Called with fabric, requests done, all requests (0 if unknown) and simulated picoseconds."""


class Comparison(shown.Shown, Mapping[str, Result]):
    """One run per fabric, or per drive, of the same work; the others are measured against the first.

    A mapping of the results by fabric or drive, in the order given, with an equal budget's `crossbar` behind them.
    """

    def __init__(
        self,
        runs: Sequence[Result],
        samples: Sequence[Sequence[Mapping[str, Any]]] = (),
        gains: speedups.Gains | None = None,
        equal: Equal | None = None,
        crossbar: Result | None = None,
        hot_spots: "Mapping[str, Comparison] | None" = None,
    ) -> None:
        """samples: results per seed and fabric; or gains: the speedups."""
        self._runs = list(runs)
        self._gains = gains
        self._equal = equal
        self._crossbar = crossbar
        self._hot_spots = dict(hot_spots or {})
        self._samples = list(samples) or [self.shown]

    @property
    def runs(self) -> list[Result]:
        """The results (of the first seed), in the order of the fabrics."""
        return list(self._runs)

    @property
    def fabrics(self) -> list[str]:
        """The fabrics' names in that order; of several drives, theirs."""
        return called([run.configuration[0] for run in self._runs], [run["fabric"] for run in self._runs])

    @property
    def equal(self) -> Equal | None:
        """The equal budget with its counting, if one was asked for."""
        return self._equal

    @property
    def crossbar(self) -> Result | None:
        """The run on the crossbar that bounds fabrics of an equal budget."""
        return self._crossbar

    @property
    def hot_spots(self) -> "dict[str, Comparison]":
        """Results with load on a `channel`, a `chip` and each fabric's `worst-line`, by these names."""
        return dict(self._hot_spots)

    @property
    def shown(self) -> list[Result]:
        runs = [_called(run, name) for run, name in zip(self._runs, self.fabrics, strict=True)]
        return runs if self._crossbar is None else [*runs, _called(self._crossbar, CROSSBAR)]

    def __getitem__(self, fabric: str) -> Result:
        """The result on this fabric, or of the `crossbar`."""
        for run in self.shown:
            if run["fabric"] == fabric:
                return run
        raise KeyError(f"{fabric!r}; there are {', '.join(run['fabric'] for run in self.shown)}")

    def __iter__(self) -> Iterator[str]:
        return (run["fabric"] for run in self.shown)

    def __len__(self) -> int:
        return len(self.shown)

    @property
    def speedup(self) -> Fields:
        """Each fabric's execution_time, mean_latency, p99_latency and iops over the first one's; above 1 is better.

        Undefined values are None. With several seeds, the mean over them.
        """
        means = {
            fabric: {measure: None if gain is None else gain.mean for measure, gain in found.items()}
            for fabric, found in self.gains.items()
        }
        return Fields(means)

    @cached_property
    def gains(self) -> speedups.Gains:
        """The speedups with the half widths of their 95 % confidence intervals."""
        return speedups.gains(self._samples) if self._gains is None else self._gains

    @property
    def confidence(self) -> Fields | None:
        """The seeds and, under speedup, mean and half_width of each. None for a single seed."""
        options = self._runs[0].options
        if options["seeds"] == 1:
            return None
        seeds = range(options["seed"], options["seed"] + options["seeds"])
        return Fields(speedups.intervals(self.gains, seeds))

    @property
    def verdict(self) -> str:
        """Verdict: the fastest and the slowest fabric, by how much, and the cause."""
        return shown.views.verdict(self)

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader needs before the verdict."""
        return shown.views.notes(self)

    def timelines(
        self,
        window: "Window | None" = None,
        *,
        limit: int | None = None,
        progress: bool | FabricProgress | None = None,
    ) -> "dict[str, Timeline]":
        """Returns the timelines of all fabrics in the same window of simulated time.

        The runs are repeated up to there, side by side.

        Parameters
        ----------
        window
            First and last moment, in picoseconds. By default about 100 us around the request of the first fabric that
            lost most to path conflicts early in the run, or at the start if requests were not kept.
        limit
            The most spans and steps of each.
        progress
            As for `compare`.

        Returns
        -------
        dict of str to Timeline
            By the name of the fabric.

        Raises
        ------
        ConfigError
            For a window that is none.
        SimulationError
            If a run stops before the window's end.
        OSError
            For a trace that cannot be read.
        """
        from canaletto._run import timeline

        chosen = timeline.merged([window or timeline.telling(self._runs[0])[0]])
        most = timeline.LIMIT if limit is None else limit

        def job(run: Result) -> "Callable[[Progress], Timeline]":
            return lambda report: timeline.of_result(run, chosen[0], most, report)

        runs = self.shown
        fabrics = [run["fabric"] for run in runs]
        workers = _workers([run.configuration[0] for run in runs], runs[0].configuration[1], records=False)
        found = _side_by_side(fabrics, map(job, runs), workers, progress)
        return dict(zip(fabrics, found, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Returns the data that `canaletto compare --json` prints."""
        runs = [run.to_dict() for run in self._runs]
        found = {
            "schema": 1,
            "verdict": self.verdict,
            "notes": self.notes,
            "runs": runs,
            "speedup": self.speedup.to_dict(),
        }
        if self._equal is not None and self._crossbar is not None:
            found |= {"equal": self._equal.to_dict(), "crossbar": self._crossbar.to_dict()}
        if self._hot_spots:
            found["hot_spots"] = {place: each.to_dict() for place, each in self._hot_spots.items()}
        return found if self.confidence is None else {**found, "confidence": self.confidence.to_dict()}

    def save(self, path: str | PathLike[str], *, force: bool = False, report: bool = True) -> None:
        """Freezes the comparison as a folder, with a folder per run that `canaletto rerun` takes.

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

        folder.save_comparison(self, path, force=force, report=report)


def called(designs: Sequence[Design], fabrics: Sequence[str]) -> list[str]:
    """Names of runs: their fabrics' of one drive, otherwise their drives'."""
    drives = [design.name for design in designs]
    return drives if len(set(drives)) > 1 else list(fabrics)


def _called(run: Result, name: str) -> Result:
    if run["fabric"] == name:
        return run
    rows = run.rows if run.has_requests else None
    return Result({**run.to_dict(), "fabric": name}, *run.configuration, run.options, rows, run.parts)


def compare(
    design: "Drive | Sequence[Drive]",
    workload: Workload | str | PathLike[str],
    fabrics: Iterable[str | type[Fabric]] | None = None,
    *,
    equal: str | None = None,
    hot_spots: bool = False,
    seed: int = 1,
    seeds: int = 1,
    warmup: int = 0,
    check_wires: bool = False,
    records: bool = True,
    gc_policy: type[GcPolicy] | None = None,
    scheduler: type[Scheduler] | None = None,
    progress: bool | FabricProgress | None = None,
) -> Comparison:
    """Simulates a drive with each of several fabrics, or several drives, under the same workload.

    The runs share the processors and do not change each other's results; fewer run at a time if memory is short. Ctrl-C
    stops all of them, and so does the first failure.

    Parameters
    ----------
    design
        A drive; or a preset's name or a TOML file, as for `design`. Or a list of several, each with its own fabric.
    workload
        What the drive is asked to do; or a profile's name, a file or a trace, as for `workload`.
    fabrics
        Names of the fabrics, the one that the others are measured against first, and classes of one's own derived from
        `Fabric`, which have their own names everywhere. By default the usual ones, which `canaletto presets` lists.
    equal
        Quantity of which all fabrics get as much as the first one has, by the width of their links: "pins" (data pins
        of the controllers), "chip-pins", "wires" (their length) or "area"; or as much as is said, such as "pins=16" (a
        controller). A crossbar of as many pins is simulated, too, as a bound: `c["crossbar"]`. The counting is
        `c.equal`.
    hot_spots
        Whether to repeat everything with half of the requests on a channel of the FTL, a quarter on a chip, and half on
        the worst line of each fabric: `c.hot_spots`. For generated requests, without their single rows.
    seed, warmup, check_wires, records
        As for `run`; `warmup` is a number.
    gc_policy, scheduler
        As for `run`, on every fabric.
    seeds
        Number of seeds, counted up from `seed`. With several, speedups are means over them with 95 % confidence
        intervals, and differences within these are called equal.
    progress
        Whether to show a bar for each fabric; by default, when standard error is a terminal. Or a function, called with
        the fabric, requests done, requests in all (0 if unknown) and simulated picoseconds, from several threads.

    Returns
    -------
    Comparison
        One `Result` for each fabric, speedups over the first, and the verdict.

    Raises
    ------
    ConfigError
        For what cannot be simulated.
    SimulationError
        For a run that stopped, and explains why.
    OSError
        For a trace that cannot be read.

    Examples
    --------
    >>> import canaletto as cn
    >>> c = cn.compare("performance-optimized", cn.workload("hm_0", requests=500), ["bus", "ideal"])
    >>> c.fabrics
    ['bus', 'ideal']
    >>> c.speedup["bus"].iops
    1.0
    """
    if not isinstance(design, str | PathLike | Design):
        drives = [each if isinstance(each, Design) else load_design(each) for each in design]
        check_drives(drives, {"fabrics": fabrics, "equal": equal})
        chosen: Chosen = [drive.fabric for drive in drives]
    else:
        chosen = chosen_fabrics(usual_fabrics() if equal is not None and fabrics is None else fabrics)
    parts = parts_of(chosen, gc_policy, scheduler)
    if not isinstance(design, str | PathLike | Design):
        designs = drives
    elif isinstance(design, Design):
        designs = on_fabrics(lambda name: design.replace(fabric=name), chosen)
    else:
        designs = on_fabrics(lambda name: load_design(design, fabric=name), chosen)
    designs = [own.on(each) for own, each in zip(parts, designs, strict=True)]
    if not isinstance(workload, Workload):
        workload = load_workload(workload)
    return run_all(
        designs,
        workload,
        parts=parts,
        equal=None if equal is None else equalised(designs, equal, "equal"),
        hot_spots=places(workload, "hot_spots") if hot_spots else {},
        seed=seed,
        seeds=seeds,
        warmup=warmup,
        check_wires=check_wires,
        records=records,
        progress=progress,
    )


Drive: TypeAlias = Design | str | PathLike[str]

Chosen: TypeAlias = Sequence[str | type[Fabric]]


def check_drives(drives: Sequence[Design], given: Mapping[str, object]) -> None:
    """given: what there is of one drive alone, None if it is absent."""
    names = [drive.name for drive in drives]
    if not names:
        raise ConfigError("designs: got none, expected at least one drive")
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"designs: got {name} {names.count(name)} times, expected each drive once")
    for option, value in given.items():
        if value is not None and len(names) > 1:
            raise ConfigError(
                f"{option}: given with {len(names)} drives, expected one drive, whose fabrics are compared"
            )


def chosen_fabrics(fabrics: Iterable[str | type[Fabric]] | str | type[Fabric] | None) -> Chosen:
    known = names.fabrics()
    if isinstance(fabrics, str | type):
        fabrics = [fabrics]
    chosen = list(names.usual_fabrics() if fabrics is None else fabrics)
    chosen = [(named("fabric", each, "fabrics") or each) if isinstance(each, str) else each for each in chosen]
    if not chosen:
        raise ConfigError(f"fabrics: got none, expected some of {', '.join(known)}")
    for fabric in chosen:
        if not isinstance(fabric, str | type):
            raise ConfigError(f"fabrics: got {fabric!r}, expected a name or a class derived from canaletto.Fabric")
        if isinstance(fabric, type):
            check_name(fabric, [*known, CROSSBAR])
    # Some file systems, on which runs have folders of these names, take upper and lower case for the same.
    called = [_name(fabric).casefold() for fabric in chosen]
    for name, fabric in zip(called, chosen, strict=True):
        if (name in known or isinstance(fabric, type)) and called.count(name) > 1:
            raise ConfigError(f"fabrics: got {_name(fabric)} {called.count(name)} times, expected each fabric once")
    return chosen


def parts_of(
    fabrics: Chosen, gc_policy: type[GcPolicy] | None = None, scheduler: type[Scheduler] | None = None
) -> list[Parts]:
    return [Parts(fabric if isinstance(fabric, type) else None, gc_policy, scheduler) for fabric in fabrics]


def _name(fabric: str | type[Fabric]) -> str:
    return fabric if isinstance(fabric, str) else fabric.__name__


def on_fabrics(make: Callable[[str], Design], fabrics: Iterable[str | type[Fabric]] | None) -> list[Design]:
    known = names.fabrics()
    designs = []
    for fabric in chosen_fabrics(fabrics):
        kind = fabric if isinstance(fabric, str) else OWN
        with naming(f"fabric {_name(fabric)}") if kind in known else nullcontext():
            designs.append(make(kind))
    return designs


def run_all(
    designs: Sequence[Design],
    workload: Workload,
    *,
    parts: Sequence[Parts] = (),
    equal: Equalised | None = None,
    hot_spots: Mapping[str, Workload] | None = None,
    seed: int = 1,
    seeds: int = 1,
    warmup: int = 0,
    check_wires: bool = False,
    records: bool = True,
    progress: bool | FabricProgress | None = None,
) -> Comparison:
    """parts: user-defined classes of each run.

    equal: runs these instead, and their bound. hot_spots: the workload with load on single places.
    """
    check_whole("seeds", seeds, 1, 10_000)
    check_whole("seed", seed, 0, 2**64 - seeds)
    check_whole("warmup", warmup, 0, 2**64 - 1)
    simulate.check_rereadable(workload, "all of them")
    options = {"seed": seed, "seeds": seeds, "warmup": warmup}
    given = parts
    if equal is not None and any(own.fabric for own in parts):
        raise ConfigError("equal: got a user-defined fabric, expected fabrics of the engine, whose links are counted")

    widths = {} if equal is None else equal.widths()
    once = partial(_run_once, workload, options, check_wires, records, widths)
    parts = list(parts) or [Parts()] * len(designs)
    if equal is None:
        fabrics = [own.fabric_name or design.fabric for own, design in zip(parts, designs, strict=True)]
        drives = dict(zip(called(designs, fabrics), designs, strict=True))
    else:
        # The crossbar that bounds them has the other user-defined parts, too.
        drives, parts = equal.named(), [*parts, parts[0]]
    workers = _workers(list(drives.values()), workload, records)
    found = _side_by_side(
        list(drives),
        [partial(once, *each, own) for each, own in zip(drives.items(), parts, strict=True)],
        workers,
        progress,
    )
    runs, samples = [run for run, _ in found], list(zip(*(each for _, each in found), strict=True))
    further = {
        place: run_all(
            designs,
            work,
            parts=given,
            equal=equal,
            seed=seed,
            seeds=seeds,
            warmup=warmup,
            check_wires=check_wires,
            records=False,
            progress=progress,
        )
        for place, work in (hot_spots or {}).items()
    }
    if equal is None:
        return Comparison(runs, samples, hot_spots=further)
    *runs, bound = runs
    return Comparison(runs, samples, equal=equal.counting, crossbar=bound, hot_spots=further)


Sample: TypeAlias = Mapping[str, Any]

_SAMPLED = ("execution_time_us", "latency_us", "iops")


def _run_once(
    workload: Workload,
    options: Mapping[str, int],
    check_wires: bool,
    records: bool,
    widths: Mapping[str, int],
    fabric: str,
    design: Design,
    own: Parts,
    report: Progress,
) -> tuple[Result, list[Sample]]:
    first, results, seed = None, [], options["seed"]
    for number in range(options["seeds"]):
        keep = records and number == 0
        told = _part(report, number, options["seeds"])
        asked = design, workload, seed + number, options["warmup"], keep, told
        data, rows = simulate.run_once(*asked, check_wires=check_wires, parts=own)
        first = rows if keep else first
        results.append(data)
    samples: list[Sample] = [{"fabric": fabric, **{key: data[key] for key in _SAMPLED}} for data in results]
    found = simulate.over_seeds(results, seed)
    if fabric in widths:
        found["interconnect"] = interconnect(design.to_dict(), found, width=widths[fabric])
    return Result(found, design, workload, {**options, **own.names}, first, own), samples


def _part(report: Progress, number: int, parts: int) -> Progress:
    return lambda done, total, simulated_ps: report(number * total + done, parts * total, simulated_ps)


def _side_by_side(
    fabrics: Sequence[str],
    jobs: Iterable[Callable[[Progress], T]],
    workers: int,
    progress: bool | FabricProgress | None,
) -> list[T]:
    with Bar.when_wanted() if progress is None or progress is True else nullcontext() as bar:
        rows: Sequence[Row | None] = bar.tasks(fabrics) if bar is not None else [None] * len(fabrics)
        return side_by_side("fabric", fabrics, jobs, workers, rows, progress if callable(progress) else None)


def _workers(designs: Sequence[Design], workload: Workload, records: bool) -> int:
    one, several = 0, len({design.name for design in designs}) > 1
    for design in designs:
        with naming(" ".join(("drive", design.name) if several else ("fabric", design.fabric))):
            one = max(one, simulate.memory_needed([design], workload, records))
    most = min(len(designs), parallel.processors())
    needs = [simulate.memory_needed(designs[:count], workload, records) for count in range(most, 1, -1)]
    what = f"{designs[0].name}, {workload.name}: the {len(designs)} runs"
    return most - simulate.check_memory(what, [*needs, one])
