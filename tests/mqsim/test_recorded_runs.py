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

DIFFERENT = {
    "perf-trace-tpcc-wraps": "addresses of a trace wrap modulo the length of the range less one",
    "cost-trace-wsrch-wraps": "addresses of a trace wrap modulo the length of the range less one",
    "perf-hotcold-unaligned-large": "requests of hot and cold traffic may run over the end of the range",
}
"""Recorded runs that are not reproduced yet, each with what MQSim does and the importer does not."""


def cases() -> list[str]:
    if not RECORDED.exists():
        return ["all"]
    return list(json.loads(RECORDED.read_text()))


def test_no_case_got_lost(shared: Path) -> None:
    assert len(cases()) == RUNS


def parameters() -> list[object]:
    """Every recorded run; one that is not reproduced yet must fail, so that its mark goes when it no longer does."""
    marks = {name: [pytest.mark.xfail(strict=True, reason=reason)] for name, reason in DIFFERENT.items()}
    return [pytest.param(name, marks=marks.get(name, [])) for name in cases()]


@pytest.mark.parametrize("name", parameters())
def test_recorded_run_is_reproduced(name: str, shared: Path) -> None:
    command = Path(sys.executable).with_name("canaletto")
    checked = subprocess.run(
        [sys.executable, shared / "tools" / "check-mqsim", "--canaletto", command, name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
