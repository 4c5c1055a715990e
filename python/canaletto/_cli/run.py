"""The command `run`."""

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from canaletto._cli import console
from canaletto._cli.drive import DesignName, FabricName, WorkloadName, resolve_drive, resolve_workload
from canaletto._cli.help import OUTPUT, RUN, Command
from canaletto._cli.options import (
    CheckWires,
    DriveOptions,
    FolderOptions,
    Json,
    SeedOptions,
    parsed_window,
    spread,
)
from canaletto._cli.replay import ReplayOptions
from canaletto._io.units import time_us

if TYPE_CHECKING:
    from canaletto._run.config import Design, Workload
    from canaletto._run.own import Parts
    from canaletto._run.results import Result
    from canaletto._run.timeline import Timeline, Window


def add_to(app: typer.Typer) -> None:
    app.command("run", cls=Command)(spread(_run))


@dataclass(frozen=True)
class _RunOptions:
    slowdowns: Annotated[
        bool,
        typer.Option("--slowdowns", help="Also run each flow alone, for slowdowns and fairness.", rich_help_panel=RUN),
    ] = False
    no_root_causes: Annotated[
        bool,
        typer.Option(
            "--no-root-causes", help="Do not trace waits to root causes. Saves time and memory.", rich_help_panel=RUN
        ),
    ] = False
    check_wires: CheckWires = False
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show capacity, limits, memory and time without running.",
            rich_help_panel=RUN,
        ),
    ] = False
    full: Annotated[
        bool,
        typer.Option("--full", help="With --dry-run: print the whole configuration as TOML.", rich_help_panel=RUN),
    ] = False


@dataclass(frozen=True)
class _TimelineOptions:
    file: Annotated[
        Path | None,
        typer.Option(
            "--timeline",
            metavar="FILE",
            help="Write a timeline for https://ui.perfetto.dev.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    window: Annotated[
        str | None,
        typer.Option(
            metavar="FROM:TO",
            help="Window of timeline and report, such as 1.5ms:1.7ms.",
            rich_help_panel=OUTPUT,
        ),
    ] = None


def _run(
    design: DesignName,
    workload: WorkloadName,
    *,
    fabric: FabricName = None,
    drive: DriveOptions,
    seeds: SeedOptions,
    how: _RunOptions,
    folder: FolderOptions,
    blame: Annotated[
        bool,
        typer.Option(
            "--blame",
            help="Show waits by what was waited for, not by root cause.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    json: Json = None,
    timeline: _TimelineOptions,
    replay: ReplayOptions,
) -> None:
    """Simulate one drive under one workload.

    Examples:
      canaletto run performance-optimized --workload hm_0 --set flash.read=10us --out runs/first
      canaletto run performance-optimized --workload mix1 --requests 3000 --slowdowns
      canaletto run pcie4-tlc --workload hm_0 --set workload.read_share=90% --seeds 3
    """
    from canaletto._engine import ConfigError
    from canaletto._run import folder as folders
    from canaletto._run import simulate
    from canaletto._run.own import OWN

    folder.check(timeline.window if timeline.file is None else None)
    moments = _window(timeline, folder)
    keys, workload_keys = drive.settings()
    parts = drive.parts(fabric)
    resolved = resolve_drive(design, keys, fabric if parts.fabric is None else OWN)
    work = resolve_workload(workload, workload_keys, replay.asked(resolved))
    if how.dry_run:
        if parts.fabric is not None:
            raise ConfigError(f"--fabric {fabric}: given with --dry-run, which cannot bound a user-defined fabric")
        _dry_run(resolved, work, json is not None, full=how.full, own=bool(parts.given))
        return
    if how.full:
        raise ConfigError("--full: given without --dry-run, which it is for")
    if timeline.file is not None:
        simulate.check_rereadable(work, "the run and its timeline, for which it is repeated")
    keep = folder.out is not None or (timeline.file is not None and moments is None)
    with folders.place(folder.out, force=folder.force) if folder.out is not None else nullcontext() as home:
        traces = folders.hash_traces(work) if home is not None else []
        result = _simulated(resolved, work, seeds, parts, how, keep)
        shown = _timeline(result, moments) if timeline.file is not None else None
        if home is not None:
            command = ["canaletto", *sys.argv[1:]]
            folders.write(result, home, traces, command, moments, console.say, report=not folder.no_report)
    folder.say_written()
    if timeline.file is not None and shown is not None:
        shown.save(timeline.file, force=folder.force)
        console.say(f"wrote {timeline.file} (open it in https://ui.perfetto.dev)")
    _show(result.to_dict(), json, "blame_us" if blame else None)


def _simulated(
    design: "Design", work: "Workload", seeds: SeedOptions, parts: "Parts", how: _RunOptions, records: bool
) -> "Result":
    from canaletto._run import running

    return running.run(
        design,
        work,
        seed=seeds.seed,
        seeds=seeds.seeds,
        warmup=seeds.left_out(design, work, parts),
        slowdowns=how.slowdowns,
        root_causes=not how.no_root_causes,
        check_wires=how.check_wires,
        records=records,
        **parts.given,
    )


def _show(found: dict[str, Any], json: str | None, account: Any) -> None:
    if json is not None:
        from canaletto._report import summary
        from canaletto._run.results import lean

        console.emit(found if json == "full" else {**lean(found), "verdict": summary.comparison([found])})
    else:
        from canaletto._report import terminal

        console.show(terminal.render(found, account))


def _window(timeline: _TimelineOptions, folder: FolderOptions) -> "Window | None":
    from canaletto._engine import ConfigError
    from canaletto._io import files

    if timeline.window is not None and timeline.file is None and folder.out is None:
        raise ConfigError(f"--window {timeline.window}: given without --timeline FILE or --out DIR, which it is for")
    if timeline.file is not None:
        files.check_free(timeline.file, force=folder.force, made_later=folder.out)
    return parsed_window(timeline.window)


def _timeline(result: "Result", moments: "Window | None") -> "Timeline":
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


def _dry_run(design: "Design", workload: "Workload", as_json: bool, *, full: bool, own: bool) -> None:
    """own: parts are user-defined, with unknown times."""
    from canaletto._bounding.bound import of_run
    from canaletto._run import simulate
    from canaletto._sweeping.estimate import cpu_s

    found = {**simulate.inspect(design, workload), "cpu_s": None if own else cpu_s(design, workload, 1, 0)}
    if as_json:
        console.emit({"schema": 1, "design": design.to_dict(), "workload": workload.to_dict(), **found})
        return
    from canaletto._bounding.inputs import failing_parts
    from canaletto._report import tables

    if failing := failing_parts(design):
        told = ", ".join(f"{key} = {number}" for key, number in failing.items())
        console.say(f"{told}: the limits below are for the whole interconnect")
    console.show(*tables.answers(found, of_run(design, workload)))
    if full:
        texts = [each.shown_toml().strip() for each in (design, workload)]
        sys.stdout.write(f"\n# design\n{texts[0]}\n\n# workload\n{texts[1]}\n")
