from __future__ import annotations

import re
from typing import Any

import canaletto as cn
import polars as pl
import pytest
import small_runs
from canaletto._report import (
    array,
    bars,
    colours,
    comparison,
    lines,
    maintenance,
    notebook,
    page,
    sections,
    side_by_side,
    terminal,
)
from hypothesis import given
from hypothesis import strategies as st
from test_report import Page

FABRICS = ("bus", "venice")


def run(fabric: str = "bus", **changes: Any) -> dict[str, Any]:
    return small_runs.result(fabric, **(small_runs.worn(fabric) | changes)).to_dict()


def compared(**changes: Any) -> small_runs.Comparison:
    runs = [small_runs.result(fabric, **(small_runs.worn(fabric) | changes)) for fabric in FABRICS]
    return small_runs.Comparison(runs)


@pytest.fixture(scope="module")
def single() -> Page:
    return Page(page.html(small_runs.result("bus", **small_runs.worn())))


def test_sections_appear_only_where_something_happened(single: Page) -> None:
    names = {"collection", "wear", "caches"}
    assert names <= set(single.ids)
    assert not names & set(Page(page.html(small_runs.result("bus"))).ids)
    both = Page(comparison.html(compared()))
    assert names <= set(both.ids)
    worn = small_runs.worn()
    alone = Page(comparison.html(small_runs.Comparison([small_runs.result("bus", **worn), small_runs.result("ideal")])))
    assert names <= set(alone.ids)
    absent = worn | {"flash": None, "cache": None, "mapping": None, "precondition": None}
    assert not names & set(Page(page.html(small_runs.result("bus", **absent))).ids)


def test_a_run_of_an_older_version_has_its_section() -> None:
    flash = {"reads": 1, "programs": 2, "erases": 3, "write_amplification": None}
    old = small_runs.result("bus", flash=flash | {"gc": {"collections": 4, "pages_copied": 5}})
    found = Page(page.html(old))
    assert "Garbage collection chose 4 blocks. 5 pages were copied. It takes 0.0 % of" in found.words
    assert "wear" not in found.ids
    assert "gc" in dict(terminal.facts(old.to_dict()))


def test_the_sentences_say_when_why_and_whom(single: Page) -> None:
    text = " ".join(single.words.split())
    assert "chose 347 blocks: 300 because a plane was short of free blocks, 40 because a device-wide epoch" in text
    # The first 100 intervals of 12.5 us are quiet.
    assert "It began after 1.25 ms; from then on it worked in" in text
    # 347 collections of 900 us in 9 ms.
    assert "from choice to erase, 2.50 ms at most; on average 34.7 were under way at a time." in text
    assert "2 epochs took 4.00 ms on average" in text
    data = run()
    mean = sum(data["blame_us"]["all"].values())
    assert f"It takes {3.75 / mean * 100:.1f} % of the mean request's time" in text
    assert f"{1 / mean * 100:.1f} % programs and {2 / mean * 100:.1f} % erases)" in text


def test_collection_s_share_is_that_of_its_causes() -> None:
    data = run()
    for kind in ("all", "p99"):
        table = data["blame_us"][kind]
        found = maintenance.delay_shares(data, kind)
        assert list(found) == list(maintenance.COLLECTION)
        assert sum(found.values()) == pytest.approx(3.75 / sum(table.values()))
        spec = bars.collection([data], kind)
        assert spec is not None
        (rows,) = [rows for rows in spec["datasets"].values() if len(rows) > 1]
        assert sum(row["value"] for row in rows) == pytest.approx(100 * sum(found.values()), rel=1e-3)
    assert maintenance.delay_shares(small_runs.result("bus").to_dict(), "all") == {}
    assert bars.collection([small_runs.result("bus").to_dict()], "all") is None


def test_whom_collection_delayed() -> None:
    frame = pl.DataFrame(
        {
            "op": pl.Series(
                ["read", "write", "read", "write", "flush"], dtype=pl.Enum(["read", "write", "trim", "flush"])
            ),
            "chip_busy_erase_us": [0.0, 30.0, 5.0, 0.0, 0.0],
            "free_blocks_us": [0.0, 20.0, 0.0, 10.0, 0.0],
            "chip_busy_user_us": [9.0, 0.0, 0.0, 0.0, 1.0],
        }
    )

    class Kept:
        has_requests = True
        requests = frame

        def scan_requests(self) -> pl.LazyFrame:
            return self.requests.lazy()

    kept: Any = Kept()
    assert maintenance.delayed(kept) == [
        ["read", "1", "50.0 %", "5.00 µs", "5.00 µs"],
        ["write", "2", "100.0 %", "30.0 µs", "50.0 µs"],
        ["flush", "0", "0.0 %", "–", "0"],
    ]
    Kept.requests = frame.drop("chip_busy_erase_us", "free_blocks_us")
    assert maintenance.delayed(kept) == []
    Kept.has_requests = False
    assert maintenance.delayed(kept) == []


COUNTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=600)


