import ast
import re
from collections.abc import Iterator
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


RUST = sorted((ROOT / "crates").rglob("*.rs"))
FUNCTION = re.compile(r"(\s*)(?:pub(?:\([a-z]+\))? )?(?:(?:const|async|unsafe|extern \"C\") )*fn (\w+)")


def functions(text: str) -> Iterator[tuple[str, int]]:
    """Names and lines of functions, by the indentation of rustfmt."""
    lines = text.splitlines()
    for start, line in enumerate(lines):
        if (found := FUNCTION.match(line)) and not line.endswith((";", "}")):
            ends = (at for at in range(start, len(lines)) if lines[at] in (f"{found[1]}}}", f"{found[1]});"))
            yield found[2], next(ends, start) - start + 1


@pytest.mark.parametrize("path", RUST, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_of_the_engine_and_its_functions_are_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 700
    assert [(name, lines) for name, lines in functions(text) if lines > 70] == []


def test_the_translation_layer_is_no_hub() -> None:
    """Other parts of it own their state; six files join them. A transaction has a kind and few fields."""
    files = [path for path in RUST if re.search(r"^impl(<.*>)? Ftl\b", path.read_text(), re.MULTILINE)]
    assert 1 <= len(files) <= 6, files
    text = (ROOT / "crates/canaletto/src/scheduler/transaction.rs").read_text()
    (body,) = re.findall(r"^pub struct Transaction \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    assert 1 <= len(re.findall(r"^    (?:pub(?:\(\w+\))? )?\w+:", body, re.MULTILINE)) <= 16


def test_keys_are_a_budget() -> None:
    text = (ROOT / "docs/generated/keys/design.md").read_text()
    # 300, and newer features' own: one for the energy of links in a package, which High Bandwidth Flash needs; three
    # that measured enterprise drives show under load (pacing, one queue, a latency per write); 18 for computation in
    # five places, one for pages that chips of a mesh send to each other, three for namespaces, the times of a write
    # and of an append, which differ in zoned drives, as the pages of a program do, and one for channels that decode a
    # page before the next one crosses, as two measured drives do, and one for errors that a chip finds in copies.
    assert 100 < text.count("\n| `") <= 300 + 1 + 3 + 18 + 1 + 3 + 3 + 1 + 1


def test_the_core_stays_small() -> None:
    """Rarely needed parts are plug-ins of `canaletto_extras`, a paper's parts are in `canaletto_papers`."""
    files = (ROOT / "python/canaletto").rglob("*.py")
    assert sum(len(file.read_text().splitlines()) for file in files) < 22_000
