import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OURS = set(PROJECT["tool"]["maturin"]["python-packages"])
NAMES = {"vl-convert-python": "vl_convert"}
"""Packages that are imported by another name."""


def declared(requirements: list[str]) -> set[str]:
    found = {re.match(r"[\w-]+", each)[0] for each in requirements}  # type: ignore[index]
    return {NAMES.get(name, name.replace("-", "_")) for name in found}


def imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
        yield from {name.split(".")[0] for name in names} - sys.stdlib_module_names - OURS - {"_signal"}


USUAL = declared(PROJECT["project"]["dependencies"])
EXTRAS = declared(
    [each for name in ("cluster", "search") for each in PROJECT["project"]["optional-dependencies"][name]]
)


def test_every_package_of_the_folder_is_in_the_wheel() -> None:
    assert {path.parent.name for path in (ROOT / "python").glob("*/__init__.py")} == OURS


def test_packages_import_what_is_declared() -> None:
    found: dict[str, set[str]] = {
        name: {each for path in (ROOT / "python" / name).rglob("*.py") for each in imported(path.read_text())}
        for name in OURS
    }
    assert set().union(*found.values()) - USUAL - EXTRAS == set()
    # The extras are those of one package.
    assert {name for name, packages in found.items() if packages & EXTRAS} == {"canaletto_extras"}


@pytest.mark.parametrize("notebook", sorted((ROOT / "docs").rglob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_import_what_is_declared(notebook: Path) -> None:
    cells = json.loads(notebook.read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert set(imported("\n".join(texts))) <= USUAL
