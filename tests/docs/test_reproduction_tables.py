"""Does the tool fill the page's tables, and leave alone what was not run?"""

import runpy
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "reproduction_tables.py"


def test_tables_are_put_between_their_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "a\n<!-- table: venice-fig3 -->\n\nold\n\n<!-- end -->\nb\n<!-- table: x-y -->\nkept\n<!-- end -->\nc\n"
    )
    (tmp_path / "out" / "markdown").mkdir(parents=True)
    (tmp_path / "out" / "markdown" / "venice-fig3.md").write_text("| new |\n")
    tool = runpy.run_path(str(TOOL))
    tool["main"].__globals__["PAGES"] = [page]
    monkeypatch.setattr("sys.argv", ["tool", str(tmp_path / "out")])
    tool["main"]()
    filled = page.read_text()
    assert filled.startswith("a\n<!-- table: venice-fig3 -->\n\n| new |\n\n<!-- end -->\nb\n")
    assert filled.endswith("<!-- table: x-y -->\nkept\n<!-- end -->\nc\n")
    assert "x-y" in capsys.readouterr().err
    tool["main"]()
    assert page.read_text() == filled, "again changes nothing"


def test_every_marked_table_is_one_that_a_figure_makes() -> None:
    from canaletto_papers import SOURCES, figures

    made = {f"{source}-{figure.name}" for source in SOURCES for figure in figures(source)}
    made |= {f"{source}-{part}" for source in SOURCES for part in ("verdicts", "extent")}
    tool = runpy.run_path(str(TOOL))
    names = [
        block["name"] for page in tool["PAGES"] for block in tool["BLOCK"].finditer(page.read_text(encoding="utf-8"))
    ]
    assert len(names) > 10
    assert set(names) <= made
