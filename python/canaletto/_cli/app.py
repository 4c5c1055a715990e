"""Commands. Each turns its arguments into calls of the package and shows the results."""

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from canaletto import _engine
from canaletto._cli import bound, calibrate, console, known, load, replay, serve, sweep, trace
from canaletto._cli.drive import (
    Budget,
    DesignName,
    FabricName,
    Fabrics,
    GcPolicyName,
    HotSpots,
    SchedulerName,
    Seed,
    Settings,
    WorkloadName,
    assignments,
    drives_of,
    equalised,
    own_parts,
    policies,
    resolve_drive,
    resolve_workload,
)
from canaletto._cli.help import (
    DRIVE,
    OUTPUT,
    RUN,
    Command,
    Program,
    share,
    whole,
)
from canaletto._cli.replay import (
    After,
    AsFastAsPossible,
    DeviceNumbers,
    Every,
    Fit,
    InterArrival,
    QueueDepth,
    Repeat,
    Requests,
    Sample,
    Skip,
    Speed,
    Until,
    Wrap,
)
from canaletto._cli.trace import Columns, Events, JsonFlag, OnError, SortWindow, TraceFormat
from canaletto._io.units import number_of, time_us

if TYPE_CHECKING:
    from canaletto._run.config import Design, Setting, Workload
    from canaletto._run.own import Parts
    from canaletto._run.results import Result
    from canaletto._run.timeline import Timeline, Window

