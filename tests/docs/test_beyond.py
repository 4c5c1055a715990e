import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from canaletto._report import colours

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "explanation/beyond.md").read_text(encoding="utf-8")
MARKED = {
    table.stem: table.read_text(encoding="utf-8").partition("-->\n\n")[2].removesuffix("\n")
    for table in (DOCS / "generated" / "beyond").glob("*.md")
}


@pytest.fixture(scope="module")
def beyond() -> Iterator[ModuleType]:
    sys.path.insert(0, str(DOCS))
    try:
        yield importlib.import_module("beyond")
    finally:
        sys.path.remove(str(DOCS))


def lines_of(table: str) -> list[list[str]]:
    lines = [line for line in table.splitlines() if line and not line.startswith("| --- ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_table_is_one_that_the_script_makes(beyond: ModuleType) -> None:
    # Real traces are not part of the repository; where they are absent their table stays as it is.
    assert set(MARKED) == set(beyond.TABLES) | {"traces"}


@pytest.mark.parametrize("name", sorted(set(MARKED) - {"chart", "losses"}))
def test_tables_are_whole(name: str) -> None:
    head, *rows = lines_of(MARKED[name])
    assert rows
    assert {len(row) for row in rows} == {len(head)}
    assert all(cell for row in rows for cell in row[1:])


def test_losses_come_first() -> None:
    assert PAGE.index("## Where ours loses") == PAGE.index("\n## ") + 1
    assert PAGE.index("(../generated/beyond/losses.md)") == PAGE.index("(../generated/")


@pytest.mark.parametrize("name", ["knees", "rates", "shares", "tails"])
def test_every_kind_of_load_is_at_every_place(beyond: ModuleType, name: str) -> None:
    head, *rows = lines_of(MARKED[name])
    cases = [f"{kind}, {place}" for kind in beyond.KINDS for place in beyond.PLACES]
    assert [case for case, row in zip(cases, rows, strict=True) if not row[0].startswith(case)] == []
    fabrics = beyond.FABRICS[:-1] if name == "shares" else beyond.FABRICS
    assert head[1:] == [beyond.named(fabric) for fabric in fabrics]


def test_every_profile_of_the_paper_is_there(beyond: ModuleType) -> None:
    labels = [row[0] for row in lines_of(MARKED["profiles"])[1:]]
    assert labels == [f"{name}, {pace}" for pace in beyond.PACES for name in beyond.TABLE2]
    assert len(beyond.TABLE2) == 19


def test_budgets_are_those_of_the_package(beyond: ModuleType) -> None:
    """`.venv/bin/python docs/beyond.py --write budgets` mends it."""
    assert MARKED["budgets"] == "\n".join(beyond.budgets())


def test_losses_are_counted_and_named(beyond: ModuleType) -> None:
    counted, listed = (lines_of(part) for part in MARKED["losses"].split("\n\n"))
    assert counted[0][2:] == [beyond.named(name) for name in beyond.OURS]
    for title, _, *cells in counted[1:]:
        rows = [row for row in listed[1:] if row[0].startswith(f"{title}: ")]
        for place, name in enumerate(beyond.LISTED):
            behind = [float(row[2 + place].removesuffix(" %")) for row in rows]
            count = int(cells[list(beyond.OURS).index(name)].split(",")[0])
            # Cells are rounded: what is listed at -2.0 % may be below or above the limit.
            assert sum(each < -2 for each in behind) <= count <= sum(each <= -2 for each in behind)


def test_lost_rows_have_a_number_and_the_worst(beyond: ModuleType) -> None:
    assert beyond.lost([0.3, -0.01, -0.04, -0.25]) == "2, -25 %"
    assert beyond.lost([0.3, -0.01]) == "0"


def test_margins_know_which_way_is_better(beyond: ModuleType) -> None:
    values = {**dict.fromkeys(beyond.PAPERS, 8.0), "omnibus": 10.0, "venice": None}
    ours = dict(zip(beyond.OURS, (12.0, 9.0, None), strict=True))
    more = beyond.margins(beyond.Grid("", {}, "", True), {**values, **ours})
    assert more == ("omnibus", dict(zip(beyond.OURS, (0.2, -0.1, -1.0), strict=True)))
    best, fewer = beyond.margins(beyond.Grid("", {}, "", False), {**values, **ours})
    assert best != "omnibus"
    assert fewer == dict(zip(beyond.OURS, (-0.5, -0.125, -1.0), strict=True))


def test_the_highest_rate_is_found(beyond: ModuleType) -> None:
    highest = sys.modules["beyond_runs"].highest
    assert highest(lambda rate: rate, 30.0, 100.0) == pytest.approx(30.0, abs=100 / 256)
    assert highest(lambda rate: rate, 300.0, 100.0) == 100.0


def test_the_chart_has_the_fabrics_colours(beyond: ModuleType) -> None:
    picture = (DOCS / "assets" / "beyond.svg").read_text(encoding="utf-8").lower()
    shown = [*beyond.PAPERS, "scheduled-mesh", "clusters"]
    named = [name for name in shown if colours.fabric(name).lower() not in picture]
    # Black may be written in short.
    assert [name for name in named if name != "bus"] == []
    assert MARKED["chart"].endswith("(../assets/beyond.svg)")