@given(COUNTS, st.floats(0.001, 1e6))
def test_lines_over_time_keep_every_page_and_erase(counts: list[tuple[int, int, int]], width: float) -> None:
    host, copied, erases = (list(column) for column in zip(*counts, strict=True))
    series = {"interval_us": width, "host_pages": host, "pages_copied": copied, "erases": erases}
    length, rates = maintenance.erases_over_time(series)
    assert len(rates) <= 128
    rest = width * len(erases) - length * (len(rates) - 1)
    assert 0 < rest <= length * 1.0001
    total = sum(rate * length for rate in rates[:-1]) + rates[-1] * rest
    assert total == pytest.approx(1000 * sum(erases))
    _, line = maintenance.amplification_over_time(series)
    step = round(length / width)
    for place, value in enumerate(line):
        part = slice(place * step, (place + 1) * step)
        written = sum(host[part])
        assert value == (pytest.approx(1 + sum(copied[part]) / written) if written else None)


def test_the_histogram_holds_all_full_blocks() -> None:
    spec = lines.valid_pages([run(fabric) for fabric in FABRICS])
    assert spec is not None
    (rows,) = spec["datasets"].values()
    assert [row["fabric"] for row in rows] == list(FABRICS)
    for row in rows:
        assert row["valid"] == [5 * place for place in range(21)]
        assert sum(row["blocks"][:-1]) == pytest.approx(100, rel=1e-3)
        assert row["blocks"][10] == pytest.approx(100 * 200 / 647, rel=1e-3)
        assert row["blocks"][-1] == row["blocks"][-2]
    none = small_runs.worn()["flash"] | {"blocks": {"by_valid_share": [0] * 20}}
    assert lines.valid_pages([run(flash=none)]) is None


def test_axes_have_titles_with_units(single: Page) -> None:
    charts = single.charts()
    for name, title in {
        "amplification": "write amplification, mean",
        "erases": "blocks erased (1/ms)",
        "valid": "full blocks (%)",
    }.items():
        assert charts[f"{name}-spec"]["encoding"]["y"]["title"] == title
    assert charts["valid-spec"]["encoding"]["x"]["title"] == "valid pages of a block (%)"


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (4, 16), (40, 3)])
def test_wear_maps_of_any_shape(rows: int, columns: int) -> None:
    sizes = {"rows": rows, "columns": columns, "load": 40}
    data = small_runs.result("mesh", **(small_runs.worn("mesh", **sizes) | sizes)).to_dict()
    found = array.wear([data, small_runs.result("bus").to_dict()])
    assert found is not None
    (drawn,) = found["maps"]
    assert len(drawn["chips"]) == drawn["rows"] * drawn["columns"]
    assert (drawn["wires"], drawn["controllers"]) == ([], [])
    erases = [chip["erases"] for chip in data["map"]["chips"]]
    shown = [chip[2] for chip in drawn["chips"]]
    assert min(erases) * 0.99 <= min(shown) <= max(shown) <= found["top"] <= 2 * max(shown)
    if rows <= array.MAX_SIDE:
        assert shown == pytest.approx(erases, rel=1e-2)
    assert array.wear([small_runs.result("bus").to_dict()]) is None


@given(st.floats(1e-3, 1e6))
def test_the_scale_of_wear_is_round_and_reaches_the_most(most: float) -> None:
    chip = {"name": "chip 0,0", "row": 0, "column": 0, "array": 0, "port": 0, "erases": most}
    layout = {"rows": 1, "columns": 1, "chips": [chip], "controllers": [], "wires": []}
    found = array.wear([{"fabric": "bus", "map": layout}])
    assert found is not None
    assert found["maps"][0]["chips"][0][2] <= found["top"] * 1.0001
    assert float(f"{found['top']:.2g}") == found["top"]


def test_tables_name_figures_with_their_units(single: Page) -> None:
    rows = {name: values for name, *values in maintenance.figures([run()], "cache")}
    assert rows["capacity (pages)"] == ["64"]
    assert rows["power loss protection"] == ["yes"]
    assert rows["pages read: not in the cache"] == ["60"]
    before = {name: values for name, *values in maintenance.figures([run()], "precondition")}
    assert before["occupancy"] == ["80.0 %"]
    assert before["write amplification"] == ["2.12"]
    assert before["free blocks of a plane, mean"] == ["3.50"]
    mapping = {name: values for name, *values in maintenance.figures([run()], "mapping")}
    assert mapping["of these, with the page being read already"] == ["7"]
    wear = {name: values for name, *values in maintenance.figures([run()], "flash", "wear")}
    assert wear["host writes until blocks reach their endurance"] == ["2.50 TB"]
    blocks = {
        name: values for name, *values in maintenance.figures([run()], "flash", "blocks", only=["free_in_plane", "bad"])
    }
    assert blocks == {"free blocks of a plane, least and most": ["2 to 5"], "bad": ["3"]}
    assert "programs and erases suspended" in single.words
    # What is 0 everywhere is left out where only some figures are wanted.
    assert "pages copied by copyback" not in single.words
    assert maintenance.figures([run(mapping=None)], "mapping") == []
    assert maintenance.figures([run(mapping=None), run("venice")], "mapping")[0] == ["kind", "–", "demand paged"]


