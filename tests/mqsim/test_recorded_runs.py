"""Are MQSim's recorded runs reproduced?"""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import Canaletto

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("CANALETTO_SHARED", REPOSITORY.parent / "shared"))
RECORDED = SHARED / "reference" / "mqsim" / "cases.json"

RUNS = 50


def cases() -> list[str]:
    if not RECORDED.exists():
        return ["all"]
    return list(json.loads(RECORDED.read_text()))


def test_no_case_got_lost(shared: Path) -> None:
    assert len(cases()) == RUNS


# The checker leaves it to the end of its process to close what it read.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", cases())
def test_recorded_run_is_reproduced(
    name: str, shared: Path, canaletto: Canaletto, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[str], **_: object) -> SimpleNamespace:
        """In place of `subprocess.run`: without loading the package for each."""
        answer = canaletto(*command[1:])
        return SimpleNamespace(returncode=answer.status, stdout=answer.out, stderr=answer.err)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["check-mqsim", name])
    with pytest.raises(SystemExit) as checked:
        runpy.run_path(str(shared / "tools" / "check-mqsim"))
    assert not checked.value.code, capsys.readouterr().out
