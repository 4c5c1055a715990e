"""Interference at the cached mapping table (slide of that title).

Method: two flows of reads of 8 KiB, each with 10 outstanding, for 30 s of simulated time, on a drive that caches 4 MiB
of its mapping table (entries of 8 B, one loaded a miss, least recently used first out). Flow-1 reads 2.5 GiB in order,
round and round: five eighths of the entries that fit. Of Flow-2's outstanding requests a share (its randomness) reads
anywhere, the others read a separate 0.5 GiB in order. They are run at the same time and each alone; Flow-2's latency is
the mean over all its requests. `hits` is the share of look-ups that found their entry, of both flows together,
`miss_us` the mean time that a flow's requests waited for entries.

Assumptions: working sets and depths are not on the slides; these fit the cache together, with a quarter to spare. A
flow that is random in part is made of two parts, so that what it reads in order stays in order. With --quick table
and working sets are a 32nd, over 1 s. The first round, in which nothing is cached, counts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from canaletto._report.charts import Spec

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.mqsim import interference
from canaletto_papers.mqsim.drive import BOTH, FIRST, SECOND, drive, stopping

CASE = "reads"
DEPTH = 10
RANDOM_PERCENT = (0, 20, 40, 60, 80, 100)


def runs(scale: Scale) -> dict[Label, Run]:
    table_kib, stop = (128, "1s") if scale.quick else (4096, "30s")
    # The addresses of the entries that fit, 8 KiB for 8 B, in eighths.
    eighth = table_kib // 8
    design = drive({"mapping.cache_capacity": f"{table_kib}KiB"})
    reads = {"read_share": 1.0, "size": "8KiB", "alignment": "8KiB"}
    in_order = {**reads, "addresses": "sequential"}
    first = flow("Flow-1", stopping(stop, queue_depth=DEPTH, working_set_size=f"{5 * eighth}MiB", **in_order))
    found: dict[Label, Run] = {}
    for percent in RANDOM_PERCENT:
        anywhere = DEPTH * percent // 100
        parts = []
        if anywhere < DEPTH:
            place = {"working_set_offset": f"{5 * eighth}MiB", "working_set_size": f"{eighth}MiB"}
            keys = stopping(stop, queue_depth=DEPTH - anywhere, **place, **in_order)
            parts.append(flow("Flow-2 in order", keys))
        if anywhere:
            keys = stopping(stop, queue_depth=anywhere, working_set_offset=f"{6 * eighth}MiB", **reads)
            parts.append(flow("Flow-2 anywhere", keys))
        load = f"{percent} %"
        found[CASE, load, BOTH] = Run(design, workload(f"Flow-2 {load} random", [first, *parts]))
        found[CASE, load, FIRST] = Run(design, workload("Flow-1", [first]))
        found[CASE, load, SECOND] = Run(design, workload(f"Flow-2 alone, {load} random", parts))
    return found


def hits(data: Data) -> float | None:
    counts = data["mapping"]
    looked = counts["hits"] + counts["misses"]
    return counts["hits"] / looked if looked else None


def miss_us(flows: Sequence[Mapping[str, Any]]) -> float:
    counts = [flow["requests"]["completed"] for flow in flows]
    waited = [flow["blame_us"]["all"].get("mapping_miss") or 0.0 for flow in flows]
    return float(sum(n * mean for n, mean in zip(counts, waited, strict=True)) / sum(counts))


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for case, load in dict.fromkeys(label[:2] for label in found):
        both, first, second = (found[case, load, which] for which in (BOTH, FIRST, SECOND))
        flows = both["flows"]
        shared = (interference.mean_us(flows[:1]), interference.mean_us(flows[1:]))
        alone = (interference.mean_us(first["flows"]), interference.mean_us(second["flows"]))
        throughput = (interference.iops(flows[:1]), interference.iops(flows[1:]))
        more = [(hits(first), miss_us(flows[:1])), (hits(second), miss_us(flows[1:])), (None, None)]
        made = interference.rows(case, load, int(load.removesuffix(" %")), shared, alone, throughput)
        for row, (found_alone, waited) in zip(made, more, strict=True):
            ends = {key: row.pop(key) for key in ("ours", "published")}
            rows.append({**row, "miss_us": waited, "hits": hits(both), "hits_alone": found_alone, **ends})
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    return interference.charts(rows, "randomness of Flow-2 (%)", log=False)


FIGURE = Figure("mapping-table", "Interference at the cached mapping table", __doc__, runs, table, chart)
