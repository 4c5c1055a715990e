import json
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto_extras.course.checking import check
from canaletto_extras.course.lessons import LESSONS, SHARED, SMALL, Exercise
from conftest import REPOSITORY, Canaletto

COURSE = REPOSITORY / "python/canaletto_extras/course/notebooks"
NAMES = {"drive": "1-drive", "paths": "2-paths", "collection": "3-collection", "queues": "4-queues"}


def drive(**keys: Any) -> cn.Design:
    return cn.design("performance-optimized", **keys)


WRONG: dict[str, list[list[Any]]] = {
    "drive": [
        [7.36, 12.0, "10.77", True],
        [4, 64, 0, "many"],
        [drive(), drive(**{"fabric.link_rate": "2400MT/s", "geometry.channels": 16}), 5.6],
    ],
    "paths": [[73.0, 0.3], ["bus", "omnibus", "optical"], [drive(), drive(fabric="ideal"), "faster"]],
    "collection": [
        [3.8, 6.0],
        [0.15, 0.4, 23],
        [
            drive(**SMALL, **{"ftl.overprovisioning": 0.15, "gc.policy": "fifo"}),
            drive(**SMALL, **{"ftl.overprovisioning": 0.28}),
        ],
    ],
    "queues": [
        [20.7, 24.0],
        [1.0, 11.0],
        [drive(**SHARED), drive(**SHARED, **{"flash.program": "10us"}), drive(**SHARED, **{"host.fetch_limit": 1})],
    ],
}


def test_there_are_four_lessons_of_three_exercises() -> None:
    assert list(LESSONS) == list(NAMES) == list(WRONG)
    assert {len(exercises) for exercises in LESSONS.values()} == {3}
    assert {path.stem for path in COURSE.glob("*.ipynb")} == set(NAMES.values())


@pytest.mark.parametrize("lesson", NAMES)
def test_solutions_are_right(lesson: str) -> None:
    found = check(COURSE / "solutions" / f"{NAMES[lesson]}.py")
    assert (found.lesson, found.broken, found.right) == (lesson, [], True), found.outcomes


@pytest.mark.parametrize("lesson", NAMES)
def test_an_empty_lesson_runs_and_has_no_answers(lesson: str) -> None:
    found = check(COURSE / f"{NAMES[lesson]}.ipynb")
    assert (found.lesson, found.broken) == (lesson, [])
    texts = [outcome.text for outcome in found.outcomes]
    assert texts == [f"no answer yet: set answer_{number}" for number in (1, 2, 3)]


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        pytest.param(exercise, answer, id=f"{lesson}-{number}-{place}")
        for lesson, exercises in LESSONS.items()
        for number, (exercise, answers) in enumerate(zip(exercises, WRONG[lesson], strict=True), 1)
        for place, answer in enumerate(answers)
    ],
)
def test_a_wrong_answer_is_found(exercise: Exercise, answer: object) -> None:
    assert exercise.judge(answer)


def test_notebooks_have_no_outputs_and_ask_for_three_answers() -> None:
    for name in NAMES.values():
        cells = json.loads((COURSE / f"{name}.ipynb").read_text())["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert all(not cell["outputs"] for cell in code)
        asked = [source for cell in code if (source := "".join(cell["source"])).startswith("answer_")]
        assert [source.split(" ")[:3] for source in asked] == [[f"answer_{n}", "=", "None"] for n in (1, 2, 3)]
        assert sum(len("".join(cell["source"]).split()) for cell in cells) < 700


def test_the_command_gives_hints_and_a_status(canaletto: Canaletto) -> None:
    right = canaletto("course", "check", str(COURSE / "solutions/1-drive.py"))
    assert (right.status, right.out.count("right")) == (0, 3)
    (canaletto.folder / "mine.py").write_text("print('hello')\nlesson = 'drive'\nanswer_1 = 5\n1 / 0\n")
    wrong = canaletto("course", "check", "mine.py")
    assert wrong.status == 1
    assert "error in mine.py: ZeroDivisionError" in wrong.out
    assert "exercise 1: 5 is less than what the simulator gives. Hint: Only the transfers" in " ".join(
        wrong.out.split()
    )
    answer = canaletto("course", "check", "mine.py", "--json")
    found = json.loads(answer.out)
    assert (answer.status, found["lesson"], found["right"]) == (1, "drive", False)
    assert [each["right"] for each in found["outcomes"]] == [False, False, False]


def test_lessons_are_copied_and_checked_as_they_come(canaletto: Canaletto) -> None:
    copied = canaletto("course", "copy", "--solutions")
    home = canaletto.folder / "course"
    assert copied.status == 0
    assert {path.stem for path in home.glob("*.ipynb")} == set(NAMES.values())
    assert {path.stem for path in (home / "solutions").glob("*.py")} == set(NAMES.values())
    assert all("](../" not in path.read_text() for path in home.glob("*.ipynb"))
    lesson = check(home / "1-drive.ipynb")
    assert (lesson.lesson, lesson.broken, lesson.right) == ("drive", [], False)
    (home / "1-drive.ipynb").write_text("mine")
    again = canaletto("course", "copy")
    assert again.status == 2
    assert "course/1-drive.ipynb: exists already; expected a new file, or --force to replace it" in again.err
    assert (home / "1-drive.ipynb").read_text() == "mine"
    assert canaletto("course", "copy", "--force").status == 0
    assert (home / "1-drive.ipynb").read_text() != "mine"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("other.py", "x = 1", "got lesson = None, expected one of drive, paths, collection, queues"),
        ("torn.ipynb", '{"cells": [', "not a notebook"),
        ("list.ipynb", "[1, 2]", "not a notebook"),
        ("torn.py", "lesson = ", "SyntaxError"),
        ("gone.py", None, "gone.py"),
    ],
)
def test_a_file_that_is_no_lesson_is_refused(name: str, text: str | None, said: str, canaletto: Canaletto) -> None:
    if text is not None:
        (canaletto.folder / name).write_text(text)
    answer = canaletto("course", "check", name)
    assert answer.status == 2
    assert said in " ".join(answer.err.split())


def test_code_of_a_file_runs_in_a_folder_of_its_own(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    lines = ["lesson = 'queues'", "from pathlib import Path", "Path('left').write_text('x')", "answer_1 = 16.7"]
    program.write_text("\n".join([*lines, "import sys", "sys.exit(3)", ""]))
    found = check(program)
    assert [outcome.right for outcome in found.outcomes] == [True, False, False]
    assert found.broken == [f"{program}: SystemExit: 3"]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
