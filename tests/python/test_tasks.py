from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from canaletto._report import animation, explanation
from canaletto._run import laboratory
from canaletto_papers import figures, verdicts
from canaletto_papers.figure import Row, Scale
from canaletto_papers.flows import flow, workload
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published

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


@pytest.mark.parametrize(
    ("fabric", "least"),
    [("bus", 0.85), ("omnibus", 0.85), ("clusters", 0.2), ("scheduled-mesh", 0.3), ("venice", 0.2), ("mesh", 0.5)],
)
def test_gathers_keep_within_their_bounds_where_chips_send_to_each_other(fabric: str, least: float) -> None:
    network = {"fabric.network.chip_to_chip": True} if fabric in ("venice", "mesh") else {}
    design = DESIGN.replace(fabric=fabric, **network, **{"compute.chip.rate": "100GB/s"})
    work = tasks("gather", "chip", "4KiB", 256, operands=4).replace(addresses="uniform")
    bound = cn.bound(design, work)
    iops = cn.run(design, work, records=False).to_dict()["iops"]
    assert least * bound.peak_iops < iops < 1.01 * bound.peak_iops


def test_operands_that_are_sensed_at_once_neither_cross_nor_take_a_read_each() -> None:
    design = DESIGN.replace(**{"link.lanes": 16, "compute.array.groups": 1})
    work = tasks("gather", "array", "4KiB", 256, operands=16, distance="512KiB")
    bound = cn.bound(design, work)
    assert bound.limit == "channels"
    iops = cn.run(design, work, records=False).to_dict()["iops"]
    assert 0.9 * bound.peak_iops < iops < 1.01 * bound.peak_iops


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


@pytest.mark.parametrize(("factor", "effects", "pairs"), [(1.0, 12, 6), (-1.0, 6, 0)])
def test_where_set_ups_are_unknown_effects_and_orders_are_judged(factor: float, effects: int, pairs: int) -> None:
    (figure,) = figures("compute", ["bitwise"])
    # Gains of half the published effect; or the other way round, over the host only.
    rows = [
        {"operands": operands, "over": over, "quantity": quantity, "ours": ours, "published": published}
        for operands in ("4", "16", "48")
        for quantity in ("rate", "energy")
        for over, published in (("ParaBit", 3.5), ("host", 32.0))
        for ours in [1 + (factor if over == "host" else 1.0) * (published - 1) / 64]
    ]
    judged = verdicts.judged([figure], {"bitwise": rows}, [])
    assert [(each.what, each.ours, each.published) for each in judged] == [
        ("effects: gains as printed", effects, 12),
        ("order by over: pairs as printed", pairs, 6),
    ]
    right = sum(each.verdict == verdicts.REPRODUCED for each in judged)
    assert verdicts.in_short(judged) == f"{right} of 2 orders and effects of systems as printed"


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


@pytest.mark.parametrize(
    ("at", "kind", "unit"),
    [("drive", "scan", "processors"), ("channel", "gather", "unit of channel "), ("chip", "gather", "unit of chip ")],
)
def test_traces_draw_the_units_that_compute(at: str, kind: str, unit: str, tmp_path: Path) -> None:
    found = cn.run(DESIGN, tasks(kind, at, "4KiB", 8)).timeline(limit=1_000_000, from_us=0, to_us=10_000)
    report = cn.run(DESIGN, tasks(kind, at, "4KiB", 8)).to_dict()["flows"][0]["compute"]
    works = found.spans.filter(pl.col("kind") == "compute")
    names = [found.parts[part]["name"] for part in works["part"]]
    assert names
    assert all(name.startswith(unit) for name in names)
    rate = {"drive": 4.0, "channel": 1.2, "chip": 1.2}[at]
    worked = (works["end_ps"] - works["start_ps"]).sum()
    assert worked == pytest.approx(report["operand_bytes"] / rate * 1e3, rel=1e-3)
    ordered = works.sort("part", "start_ps").with_columns(before=pl.col("end_ps").shift(1).over("part"))
    assert not ordered.filter(pl.col("start_ps") < pl.col("before")).height
    trace = published.Trace()
    found.save(tmp_path / "tasks.pftrace")
    trace.ParseFromString((tmp_path / "tasks.pftrace").read_bytes())
    tracks = {p.track_descriptor.uuid: p.track_descriptor.name for p in trace.packet if p.HasField("track_descriptor")}
    events = [p.track_event for p in trace.packet if p.HasField("track_event")]
    drawn = [tracks[e.track_uuid] for e in events if e.type == e.TYPE_SLICE_BEGIN and list(e.categories) == ["compute"]]
    # Units, and the same among what requests spend their time on.
    assert len([name for name in drawn if name.startswith(unit)]) == works.height
    assert drawn.count("requests") >= 2000


def test_explanations_name_the_chip_and_the_unit_that_is_waited_for(tmp_path: Path) -> None:
    design = DESIGN.replace(**{"fabric.link_rate": "100MB/s"})
    cn.run(design, tasks("gather", "chip", "4KiB", 8, distance="32KiB")).save(tmp_path / "run", report=False)
    found = cn.explain(tmp_path / "run", slowest=60).explanations
    moved = 0
    for each in found:
        (unit,) = {part for step in each.steps if step.cause == "compute" for part in step.parts}
        assert "(" + unit + ")" in " ".join(text for *_, text in explanation.lines(each))
        causes = [step.cause for step in each.steps]
        if "operand_transfer" in causes:
            # Its own chip no longer concerns it once it has left, nor its result.
            behind = each.steps[causes.index("data_transfer") + 1 :]
            assert {step.chip for step in behind} <= {None, unit.removeprefix("unit of ")}
            moved += 1
    assert moved >= 10
    cn.run(DESIGN, tasks("scan", "drive", "4KiB", 8)).save(tmp_path / "scan", report=False)
    (slowest,) = cn.explain(tmp_path / "scan", slowest=1).explanations
    (waited,) = (step for step in slowest.steps if step.cause == "compute")
    assert {holder.kind for holder in waited.holders} == {"compute"}
    assert slowest.request not in {holder.request for holder in waited.holders}


def test_animations_draw_operands_on_the_way_to_their_chip() -> None:
    given = cn.run(DESIGN, tasks("gather", "chip", "4KiB", 8, operands=3)).timeline(from_us=0, to_us=50)
    packed = animation.pack({"bus": given})
    assert packed
    (fabric,) = packed["fabrics"]
    spans, parts = fabric["spans"], fabric["parts"]
    kinds = {spans["kinds"][kind] for kind in spans["kind"]}
    assert {"compute", "data", "array_read"} <= kinds
    over = [(parts[part], parts[chip - 1]) for part, chip in zip(spans["part"], spans["chip"], strict=True) if chip]
    rows = [(wire[1], chip[1]) for wire, chip in over if wire[0] == "channel"]
    assert len(rows) > 50
    assert all(row == to for row, to in rows)