app = typer.Typer(
    cls=Program,
    help="A fast, exact, deterministic simulator of solid-state drives.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(trace.app, name="trace")

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A folder that `run --out` wrote.")]

# Options that `run` and `compare` both take.
Precondition = Annotated[
    Literal["none", "steady", "replay"] | None,
    typer.Option(
        help="State of the drive before the run: fresh, steady state (computed), or filled by simulated writes.",
        rich_help_panel=DRIVE,
    ),
]
Occupancy = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="X",
        help="Share of the addresses that hold data before the run, such as 70%.",
        rich_help_panel=DRIVE,
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        parser=whole(1, 10_000),
        metavar="N",
        help="Repeat with N seeds; adds 95 % confidence intervals.",
        rich_help_panel=RUN,
    ),
]
Warmup = Annotated[
    str,
    typer.Option(
        metavar="N",
        help="Number of first requests to leave out of the statistics; auto finds it (MSER-5).",
        rich_help_panel=RUN,
    ),
]
CheckWires = Annotated[
    bool, typer.Option("--check-wires", help="Check everything that goes over the wires.", rich_help_panel=RUN)
]
Force = Annotated[bool, typer.Option("--force", help="Replace the run or comparison in DIR.", rich_help_panel=OUTPUT)]
NoReport = Annotated[
    bool,
    typer.Option("--no-report", help="Leave the report page out of DIR, which saves time.", rich_help_panel=OUTPUT),
]
ReportWindow = Annotated[
    str | None,
    typer.Option(
        "--window",
        metavar="FROM:TO",
        help="Window of the report's animation, such as 1.5ms:1.6ms; default: some 100 us.",
        rich_help_panel=OUTPUT,
    ),
]
Json = Annotated[
    Literal["full", "summary"] | None,
    typer.Option(
        "--json",
        metavar="[=summary]",
        help="Print JSON for machines; --json=summary leaves out distributions, series and maps.",
        rich_help_panel=OUTPUT,
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"canaletto {_engine.version()}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, help="Print the version.")] = False,
) -> None:
    if context.invoked_subcommand is None:
        sys.stdout.write(context.get_help() + "\n")


@app.command("run", cls=Command)
def _run(
    design: DesignName,
    workload: WorkloadName,
    fabric: FabricName = None,
    gc_policy: GcPolicyName = None,
    scheduler: SchedulerName = None,
    set_: Settings = None,
    precondition: Precondition = None,
    occupancy: Occupancy = None,
    seed: Seed = 1,
    seeds: Seeds = 1,
    warmup: Warmup = "0",
    slowdowns: Annotated[
        bool,
        typer.Option("--slowdowns", help="Also run each flow alone, for slowdowns and fairness.", rich_help_panel=RUN),
    ] = False,
    no_root_causes: Annotated[
        bool,
        typer.Option(
            "--no-root-causes", help="Do not follow waits to root causes: less time and memory.", rich_help_panel=RUN
        ),
    ] = False,
    check_wires: CheckWires = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show configuration, capacity, bounds and memory without a run.",
            rich_help_panel=RUN,
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="New folder for the frozen run.", rich_help_panel=OUTPUT)
    ] = None,
    force: Force = False,
    no_report: NoReport = False,
    blame: Annotated[
        bool,
        typer.Option(
            "--blame",
            help="Charge waits to what was waited for, not to root causes.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    json: Json = None,
    timeline_file: Annotated[
        Path | None,
        typer.Option(
            "--timeline",
            metavar="FILE",
            help="File for a timeline, for https://ui.perfetto.dev.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="Window of --timeline and the report, such as 1.5ms:1.7ms; default: around a slow request.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    queue_depth: QueueDepth = None,
    inter_arrival: InterArrival = None,
    speed: Speed = None,
    as_fast_as_possible: AsFastAsPossible = False,
    requests: Requests = None,
    after: After = None,
    until: Until = None,
    skip: Skip = None,
    every: Every = None,
    sample: Sample = None,
    repeat: Repeat = None,
    wrap: Wrap = False,
    fit: Fit = False,
    devices: DeviceNumbers = None,
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
) -> None:
    """Simulate one drive under one workload.

    Examples:
      canaletto run performance-optimized --workload hm_0 --set flash.read=10us --out runs/first
      canaletto run performance-optimized --workload mix1 --requests 3000 --slowdowns
      canaletto run pcie4-tlc --workload hm_0 --set workload.read_share=90% --seeds 3
      canaletto run performance-optimized --workload hm_0 --set attachment.kind=nbdp
    """
    from canaletto._engine import ConfigError
    from canaletto._run import config, folder, running, simulate
    from canaletto._run.own import OWN
    from canaletto._run.results import lean

    _check_report(out, no_report, window if timeline_file is None else None)
    moments = _window(timeline_file, window, force, out)
    keys, workload_keys = assignments(set_)
    keys += [*policies(gc_policy, scheduler), *_preconditioning(precondition, occupancy)]
    parts = own_parts(fabric, gc_policy, scheduler)
    drive = resolve_drive(design, keys, fabric if parts.fabric is None else OWN)
    asked = config.WorkloadOptions(
        requests=requests,
        queue_depth=queue_depth,
        inter_arrival=inter_arrival,
        speed=speed,
        as_fast_as_possible=as_fast_as_possible,
        after=after,
        until=until,
        skip=skip,
        every=every,
        sample=sample,
        repeat=repeat,
        out_of_range=replay.out_of_range(wrap=wrap, fit=fit),
        devices=devices,
        trace_format=trace_format,
        read=trace.reading(on_error, sort_window, events, columns),
    )
    work = resolve_workload(workload, workload_keys, asked)
    if dry_run:
        if parts.fabric is not None:
            raise ConfigError(
                f"--fabric {fabric}: given with --dry-run, which knows no bounds of a fabric of one's own"
            )
        _show_dry_run(drive, work, json is not None)
        return
    if timeline_file is not None:
        simulate.check_rereadable(work, "the run and its timeline, for which it is repeated")
    keep = out is not None or (timeline_file is not None and moments is None)
    with folder.place(out, force=force) if out is not None else nullcontext() as home:
        traces = folder.hash_traces(work) if home is not None else []
        left_out = _warmup(drive, work, warmup, seed, parts)
        result = running.run(
            drive,
            work,
            seed=seed,
            seeds=seeds,
            warmup=left_out,
            slowdowns=slowdowns,
            root_causes=not no_root_causes,
            check_wires=check_wires,
            records=keep,
            **parts.given,
        )
        shown = _timeline(result, moments) if timeline_file is not None else None
        if home is not None:
            command = ["canaletto", *sys.argv[1:]]
            folder.write(result, home, traces, command, moments, console.say, report=not no_report)
    if out is not None:
        console.say(_wrote(out, no_report))
    if timeline_file is not None and shown is not None:
        shown.save(timeline_file, force=force)
        console.say(f"wrote {timeline_file} (open it in https://ui.perfetto.dev)")
    if json is not None:
        console.emit(result.to_dict() if json == "full" else lean(result.to_dict()))
    else:
        from canaletto._report import terminal

        console.show(terminal.render(result.to_dict(), "blame_us" if blame else None))


@app.command("compare", cls=Command)
def _compare(
    design: DesignName,
    workload: WorkloadName,
    fabrics: Fabrics = None,
    equal: Budget = None,
    gc_policy: GcPolicyName = None,
    scheduler: SchedulerName = None,
    set_: Settings = None,
    precondition: Precondition = None,
    occupancy: Occupancy = None,
    seed: Seed = 1,
    seeds: Seeds = 1,
    warmup: Warmup = "0",
    hot_spots: HotSpots = False,
    check_wires: CheckWires = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="New folder for the comparison, with a report and each run.", rich_help_panel=OUTPUT
        ),
    ] = None,
    force: Force = False,
    no_report: NoReport = False,
    json: Json = None,
    window: ReportWindow = None,
    queue_depth: QueueDepth = None,
    inter_arrival: InterArrival = None,
    speed: Speed = None,
    as_fast_as_possible: AsFastAsPossible = False,
    requests: Requests = None,
    after: After = None,
    until: Until = None,
    skip: Skip = None,
    every: Every = None,
    sample: Sample = None,
    repeat: Repeat = None,
    wrap: Wrap = False,
    fit: Fit = False,
    devices: DeviceNumbers = None,
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
) -> None:
    """Simulate one drive with several interconnects under the same workload, and compare speed and causes.

    Examples:
      canaletto compare performance-optimized --workload hm_0 --fabrics bus,packetized,ideal --out runs/fabrics
      canaletto compare performance-optimized --workload YCSB_B --requests 2e4 --seeds 5
      canaletto compare performance-optimized --workload YCSB_B --requests 2e4 --equal pins=16
    """
    from canaletto._engine import ConfigError
    from canaletto._run import config, folder
    from canaletto._run.compare import run_all
    from canaletto._run.hot_spots import places

    _check_report(out, no_report, window)
    if window is not None and out is None:
        raise ConfigError(f"--window {window}: given without --out DIR, whose report it is for")
    moments = _parsed(window)
    keys, workload_keys = assignments(set_)
    keys += [*policies(gc_policy, scheduler), *_preconditioning(precondition, occupancy)]
    for key in keys:
        if key.text.startswith(f"{config.FABRIC}="):
            raise ConfigError(f"{key.label}: a comparison has several; expected --fabrics")
    drives, parts = drives_of(design, keys, fabrics, equal, own_parts(None, gc_policy, scheduler))
    # What has an effect with one of the fabrics was meant for that one.
    for note in drives[0].notes:
        if all(note in each.notes for each in drives):
            console.say(note)
    asked = config.WorkloadOptions(
        requests=requests,
        queue_depth=queue_depth,
        inter_arrival=inter_arrival,
        speed=speed,
        as_fast_as_possible=as_fast_as_possible,
        after=after,
        until=until,
        skip=skip,
        every=every,
        sample=sample,
        repeat=repeat,
        out_of_range=replay.out_of_range(wrap=wrap, fit=fit),
        devices=devices,
        trace_format=trace_format,
        read=trace.reading(on_error, sort_window, events, columns),
    )
    work = resolve_workload(workload, workload_keys, asked)
    same = equalised(drives, equal)
    left_out = _warmup(drives[0] if same is None else same.designs[0], work, warmup, seed, parts[0])
    compared = partial(
        run_all,
        drives,
        work,
        parts=parts,
        equal=same,
        hot_spots=places(work, "--hot-spots") if hot_spots else {},
        seed=seed,
        seeds=seeds,
        warmup=left_out,
        check_wires=check_wires,
    )
    if out is None:
        comparison = compared(records=False)
    else:
        with folder.place(out, force=force) as home:
            traces = folder.hash_traces(work)
            comparison = compared()
            command = ["canaletto", *sys.argv[1:]]
            folder.write_comparison(comparison, home, traces, command, moments, console.say, report=not no_report)
        console.say(_wrote(out, no_report))
    if json is not None:
        found = comparison.to_dict()
        console.emit(found if json == "full" else _lean(found))
    else:
        from canaletto._report import side_by_side

        console.show(side_by_side.render(comparison.shown, comparison.gains, comparison.equal, comparison.hot_spots))


def _lean(comparison: dict[str, Any]) -> dict[str, Any]:
    """A comparison without what takes many numbers."""
    from canaletto._run.results import lean

    found = {**comparison, "runs": [lean(run) for run in comparison["runs"]]}
    if "crossbar" in comparison:
        found["crossbar"] = lean(comparison["crossbar"])
    if "hot_spots" in comparison:
        found["hot_spots"] = {place: _lean(each) for place, each in comparison["hot_spots"].items()}
    return found


# Here, as a list of all commands has them in this order.
bound.add_to(app)
load.add_to(app)
sweep.add_to(app)
serve.add_to(app)
calibrate.add_to(app)


@app.command("mqsim", cls=Command)
def _mqsim(
    device: Annotated[Path, typer.Option("-i", metavar="SSDCONFIG", help="MQSim's device file, XML.")],
    workload: Annotated[Path, typer.Option("-w", metavar="WORKLOAD", help="MQSim's workload file, XML.")],
    completions: Annotated[
        Path | None, typer.Option(metavar="CSV", help="File for all completions, in order, with times in ns.")
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", help="List the tags without effect, in MQSim as here, with reasons.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --completions.")] = False,
    json: JsonFlag = False,
) -> None:
    """Run MQSim's own files, with MQSim's own results to the nanosecond where MQSim is sound.

    Examples:
      canaletto mqsim -i ssdconfig.xml -w workload.xml --completions completions.csv
    """
    from canaletto._io.progress import Bar
    from canaletto._io.units import listing
    from canaletto._run import mqsim

    if completions is not None:
        mqsim.check_writable(completions, force=force)
    with Bar.when_wanted() as bar:
        report = bar.task(listing([device.name, workload.name])) if bar else None
        replay = mqsim.replay(device, workload, records=completions is not None, progress=report)
    if notes:
        for note in replay.notes:
            console.say(note)
    elif replay.notes:
        console.say(f"{len(replay.notes)} tags have no effect, in MQSim as here (--notes lists them)")
    if completions is not None:
        for path in mqsim.write_completions(completions, replay, force=force):
            console.say(f"wrote {path}")
    if json:
        console.emit(replay.to_dict())
        return
    from canaletto._report import tables

    console.show(*tables.mqsim(replay))


@app.command("explain", cls=Command)
def _explain(
    run: RunFolder,
    slowest: Annotated[
        int | None,
        typer.Option(parser=whole(1, 1000), metavar="N", help="Number of slowest requests. [default: 10]"),
    ] = None,
    request: Annotated[
        int | None, typer.Option(parser=whole(0), metavar="N", help="Number of a request in requests.parquet.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Explain the latency of single requests of a frozen run: waits and holders. Repeats the run as far as needed.

    Examples:
      canaletto explain runs/first --slowest 3
    """
    from canaletto._engine import ConfigError
    from canaletto._report import explanation
    from canaletto._run import explain

    if slowest is not None and request is not None:
        raise ConfigError("--slowest and --request: both given, expected one of them")
    found = explain.explain(run, slowest=10 if slowest is None else slowest, request=request)
    for number in found.left_out:
        hint = f"; try it alone (--request {number})" if request is None else ""
        console.say(
            f"request {number}: left out, as more than "
            f"{explain.LIMIT if request is None else explain.LIMIT_ALONE:,} things had happened by "
            f"{time_us(found.until_ps / 1e6)}{hint}"
        )
    if json:
        console.emit(explanation.to_dict(found))
    else:
        console.show(*explanation.render(found))
    if found.left_out and not found.explanations:
        raise typer.Exit(1)


@app.command("rerun", cls=Command)
def _rerun(run: RunFolder, json: JsonFlag = False) -> None:
    """Repeat a frozen run exactly, and compare the results. Exit status 1 if they differ.

    Examples:
      canaletto rerun runs/first
    """
    from canaletto._report import tables
    from canaletto._run import repeat

    again = repeat.rerun(run)
    if json:
        versions = {"recorded_version": again.recorded_version, "version": again.version}
        console.emit({"identical": again.identical, **versions, "differences": tables.plain(again.differences)})
    else:
        console.show(*tables.rerun(again))
    if not again.identical:
        raise typer.Exit(1)


@app.command("diff", cls=Command)
def _diff(a: RunFolder, b: RunFolder, json: JsonFlag = False) -> None:
    """Show the differences between two frozen runs in configuration and results.

    Examples:
      canaletto diff runs/first runs/second
    """
    from canaletto._report import tables
    from canaletto._run import repeat

    configuration, results = repeat.diff(a, b)
    if json:
        console.emit({"configuration": tables.plain(configuration), "results": tables.plain(results)})
    else:
        console.show(*tables.diff(str(a), str(b), configuration, results))


known.add_to(app)


def _warmup(design: "Design", workload: "Workload", text: str, seed: int, parts: "Parts") -> int:
    """The number of requests to leave out, which is found in a run of its own where that is asked for."""
    from canaletto._engine import ConfigError
    from canaletto._run import simulate

    if text == "auto":
        found = simulate.found_warmup(design, workload, seed, parts)
        console.say(f"warm-up: the first {number_of(found, 'request')} left out (MSER-5)")
        return found
    try:
        return whole(0, 2**64 - 1)(text)
    except ValueError:
        raise ConfigError(f"--warmup: got {text}, expected auto or a number of requests") from None


def _preconditioning(kind: str | None, occupancy: float | None) -> "list[Setting]":
    """Settings of `--precondition` and `--occupancy` for the design."""
    from canaletto._run.config import Setting

    given = {"kind": ("--precondition", kind), "occupancy": ("--occupancy", occupancy)}
    return [
        Setting(f"{option} {value}", "", f"precondition.{key}={value}")
        for key, (option, value) in given.items()
        if value is not None
    ]


def _check_report(out: Path | None, no_report: bool, window: str | None) -> None:
    """Raises ConfigError for `--no-report` without a folder, or with a window for the report."""
    from canaletto._engine import ConfigError

    if no_report and out is None:
        raise ConfigError("--no-report: given without --out DIR, which it is for")
    if no_report and window is not None:
        raise ConfigError(f"--window {window}: given with --no-report, expected one of them")


def _wrote(out: Path, no_report: bool) -> str:
    return f"wrote {out}" if no_report else f"wrote {out} (open {out / 'report.html'})"


def _window(file: Path | None, window: str | None, force: bool, out: Path | None) -> "Window | None":
    """The window that was given, if any, after a check that a timeline can be written."""
    from canaletto._engine import ConfigError
    from canaletto._io import files

    if window is not None and file is None and out is None:
        raise ConfigError(f"--window {window}: given without --timeline FILE or --out DIR, which it is for")
    if file is not None:
        files.check_free(file, force=force, made_later=out)
    return _parsed(window)


def _parsed(window: str | None) -> "Window | None":
    if window is None:
        return None
    from canaletto._run import timeline

    return timeline.parse_window(window)


def _timeline(result: "Result", moments: "Window | None") -> "Timeline":
    """The timeline of a run, with a note if it is cut or empty."""
    from canaletto._run import timeline

    found = timeline.of_result(result, moments)
    ((start, end),) = found.windows
    if found.truncated:
        whole = timeline.window_text(start, found.until_ps)
        console.say(
            f"the timeline is cut at {time_us(found.until_ps / 1e6)}, where it holds {timeline.LIMIT:,} spans and "
            f"steps; choose a smaller window to see all of it, such as --window {whole}"
        )
    elif not found.requests.height:
        console.say(f"nothing happens in the window {timeline.window_text(start, end)}: the timeline is empty")
    return found


def _show_dry_run(design: Any, workload: Any, as_json: bool) -> None:
    from canaletto._run import simulate

    found = simulate.inspect(design, workload)
    if as_json:
        console.emit({"schema": 1, "design": design.to_dict(), "workload": workload.to_dict(), **found})
        return
    from canaletto._bounding.bound import of_run
    from canaletto._bounding.inputs import failing_parts
    from canaletto._report import tables

    if failing := failing_parts(design):
        told = ", ".join(f"{key} = {number}" for key, number in failing.items())
        console.say(f"{told}: the limits below are those of the whole interconnect")
    # What decides how to read the rest comes first, and once more below, where a long text ends on a screen.
    first = f"# {said}\n\n" if (said := tables.overload(found)) else ""
    texts = [each.shown_toml().strip() for each in (design, workload)]
    sys.stdout.write(f"{first}# design\n{texts[0]}\n\n# workload\n{texts[1]}\n\n")
    sys.stdout.flush()
    console.show(*tables.bounds(found), *tables.bound_in_short(of_run(design, workload)))
