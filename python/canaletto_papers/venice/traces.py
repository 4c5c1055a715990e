"""Recorded traces at full speed.

Method: all requests of a trace are there at once and wait for room in the submission queue, so that the drive is as
busy as the trace can make it. `ours` is the execution time over the baseline's on the performance-optimized SSD, with
its host link and with one that limits nothing.

Assumptions: the traces are pieces of those that the paper names, or of their families; addresses beyond the drive are
wrapped. They are looked for in the folder `traces` of the folder that the environment variable CANALETTO_SHARED names;
without it nothing is run. Nothing is published of them.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from canaletto._report.charts import Spec
from canaletto._run import config

from canaletto_papers.bars import fabric_colours, grouped
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale
from canaletto_papers.venice.causes import UNLIMITED
from canaletto_papers.venice.evaluation import BASELINE, PERFORMANCE, SYSTEMS, drive, execution_time

FILES = {
    "web search": "mqsim/wsrch-small.trace",
    "TPC-C": "mqsim/tpcc-small.trace",
    "RocksDB": "ycsb_rocksdb/ssdtrace-sample10k.blkparse.gz",
    "hm_0": "msr/hm_0-sample1000.csv.gz",
    "MSR 1006": "msr/msr.cut.per_10k.most_thpt_rand_iops.1006.trace.gz",
    "MSR 105": "msr/msr.cut.per_10k.rw_20_80.105.trace.gz",
    "CloudPhysics": "cloudphysics/cloudPhysicsIO-2h.csv.gz",
    "LUN0": "systor17/systor17-traces-sample.csv.gz",
}

HOSTS: dict[str, Mapping[str, Any]] = {"8 GB/s": {}, "no limit": UNLIMITED}


def there() -> dict[str, Path]:
    if "CANALETTO_SHARED" not in os.environ:
        return {}
    folder = Path(os.environ["CANALETTO_SHARED"]) / "traces"
    return {name: folder / file for name, file in FILES.items() if (folder / file).exists()}


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for name, path in there().items():
        most = scale.of(20_000, 1_000)
        work = config.workload(path, requests=most, as_fast_as_possible=True, out_of_range="wrap")
        for host, keys in HOSTS.items():
            for system in SYSTEMS:
                found[name, host, system] = Run(drive(PERFORMANCE, system, **keys), work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    """One line that says so without traces."""
    if not found:
        missing = "none: CANALETTO_SHARED names no folder with traces"
        return [{"trace": missing, "host": None, "system": None, "ours": None, "published": None}]
    return [
        {
            "trace": name,
            "host": host,
            "system": system,
            "ours": execution_time(data, found[name, host, BASELINE]),
            "published": None,
        }
        for (name, host, system), data in found.items()
        if system != BASELINE
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for host in HOSTS:
        if shown := [row for row in rows if row["host"] == host]:
            title = "speedup over Baseline, times"
            drawn[f"host link: {host}"] = grouped(shown, "trace", title, fabric_colours(SYSTEMS))
    return drawn


GRIDS = {f"host link: {host}": Grid("trace", "system", {"host": host}) for host in HOSTS}

FIGURE = Figure("traces", "Recorded traces at full speed", __doc__, runs, table, chart, grids=GRIDS)
