"""Files, functions and the core's package stay small."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {"python/canaletto/result.py"}
FILES = [
    path
    for folder in ("python", "tools", "docs", "tests", "rtl", "benches", "paper")
    for path in (ROOT / folder).rglob("*.py")
    if str(path.relative_to(ROOT)) not in GENERATED
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_and_its_functions_are_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 700
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            told = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
            assert node.end_lineno - node.lineno + 1 - told <= 70, f"{node.name} in line {node.lineno}"


def test_the_core_stays_small() -> None:
    """Rarely needed parts are plug-ins of `canaletto_extras`, a paper's parts are in `canaletto_papers`."""
    files = (ROOT / "python/canaletto").rglob("*.py")
    assert sum(len(file.read_text().splitlines()) for file in files) < 22_000
