import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

# 2 × 2 chips with two planes of 16 blocks of 8 pages each: collection comes early, and never stops.
SMALL = (
    *("geometry.channels=2", "geometry.chips_per_channel=2", "geometry.blocks_per_plane=16"),
    *("geometry.pages_per_block=8", "ftl.overprovisioning=0.3", "gc.threshold=0.2", "gc.hard_threshold=0.1"),
)
MIXED = [f"workload.flow.0.synthetic.{key}" for key in ("read_share=0.3", "trim_share=0.05", "flush_share=0.02")]
WORDS = (
    *("performance-optimized", "--workload", "hm_0", "--requests", "3000", "--queue-depth", "16"),
    *(word for setting in (*SMALL, *MIXED) for word in ("--set", setting)),
)
COLLECTION = ("free_blocks", "chip_busy_gc_read", "chip_busy_gc_program", "chip_busy_erase")


def test_the_json_tells_what_collection_did(canaletto: Any) -> None:
    found = canaletto.ok("run", *WORDS, "--json").json
    requests, flash = found["requests"], found["flash"]
    assert requests["failed"] == 0
    assert sum(requests[kind] for kind in ("reads", "writes", "trims", "flushes")) == requests["completed"] == 3000
    assert requests["trims"] > 0
    assert found["latency_us"]["flush"]["mean"] > 0
    assert flash["gc"]["collections"] == sum(flash["gc"]["reasons"].values()) > 100
    assert flash["write_amplification"] > 1.3
    series = flash["series"]
    assert sum(series["pages_copied"]) == flash["gc"]["pages_copied"]
    assert sum(series["host_pages"]) == flash["host_pages"]
    chips = found["map"]["chips"]
    assert sum(chip["erases"] for chip in chips) / len(chips) == pytest.approx(flash["wear"]["erases_mean"])
    blame = found["blame_us"]["all"]
    assert all(blame[cause] > 0 for cause in COLLECTION)
    assert sum(blame.values()) == pytest.approx(found["latency_us"]["all"]["mean"], rel=1e-9)


def test_the_summary_has_its_lines(canaletto: Any) -> None:
    text = canaletto.ok("run", *WORDS, COLUMNS="80").out
    assert max(map(len, text.splitlines())) <= 80
    for line in (
        r"^gc +[\d,]+ collections \([\d,]+ space",
        r"^wear +\d+ to \d+ erases per block",
        r"^trim +",
        r"^flush +",
    ):
        assert re.search(line, text, re.MULTILINE), line
    assert "chip busy (GC programs)" in text
    quiet = canaletto.ok("run", "performance-optimized", "--workload", "hm_0", "--requests", "300").out
    assert not re.search(r"^(gc|wear|trim|flush|cache|mapping) ", quiet, re.MULTILINE)


def test_reports_have_the_sections(canaletto: Any, tmp_path: Path) -> None:
    canaletto.ok("run", *WORDS, "--out", "a")
    canaletto.ok("compare", *WORDS, "--fabrics", "bus,venice", "--out", "c")
    requests = pl.read_parquet(tmp_path / "a" / "requests.parquet")
    assert set(requests["op"]) == {"read", "write", "trim", "flush"}
    delayed = requests.filter(pl.sum_horizontal(f"{cause}_us" for cause in COLLECTION) > 0)
    reads = delayed.filter(pl.col("op") == "read").height
    for name in ("a", "c"):
        page = (tmp_path / name / "report.html").read_text()
        assert '<section id="collection">' in page
        assert '<section id="wear">' in page
        assert "a plane was short of free blocks" in page
        assert 'id="wear-map-data"' in page
    assert f'<th scope="row">read</th><td>{reads:,}</td>' in (tmp_path / "a" / "report.html").read_text()


def test_explanations_name_collection(canaletto: Any) -> None:
    canaletto.ok("run", *WORDS, "--out", "a")
    steps = [
        step
        for each in canaletto.ok("explain", "a", "--slowest", "5", "--json").json["requests"]
        for step in each["steps"]
        if step["cause"] in COLLECTION and step["duration_ps"] > 10_000_000
    ]
    assert {"chip_busy_gc_program", "chip_busy_erase"} <= {step["cause"] for step in steps}
    for step in steps:
        assert {holder["request"] for holder in step["holders"]} == {None}
        held = sum(holder["time_ps"] for holder in step["holders"])
        assert step["duration_ps"] / 2 < held, step
        if step["cause"] != "free_blocks":
            assert held <= step["duration_ps"] * 1.05, step
