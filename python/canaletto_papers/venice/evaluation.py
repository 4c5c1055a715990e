"""Drives, systems, traffic and comparisons of the Venice paper (§5).

One matrix of runs serves Fig. 4, 9, 10, 11, 13 and 14.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any

from canaletto._run import confidence, config
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import flow, workload

SYSTEMS = {
    "Baseline": "bus",
    "pSSD": "packetized",
    "pnSSD": "omnibus",
    "pnSSD (+split)": "omnibus-split",
    "NoSSD": "mesh",
    "Venice": "venice",
    "ideal": "ideal",
}
"""The paper does not say whether its pnSSD splits pages; both are shown."""

BASELINE = "Baseline"
PERFORMANCE, COST = "performance-optimized", "cost-optimized"
SSDS = (PERFORMANCE, COST)

TABLE2: dict[str, tuple[int, float, int]] = {
    "hm_0": (36, 8.8, 58),
    "mds_0": (12, 9.6, 268),
    "proj_3": (95, 9.6, 19),
    "prxy_0": (3, 7.2, 242),
    "rsrch_0": (9, 9.6, 129),
    "src1_0": (56, 43.2, 49),
    "src2_1": (98, 59.2, 50),
    "usr_0": (40, 22.8, 98),
    "wdev_0": (20, 9.2, 162),
    "web_1": (54, 29.6, 67),
    "YCSB_B": (99, 65.7, 13),
    "YCSB_D": (99, 62.0, 14),
    "jenkins": (94, 33.4, 615),
    "postgres": (82, 13.3, 382),
    "LUN0": (76, 20.4, 218),
    "LUN2": (73, 16.0, 320),
    "LUN3": (7, 7.7, 3127),
    "ssd-00": (91, 90.0, 5),
    "ssd-10": (99, 11.5, 2),
}
"""Share of reads in percent, mean size in KB of 1,000 bytes, mean time between arrivals in us (Table 2)."""

OWN, UNIFORM, SKEWED = "profile", "uniform", "skewed"
TRAFFICS = (OWN, UNIFORM, SKEWED)
OPEN, CLOSED = "open loop", "QD 64"
LOADS = (OPEN, CLOSED)
QUEUE_DEPTH = 64

AS_PUBLISHED = Settings(("traffic", "load"), (OWN, OPEN), beside=("ssd",))

HOT_SHARE = 0.5
"""On one row of eight. Assumed: the paper states no imbalance."""

OCCUPANCY = 0.7
"""Assumed, as in MQSim's sample workloads; the paper states none."""

AVERAGE, MOST = "average", "most"

FLAT = (
    "At Table 2's rates a run takes as long as its arrivals, on the ideal SSD too. No interconnect can gain much, so "
    "the charts of the open loop are flat; causes has settings in which they are not."
)


@cache
def drive(ssd: str, system: str, **keys: Any) -> Design:
    """In its steady state: CWDP and no write cache, the defaults."""
    steady = {"precondition.kind": "steady", "precondition.occupancy": OCCUPANCY}
    return config.quiet_design(ssd, fabric=SYSTEMS[system], **{**steady, **keys})


@cache
def traffic(name: str, kind: str, load: str, requests: int, rows: int = 8) -> Workload:
    """On that many rows, open loop at its published rate or closed."""
    rate: dict[str, Any] = {"queue_depth": QUEUE_DEPTH} if load == CLOSED else {"inter_arrival_us": TABLE2[name][2]}
    parts = flows(name, kind, requests, rows, **rate)
    return workload(name, parts, partitioned=kind == SKEWED)


