"""The commands of many runs: `sweep`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from canaletto import console
from canaletto.cli_help import OUTPUT, RUN, Command, whole
from canaletto.cli_trace import JsonFlag
from canaletto.report.units import number_of


def add_to(app: typer.Typer) -> None:
    """Adds the commands to those of the program."""
    app.command("sweep", cls=Command)(_sweep)


def _sweep(
    file: Annotated[Path, typer.Argument(metavar="SWEEP", help="A sweep's file, TOML (see docs/sweep.md).")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the table; a later call continues.", rich_help_panel=OUTPUT)
    ],
    workers: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 4096),
            metavar="N",
            help="Simulations at a time; default: one a processor.",
            rich_help_panel=RUN,
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Simulate every point of a grid: designs, workloads, traces, seeds. Continues where it was interrupted.

    Examples:
      canaletto sweep sweep.toml --out sweeps/first
    """
    from canaletto.sweep import go_on, reporting
    from canaletto.sweeping import document
    from canaletto.sweeping.executors import LocalProcesses

    asked = document.read(file)
    command = ["canaletto", *sys.argv[1:]]
    try:
        with reporting() as report:
            found, done = go_on(asked, out, LocalProcesses(workers), report=report, command=command)
    except KeyboardInterrupt:
        console.say(f"interrupted; the same command goes on with {out}")
        sys.exit(130)
    table = found.table
    console.say(f"wrote {out / 'table.parquet'}: {number_of(table.height, 'point')}, {done.computed} computed now")
