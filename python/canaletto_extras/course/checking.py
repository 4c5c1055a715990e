"""A student's file, run and judged."""

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from canaletto import ConfigError

from canaletto_extras.course.lessons import LESSONS


@dataclass(frozen=True)
class Outcome:
    exercise: int
    right: bool
    text: str


@dataclass(frozen=True)
class Checked:
    lesson: str
    outcomes: list[Outcome]
    broken: list[str]

    @property
    def right(self) -> bool:
        return all(outcome.right for outcome in self.outcomes)


def check(path: Path) -> Checked:
    """Judges `answer_1` to `answer_3` of a notebook or a program.

    Raises ConfigError for a file of no lesson.
    """
    names, broken = _carried_out(path)
    lesson = names.get("lesson")
    if not isinstance(lesson, str) or lesson not in LESSONS:
        problem = f"; {broken[0]}" if broken else ""
        raise ConfigError(f"{path}: got lesson = {lesson!r}, expected one of {', '.join(LESSONS)}{problem}")
    outcomes = []
    for number, exercise in enumerate(LESSONS[lesson], 1):
        answer = names.get(f"answer_{number}")
        wrong = f"no answer yet: set answer_{number}" if answer is None else exercise.judge(answer)
        text = "" if wrong is None else wrong if answer is None else f"{wrong}. Hint: {exercise.hint}"
        outcomes.append(Outcome(number, wrong is None, text))
    return Checked(lesson, outcomes, broken)


def _carried_out(path: Path) -> tuple[dict[str, Any], list[str]]:
    names: dict[str, Any] = {"__name__": "__main__"}
    broken = []
    cells = list(_cells(path))
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(sys.stderr):
        for place, source in cells:
            try:
                exec(compile(source, place, "exec"), names)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                line = f"{place}: {traceback.format_exception_only(error)[-1].strip()}"
                broken.append(line)
    return names, broken


def _cells(path: Path) -> Iterator[tuple[str, str]]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".ipynb":
        yield str(path), text
        return
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"{path}: not a notebook (JSON with cells)") from None
    for number, source in enumerate(sources, 1):
        # Commands of the notebook itself are no Python.
        yield f"{path}, code cell {number}", "\n".join("" if line[:1] in "%!" else line for line in source.split("\n"))
