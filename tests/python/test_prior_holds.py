import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from canaletto._run.laboratory import carry_out
from canaletto_papers import figures
from canaletto_papers.figure import Run, Scale
from canaletto_papers.reproduce import _listed, _opening
from canaletto_papers.venice import prior_holds, prior_search
from canaletto_papers.venice.evaluation import COST, PERFORMANCE
from canaletto_papers.verdicts import CHANGED, judged

QUICK = Scale(quick=True)
RUNS = cache(prior_holds.runs)
SHORT = prior_holds.traffic("src2_1", 30.0, 100)


def result(time_us: float) -> dict[str, Any]:
    return {
        "execution_time_us": time_us,
        "requests": {"completed": 400},
        "iops": 1e6 / time_us,
        "latency_us": {"all": {"mean": time_us, "p99": 2 * time_us}},
        "path_conflicts": {"free_request_share": 0.5},
        "energy_detail": {"paper": {"average_power_mw": 5.0, "energy_mj": time_us}},
        "average_power_mw": 5.0,
        "energy_mj": {"total": time_us, "array": 1.0, "fabric": 1.0, "static": 1.0},
    }


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    took = {"Venice": 62.5, "ideal": 45.0}
    return prior_holds.table({label: result(took.get(label[4], 100.0)) for label in RUNS(QUICK)})


def test_prior_designs_hold_and_venice_releases() -> None:
    runs = {label[4]: run.design.to_dict()["fabric"] for label, run in RUNS(QUICK).items()}
    held = {system: fabric["hold_path"] for system, fabric in runs.items()}
    assert held == dict.fromkeys(("Baseline", "pSSD", "pnSSD", "NoSSD"), "always") | {
        "Venice": "never",
        "ideal": "never",
    }
    assert (runs["NoSSD"]["kind"], runs["NoSSD"]["custom"]["route"]) == ("custom", "x-then-y")
    assert (runs["pnSSD"]["kind"], runs["pnSSD"]["omnibus"]["transfers_per_controller"]) == ("omnibus", 1)
    assert {run.seed for label, run in prior_holds.runs(Scale()).items() if label[:2] == (COST, "1")} == {1, 2, 3}
    assert {run.seed for run in prior_holds.runs(Scale(seeds=2)).values()} == {1, 2}


def test_its_columns_are_those_that_others_read(rows: list[dict[str, Any]]) -> None:
    assert {"drive", "what", "ours", "published"} <= set(rows[0])
    here = [row for row in rows if (row["drive"], row["figure"]) == (COST, "fig9")]
    venice = next(row for row in here if row["what"] == "Venice, average")
    assert (venice["ours"], venice["published"]) == (pytest.approx(1.6), 1.67)
    assert {row["size"] for row in rows} == {"400 requests, 1 seed"}, "as in the result above"


def test_the_spread_over_seeds_stands_next_to_the_headline() -> None:
    took = {"1": 60.0, "2": 62.0, "3": 64.0}
    rows = prior_holds.table(
        {label: result(took[label[5]] if label[4] == "Venice" else 100.0) for label in prior_holds.runs(Scale(seeds=3))}
    )
    spread = {(row["setting"], row["drive"]) for row in rows if row["half_width"]}
    assert spread == {("arrivals 1 times as fast", COST), ("arrivals 30 times as fast", PERFORMANCE)}
    heading = prior_holds.FIGURE.short_tables(rows)[0][0][0]
    assert [column.partition(" [")[0] for column in heading[1:]] == [
        "published",
        "arrivals 1 times as fast",
        "± arrivals 1 times as fast",
    ]


