"""`benches/against-mqsim` with a stand-in for MQSim that takes a known time."""

import os
import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benches" / "against-mqsim"

# Takes a hundredth of a second to start, and as long as a second of CPU for any number of requests but one.
STAND_IN = """#!{python} -S
import sys, time
requests = open(sys.argv[4]).read().split("<Total_Requests_To_Generate>")[1].split("<")[0]
assert sys.argv[1:] == ["-i", "ssdconfig.xml", "-w", "workload.xml"] and "Page_Capacity" in open(sys.argv[2]).read()
with open({log!r}, "a") as log:
    log.write(requests + " ")
while time.process_time() < (1 if int(requests) > 1 else 0.01):
    pass
"""


def measure(mqsim: Path | None, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MQSIM": str(mqsim or "")}
    command = [sys.executable, str(SCRIPT), *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_both_are_measured_with_and_without_start_up(tmp_path: Path) -> None:
    stand_in, log = tmp_path / "mqsim", tmp_path / "log"
    stand_in.write_text(STAND_IN.format(python=sys.executable, log=str(log)))
    stand_in.chmod(0o755)
    measured = measure(stand_in, "--requests", "1000", "--runs", "1")
    assert measured.returncode == 0, measured.stderr
    assert log.read_text() == "1000 1 "
    rows = {line[:18].strip(): line[18:].split() for line in measured.stdout.splitlines()}
    whole, start, rest = map(float, rows["MQSim"])
    assert 0.9 <= whole <= 1.5
    assert start < 0.5
    ours, our_start, _ = map(float, rows["canaletto mqsim"])
    ratio, without_start = map(float, rows["ratio"])
    assert abs(rest - (whole - start)) < 0.02
    assert abs(ratio - whole / ours) < 0.1 * ratio + 0.1
    # A thousand requests take no time next to the start.
    assert our_start > 0.05
    assert without_start > ratio


def test_a_program_that_fails_is_shown(tmp_path: Path) -> None:
    stand_in = tmp_path / "mqsim"
    stand_in.write_text("#!/bin/sh\necho 'no such tag' >&2\nexit 3\n")
    stand_in.chmod(0o755)
    measured = measure(stand_in, "--requests", "1000", "--runs", "1")
    assert measured.returncode == 1
    assert re.search(r"exit status 3:\nno such tag", measured.stderr)


def test_mqsim_must_be_named() -> None:
    measured = measure(None)
    assert measured.returncode == 1
    assert measured.stderr == "against-mqsim: set MQSIM to the path of a built MQSim\n"
