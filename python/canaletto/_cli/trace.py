"""The `trace` commands, and options with which every command reads traces."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from canaletto._cli import console
from canaletto._cli.help import OUTPUT, TRACES, Command, complete_design, complete_workload, whole

app = typer.Typer(help="Inspect, convert and fit traces.", rich_markup_mode=None, no_args_is_help=False)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TraceFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the trace. Default: detected from the content.",
        rich_help_panel=TRACES,
    ),
]
OnError = Annotated[
    Literal["stop", "skip"] | None,
    typer.Option(
        "--on-error",
        help="Bad lines: stop with an error (default), or skip and count.",
        rich_help_panel=TRACES,
    ),
]
SortWindow = Annotated[
    int | None,
    typer.Option(
        "--sort-window",
        parser=whole(0, 1 << 24),
        metavar="N",
        help="Sort lines that are late by up to N requests. Default: 65536.",
        rich_help_panel=TRACES,
    ),
]
Events = Annotated[
    Literal["Q", "D", "C"] | None,
    typer.Option(
        "--events",
        help="blkparse: event that counts as a request: queued, issued (default) or completed.",
        rich_help_panel=TRACES,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="LIST",
        help="Columns of a CSV file: time=ts:ms,offset=lba:sectors,size=len,kind=op:read=RD:write=WR.",
        rich_help_panel=TRACES,
    ),
]
TimeUnit = Annotated[
    Literal["s", "ms", "us", "100ns", "ns"] | None,
    typer.Option(
        "--time-unit",
        help="Unit of times, if not the format's usual one.",
        rich_help_panel=TRACES,
    ),
]
Job = Annotated[
    str | None,
    typer.Option("--job", metavar="NAME[,…]", help="Jobs of a fio job file. Default: all.", rich_help_panel=TRACES),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A trace, plain or compressed (gzip, zstd, xz).")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file.", rich_help_panel=OUTPUT)]


def reading(
    on_error: str | None, sort_window: int | None, events: str | None, columns: str | None, time_unit: str | None
) -> dict[str, Any]:
    given = {
        "on_error": on_error,
        "sort_window": sort_window,
        "events": events,
        "columns": columns,
        "time_unit": time_unit,
    }
    return {key: value for key, value in given.items() if value is not None}


@app.command("info", cls=Command)
def _info(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A trace, a profile or a workload file (.toml).",
            autocompletion=complete_workload,
        ),
    ],
    against: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="Second trace or workload, for comparison.")
    ] = None,
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
    time_unit: TimeUnit = None,
    job: Job = None,
    design: Annotated[
        str | None,
        typer.Option(
            metavar="DESIGN",
            help="Drive for which to show the load of each channel.",
            autocompletion=complete_design,
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="PAGE", help="Write a report, one HTML page.")] = None,
    force: Force = False,
    json: JsonFlag = False,
) -> None:
    """Show requests, sizes, arrivals, footprint and reuse of a trace or workload.

    Examples:
      canaletto trace info hm_0.csv.gz --design performance-optimized --out hm_0.html
    """
    from canaletto import traces
    from canaletto._io import files
    from canaletto._run import config, likeness

    if out is not None:
        files.check_free(out, force=force)
    drive = None if design is None else config.resolve_design(design, [])
    read = reading(on_error, sort_window, events, columns, time_unit)
    found = traces.info(file, trace_format, design=drive, read=read, job=job)
    if against is not None:
        other = traces.info(against, design=drive)
        found["against"] = {**other, "alike": likeness.likeness(found, other)}
    if out is not None:
        from canaletto._io import plugins

        with files.whole(out) as page:
            page.write(plugins.load("page", "trace")(found).encode())
        console.say(f"wrote {out}")
    if json:
        console.emit(found)
        return
    from canaletto._report import tables

    console.show(*tables.trace(found))


@app.command("fit", cls=Command)
def _fit(
    file: File,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="PROFILE", help="Workload file to write. Default: standard output."),
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Name of the profile. Default: the file's.")] = None,
    design: Annotated[
        str | None,
        typer.Option(
            metavar="DESIGN", help="Drive whose channels are used in the fit. Default: 8 channels, 4 KiB pages."
        ),
    ] = None,
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
    time_unit: TimeUnit = None,
    force: Force = False,
) -> None:
    """Fit a profile to a trace: a generated workload with similar statistics.

    Examples:
      canaletto trace fit hm_0.csv.gz -o profile.toml
    """
    import sys

    from canaletto import traces
    from canaletto._engine import ConfigError
    from canaletto._io import files
    from canaletto._report import terminal
    from canaletto._run import config

    if out is not None:
        files.check_free(out, force=force)
        if out.suffix != ".toml":
            raise ConfigError(f"{out}: expected a name that ends in .toml, by which --workload knows a workload file")
    drive = None if design is None else config.resolve_design(design, [])
    read = reading(on_error, sort_window, events, columns, time_unit)
    profile, lines = traces.fit(file, trace_format, name=name, design=drive, read=read)
    for note in terminal.trace_lines(lines):
        console.say(f"{file}: {note}")
    if out is None:
        sys.stdout.write(profile.shown_toml())
        return
    with files.whole(out) as written:
        written.write(profile.to_toml().encode())
    console.say(f"wrote {out} (canaletto trace info {file} --against {out} shows how alike they are)")


@app.command("convert", cls=Command)
def _convert(
    file: File,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write. The endings .gz, .zst and .xz compress it.")
    ],
    to: Annotated[str, typer.Option(metavar="NAME", help="Format of `trace formats`, or parquet.")],
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
    time_unit: TimeUnit = None,
    rounding: Annotated[
        bool, typer.Option("--round", help="Round times down and extents outward if the format needs it.")
    ] = False,
    force: Force = False,
    json: JsonFlag = False,
) -> None:
    """Write a trace in another format, in order of arrival.

    Examples:
      canaletto trace convert hm_0.csv.gz hm_0.trace --to mqsim
    """
    from canaletto import traces
    from canaletto._io.units import count
    from canaletto._report import terminal

    read = reading(on_error, sort_window, events, columns, time_unit)
    found = traces.convert(file, out, to, trace_format, read=read, rounding=rounding, force=force)
    for note in terminal.trace_lines(found["lines"]):
        console.say(f"{file}: {note}")
    if json:
        console.emit(found)
    else:
        console.say(f"wrote {out}: {count(found['requests'])} requests, from {found['from']} to {found['to']}")


@app.command("formats", cls=Command)
def _formats(json: JsonFlag = False) -> None:
    """List the trace formats that can be read and written.

    Examples:
      canaletto trace formats
    """
    from canaletto import traces
    from canaletto._report.terminal import plain_table

    found = traces.formats()
    if json:
        console.emit(found)
        return
    table = plain_table("format", "written", "what a line holds")
    for each in found:
        table.add_row(each["name"], "yes" if each["writable"] else "no", each["about"])
    table.add_row(traces.PARQUET, "only", "arrival_ns, device, offset_bytes, bytes, kind")
    console.show(table)
