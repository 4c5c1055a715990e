"""The attachments in front of a simulated drive.

Method: the performance-optimized drive of Venice's Table 1 behind each attachment instead of its PCIe link: random
reads and writes of 4 KiB and 64 KiB, one and 16 outstanding. Mean latency, the part of it between host and drive, and
throughput; `ours` is the ratio of SBSP's mean latency to the attachment's.

Assumptions: as in the attachments; requests are NVMe's, whose queues are in main memory. A simulated drive has one
inside behind both of its ports, unlike the fixed-latency one. One seed; nothing of it was published.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec
from canaletto._run import config

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.pc_ssd.study import BASELINE, SHADES, SYSTEMS

DRIVE = "performance-optimized"
SIZES_KIB = (4, 64)
DEPTHS = (1, 16)
SHARES = {"reads": 1.0, "writes": 0.0}


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for what, share in SHARES.items():
        for kib in SIZES_KIB:
            for depth in DEPTHS:
                shape = {"requests": scale.of(20_000, 500), "read_share": share, "size": f"{kib}KiB"}
                work = workload(what, [flow(what, {**shape, "queue_depth": depth})])
                for system, kind in SYSTEMS.items():
                    drive = config.design(DRIVE, **{"attachment.kind": kind})
                    found[f"{what} of {kib} KiB, QD {depth}", system] = Run(drive, work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "case": case,
            "system": system,
            "mean_latency_us": data["latency_us"]["all"]["mean"],
            "host_link_us": data["blame_us"]["all"]["host_link"],
            "bandwidth_mb_s": data["bandwidth_mb_s"],
            "ours": found[case, BASELINE]["latency_us"]["all"]["mean"] / data["latency_us"]["all"]["mean"],
            "published": None,
        }
        for (case, system), data in found.items()
    ]


def chart(rows: list[Row]) -> dict[str, Spec]:
    return {"simulated drive": grouped(rows, "case", "times as fast as SBSP", SHADES)}


FIGURE = Figure("device", "In front of a simulated drive", __doc__, runs, table, chart)
