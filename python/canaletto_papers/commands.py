"""The commands `reproduce` and `rtl`, which the program finds by the entry points of `pyproject.toml`."""

from pathlib import Path
from typing import Annotated

import typer
from canaletto._cli import console
from canaletto._cli.help import OUTPUT, Command
from canaletto._cli.trace import JsonFlag

app = typer.Typer()


@app.command("reproduce", cls=Command)
def _reproduce(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="networked-ssd, venice, mqsim, pc-ssd, storage-next, drives, load, hbf, zns or fdp.",
        ),
    ],
    figure: Annotated[
        list[str] | None, typer.Argument(metavar="FIGURE…", help="Figures, such as fig18. Default: all.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Use few requests, for an indication within minutes.")] = False,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Seeds per run that a paper describes.")] = 3,
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Folder for page and tables. A later call continues there."),
    ] = Path("reproduced"),
    json: JsonFlag = False,
) -> None:
    """Repeat a paper's figures next to the published ones.

    Examples:
      canaletto reproduce networked-ssd fig18 --quick --out out/figures
      canaletto reproduce pc-ssd max-improvement breakdown
    """
    from canaletto._io.progress import Bar

    from canaletto_papers import tables
    from canaletto_papers.reproduce import reproduce

    with Bar.when_wanted() as bar:
        row = bar.task(source) if bar else None
        report = (lambda done, total: row(done, total, 0)) if row else (lambda done, total: None)
        found = reproduce(source, figure or [], out, quick=quick, report=report, seeds=seeds)
    console.say(f"wrote {out} (open {out / f'{source}.html'})")
    if json:
        verdicts = [each.row() for each in found.verdicts]
        about = {"schema": 1, "source": source, "quick": quick, "figures": found.tables}
        console.emit(about | {"verdicts": verdicts})
    else:
        console.show(*tables.reproduced(found, quick=quick))


_rtl = typer.Typer(
    help="Tools for the Venice hardware in rtl/ (needs a checkout).", rich_markup_mode=None, no_args_is_help=False
)


@_rtl.callback()
def _about_rtl() -> None:
    """Tools for the Venice hardware in rtl/ (needs a checkout)."""


@_rtl.command("trace", cls=Command)
def _trace(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder written by `run --out`, with fabric venice.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="VCD file to write.", rich_help_panel=OUTPUT)],
    window: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO", help="Simulated time, such as 1.5ms:1.7ms. [default: the first 200 us]"),
    ] = None,
    animation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Page to write that plays the routers' work.", rich_help_panel=OUTPUT),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files.", rich_help_panel=OUTPUT)] = False,
) -> None:
    """Write waveforms (VCD) of the Venice routers during a window of a frozen run.

    Needs a checkout and Verilator (`make rtl` installs it). The first call for a shape builds it, which takes minutes.

    Examples:
      canaletto rtl trace runs/first --window 340us:410us --out first.vcd
      canaletto rtl trace runs/first --out first.vcd --animation first.html
    """
    from canaletto._run.timeline import parse_window

    from canaletto_papers.rtl.trace import trace

    said = trace(run, out, None if window is None else parse_window(window), animation, force=force)
    console.say(f"wrote {out}: {said}")
    if animation is not None:
        console.say(f"wrote {animation}")


app.add_typer(_rtl, name="rtl")
