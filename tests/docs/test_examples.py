"""Every example in the documentation runs: shell lines that call canaletto, Python blocks, TOML files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = str(Path(sys.executable).parent / "canaletto")


def blocks(language: str) -> list[tuple[str, str]]:
    """(page, text) of every fenced block in a language."""
    found = []
    for page in PAGES:
        fences = re.findall(rf"^ *```{language}\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL)
        found += [(page.name, text) for text in fences]
    return found


def run(argv: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=300, env={**os.environ, **more})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples: some build on what earlier ones wrote."""
    return tmp_path_factory.mktemp("examples")


@pytest.mark.parametrize(("page", "text"), blocks("sh"))
def test_shell_examples_run(page: str, text: str, folder: Path) -> None:
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    commands = [line for line in lines if line.startswith(".venv/bin/canaletto")]
    assert commands, f"{page}: a shell block without a command"
    for command in commands:
        done = run([COMMAND, *command.split()[1:]], folder)
        assert done.returncode == 0, f"{page}: {command}\n{done.stderr}"


@pytest.mark.parametrize(("page", "text"), blocks("python"))
def test_python_examples_run(page: str, text: str, folder: Path) -> None:
    done = run([sys.executable, "-c", text], folder)
    assert done.returncode == 0, f"{page}:\n{done.stderr}"


@pytest.mark.parametrize(("page", "text"), blocks("toml"))
def test_toml_examples_load(page: str, text: str, folder: Path) -> None:
    lines = [line.strip() for line in text.splitlines()]
    (folder / "example.toml").write_text("\n".join(lines))
    done = run([COMMAND, "run", "example.toml", "--workload", "hm_0", "--dry-run"], folder)
    assert done.returncode == 0, f"{page}: {done.stderr}"


@pytest.mark.parametrize("command", ["compare", "run"])
def test_results_in_the_readme_are_what_comes_out(command: str, folder: Path) -> None:
    """The README's first result of each command, digit by digit (columns may be spaced otherwise)."""
    readme = (ROOT / "README.md").read_text()
    line, shown = re.findall(rf"```sh\n\S+/canaletto ({command} [^\n]*)\n```\n\n```\n(.*?)```", readme, re.DOTALL)[0]
    done = run([COMMAND, *line.split()], folder, COLUMNS="80")
    printed = {" ".join(line.split()) for line in done.stdout.splitlines()}
    for line in shown.splitlines():
        if line.strip() and not line.startswith(("cost", "…")):
            assert " ".join(line.split()) in printed, line
