import csv
from pathlib import Path
from typing import Any

import pytest
from canaletto import ConfigError, attachments
from canaletto._run import config, simulate
from canaletto_papers import figures
from canaletto_papers.flows import flow, workload
from canaletto_papers.pc_ssd import breakdown, joint, max_improvement, real_traces, sensitivity, study


@pytest.mark.parametrize("kind", attachments.KINDS)
@pytest.mark.parametrize("scenario", attachments.SCENARIOS)
def test_steps_add_up(kind: str, scenario: str) -> None:
    for size in (512, 4096, 131072):
        found = attachments.simulate(kind, scenario, size)
        assert sum(found.steps_us.values()) == pytest.approx(found.total_us, rel=1e-9)
        assert 0 < found.without_inside_us < found.total_us


def test_a_read_by_hand() -> None:
    """A sector from the buffer over the north bridge's DRAM interface, in ns."""
    command = 20 + (20 + 37.5 + 30) + (7.5 + 17.5 + 10)
    data = 180 + (7.5 + 17.5 + 80) + 20 + (37.5 + 7.5 + 80)
    found = attachments.simulate("nbsp", "dma-read-hit", 512)
    assert found.total_us == pytest.approx((1000 + command + data + 20 + 1000) / 1e3, rel=1e-9)
    assert found.steps_us["driver"] == 2.0
    assert found.steps_us["command"] == pytest.approx(command / 1e3)
    assert found.steps_us["inside"] == pytest.approx(0.18)


def test_what_is_wrong_is_said() -> None:
    for call, message in [
        (lambda: attachments.simulate("xbsp", "dma-write", 512), "attachment.kind: unknown value `xbsp`"),
        (
            lambda: attachments.simulate("sbsp", "dma-writes", 512),
            'scenario: got "dma-writes", expected one of dma-read-miss,',
        ),
        (lambda: attachments.simulate("sbsp", "dma-write", 700), "bytes: got 700, expected a multiple of 512"),
        (lambda: attachments.simulate("sbsp", "dma-write", 0), "size: got 0, expected a whole number from 512"),
        (lambda: attachments.pc("sbsp", **{"attachment.interface": "ddr2"}), "a south bridge has no DRAM channel"),
        (
            lambda: attachments.pc("nbsp", **{"attachment.platform.dqs": False}),
            "expected true for nbsp with a ddr2 port",
        ),
        (lambda: attachments.pc("nbsp", **{"ssd.mis_latency": "1us"}), "did you mean `ssd.miss_latency`?"),
    ]:
        with pytest.raises(ConfigError, match=r"expected|unknown|south bridge") as caught:
            call()
        assert message in str(caught.value)


def test_a_simulated_drive_is_attached() -> None:
    work = workload("reads", [flow("reads", {"requests": 200, "read_share": 1.0, "size": "64KiB", "queue_depth": 4})])

    def run(kind: str) -> dict[str, Any]:
        drive = config.design("performance-optimized", **{"attachment.kind": kind})
        return simulate.run_once(drive, work, 1, 0, False, lambda *_: None)[0]

    found = {kind: run(kind) for kind in attachments.KINDS}
    speed = {kind: data["bandwidth_mb_s"] for kind, data in found.items()}
    # ATA carries 300 MB/s, and half of the data over a direct path double that.
    assert 285 < speed["sbsp"] < 300
    assert 570 < speed["sbdp"] < 600
    assert speed["nbsp"] > 2000
    used = {part["part"]: part["share"] for part in found["sbsp"]["utilisation"]}
    assert used["ATA"] > 0.95
    assert "direct path" not in used
    assert "link to host" not in used


def test_bounds_are_those_of_the_attachment() -> None:
    work = workload("reads", [flow("reads", {"requests": 1, "read_share": 1.0, "size": "4KiB", "queue_depth": 1})])
    drive = config.design("performance-optimized", **{"attachment.kind": "sbsp"})
    first, *_ = simulate.inspect(drive, work)["read_bounds"]
    assert first["resource"] == "attachment"
    assert first["limit_gb_s"] == pytest.approx(0.3, rel=1e-3)


def test_the_study_prints_every_published_number() -> None:
    rows = max_improvement.table({})
    for setting in {row["setting"] for row in rows}:
        printed = [row for row in rows if row["published"] and row["setting"] == setting]
        assert len(printed) == 5 * 3
        others = [row for row in rows if row["of_their_trace"] and row["setting"] == setting]
        assert len(others) == 4 * 3, "the slides' traces are not at hand, and their ratios not judged"
    assert {row["published"] for row in rows if row["operation"] == "DMA read hit"} == {8.70, 2.13, 28.56}
    shares = [row for row in breakdown.table({}) if row["published"]]
    assert len(shares) == 4 * 5 + 3


def test_ratios_are_of_times() -> None:
    ratio, size = study.best("NBSP", study.READ_HIT)
    each = [attachments.simulate(kind, study.READ_HIT, size).total_us for kind in ("sbsp", "nbsp")]
    assert ratio == pytest.approx(each[0] / each[1])
    assert all(study.gain("NBSP", study.READ_HIT, other) <= ratio for other in study.SIZES)