def test_hits() -> None:
    data = run()
    assert maintenance.hit_share(data["cache"]) == 0.3
    assert maintenance.hit_share(data["mapping"]) == 0.95
    assert maintenance.hit_share({"hits": 0, "misses": 0}) is None
    assert maintenance.hit_row([data, run("venice", cache=None)], "cache") == ["share of hits", "30.0 %", "–"]


def test_reasons_are_rows_with_a_column_a_fabric() -> None:
    other = small_runs.worn("venice")["flash"]
    other["gc"]["reasons"] = {"space": 5, "meteor_strike": 1}
    rows = maintenance.reasons([run(), run("venice", flash=other)])
    assert [row[1:] for row in rows] == [["300", "5"], ["40", "0"], ["7", "0"], ["0", "1"]]
    assert rows[-1][0] == "meteor strike"


def test_the_terminal_has_a_line_for_each() -> None:
    data = run()
    text = terminal.text(data)
    assert max(map(len, text.splitlines())) <= 80
    flat = " ".join(text.split())
    for said in (
        "gc 347 collections (300 space, 40 epoch, 7 wear)",
        "wear 1 to 9 erases per block, 4.25 on average · lasts for 2.50 TB of host writes",
        "medium 17 suspensions · 5 read retries · 3 bad blocks",
        "cache 30.0 % of page reads hit · 20 writes merged · 4 requests waited for room · 71 pages destaged",
        "mapping 95.0 % of look-ups hit · 51 translation pages read · 12 written",
        "initial steady · 60.0 % of 15,000 pages hold data · 100 free + 697 full + 3 bad = 800 blocks",
    ):
        assert said in flat
    labels = {label for label, _ in maintenance.facts(small_runs.result("bus").to_dict())}
    assert labels == set()
    assert "2.50 TB of host writes" in notebook.html(data)


def test_a_comparison_tells_collection_side_by_side() -> None:
    runs = [result.to_dict() for result in compared().runs]
    ((heads, *rows),) = side_by_side.collection(runs)
    assert [row[0] for row in rows] == list(FABRICS)
    assert all(len(row) == len(heads) for row in rows)
    assert rows[0][1:4] == ["347", maintenance.scaled(runs[0]["flash"]["gc"]["pages_copied"]), "43.0 %"]
    # More than eight have no room in 80 columns.
    many = [run(fabric) for fabric in list(small_runs.FABRICS)[:8]]
    text = side_by_side.text(many)
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    # Wires, figures, speedups, path conflicts, latency by cause of all requests and of the slowest 1 %, collection.
    assert side_by_side.html(runs).count("<table>") == 7
    assert side_by_side.collection([small_runs.result("bus").to_dict()]) == []


def test_failures_come_first() -> None:
    failing = small_runs.result("bus").to_dict()["requests"] | {"failed": 1234, "trims": 7, "flushes": 2}
    data = small_runs.result("bus", requests=failing)
    assert "1,234 requests were completed with an error." in terminal.text(data.to_dict()).splitlines()
    assert "7 trims, 2 flushes" in terminal.served(data.to_dict())
    assert '<p class="failed">1,234 requests' in page.html(data)
    assert "1,234 requests were completed" in notebook.html(data.to_dict())
    both = small_runs.Comparison([data, small_runs.result("venice")])
    said = "Requests were completed with an error: 1,234 on bus."
    assert said in side_by_side.text([each.to_dict() for each in both.runs])
    assert said in side_by_side.html([each.to_dict() for each in both.runs])
    assert said in Page(comparison.html(both)).words
    assert "error" not in terminal.text(small_runs.result("bus").to_dict())


def test_latencies_of_trims_and_flushes_are_told_where_there_are_any() -> None:
    data = small_runs.result("bus").to_dict()
    none = dict.fromkeys(data["latency_us"]["all"])
    some = {"latency_us": data["latency_us"] | {"trim": data["latency_us"]["read"], "flush": none}}
    kinds = re.findall(r"^(all|read|write|trim|flush) +[\d.]", terminal.text(data | some), re.MULTILINE)
    assert kinds == ["all", "read", "write", "trim"]
    shown = sections.latency([small_runs.result("bus", **some)])
    assert re.findall(r'<th scope="row">(\w+)', shown) == kinds
    assert re.findall(r'<th scope="row">(\w+)', notebook.latency_table(data | some)) == kinds


def test_every_cause_of_the_engine_has_a_colour_and_words() -> None:
    result = cn.run("performance-optimized", cn.workload("hm_0", requests=5), records=False)
    causes = result.timeline(from_us=0, to_us=1).header["causes"]
    assert len(causes) > 20
    assert set(causes) <= set(colours.CAUSES)


def test_rows_of_zeros_are_left_out() -> None:
    parts = [
        {"erases": 0, "copies": 3, "of_planes": [0, 0], "protected": False, "share": None},
        {"erases": 0, "copies": 0},
    ]
    rows = maintenance.figures([{"flash": {"wear": part}} for part in parts], "flash", "wear")
    assert [row[0] for row in rows] == ["copies", "protected"]
