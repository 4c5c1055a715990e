"""The command `course`."""

from pathlib import Path
from typing import Annotated

import typer
from canaletto._cli import console
from canaletto._cli.help import Command
from canaletto._cli.trace import JsonFlag

app = typer.Typer()
_ABOUT = "Copy the lessons of the course, and check their exercises."
_course = typer.Typer(help=_ABOUT, rich_markup_mode=None, no_args_is_help=False)
app.add_typer(_course, name="course")


@_course.callback()
def _about() -> None:
    """Copy the lessons of the course, and check their exercises."""


@_course.command("copy", cls=Command)
def _copy(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder for the notebooks.")] = Path("course"),
    solutions: Annotated[bool, typer.Option("--solutions", help="Also copy a solution of each lesson.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files of these names.")] = False,
) -> None:
    """Write the four lessons, one notebook each, to a folder.

    Examples:
      canaletto course copy lessons
    """
    from canaletto_extras.course.copying import copy

    for path in copy(folder, solutions=solutions, force=force):
        console.say(f"wrote {path}")


@_course.command("check", cls=Command)
def _check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A lesson's notebook (.ipynb) or program (.py).")],
    json: JsonFlag = False,
) -> None:
    """Run a lesson's file and check its answers. This runs the file's code: check only files that you trust.

    Examples:
      canaletto course check course/1-drive.ipynb
    """
    from dataclasses import asdict

    from rich.text import Text

    from canaletto_extras.course.checking import check

    found = check(file)
    if json:
        console.emit({"schema": 1, **asdict(found), "right": found.right})
    else:
        console.show(*(Text(f"error in {line}", "yellow") for line in found.broken))
        for each in found.outcomes:
            console.show(
                Text(f"exercise {each.exercise}: {each.text or 'right'}", "green" if each.right else "bold red")
            )
    if not found.right:
        raise typer.Exit(1)