def test_what_speaks_for_and_against_stands_beside_every_number(rows: list[dict[str, Any]]) -> None:
    said = {(row["figure"], row["what"]): row["speaks"] for row in rows if row["setting"].startswith("arrivals 30")}
    assert all("for: " in each and "against: " in each for each in said.values())
    venice, over = said["fig9", "Venice, average"], said["fig9", "Venice over pnSSD, average"]
    assert "Fig. 3" in venice, "the baseline holds, against the paper's example"
    assert "Fig. 3" not in over
    assert "Networked SSD" in over
    assert "Fig. 15" in said["fig15", "8x8, Venice over Baseline, average"]
    assert "not Table 2's" in venice
    for grid in prior_holds.GRIDS.values():
        lines, columns = grid.parts(rows)
        kept = [row for row in rows if all(row[column] == value for column, value in grid.where.items())]
        for row in kept:
            shown = {*lines[row["what"]], *columns[row["setting"]]}
            assert shown == {row["size"], *row["speaks"].split("; ")}, row


def test_its_numbers_are_those_of_the_figures(rows: list[dict[str, Any]]) -> None:
    table = Path(__file__).parents[2] / "docs/generated/reproduction/venice-verdicts.md"
    known = re.findall(r"^\| (fig[^|]*) \| ([^|]*) \|", table.read_text(), re.MULTILINE)
    names = {(figure, what) for several, what in known for figure in several.split(", ")}
    named = {(row["figure"], prior_holds.spelt(row)) for row in rows if row["published"]}
    assert named <= names, named - names
    assert {figure for figure, _ in named} == {f"fig{number}" for number in (9, 10, 11, 12, 13, 14, 15)}


def test_numbers_that_it_gives_are_reproduced_under_a_change(rows: list[dict[str, Any]]) -> None:
    fig9 = figures("venice", ["fig9"])[0]
    shared = {"ssd": COST, "traffic": "profile", "load": "open loop"}
    pairs = [("Venice", 1.67), ("Venice over pSSD", 1.52), ("Venice over pnSSD", 1.55), ("Venice over NoSSD", 1.47)]
    stated = [
        {**shared, "system": system, "workload": "average", "ours": 1.0, "published": known} for system, known in pairs
    ]
    named = {f"{system}, average" for system, _ in pairs[:3]}
    tried = [row for row in rows if row["what"] in named]
    found = judged([fig9, prior_holds.FIGURE], {"fig9": stated, "prior-holds": tried}, ())
    venice = next(each for each in found if each.what == f"{COST}, Venice, average")
    assert (venice.verdict, venice.changed) == (CHANGED, pytest.approx(1.6))
    assert "Fig. 3" in venice.because


def test_allocations_that_differ_in_the_place_of_d_are_one(tmp_path: Path) -> None:
    orders = prior_search.ORDERS
    assert len(orders) == 6
    assert len({order for several in orders.values() for order in several}) == 24
    for several in orders.values():
        runs = [Run(prior_holds.drive(COST, "Baseline", **{"ftl.allocation": order}), SHORT) for order in several]
        data = carry_out(runs, tmp_path, lambda *_: None)
        assert len({data[run.key]["execution_time_us"] for run in runs}) == 1, several


def test_each_variation_changes_something_and_the_search_prints_the_nearest() -> None:
    runs = prior_search.variations(QUICK)
    keys = {label: run.key for label, run in runs.items()}
    for change in prior_search.VARIATIONS:
        same = all(keys[ssd, change, *rest] == keys[ssd, "as it is", *rest] for ssd, at, *rest in keys if at == change)
        named = {f"arrivals {rate:g} times as fast" for rate in prior_holds.CHOSEN.values()}
        assert change == "as it is" or not same or change in named, change
    took = {"Venice": 60.0}
    found = {
        label: result(took.get(label[5], 100.0) if label[1] == "30" else 100.0)
        for label in prior_search.searched(QUICK)
    }
    rows = prior_search.best(found)
    assert {row["drive"] for row in rows} == {COST, PERFORMANCE, prior_search.BOTH}
    assert {row["rate"] for row in rows} == {"30"}, "where Venice gains"
    judged = [row for row in rows if row["drive"] == PERFORMANCE]
    assert all(row[figure] >= 1.0 for row in judged for figure in prior_search.JUDGES)
    assert len({row["combination"] for row in judged}) == prior_search.BEST
    apart = [row["ours"] for row in rows if row["drive"] == COST]
    assert len(apart) == prior_search.BEST
    assert apart == sorted(apart)


