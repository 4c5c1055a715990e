import csv
import random
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto_papers import verdicts
from canaletto_papers.fdp import cache, lmcache
from canaletto_papers.figure import Scale


def counted_rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def test_reads_of_a_zoned_drive_are_near_the_measured_ones(canaletto: Any, tmp_path: Path) -> None:
    canaletto.ok("reproduce", "zns", "reads", "agreement", "--quick", "--out", "zns")
    (path,), (counts,) = ((tmp_path / "zns").rglob(f"*{name}*.csv") for name in ("reads", "agreement"))
    rows = [row for row in csv.DictReader(path.read_text().splitlines()) if row["what"] == "p50_us"]
    near = [row for row in rows if abs(float(row["ours"]) / float(row["published"]) - 1) < 0.15]
    assert len(rows) >= 90
    assert len(near) > 0.75 * len(rows)
    tails = [row for row in counted_rows(counts) if row["lines"].startswith("reads") and row["what"].startswith("p99")]
    assert sum(int(row["ours"]) for row in tails) >= 0.75 * len(rows)
    counted = counted_rows(counts)
    medians = [row for row in counted if row["lines"].startswith("reads") and row["what"].startswith("p50")]
    assert sum(int(row["ours"]) for row in medians) == len(near)
    assert sum(int(row["of"]) for row in medians) == len(rows)
    (signs,) = (row for row in counted if row["what"] == "signs above noise")
    assert (int(signs["of"]), int(signs["ours"]) > 0.95 * int(signs["of"])) == (77, True)
    (written,) = (row for row in counted if row["lines"] == "appends" and row["what"].startswith("iops"))
    assert int(written["ours"]) > 0.75 * int(written["of"])


def test_handles_keep_a_log_from_being_copied_with_objects() -> None:
    runs = cache.runs(Scale(quick=True))
    wanted = {"50%", "50%, 50 % small objects", "100%", "100%, 64 % buckets"}
    found = {
        label: cn.run(run.design, run.workload, records=False, root_causes=False).to_dict()
        for label, run in runs.items()
        if label[1] in wanted
    }
    rows = cache.table(found)
    half, full, few, large = rows
    # Objects die before their unit is collected, the log does not: about its tenth of each unit is copied.
    assert half["without"] == pytest.approx(1 / 0.9, abs=0.06)
    # A log that is half of what is written goes round before units are collected.
    assert few["without"] == 1.0
    assert full["without"] > half["without"] + 0.4
    assert max(row["with"] for row in (half, full, few)) < 1.01
    assert large["with"] == pytest.approx(large["theorem"], rel=0.15)
    assert cache.chart(rows)


def test_what_a_paper_does_not_state_is_not_judged() -> None:
    line = {"in_use": "50%", "without": 1.2, "with": 1.0, "ours": 1.2, "published": 1.3}
    rows = [line | {"changed": cache.NOTHING}, line | {"changed": "50 % small objects", "ours": 1.0}]
    (effects,) = verdicts.judged([cache.FIGURE], {"cache": rows}, [])
    assert (effects.ours, effects.published, effects.verdict) == (1, 1, verdicts.REPRODUCED)


def test_a_cache_of_language_models_replaces_the_object_used_least_recently() -> None:
    class First(random.Random):
        def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:
            return list(population)[:k]

    reads_the_first = lmcache.Worker("chat", 64, 1, 1, 1, 1, 2)
    (slots,) = zip(*islice(reads_the_first.passes(lmcache.ALL, First()), 8), strict=True)
    assert slots == (0, 1, 2, 3, 1, 2, 3, 1), "the first object stays"
    (slots,) = zip(*islice(replace(reads_the_first, period=0).passes(lmcache.ALL, First()), 8), strict=True)
    assert slots == (0, 1, 2, 3, 0, 1, 2, 3), "the oldest first"


def test_handles_help_a_cache_of_language_models() -> None:
    replays = [lmcache.Replay(system, lmcache.ALL, lmcache.EQUAL, 70, lmcache.TURNS) for system in lmcache.PUBLISHED]
    found = {(each.system, each.touched, each.shares, "70"): each.simulate(lambda *_: True) for each in replays}
    (row,) = rows = lmcache.table(found)
    assert row["without"] > row["with"] + 0.1 > 1.2
    assert row["ours"] == row["without"] / row["with"]
    assert not verdicts.judged([lmcache.FIGURE], {"lmcache": rows}, []), "what no source states is not judged"
    assert lmcache.chart(rows)
