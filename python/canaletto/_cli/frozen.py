"""The commands that take frozen runs: `explain`, `rerun`, `diff`."""

from pathlib import Path
from typing import Annotated

import typer

from canaletto._cli import console
from canaletto._cli.help import Command, whole
from canaletto._cli.trace import JsonFlag
from canaletto._io.units import time_us

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder written by `run --out`.")]


def add_to(app: typer.Typer) -> None:
    app.command("explain", cls=Command)(_explain)
    app.command("rerun", cls=Command)(_rerun)
    app.command("diff", cls=Command)(_diff)


def _explain(
    run: RunFolder,
    slowest: Annotated[
        int | None,
        typer.Option(parser=whole(1, 1000), metavar="N", help="Explain the N slowest requests.  [default: 10]"),
    ] = None,
    request: Annotated[
        int | None,
        typer.Option(parser=whole(0), metavar="N", help="Explain one request, by its number in requests.parquet."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Explain the latency of single requests of a frozen run.

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


def _rerun(run: RunFolder, json: JsonFlag = False) -> None:
    """Repeat a frozen run and compare the results. Exit status 1 if they differ.

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


def _diff(a: RunFolder, b: RunFolder, json: JsonFlag = False) -> None:
    """Show how two frozen runs differ in configuration and results.

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
