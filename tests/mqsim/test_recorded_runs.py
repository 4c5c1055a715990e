"""Are MQSim's recorded runs reproduced?"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("name", cases())
def test_recorded_run_is_reproduced(name: str, shared: Path) -> None:
    command = Path(sys.executable).with_name("canaletto")
    checked = subprocess.run(
        [sys.executable, shared / "tools" / "check-mqsim", "--canaletto", command, name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