def flows(
    name: str,
    kind: str,
    requests: int,
    rows: int = 8,
    *,
    inter_arrival_us: float | None = None,
    queue_depth: float | None = None,
    hot_share: float = HOT_SHARE,
) -> list[dict[str, Any]]:
    """Open loop with a mean time between arrivals, or closed with a queue depth.

    `profile`: the shipped profile. `uniform`: Table 2's three means alone. `skewed`: a separate flow sends `HOT_SHARE`
    of the requests to one row.
    """
    if kind == OWN:
        depth = None if queue_depth is None else max(1, round(queue_depth))
        made = config.workload(name, requests=requests, queue_depth=depth)
        if inter_arrival_us is not None:
            made = made.replace(**{"flow.0.synthetic.inter_arrival": f"{inter_arrival_us:.6g}us"})
        return list(made.to_dict()["flow"])
    reads, kilobytes, _ = TABLE2[name]
    shape = {"read_share": reads / 100, "size": f"{kilobytes:g}kB", "size_unit": "4KiB"}

    def part(label: str, share: float, **outside: Any) -> dict[str, Any]:
        rate: dict[str, Any] = {}
        if inter_arrival_us is not None:
            rate["inter_arrival"] = f"{inter_arrival_us / share:.6g}us"
        if queue_depth is not None:
            rate["queue_depth"] = max(1, round(queue_depth * share))
        return flow(label, {**shape, **rate, "requests": max(1, round(requests * share))}, **outside)

    if kind == UNIFORM:
        return [part(name, 1)]
    others = part(f"{name}, other rows", 1 - hot_share, channels=list(range(1, rows)))
    return [part(f"{name}, hot row", hot_share, channels=[0]), others]


def shown(scale: Scale) -> list[str]:
    return list(TABLE2)[:: scale.of(1, 7)]


def matrix(
    scale: Scale,
    ssds: Iterable[str] = SSDS,
    systems: Iterable[str] = SYSTEMS,
    workloads: Sequence[str] | None = None,
) -> dict[Label, Run]:
    return {
        (ssd, kind, load, name, system, str(seed)): Run(
            drive(ssd, system), traffic(name, kind, load, extent(scale, is_headline(kind, load))), seed
        )
        for ssd in ssds
        for kind in TRAFFICS
        for load in LOADS
        for name in workloads or shown(scale)
        for system in systems
        for seed in seeds(scale, is_headline(kind, load))
    }


def is_headline(kind: str, load: str) -> bool:
    return (kind, load) == (OWN, OPEN)


def extent(scale: Scale, headline: bool) -> int:
    return scale.of(100_000 if headline else 20_000, 300)


def seeds(scale: Scale, headline: bool) -> Sequence[int]:
    return range(1, scale.seeds + 1) if headline and not scale.quick else (1,)


def compared(
    found: Mapping[Label, Data],
    value: Callable[[Data, Data], float],
    published: Mapping[tuple[str, str, str], float],
    against: str = BASELINE,
) -> list[Row]:
    """`value` of each run and of the system `against`.

    The mean over seeds; then the average over workloads with the half width of its 95 % interval over seeds. published:
    by drive, system and `AVERAGE` or `MOST`.
    """
    rows: list[Row] = []
    for ssd, kind, load, system in dict.fromkeys((label[0], label[1], label[2], label[4]) for label in found):
        by_workload: dict[str, list[float]] = {}
        for label, data in found.items():
            if (label[0], label[1], label[2], label[4]) == (ssd, kind, load, system):
                other = found[(*label[:4], against, label[5])]
                by_workload.setdefault(label[3], []).append(value(data, other))
        means = {name: fmean(each) for name, each in by_workload.items()}
        averages = [fmean(each) for each in zip(*by_workload.values(), strict=True)]
        shared = {"ssd": ssd, "traffic": kind, "load": load, "system": system}
        rows += [
            {**shared, "workload": name, "ours": ours, "half_width": None, "published": None}
            for name, ours in means.items()
        ]
        half = confidence.half_width(averages)
        known = published.get((ssd, system, AVERAGE))
        rows.append(
            {**shared, "workload": AVERAGE, "ours": fmean(averages), "half_width": half, "published": known},
        )
        if (known := published.get((ssd, system, MOST))) is not None:
            most = max(means.values())
            rows.append({**shared, "workload": MOST, "ours": most, "half_width": None, "published": known})
    return rows


def against(
    found: Mapping[Label, Data],
    value: Callable[[Data, Data], float],
    published: Mapping[tuple[str, str, str], float],
    other: str,
) -> list[Row]:
    there = {label[:4] for label in found if label[4] == "Venice"} & {label[:4] for label in found if label[4] == other}
    pair = {label: data for label, data in found.items() if label[:4] in there and label[4] in ("Venice", other)}
    return [
        {**row, "system": f"Venice over {other}"}
        for row in compared(pair, value, published, other)
        if row["system"] == "Venice" and row["workload"] in (AVERAGE, MOST)
    ]


def execution_time(data: Data, other: Data) -> float:
    """The paper's speedup."""
    return float(other["execution_time_us"] / data["execution_time_us"])
