import csv
from pathlib import Path
from typing import Any

import canaletto as cn
from canaletto_papers.fdp import cache
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
    (written,) = (row for row in counted if row["lines"] == "appends" and row["what"].startswith("iops"))
    assert int(written["ours"]) > 0.75 * int(written["of"])


def test_handles_keep_a_log_from_being_copied_with_objects() -> None:
    runs = cache.runs(Scale(quick=True))
    wanted = {
        label: run for label, run in runs.items() if label[1:3] == ("1.0", "0.5") and label[0] != cache.PERSISTENT
    }
    found = {
        label: cn.run(run.design, run.workload, records=False, root_causes=False).to_dict()
        for label, run in wanted.items()
    }
    rows = {row["system"]: row for row in cache.table(found)}
    # Copies of the log are saved, and little is left to copy.
    assert rows[cache.WITHOUT]["ours"] > 3.0
    assert 1.0 <= rows[cache.INITIAL]["ours"] < 1.5
    assert cache.chart(list(rows.values()))
