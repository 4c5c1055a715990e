"""Commands that print what is known."""

import tomllib
from typing import Annotated, Literal

import typer

from canaletto import _engine
from canaletto._cli import console
from canaletto._cli.drive import DesignName, FabricName, Settings, assignments, resolve_drive
from canaletto._cli.help import Command
from canaletto._cli.trace import JsonFlag


def add_to(app: typer.Typer) -> None:
    app.command("presets", cls=Command)(_presets)
    app.command("sequences", cls=Command)(_sequences)
    app.command("schema", cls=Command)(_schema)


def _presets(json: JsonFlag = False) -> None:
    """List the designs, workload profiles and fabrics.

    Examples:
      canaletto presets
    """
    from canaletto._io import plugins
    from canaletto._run import names

    presets = {name: str(tomllib.loads(text).get("about", "")) for name, text in plugins.each("preset")}
    fabrics = {name: (found.__doc__ or "").partition("\n")[0] for name, found in plugins.each("fabric")}
    kinds = {
        "designs": {**presets, **names.presets()},
        "profiles": names.profiles(),
        "fabrics": {**fabrics, **names.fabrics()},
    }
    if json:
        console.emit({kind: [{"name": n, "about": a} for n, a in known.items()] for kind, known in kinds.items()})
        return
    from canaletto._report import tables

    console.show(*tables.presets(kinds))


def _sequences(design: DesignName, set_: Settings = None, fabric: FabricName = None, json: JsonFlag = False) -> None:
    """Print the command sequences of a drive, with sources and times.

    Examples:
      canaletto sequences pcie4-tlc
      canaletto sequences networked-ssd --set fabric.sequences=full --fabric packetized
    """
    from canaletto._run import sequences

    found = sequences.sequences(resolve_drive(design, assignments(set_)[0], fabric))
    if json:
        console.emit(found)
        return
    from canaletto._report import tables

    console.show(*tables.sequences(found))


def _schema(
    kind: Annotated[
        Literal["design", "workload", "pc", "result"] | None,
        typer.Argument(help="Kind of file; `result` describes `run --json`. Default: design and workload."),
    ] = None,
) -> None:
    """Print the JSON Schema of input files or results. Every key has unit, default and source.

    Examples:
      canaletto schema design
      canaletto schema result
    """
    import json

    if kind is None:
        console.emit({each: json.loads(_engine.schema(each)) for each in ("design", "workload")})
    else:
        console.emit(json.loads(_engine.schema(kind)))
