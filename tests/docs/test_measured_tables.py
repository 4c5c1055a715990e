"""A line of each table is measured again. `make tables` mends them."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import canaletto as cn
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> list[str]:
    tables = (DOCS / "generated" / name).glob("*.md")
    return [line for table in tables for line in table.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def script(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(DOCS))
    yield importlib.import_module(request.param)
    sys.modules.pop(request.param)


@pytest.mark.parametrize("script", ["fabrics"], indirect=True)
def test_fabrics(script: ModuleType) -> None:
    work = script.synthetic("one row", script.PLACES["one row"], 1.0, "64KiB", 8, script.SIZES["64KiB"])
    result = cn.compare("performance-optimized", work, script.FABRICS, records=False, progress=False)
    assert script.row("64KiB, 8", result, "iops") in page("fabrics")


@pytest.mark.parametrize("script", ["small-reads"], indirect=True)
def test_small_reads(script: ModuleType) -> None:
    found = [script.peak(fabric, "uniform", "90:10", "16 KiB")["iops"] / 1e6 for fabric in script.FABRICS]
    assert script.line("uniform, 90:10, 16 KiB", found) in page("small-reads")


@pytest.mark.parametrize("script", ["energy"], indirect=True)
def test_energy(script: ModuleType) -> None:
    assert script.line(0.9, script.powers(0.9)) in page("energy")


@pytest.mark.parametrize("script", ["numbering"], indirect=True)
def test_numbering(script: ModuleType) -> None:
    case = ("commands", "latin", "a quarter on a chip", "16 KiB")
    found = [script.peak(fabric, *case) * 16384 / 1e9 for fabric in script.FABRICS]
    assert script.line("16 KiB, a quarter on a chip, commands, latin", found) in page("numbering")


CASE = "reads, half on a row"


@pytest.mark.parametrize("script", ["beyond"], indirect=True)
def test_beyond(script: ModuleType) -> None:
    table = (DOCS / "generated" / "beyond" / "knees.md").read_text(encoding="utf-8").splitlines()
    head, row = (next(line for line in table if line.startswith(f"| {label} |")) for label in ("knee, GB/s", CASE))
    cells = dict(zip(head.split(" | "), row.split(" | "), strict=True))
    assert cells["`clusters`"] == f"{script.gb(script.knee('clusters', *CASE.split(', '))):.1f}"
