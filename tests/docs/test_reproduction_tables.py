import re
import runpy
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "reproduction_tables.py"


def test_made_tables_replace_included_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "reproduction").mkdir()
    fig3, kept = (tmp_path / "reproduction" / f"{name}.md" for name in ("venice-fig3", "x-y"))
    fig3.write_text("old\n")
    kept.write_text("kept\n")
    (tmp_path / "out" / "markdown").mkdir(parents=True)
    (tmp_path / "out" / "markdown" / "venice-fig3.md").write_text("| new |\n")
    tool = runpy.run_path(str(TOOL))
    tool["main"].__globals__["GENERATED"] = tmp_path
    monkeypatch.setattr("sys.argv", ["tool", str(tmp_path / "out")])
    tool["main"]()
    assert fig3.read_text() == f"{tool['MADE']}\n\n| new |\n"
    assert kept.read_text() == "kept\n"
    assert "x-y" in capsys.readouterr().err


def test_every_included_table_is_one_that_a_figure_makes() -> None:
    from canaletto_papers import SOURCES, figures

    made = {f"{source}-{figure.name}" for source in SOURCES for figure in figures(source)}
    made |= {f"{source}-{part}" for source in SOURCES for part in ("verdicts", "extent")}
    names = [file.stem for file in runpy.run_path(str(TOOL))["included"]()]
    assert len(names) > 10
    assert set(names) <= made


def test_numbers_of_the_first_section_are_in_its_tables() -> None:
    docs = TOOL.parents[1] / "docs"
    section = (
        (docs / "explanation/reproduction.md")
        .read_text()
        .partition("## When does Venice pay?")[2]
        .partition("\n## ")[0]
    )
    names = ("causes", "prior-holds", "prior-holds-variations")
    tables = " ".join((docs / f"generated/reproduction/venice-{name}.md").read_text() for name in names)
    cells = [float(cell) for cell in re.findall(r"(?<=\| )[0-9.]+(?= \|)", tables)]
    numbers = re.findall(r"(?<![0-9.])[0-9]+\.[0-9]+", section)
    assert len(numbers) > 20
    for number in numbers:
        digits = len(number.partition(".")[2])
        assert any(round(cell, digits) == float(number) for cell in cells), number
