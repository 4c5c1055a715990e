"""Common parts: the drives that were measured, as presets, the hosts that measured them, and their requests.

The drives of Western Digital and Samsung are presets, calibrated from these measurements as far as eight requests were
outstanding. Hosts are calibrated in the same way: SPDK polls, so that its software is the time of submission that fio
prints. With io_uring on one core there is also the time of an interrupt, side by side for all completions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from canaletto._run import config
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Run, Scale
from canaletto_papers.flows import flow, workload

TLC980, MLC970, ZN540 = "Samsung 980 PRO 1 TB", "Samsung 970 PRO 512 GB", "WD ZN540 1 TB"
PRESETS = {TLC980: "pcie4-tlc-980pro", MLC970: "pcie3-mlc-970pro", ZN540: "pcie4-tlc-zn540"}

SPDK, IO_URING = "SPDK", "io_uring"
HOSTS: Mapping[tuple[str, str], Mapping[str, str]] = {
    # Measured: slat_mean_ns of fio, which submits from one core.
    (TLC980, SPDK): {"host.submit_time": "178ns"},
    (ZN540, SPDK): {"host.submit_time": "150ns"},
    # Submission measured: 2.3 us. Of the 6.1 us more between submission and completion at depth 1, next to SPDK, how
    # much fills the core is not known; assumed 1 us, as 113,000 requests per second of one core leave 8.8 us for each.
    (TLC980, IO_URING): {
        "host.submit_time": "2.3us",
        "host.complete_time": "1us",
        "host.interrupt_latency": "5.1us",
    },
}


@cache
def design(drive: str, engine: str | None = None) -> Design:
    made = config.quiet_design(PRESETS[drive])
    return made if engine is None else made.replace(**HOSTS[drive, engine])


def requests(number: int, size: str, depth: int, **keys: Any) -> Workload:
    shape = {"requests": number, "read_share": 1.0, "size": size, "alignment": size, "queue_depth": depth, **keys}
    return workload("measured", [flow("measured", shape)])


def extent(scale: Scale) -> int:
    return scale.of(40_000, 4_000)


CUTS = 200


@dataclass(frozen=True)
class WithQuantiles(Run):
    @property
    def key(self) -> str:
        return f"{super().key[:26]}-{CUTS}"

    def simulate(self, report: Any) -> dict[str, Any]:
        import numpy as np
        from canaletto._run import simulate

        data, rows = simulate.run_once(self.design, self.workload, self.seed, 0, True, report, root_causes=False)
        assert rows is not None
        latencies = rows.scan().select("latency_us").collect()["latency_us"].to_numpy()
        parts = (np.arange(CUTS) + 0.5) / CUTS
        return {**data, "quantiles_us": [float(cut) for cut in np.quantile(latencies, parts)]}


def measures(data: Data) -> dict[str, float | None]:
    found = data["latency_us"]["all"]
    return {
        "IOPS": data["iops"],
        "mean, us": found["mean"],
        "50th percentile, us": found["p50"],
        "99th percentile, us": found["p99"],
    }


def error_percent(ours: float | None, theirs: float) -> float | None:
    return None if ours is None else (ours / theirs - 1) * 100
