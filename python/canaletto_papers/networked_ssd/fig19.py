"""I/O while garbage is collected, traces (Fig. 19).

Method: traffic of ten published traces' profiles, open loop at their published rates (RocksDB slowed to what the drive
can carry). The drive is in the steady state of greedy collection; three fabrics with parallel (PaGC), semi-preemptible
and spatial collection (SpGC). Improvement is the mean latency of baseSSD with PaGC divided by each system's. Next to
every latency stand the epochs that ended and the write amplification, so that systems which did different work are
seen. Workloads of which a run completed fewer than two epochs on any system are start-up transients: they are shown,
marked, and not in the averages (`ssd-10`, of whose requests 1 % write).

Assumptions: the paper's traces are not all named; these are the profiles with writes that canaletto ships, among them
RocksDB's. Three quarters of the addresses hold data (`causes-gc` has others); blocks of 128 pages (of 16 with --quick)
instead of 512. Our reading: "9.7 times" and "5.9 times" are read as pnSSD with SpGC over baseSSD and over pSSD, both
with PaGC. "47 %" is pnSSD with SpGC over pnSSD with preemptive collection.
"""

from collections.abc import Mapping
from statistics import fmean, median

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.networked_ssd.collecting import EPOCHS, FABRICS, KINDS, epochs, profile, system, work
from canaletto_papers.networked_ssd.fig18 import improvement

WORKLOADS = ["hm_0", "mds_0", "proj_3", "prxy_0", "rsrch_0", "src1_0", "usr_0", "wdev_0", "ssd-00", "ssd-10"]
AVERAGE, MEDIAN = "average", "median"
PUBLISHED = {("baseSSD", "PaGC"): 9.7, ("pSSD", "PaGC"): 5.9, ("pnSSD", "preemptive"): 1.47}
"""§VII-C: by how much pnSSD with SpGC is better than these on average."""


def runs(scale: Scale) -> dict[Label, Run]:
    count = scale.of(200_000, 10_000)
    workloads = WORKLOADS if not scale.quick else WORKLOADS[::3]
    return {
        (name, fabric, kind): Run(system(fabric, kind, scale), profile(name, count))
        for name in workloads
        for fabric in FABRICS
        for kind in KINDS
    }


def steady(found: Mapping[Label, Data]) -> list[str]:
    names = dict.fromkeys(label[0] for label in found)
    return [name for name in names if all(epochs(data) >= EPOCHS for label, data in found.items() if label[0] == name)]


def averages(found: Mapping[Label, Data]) -> dict[tuple[str, str], float | None]:
    latency = {label: data["latency_us"]["all"]["mean"] for label, data in found.items()}
    names = steady(found)
    better = {other: [latency[name, *other] / latency[name, "pnSSD", "SpGC"] for name in names] for other in PUBLISHED}
    return {other: fmean(each) if each else None for other, each in better.items()}


def table(found: Mapping[Label, Data]) -> list[Row]:
    latency = {label: data["latency_us"]["all"]["mean"] for label, data in found.items()}
    counted = steady(found)
    rows: list[Row] = [
        {
            "workload": name,
            "system": f"{fabric} ({kind})",
            "is_transient": name not in counted,
            "mean_latency_us": latency[name, fabric, kind],
            **work(found[name, fabric, kind]),
            "ours": latency[name, "baseSSD", "PaGC"] / latency[name, fabric, kind],
            "published": None,
        }
        for name, fabric, kind in found
    ]
    nothing = {"is_transient": None, "mean_latency_us": None, "epochs": None, "write_amplification": None}
    for (fabric, kind), ours in averages(found).items():
        shared = {"system": f"pnSSD (SpGC) over {fabric} ({kind})", **nothing}
        each = [latency[name, fabric, kind] / latency[name, "pnSSD", "SpGC"] for name in counted]
        rows.append({"workload": AVERAGE, **shared, "ours": ours, "published": PUBLISHED[fabric, kind]})
        rows.append({"workload": MEDIAN, **shared, "ours": median(each) if each else None, "published": None})
    return rows


COLOURS = {
    "baseSSD (PaGC)": "#000000",
    "baseSSD (preemptive)": "#666666",
    "baseSSD (SpGC)": "#b0b0b0",
    "pSSD (PaGC)": "#8a5f00",
    "pSSD (preemptive)": "#E69F00",
    "pSSD (SpGC)": "#f6d48f",
    "pnSSD (PaGC)": "#1b6d99",
    "pnSSD (preemptive)": "#56B4E9",
    "pnSSD (SpGC)": "#b5def7",
}


def chart(rows: list[Row]) -> Spec:
    shown = [row for row in rows if row["workload"] in WORKLOADS]
    return improvement(shown, "workload", "I/O improvement over baseSSD (PaGC), times", COLOURS)


FIGURE = Figure("fig19", "Fig. 19: traces while garbage is collected", __doc__, runs, table, chart)
