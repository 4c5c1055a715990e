"""The command `search`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from canaletto._cli import console
from canaletto._cli.help import OUTPUT, Command
from canaletto._cli.options import needed
from canaletto._cli.planned import DryRun
from canaletto._cli.sweep import Force
from canaletto._cli.trace import JsonFlag
from canaletto._io.units import number_of

if TYPE_CHECKING:
    from canaletto_extras.searching.document import Search

app = typer.Typer()


@app.command("search", cls=Command)
def _search(
    file: Annotated[Path, typer.Argument(metavar="SEARCH", help="A search's TOML file (docs/reference/sweep.md).")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the designs. A later call continues there."),
    ] = None,
    dry_run: DryRun = False,
    force: Force = False,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no report page.", rich_help_panel=OUTPUT)
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Search for the best designs within limits.

    Examples:
      canaletto search search.toml --out searches/first
    """
    from canaletto._sweeping.folder import SEARCH, Folder
    from canaletto._sweeping.sweep import reporting

    from canaletto_extras.searching import document
    from canaletto_extras.searching.search import go_on

    asked = document.read(file)
    if dry_run:
        _show_dry_run(asked, json)
        return
    out = needed(out)
    if force:
        Folder(out, SEARCH).discard()
    try:
        with reporting(what="trials") as report:
            found = go_on(asked, out, report=report, command=["canaletto", *sys.argv[1:]], page=not no_report)
    except KeyboardInterrupt:
        console.say(f"interrupted; the same command continues with {out}")
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


def _show_dry_run(asked: "Search", json: bool) -> None:
    from canaletto._io.units import time_us
    from canaletto._sweeping.estimate import estimate

    from canaletto_extras.searching import repeats, study

    tasks = study.check(asked)
    again = (asked.seeds - 1) * (repeats.RUNNERS_UP + 1)
    found = estimate(tasks)
    hours = None if found.cpu_hours is None else found.cpu_hours / len(tasks) * (asked.trials + again)
    if json:
        console.emit(
            {"schema": 1, "trials": asked.trials, "repeats": again, "cpu_hours": hours, "memory_mb": found.memory_mb}
        )
        return
    time = "CPU time not known beforehand" if hours is None else f"about {time_us(hours * 3.6e9)} of CPU"
    sys.stdout.write(
        f"at most {number_of(asked.trials, 'trial')}, and {again} runs or more of the best with further seeds: {time}, "
        f"from {number_of(len(tasks), 'point')} that were tried\n"
    )
