"""The `trace` commands, and the options with which every command reads traces."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from canaletto import console

app = typer.Typer(help="Look at traces and convert them.", rich_markup_mode=None, no_args_is_help=False)

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
TraceFormat = Annotated[
    str | None, typer.Option("--format", metavar="NAME", help="The trace's format; else found from its content.")
]
OnError = Annotated[
    Literal["stop", "skip"] | None,
    typer.Option("--on-error", help="What a bad line does: end with an error (default), or be left out and counted."),
]
SortWindow = Annotated[
    int | None,
    typer.Option(
        "--sort-window", min=0, max=1 << 24, metavar="N", help="Sort lines that are late by up to N requests (65536)."
    ),
]
Events = Annotated[
    Literal["Q", "D", "C"] | None,
    typer.Option("--events", help="blkparse: requests as queued, issued to the drive (default) or completed."),
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="LIST", help="CSV: time=ts:ms,offset=lba:sectors,size=len,kind=op[,device=d]."),
]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A trace, plain or in gzip, zstd or xz.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file.")]


def reading(on_error: str | None, sort_window: int | None, events: str | None, columns: str | None) -> dict[str, Any]:
    """What the options say of how a trace is read."""
    given = {"on_error": on_error, "sort_window": sort_window, "events": events, "columns": columns}
    return {key: value for key, value in given.items() if value is not None}


@app.command("info")
def _info(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A trace, a profile's name or a workload (.toml).")],
    against: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="Another of these: how alike both are, side by side.")
    ] = None,
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
    design: Annotated[
        str | None,
        typer.Option(metavar="DESIGN", help="A preset or TOML file: how evenly its channels would be used, too."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Draw it: one HTML page, complete in itself.")
    ] = None,
    force: Force = False,
    json: JsonFlag = False,
) -> None:
    """Show what a trace, or a workload's traffic, is like: requests, sizes, pace, footprint, order, reuse.

    Example: canaletto trace info hm_0.csv.gz --design performance-optimized --out hm_0.html
    """
    from canaletto import config, files, likeness, perfetto, traces

    if out is not None:
        perfetto.check_free(out, force=force)
    drive = None if design is None else config.resolve_design(design, [])
    read = reading(on_error, sort_window, events, columns)
    found = traces.info(file, trace_format, design=drive, read=read)
    if against is not None:
        other = traces.info(against, design=drive)
        found["against"] = {**other, "alike": likeness.likeness(found, other)}
    if out is not None:
        from canaletto.report import trace

        with files.whole(out) as page:
            page.write(trace.html(found).encode())
        console.say(f"wrote {out}")
    if json:
        console.emit(found)
        return
    from canaletto.report import tables

    console.show(*tables.trace(found))


@app.command("fit")
def _fit(
    file: File,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="PROFILE", help="The workload file to write; else it is shown."),
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The profile's name; else that of the file.")] = None,
    design: Annotated[
        str | None,
        typer.Option(metavar="DESIGN", help="The drive for whose channels it is fitted; else 8 with pages of 4 KiB."),
    ] = None,
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
    force: Force = False,
) -> None:
    """Make a profile of a trace: a workload whose traffic is statistically like it.

    Example: canaletto trace fit hm_0.csv.gz -o profile.toml
    """
    import sys

    from canaletto import ConfigError, config, files, perfetto, traces
    from canaletto.report import terminal

    if out is not None:
        perfetto.check_free(out, force=force)
        if out.suffix != ".toml":
            raise ConfigError(f"{out}: expected a name that ends in .toml, by which --workload knows a workload file")
    drive = None if design is None else config.resolve_design(design, [])
    read = reading(on_error, sort_window, events, columns)
    profile, lines = traces.fit(file, trace_format, name=name, design=drive, read=read)
    for note in terminal.trace_lines(lines):
        console.say(f"{file}: {note}")
    if out is None:
        sys.stdout.write(profile.to_toml())
        return
    with files.whole(out) as written:
        written.write(profile.to_toml().encode())
    console.say(f"wrote {out} (canaletto trace info {file} --against {out} shows how alike they are)")


@app.command("convert")
def _convert(
    file: File,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; .gz, .zst and .xz are packed.")],
    to: Annotated[str, typer.Option(metavar="NAME", help="Its format (`trace formats` lists them), or parquet.")],
    trace_format: TraceFormat = None,
    on_error: OnError = None,
    sort_window: SortWindow = None,
    events: Events = None,
    columns: Columns = None,
    rounding: Annotated[
        bool, typer.Option("--round", help="Round times down and extents outward where the format needs it.")
    ] = False,
    force: Force = False,
    json: JsonFlag = False,
) -> None:
    """Write a trace in another format, in order of arrival.

    Example: canaletto trace convert hm_0.csv.gz hm_0.trace --to mqsim
    """
    from canaletto import perfetto, traces
    from canaletto.report import terminal
    from canaletto.report.units import count

    perfetto.check_free(out, force=force)
    read = reading(on_error, sort_window, events, columns)
    found = traces.convert(file, out, to, trace_format, read=read, rounding=rounding)
    for note in terminal.trace_lines(found["lines"]):
        console.say(f"{file}: {note}")
    if json:
        console.emit(found)
    else:
        console.say(f"wrote {out}: {count(found['requests'])} requests, from {found['from']} to {found['to']}")


@app.command("formats")
def _formats(json: JsonFlag = False) -> None:
    """List the formats that are read, and which of them are written.

    Example: canaletto trace formats
    """
    from canaletto import traces

    found = traces.formats()
    if json:
        console.emit(found)
        return
    table = console.plain_table("format", "written", "what a line holds")
    for each in found:
        table.add_row(each["name"], "yes" if each["writable"] else "no", each["about"])
    table.add_row(traces.PARQUET, "only", "arrival_ns, device, offset_bytes, bytes, kind")
    console.show(table)