def full(figure: str, drive: str, setting: str) -> dict[str, float]:
    table = Path(__file__).parents[2] / "docs/generated/reproduction/venice-prior-holds.md"
    grid = table.read_text(encoding="utf-8").partition(f"({drive}, Fig. {figure})")[2].partition("\n\n")[0].splitlines()
    cells = [[re.sub(r" \[.*", "", cell.strip()) for cell in line.strip(" |").split("|")] for line in grid]
    column = 1 + cells[0].index(setting)
    return {line[0]: float(line[column]) for line in cells[2:]}


def test_a_quick_run_has_the_signs_of_the_full_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = sum(run.requests for run in RUNS(QUICK).values())
    assert requests < 4_000_000, "three minutes of one processor at 22,000 requests per second"
    monkeypatch.setattr(prior_holds, "extent", lambda *_: 400)
    # A sixteenth of the blocks: the arrays and the interconnects stay, and the state before a run is computed sooner.
    monkeypatch.setattr(prior_holds, "drive", partial(prior_holds.drive, **{"geometry.blocks_per_plane": 64}))
    runs = {label: run for label, run in prior_holds.runs(QUICK).items() if label[2] == "8x8"}
    settings = {(drive, f"{rate:g}"): f"arrivals {rate:g} times as fast" for drive, rate in prior_holds.CHOSEN.items()}
    settings[PERFORMANCE, prior_holds.MIXES] = "mixes at Table 3's rates"
    compared = 0
    for (drive, rate), setting in settings.items():
        chosen = {label: run for label, run in runs.items() if label[:2] == (drive, rate)}
        data = carry_out(chosen.values(), tmp_path, lambda *_: None)
        here = prior_holds.Compared({label: data[run.key] for label, run in chosen.items()}, drive, rate)
        mixes = rate == prior_holds.MIXES
        known = full("12" if mixes else "9", drive, setting)
        for _, what, ours, _ in prior_holds.of_mixes(here) if mixes else prior_holds.speedups(here, drive):
            if abs(known[what] - 1) > 0.05:
                assert ours
                assert (ours - 1) * (known[what] - 1) > 0, (drive, what, ours, known[what])
                compared += 1
    assert compared > 16


def test_its_page_has_the_notes_and_says_where_the_verdicts_are(rows: list[dict[str, Any]]) -> None:
    assert "pages that also have the figures" in _opening((), {"prior-holds": rows}, "")
    assert _opening((), {"made": [{"published": None}]}, "").startswith("Nothing is published")
    assert _opening((), {"prior-holds": rows}, "--quick, 796 runs").startswith("--quick, 796 runs. Ours")
    page = " ".join(_listed("venice", prior_holds.FIGURE, rows))
    assert "against: Fig. 13, three quarters of the baseline&#x27;s requests meet no conflict" in page
    assert "&amp;#x27;" not in page, "escaped once"


def test_a_page_has_no_column_for_numbers_that_nobody_published() -> None:
    figure = figures("networked-ssd", ["table-on-die-ecc"])[0]
    rows = [{"choice": "none", "ours": 1.0, "published": None}]
    assert "published" not in " ".join(_listed("networked-ssd", figure, rows))
    rows.append({"choice": "detect", "ours": 1.0, "published": 1.5})
    assert "published" in " ".join(_listed("networked-ssd", figure, rows))


def test_figures_at_published_rates_say_why_their_charts_are_flat() -> None:
    assert all(figure.flat for figure in figures("venice", ["fig4", "fig9", "fig10", "fig15"]))
