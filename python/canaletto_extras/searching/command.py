"""The command `search`."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from canaletto._cli import console
from canaletto._cli.help import OUTPUT, Command
from canaletto._cli.sweep import Force
from canaletto._cli.trace import JsonFlag
from canaletto._io.units import number_of

app = typer.Typer()


@app.command("search", cls=Command)
def _search(
    file: Annotated[Path, typer.Argument(metavar="SEARCH", help="A search's TOML file (docs/reference/sweep.md).")],
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Folder for the designs. A later call continues there."),
    ],
    force: Force = False,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no report page.", rich_help_panel=OUTPUT)
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Search for the best designs within limits, such as latency against energy.

    Examples:
      canaletto search search.toml --out searches/first
    """
    from canaletto._sweeping.folder import SEARCH, Folder
    from canaletto._sweeping.sweep import reporting

    from canaletto_extras.searching import document
    from canaletto_extras.searching.search import go_on

    asked = document.read(file)
    if force:
        Folder(out, SEARCH).discard()
    try:
        with reporting(what="trials") as report:
            found = go_on(asked, out, report=report, command=["canaletto", *sys.argv[1:]], page=not no_report)
    except KeyboardInterrupt:
        console.say(f"interrupted; the same command goes on with {out}")
        sys.exit(130)
    page = "" if no_report else f"; open {out / 'report.html'}"
    # Points that are drawn again are counted once.
    trials = f" in {asked.trials} trials" if found.table.height < asked.trials else ""
    console.say(f"wrote {out} ({number_of(found.table.height, 'point')} tried{trials}{page})")
    front = found.front
    if json:
        columns = ["point", "fabric", "pins", "wire_length_pitches", "area_mm2", "seeds", "alike"]
        for each in asked.objectives:
            columns += [each.column, f"{each.column}_mean", f"{each.column}_half_width"]
        rows = front.select(*dict.fromkeys(columns)).rows(named=True)
        console.emit({"schema": 1, "points": found.table.height, "front": rows})
    else:
        from canaletto_extras.searching import terminal

        console.show(terminal.table(asked, found.table))
