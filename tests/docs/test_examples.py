"""Every example in the documentation runs.

A page is a test: its examples run in order in one folder, since later ones read what earlier ones wrote. A block of no
language right after shell lines is what they print.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Canaletto

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]


def blocks(page: str) -> list[tuple[int, str, str]]:
    text = (ROOT / page).read_text()
    fences = re.finditer(r"^ *```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, fence.start()) + 1, fence[1], fence[2]) for fence in fences]


def python(text: str, folder: Path, place: str) -> None:
    name = re.match(r"# (\w+\.py)\n", text)
    if name is not None:
        (folder / name[1]).write_text(text)
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{place}:\n{done.stderr}"


def shell(text: str, canaletto: Canaletto, place: str) -> str:
    lines = [line.split("#")[0].strip().removeprefix(".venv/bin/") for line in text.splitlines()]
    commands = [shlex.split(line) for line in lines if line.startswith("canaletto ")]
    assert commands, f"{place}: a shell block without a command"
    for program in {words[words.index("--run") + 1].split()[0] for words in commands if "--run" in words}:
        if shutil.which(program) is None:
            pytest.skip(f"{place}: {program} is not installed")
    return "".join(command(canaletto, place, *words) for _, *words in commands)


def command(canaletto: Canaletto, place: str, *words: str) -> str:
    answer = canaletto(*words)
    assert answer.status == 0, f"{place}: {words}\n{answer.err}"
    return answer.out


def toml(text: str, canaletto: Canaletto, place: str) -> None:
    name = re.match(r"# (at the end of )?(\w+\.toml)\n", text)
    if name is not None:
        file = canaletto.folder / name[2]
        file.write_text((file.read_text() if name[1] else "") + text)
        return
    (canaletto.folder / "example.toml").write_text("\n".join(line.strip() for line in text.splitlines()))
    files = ["performance-optimized", "example.toml"] if "[[flow]]" in text else ["example.toml", "hm_0"]
    command(canaletto, place, "run", files[0], "--workload", files[1], "--dry-run")


def assert_printed(shown: str, printed: str, place: str) -> None:
    lines = {" ".join(line.split()) for line in printed.splitlines()}
    for line in shown.splitlines():
        if line.strip() and not line.startswith(("cost", "…")):
            assert " ".join(line.split()) in lines, f"{place}: {line}"


@pytest.mark.parametrize("page", [page for page in PAGES if any(language for _, language, _ in blocks(page))])
def test_examples_of_a_page_run(page: str, canaletto: Canaletto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    printed = None
    for line, language, text in blocks(page):
        place = f"{page}:{line}"
        if language == "python":
            python(text, canaletto.folder, place)
        elif language == "toml":
            toml(text, canaletto, place)
        elif language == "" and printed is not None:
            assert_printed(text, printed, place)
        printed = shell(text, canaletto, place) if language == "sh" else None


def test_the_page_about_results_shows_what_its_first_two_commands_print() -> None:
    languages = [language for _, language, _ in blocks("docs/tutorial/reading.md")]
    first = languages.index("sh")
    assert languages[first : first + 4] == ["sh", "", "sh", ""]


def test_the_tutorial_runs(tmp_path: Path) -> None:
    """The site's build executes it as a notebook."""
    cells = json.loads((ROOT / "docs/tutorial/tutorial.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in cells), "outputs are made when the site is built"
    python("\n".join(code), tmp_path, "docs/tutorial/tutorial.ipynb")
