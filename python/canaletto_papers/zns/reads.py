"""Random reads of a zoned drive, alone and next to appends, finishes and resets.

Method: reads of 8 KiB at random places of full zones, at a depth, by io_uring passthrough. Beside them one job of
another kind has a share of what it reaches alone: appends at depth 1, finishes of empty zones, resets of full ones. Our
finishes and resets come one after the other. Where the share is smaller, the latencies of reads next to them and alone
are mixed in proportion to the time that each takes. `published` is what was measured (ConfZNS++, SYSTOR 2024).

Appends have 4 KiB (`loaded-read-append/job.fio` of the artifact), of which the drive takes 269 MB/s at depth 1.

Assumptions: resets of full zones come as fast as the drive takes them: one in 16.2 ms (CLUSTER 2023).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
from canaletto._report.charts import Spec, lines
from canaletto._run.config import Workload

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.zns.drive import MEASURED_MB_S, RESET_S, design, measured

ALONE = "alone"
DEPTHS = (1, 4, 16, 64, 128)
SHARES = (50, 75, 90, 95, 99)
KINDS = {
    "append": "append-on-read-interference",
    "finish": "finish-on-read-interference",
    "reset": "reset-on-read-interference",
}
APPEND_BYTES = 4096
CUTS = 4000
PERCENTILES = {"p50_us": 0.5, "p99_us": 0.99}


@dataclass(frozen=True)
class Reads(Run):
    @property
    def key(self) -> str:
        return f"{super().key[:24]}-reads"

    def simulate(self, report: Any) -> dict[str, Any]:
        import numpy as np
        import polars as pl
        from canaletto._run import simulate

        data, rows = simulate.run_once(self.design, self.workload, self.seed, 0, True, report, root_causes=False)
        assert rows is not None
        reads = rows.scan().filter(pl.col("op").cast(pl.String) == "read").select("latency_us").collect()
        parts = (np.arange(CUTS) + 0.5) / CUTS
        cuts = np.quantile(reads["latency_us"].to_numpy(), parts)
        return {**data, "quantiles_us": [float(cut) for cut in cuts], "reads": reads.height}


def _load(kind: str, depth: int, share: int, number: int) -> Workload:
    # Both end by the clock, so that no read is without the other kind.
    common = {"requests": 10_000_000, "stop": f"{max(20.0, 1000 * _seconds(kind, depth, number)):.0f}ms"}
    reads = common | {
        **{"read_share": 1.0, "size": "8KiB", "alignment": "8KiB", "queue_depth": depth},
        "working_set": 0.5,
    }
    flows = [flow("reads", reads)]
    other: dict[str, Any] = common | {"read_share": 0.0, "size": "4KiB", "working_set_offset": _half()}
    if kind == "append":
        gap_us = APPEND_BYTES / ((1 - share / 100) * MEASURED_MB_S)
        other |= {"zone_work": "append", "inter_arrival": f"{gap_us:.3f}us", "queue_depth": 1}
    elif kind == "finish":
        other |= {"zone_work": "finish", "queue_depth": 1}
    elif kind == "reset":
        other |= {"zone_work": "reset", "inter_arrival": f"{RESET_S * 1e6:.0f}us", "burstiness": 0}
        # Full zones, from the beginning: those that are read come behind them.
        other["working_set_offset"] = "0B"
        reads |= {"working_set": 0.25, "working_set_offset": _quarter()}
        flows = [flow("reads", reads)]
    return workload(f"reads-{kind}-{depth}", [*flows, flow(kind, other)] if kind != ALONE else flows)


def _seconds(kind: str, depth: int, number: int) -> float:
    name = KINDS.get(kind)
    rates = [float(line["iops"]) for line in measured() if line["experiment"] == name and line["depth"] == str(depth)]
    return number / min(rates, default=10_000.0)


def _half() -> str:
    return f"{452 * 1077}MiB"


def _quarter() -> str:
    return f"{226 * 1077}MiB"


def runs(scale: Scale) -> dict[Label, Run]:
    number = scale.of(16_000, 4_000)
    found: dict[Label, Run] = {}
    for depth in DEPTHS:
        found[ALONE, str(depth), "100"] = Reads(design(), _load(ALONE, depth, 100, number))
        for kind in KINDS:
            for share in SHARES if kind == "append" else (0,):
                found[kind, str(depth), str(share)] = Reads(design(), _load(kind, depth, share, number))
    return found


def percentile(cuts: list[tuple[float, float]], share: float) -> float:
    cuts = sorted(cuts)
    left = share * sum(weight for _, weight in cuts)
    for value, weight in cuts:
        left -= weight
        if left <= 0:
            return value
    return cuts[-1][0]


def mixed(found: Mapping[Label, Data], kind: str, depth: str, share: int) -> list[tuple[float, float]]:
    alone = found[ALONE, depth, "100"]
    if share == 100:
        return [(cut, 1.0) for cut in alone["quantiles_us"]]
    if kind == "append":
        return [(cut, 1.0) for cut in found[kind, depth, str(share)]["quantiles_us"]]
    beside, part = found[kind, depth, "0"], 1 - share / 100
    weights = [(data, time * data["flows"][0]["iops"]) for data, time in ((alone, 1 - part), (beside, part))]
    return [(cut, weight) for data, weight in weights for cut in data["quantiles_us"]]


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for line in measured():
        kind = next((kind for kind, name in KINDS.items() if name == line["experiment"]), None)
        if kind is None:
            continue
        latencies = mixed(found, kind, line["depth"], int(line["share"]))
        for what, share in PERCENTILES.items():
            rows.append(
                {
                    "system": "zn540-zoned",
                    "beside": kind,
                    "depth": int(line["depth"]),
                    "reads_percent": int(line["share"]),
                    "what": what,
                    "ours": percentile(latencies, share),
                    "published": float(line[what]),
                }
            )
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    specs = {}
    for kind in KINDS:
        drawn = []
        for row in rows:
            if (row["beside"], row["what"], row["depth"]) == (kind, "p99_us", 1):
                place = {"share": 100 - row["reads_percent"]}
                drawn.append({**place, "system": "ours", "ours": row["ours"]})
                drawn.append({**place, "system": "measured", "ours": row["published"]})
        x, y = alt.X("share:Q", title=f"share of {kind}s, %"), alt.Y("ours:Q", title="99th percentile of reads, us")
        specs[f"Reads next to {kind}s"] = lines(drawn, x, y, {"measured": "#c1121f", "ours": "#2a6f97"}, order="share")
    return specs


FIGURE = Figure("reads", "Reads next to appends, finishes and resets", __doc__, runs, table, chart, is_counted=True)
