import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Canaletto

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("CANALETTO_SHARED", REPOSITORY.parent / "shared"))
RECORDED = SHARED / "reference" / "mqsim" / "cases.json"
TABLES = SHARED / "cases" / "mqsim-tables"

RUNS = 50
CLOSE = {"perfmini-precond-randread-4k-qd16": "steady state"}
"""Runs that may differ, with a word of the reason."""


def cases() -> list[str]:
    if not RECORDED.exists():
        return ["all"]
    return list(json.loads(RECORDED.read_text()))


def tables() -> list[str]:
    if not TABLES.exists():
        return ["all"]
    return sorted(case.parent.name for case in TABLES.glob("*/expected.json"))


def test_no_case_got_lost(shared: Path) -> None:
    assert len(cases()) == RUNS


@pytest.fixture
def demanding(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    folder.mkdir()
    recorded = json.loads(RECORDED.read_text())
    for name, case in recorded.items():
        case["class"] = "close" if name in CLOSE else "exact"
        (folder / name).symlink_to(RECORDED.parent / name)
    (folder / "cases.json").write_text(json.dumps(recorded))
    return folder


# The checker leaves it to the end of its process to close what it read.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", cases())
def test_recorded_run_is_reproduced(
    name: str,
    demanding: Path,
    shared: Path,
    canaletto: Canaletto,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found: list[dict[str, Any]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        answer = canaletto(*command[1:])
        found.extend(json.loads(answer.out)["scenarios"] if not answer.status else [])
        return SimpleNamespace(returncode=answer.status, stdout=answer.out, stderr=answer.err)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["check-mqsim", "--cases", str(demanding), name])
    with pytest.raises(SystemExit) as checked:
        runpy.run_path(str(shared / "tools" / "check-mqsim"))
    assert not checked.value.code, capsys.readouterr().out
    (scenario,) = found
    assert scenario["class"] == ("close" if name in CLOSE else "exact"), scenario["why"]
    assert CLOSE.get(name, "") in " ".join(scenario["why"])


@pytest.mark.parametrize("name", tables())
def test_default_drive_with_cached_tables(name: str, shared: Path, canaletto: Canaletto) -> None:
    case = shared / "cases" / "mqsim-tables" / name
    expected = json.loads((case / "expected.json").read_text())
    files = ["-i", case / "ssdconfig.xml", "-w", case / "workload.xml"]
    (scenario,) = canaletto.ok("mqsim", *files, "--json").json["scenarios"]
    (flow,) = scenario["flows"]
    response = flow["device_response_ns"]
    times = {f"{which}_us": int(response[which] // 1000) for which in ("mean", "min", "max")}
    assert {"count": flow["completed"], "reads": flow["reads"], **times} == expected
    assert scenario["class"] == "exact", scenario["why"]
