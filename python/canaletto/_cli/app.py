"""The program: its commands. `help.py` has the order in which its help lists them."""

import sys
from typing import Annotated

import typer

from canaletto import _engine
from canaletto._cli import bound, compare, frozen, known, mqsim, run, sweep, trace
from canaletto._cli.help import Program

app = typer.Typer(
    cls=Program,
    help="A fast, exact, deterministic simulator of solid-state drives.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100},
)


_START = """canaletto simulates solid-state drives. Five commands to start with:

  canaletto presets                                          list drives, workloads and fabrics
  canaletto run pcie4-tlc --workload YCSB_B --out first      simulate a drive, write a report page
  canaletto explain first                                    say why the slowest requests were slow
  canaletto compare performance-optimized --workload YCSB_B  compare flash interconnects
  canaletto bound pcie4-tlc --size 4KiB                      compute peak throughput and its limit

`canaletto --help` lists all commands, `canaletto COMMAND --help` describes one.
"""


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
        sys.stdout.write(_START)


for each in (run, compare, bound, sweep, mqsim, frozen, known):
    each.add_to(app)
app.add_typer(trace.app, name="trace")
