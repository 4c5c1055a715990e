"""The `rtl` commands."""

from pathlib import Path
from typing import Annotated

import typer

from canaletto._cli import console
from canaletto._cli.help import OUTPUT, Command

app = typer.Typer(help="The hardware of Venice, in a checkout.", rich_markup_mode=None, no_args_is_help=False)


@app.callback()
def _rtl() -> None:
    """The hardware of Venice, in a checkout."""


@app.command("trace", cls=Command)
def _trace(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder that `run --out` wrote, with fabric venice.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Name of the VCD file.", rich_help_panel=OUTPUT)],
    window: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO", help="Simulated time, such as 1.5ms:1.7ms. [default: the first 200 us]"),
    ] = None,
    animation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Name of a page that plays what the routers did.", rich_help_panel=OUTPUT),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files.", rich_help_panel=OUTPUT)] = False,
) -> None:
    """Write waveforms (VCD) of the routers in rtl/ while they serve a window of a frozen run, and a page that plays it.

    Needs a checkout and Verilator (`make rtl` installs it). The first call for a shape builds it, which takes minutes.

    Examples:
      canaletto rtl trace runs/first --window 340us:410us --out first.vcd
      canaletto rtl trace runs/first --out first.vcd --animation first.html
    """
    from canaletto._run import hardware
    from canaletto._run.timeline import parse_window

    said = hardware.trace(run, out, None if window is None else parse_window(window), animation, force=force)
    console.say(f"wrote {out}: {said}")
    if animation is not None:
        console.say(f"wrote {animation}")
