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

# Cases of class `close` that hold by now; they are compared as `cases.json` says.
CLOSE = [
    "diag-2flows-high-low",
    "perfmini-precond-randread-4k-qd16",
    "perf-mix70-4k-qd16-cmt1G",
    "perf-randread-4k-qd16-cmt2M",
    "cost-mix70-16k-qd16-cmt1G",
    "cost-randread-16k-qd16-cmt2M",
    "cost-randread-16k-qd16-cmt64K-ws1",
    "perf-randwrite-4k-qd64-wcache",
    "perf-mix70-4k-qd16-wrcache",
    "cost-mix70-16k-qd64-wcache",
    "cost-randwrite-16k-qd64-wcache",
    "cost-trace-tpcc-small-wcache",
    "cost-trace-wsrch-small-wcache",
]
EXACT = 31


def cases() -> list[str]:
    if not RECORDED.exists():
        return ["all"]
    recorded = json.loads(RECORDED.read_text())
    return [name for name, case in recorded.items() if case["class"] == "exact"] + CLOSE


def test_no_case_got_lost(shared: Path) -> None:
    assert len(cases()) == EXACT + len(CLOSE)


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
