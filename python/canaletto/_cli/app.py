"""The program: its commands, in the order in which its help lists them."""

import sys
from typing import Annotated

import typer

from canaletto import _engine
from canaletto._cli import bound, compare, frozen, known, load, mqsim, run, sweep, trace
from canaletto._cli.help import Program

app = typer.Typer(
    cls=Program,
    help="A fast, exact, deterministic simulator of solid-state drives.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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


for each in (run, compare, bound, load, sweep, mqsim, frozen, known):
    each.add_to(app)
app.add_typer(trace.app, name="trace")
