"""Kills a sweep at random moments until it is done: `python tests/cli/kill_sweep.py 200` kills 200 times."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
from canaletto._sweeping import work

COMMAND = Path(sys.executable).with_name("canaletto")
SWEEP = """design = "performance-optimized"
workload = "hm_0"
requests = 300
[grid]
fabric = ["bus", "venice"]
seed = { from = 1, to = 10, step = 1 }
"""
POINTS = 20


def kill_until_done(home: Path, kills: int, seed: int) -> None:
    moments = random.Random(seed)
    (home / "sweep.toml").write_text(SWEEP)
    begun = time.monotonic()
    run(home, "whole")
    took_s = time.monotonic() - begun
    expected = table(home / "whole")
    while kills:
        out = f"killed-{kills}"
        while kills and not (home / out / "table.parquet").exists():
            before = records(home / out)
            process = start(home, out)
            # From its beginning to its end, however fast the machine is.
            time.sleep(moments.uniform(0.0, took_s))
            if process.poll() is None:
                process.kill()
                kills -= 1
            process.communicate()
            assert before <= records(home / out), "a record is lost"
        run(home, out)
        assert table(home / out).equals(expected)
        assert len(records(home / out)) == POINTS


def start(home: Path, out: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "CANALETTO_POINTS": str(home / f"points-{out}")}
    words = [COMMAND, "sweep", "sweep.toml", "--out", out, "--no-report"]
    return subprocess.Popen(words, cwd=home, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(home: Path, out: str) -> None:
    process = start(home, out)
    _, said = process.communicate()
    assert process.returncode == 0, said


def records(path: Path) -> set[str]:
    found = {file.stem: file.read_bytes() for file in path.glob("points/*/[0-9a-f]*.json")}
    assert all(work.opened(key, content) for key, content in found.items()), "a torn record"
    return set(found)


def table(path: Path) -> pl.DataFrame:
    found = pl.read_parquet(path / "table.parquet")
    return found.drop([name for name in found.columns if name.startswith("machine_")])


if __name__ == "__main__":
    with TemporaryDirectory() as home:
        kill_until_done(Path(home), int(sys.argv[1]), seed=1)
    sys.stdout.write(f"killed {sys.argv[1]} times: nothing lost, nothing twice, nothing torn\n")
