"""Tasks: bounds agree with runs, results count what crosses, and published gains have the order of ours."""

from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto._run import laboratory
from canaletto_papers import figures
from canaletto_papers.figure import Row, Scale
from canaletto_papers.flows import flow, workload

DESIGN = cn.design("performance-optimized")


def tasks(kind: str, at: str, size: str, depth: int, **compute: Any) -> cn.Workload:
    shape = {"requests": 2000, "read_share": 1.0, "size": size, "queue_depth": depth, "addresses": "sequential"}
    return workload("tasks", [flow("tasks", shape, compute={"kind": kind, "at": at, **compute})])


@pytest.mark.parametrize(
    ("kind", "at", "keys", "limit"),
    [
        ("scan", "host", {}, "host link, to host"),
        ("scan", "drive", {"compute.drive.rate": "1GB/s"}, "units at drive"),
        ("scan", "channel", {"compute.channel.rate": "100MB/s"}, "units at channel"),
        ("scan", "chip", {"compute.chip.rate": "20MB/s"}, "units at chip"),
        ("gather", "drive", {"compute.drive.rate": "100GB/s"}, "channels"),
    ],
)
def test_bounds_of_tasks_are_what_runs_reach(kind: str, at: str, keys: dict[str, Any], limit: str) -> None:
    design = DESIGN.replace(**keys)
    work = tasks(kind, at, "4KiB" if kind == "gather" else "256KiB", 64 if kind == "scan" else 512)
    bound = cn.bound(design, work)
    assert bound.limit == limit
    iops = cn.run(design, work, records=False).to_dict()["iops"]
    assert 0.8 * bound.peak_iops < iops < 1.02 * bound.peak_iops


def test_tasks_next_to_others_have_no_closed_form() -> None:
    keys = tasks("scan", "chip", "4KiB", 8).to_dict()
    both = [{**keys["flow"][0], "name": name} for name in ("a", "b")]
    with pytest.raises(cn.ConfigError, match="expected one flow of generated tasks"):
        cn.bound(DESIGN, workload("both", both))


def test_requests_and_results_name_tasks() -> None:
    result = cn.run(DESIGN, tasks("gather", "chip", "4KiB", 8, operands=3))
    assert result.requests["op"].unique().to_list() == ["compute"]
    report = result.to_dict()["flows"][0]["compute"]
    assert report["tasks"] == 2000
    assert report["operand_bytes"] == 2000 * 3 * 4096
    assert report["in_bytes"] == report["out_bytes"]
    assert report["result_bytes"] == 2000 * 4096
    assert "operand_transfer" in result.to_dict()["root_cause_us"]["all"]


@pytest.mark.parametrize("at", ["host", "drive", "channel", "chip"])
def test_energy_of_units_is_part_of_the_total(at: str) -> None:
    both = tasks("scan", at, "16KiB", 8).to_dict()["flow"][0]
    work = workload("both", [{**both, "name": name} for name in ("a", "b")])
    found = cn.run(DESIGN, work, records=False).to_dict()
    parts = found["energy_mj"]
    assert parts["compute"] == pytest.approx(sum(flow["compute"]["energy_mj"] for flow in found["flows"]))
    assert parts["compute"] > 0
    assert parts["total"] == pytest.approx(sum(value for part, value in parts.items() if part != "total"))


def rows_of(name: str, kept: Path) -> list[Row]:
    (figure,) = figures("compute", [name])
    runs = figure.runs(Scale(quick=True))
    found = laboratory.carry_out(runs.values(), kept, lambda *_: None)
    return figure.table({label: found[run.key] for label, run in runs.items()})


def test_sensing_at_once_gains_with_the_number_of_operands(tmp_path: Path) -> None:
    rows = rows_of("bitwise", tmp_path)
    for over in ("ParaBit", "host"):
        gains = [row["ours"] for row in rows if (row["over"], row["quantity"]) == (over, "rate")]
        assert gains == sorted(gains)
        assert gains[0] < rows[0]["published"] < gains[-1] or over == "host"
    assert all(row["ours"] > 1 for row in rows)


def test_slow_links_gain_the_most(tmp_path: Path) -> None:
    rows = [row for row in rows_of("filters", tmp_path) if row["at"] == "channel"]
    fast, slow = ([row["ours"] for row in rows if name in row["drive"]] for name in ("PCIe", "SATA"))
    assert max(fast) < min(slow)
    # Channels over the link.
    assert max(slow) == pytest.approx(8 * 1.2 / 0.6, rel=0.15)


def test_timelines_of_tasks_name_their_causes() -> None:
    result = cn.run(DESIGN, tasks("gather", "chip", "4KiB", 8, operands=3))
    causes = set(result.timeline(limit=100_000).steps["cause"].unique())
    assert {"compute", "operand_transfer", "array_read"} <= causes
    assert not causes & {"completion", "transfer_of_others"} - set(result.to_dict()["blame_us"]["all"])