def test_shares_of_the_gain_are_all_of_it() -> None:
    for orders in breakdown.ORDERS.values():
        for order in orders:
            found = breakdown.shares(study.WRITE, order, 65536)
            assert sum(found.values()) == pytest.approx(100)
    north = attachments.simulate("nbsp", study.WRITE, 65536, **dict(breakdown.SATA)).total_us
    south, dram = (attachments.simulate(kind, study.WRITE, 65536).total_us for kind in ("sbsp", "nbsp"))
    first = breakdown.shares(study.WRITE, breakdown.ORDERS["NBSP"][0], 65536)
    assert first[breakdown.SOUTH] == pytest.approx(100 * (south - north) / (south - dram))


def test_a_fifth_of_the_reads_are_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANALETTO_SHARED", raising=False)
    assert real_traces.sources() == real_traces.PROFILES
    hit, miss, write = (
        attachments.simulate("nbdp", scenario, 4096).total_us
        for scenario in (study.READ_HIT, study.READ_MISS, study.WRITE)
    )
    asked = (((4096, 10),), ((4000, 3),))
    assert real_traces.total_us("nbdp", asked) == pytest.approx(2 * hit + 8 * miss + 3 * write)
    reads, writes = real_traces.requests("hm_0")
    assert sum(count for _, count in (*reads, *writes)) == real_traces.REQUESTS


def test_settings_are_half_and_double() -> None:
    tried = list(sensitivity.settings())
    assert ("ssd.miss_latency", "25us") in tried
    assert ("ssd.miss_latency", "100us") in tried
    assert ("attachment.ata.rate", "150MB/s") in tried
    assert ("attachment.dma.write_window", "2") in tried
    assert ("attachment.dma.write_window", "1") not in tried
    assert {key for key, _ in tried} == {*sensitivity.SCALED, *sensitivity.CHOICES}
    assert sensitivity.is_assumed("ssd.miss_latency")
    assert sensitivity.is_assumed("attachment.direct.division")
    assert not sensitivity.is_assumed("attachment.ddr.rate")
    for key, setting in tried:
        attachments.pc("nbdp", **{key: setting})


def test_what_there_is_to_see(canaletto: Any, tmp_path: Path) -> None:
    found = canaletto.ok("reproduce", "pc-ssd", "max-improvement", "breakdown", "--json", "--out", "here").json
    assert [row["published"] for row in found["figures"]["max-improvement"]][:3] == [1.31, 1.60, 2.29]
    with (tmp_path / "here" / "pc-ssd-breakdown.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["at_bytes"] for row in rows} == {"512", "65536", "131072"}
    assert len([row for row in rows if row["at_bytes"] == "131072"]) == 5 * (2 + 3 * 3)
    names = [figure.name for figure in figures("pc-ssd")]
    assert names[:8] == [
        "read-miss",
        "read-hit",
        "write",
        "page-fault",
        "network-download",
        "real-traces",
        "max-improvement",
        "breakdown",
    ]


def test_parameters_are_chosen_by_half_of_the_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in joint.GROUPS["buses and the drive"]:
        assert each.default in each.values, each.keys
        for value in each.values:
            attachments.pc("sbsp", **dict.fromkeys(each.keys, value))
    odd, even = map(set, joint.HALVES.values())
    assert odd | even == set(joint.RATIOS)
    assert not odd & even
    assert len(joint.RATIOS) == 15
    # A made-up study: odd ratios come out with slow ports and short chunks together, even ones as the PC is.
    wanted = {("attachment.ata.rate", "133MB/s"), ("attachment.dma.chunk", "64B")}

    def errors(keys: study.Keys) -> dict[tuple[str, str], float]:
        return {ratio: float(len(set(keys) ^ wanted) if ratio in odd else len(keys)) for ratio in joint.RATIOS}

    monkeypatch.setattr(joint, "errors", errors)
    found = {half: joint.nearest.__wrapped__("buses", half) for half in joint.HALVES}
    assert set(joint.keys_of(joint.BUSES, found["odd ratios"])) == wanted
    assert joint.keys_of(joint.BUSES, found["even ratios"]) == ()


def test_tables_of_parameters_that_are_chosen_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "GROUPS", {"buses and the drive": joint.INSIDE[:2]})
    monkeypatch.setattr(joint, "nearest", joint.nearest.__wrapped__)
    rows, values = joint.table({}), joint.values({})
    assert {row["chosen by"] for row in rows} == set(joint.HALVES)
    assert all(1 < row["chosen half, found"] <= row["chosen half, defaults"] and row["ours"] > 1 for row in rows)
    assert any(row["chosen half, found"] < row["chosen half, defaults"] for row in rows)
    for value, each in zip(values, joint.INSIDE[:2], strict=True):
        assert all(value[f"by {half}"] in each.values for half in joint.HALVES)
