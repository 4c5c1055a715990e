import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from canaletto._run import names

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def presets() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_presets", DOCS / "presets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(DOCS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(DOCS))
    return module


def test_every_preset_has_a_page_a_row_and_a_place_on_the_site() -> None:
    index, site = (DOCS / "reference/presets.md").read_text(), (DOCS.parent / "mkdocs.yml").read_text()
    for name in names.presets():
        page = (DOCS / "reference/presets" / f"{name}.md").read_text()
        assert page.startswith(f"# {name}\n")
        headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
        assert {"Inside", "Figures and their sources", "Measured", "Limits", "Not known", "Sources"} <= set(headings)
        assert f"\n| [`{name}`](presets/{name}.md) |" in index
        assert f"{name}: reference/presets/{name}.md\n" in site
    pages = {page.stem for page in (DOCS / "reference/presets").glob("*.md")}
    assert pages == set(names.presets())


def test_tables_are_those_of_the_script(presets: ModuleType) -> None:
    """`.venv/bin/python docs/presets.py --write` mends it."""
    for name, (page, lines) in presets.TABLES.items():
        made = presets.tables.file(name, "\n".join(lines()), "presets.py")
        assert presets.tables.place(page, name).read_text() == made, f"{page}: {name}"


def test_every_source_that_is_listed_is_cited(presets: ModuleType) -> None:
    pages = [DOCS / "reference/presets.md", *(DOCS / "reference/presets").glob("*.md")]
    cited = "".join(page.read_text() for page in pages)
    assert [tag for tag in presets.SOURCES if f"[{tag}]" not in cited] == []


def test_pictures_have_the_dies_of_their_drives(presets: ModuleType) -> None:
    rows = [line for line in "\n".join(presets.inside("pcie3-z-nand")).splitlines() if "[▣" in line]
    # Three of eight channels are drawn, each with four chips of four dies.
    assert [row.count("▣") for row in rows] == [16, 16, 16]
    assert all(row.endswith("[▣▣▣▣]") for row in rows)
