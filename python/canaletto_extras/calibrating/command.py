"""The command `calibrate`."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from canaletto._cli import console
from canaletto._cli.help import OUTPUT, RUN, Command, whole
from canaletto._cli.trace import JsonFlag

app = typer.Typer()


@app.command("calibrate", cls=Command)
def _calibrate(
    file: Annotated[
        Path, typer.Argument(metavar="CALIBRATION", help="A calibration's TOML file (docs/how-to/calibrate.md).")
    ],
    measured: Annotated[
        list[str] | None,
        typer.Argument(metavar="MEASURED…", help="fio results (JSON), in addition to those that the file names."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="New file for the design. A JSON report is written next to it."),
    ] = None,
    judge: Annotated[
        Literal["half", "none"] | None,
        typer.Option(help="Points kept for validation: every second one (default) or none.", rich_help_panel=RUN),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(parser=whole(1, 100_000), metavar="N", help="Number of designs to try.", rich_help_panel=RUN),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option(
            parser=whole(1000, 10_000_000), metavar="N", help="Requests per simulated job.", rich_help_panel=RUN
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, 2**32 - 1), metavar="N", help="Seed of the search and of all runs.", rich_help_panel=RUN
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files of --out.", rich_help_panel=OUTPUT)] = False,
    json: JsonFlag = False,
) -> None:
    """Fit a design to a measured drive. Reports keys that the data do not determine.

    Examples:
      canaletto calibrate mine.toml fio-qd*.json --out calibrated.toml
    """
    from canaletto._engine import ConfigError
    from canaletto._io import files
    from canaletto._sweeping.sweep import reporting

    from canaletto_extras.calibrating import calibration, document

    if out is not None:
        if out.suffix != ".toml":
            raise ConfigError(f"--out {out}: expected the name of a TOML file, such as calibrated.toml")
        for each in (out, out.with_suffix(".json")):
            files.check_free(each, force=force)
    asked = document.read(file, measured or (), judge=judge, trials=trials, requests=requests, seed=seed)
    with reporting(what="designs") as report:
        found = calibration.carry_out(asked, report)
    if out is not None:
        calibration.write(found, out, force=force)
        console.say(f"wrote {out} and {out.with_suffix('.json')}")
    if json:
        console.emit(found.to_dict())
        return
    from canaletto_extras.calibrating import terminal

    console.show(*terminal.tables(found.report))
