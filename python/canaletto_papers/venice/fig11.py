"""Tail latency of two workloads (Fig. 11).

Method: the distribution of latency, arrival to completion, of src1_0 and hm_0 in the runs of Fig. 9 on the
performance-optimized SSD. The curves show the profiles at Table 2's rates, the mean over seeds at each percentile. Next
to it Venice's 99th percentile over each system's, with every traffic and load. The paper prints it as a reduction in
percent ("32 %").

Assumptions: as in Fig. 9. `on_paths` is the share of the slowest hundredth's latency that transfers and waits for paths
take by blame. Blame charges a wait for a chip that itself waits for a path to the chip, so this hints at what an
interconnect can take off and is no bound. The rest of those requests' time is chips that work or are busy (programs of
100 us, erases of 1 ms).
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import altair as alt
from canaletto._report.charts import Spec, lines

from canaletto_papers.bars import fabric_colours, grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.venice.evaluation import (
    LOADS,
    OPEN,
    OWN,
    PERFORMANCE,
    SYSTEMS,
    TRAFFICS,
    matrix,
)

WORKLOADS = ("src1_0", "hm_0")

PUBLISHED = {
    ("src1_0", "Baseline"): 0.68,
    ("src1_0", "pSSD"): 0.69,
    ("src1_0", "pnSSD"): 0.70,
    ("src1_0", "NoSSD"): 0.73,
    ("hm_0", "Baseline"): 0.78,
    ("hm_0", "pSSD"): 0.79,
    ("hm_0", "pnSSD"): 0.82,
    ("hm_0", "NoSSD"): 0.83,
}
"""Venice's 99th percentile over these (§6.1: 32, 31, 30 and 27 % below; 22, 21, 18 and 17 %)."""

OVER = "Venice's 99th percentile over "

PERCENTILES = (*range(90, 99), *(99 + tenth / 10 for tenth in range(0, 10)))


def runs(scale: Scale) -> dict[Label, Run]:
    return matrix(scale, [PERFORMANCE], workloads=WORKLOADS)


def percentile(tail: Sequence[tuple[float, float]], percent: float) -> float:
    return next((latency for slower, latency in tail if slower <= 1 - percent / 100 + 1e-12), tail[-1][1])


PATHS = ("path_conflict", "path_reservation", "command_transfer", "data_transfer")


def on_paths(found: Mapping[Label, Data], which: Label) -> float:
    blames = [data["blame_us"]["p99"] for label, data in found.items() if label[1:5] == which]
    return float(
        sum(blame.get(cause, 0.0) for blame in blames for cause in PATHS) / sum(sum(each.values()) for each in blames)
    )


def _mean_at(found: Mapping[Label, Data], which: Label, percent: float) -> float | None:
    runs = [data for label, data in found.items() if label[1:5] == which]
    if percent != 99:
        return fmean(percentile(data["tail_us"], percent) for data in runs)
    known = [data["latency_us"]["all"]["p99"] for data in runs]
    return None if None in known else fmean(known)


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for name in WORKLOADS:
        for kind in TRAFFICS:
            for load in LOADS:
                for percent in PERCENTILES if (kind, load) == (OWN, OPEN) else (99.0,):
                    at = {system: _mean_at(found, (kind, load, name, system), percent) for system in SYSTEMS}
                    rows += [
                        {
                            "workload": name,
                            "traffic": kind,
                            "load": load,
                            "system": f"{OVER}{system}" if percent == 99 else system,
                            "percentile": float(percent),
                            "latency_us": latency,
                            "on_paths": on_paths(found, (kind, load, name, system)) if percent == 99 else None,
                            "ours": at["Venice"] / latency if at["Venice"] and latency else None,
                            "published": PUBLISHED.get((name, system)) if percent == 99 else None,
                        }
                        for system, latency in at.items()
                    ]
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    shades = fabric_colours(SYSTEMS)
    drawn: dict[str, Spec] = {}
    for name in WORKLOADS:
        shown = [
            {**row, "system": row["system"].removeprefix(OVER)}
            for row in rows
            if (row["workload"], row["traffic"], row["load"]) == (name, OWN, OPEN)
        ]
        x = alt.X("latency_us:Q", title="latency (us)", scale=alt.Scale(zero=False))
        y = alt.Y("percentile:Q", title="requests no slower (%)", scale=alt.Scale(domain=[90, 100]))
        drawn[f"{name}, open loop at Table 2's rates"] = lines(shown, x, y, shades, order="percentile")
        reductions = [
            {"system": row["system"], "ours": row["ours"], "published": row["published"]}
            for row in shown
            if row["percentile"] == 99 and row["published"] is not None
        ]
        drawn[f"{name}: Venice's 99th percentile over others'; red: published"] = reduction(reductions)
    return drawn


def reduction(rows: list[Row]) -> Spec:
    shown = [{**row, "what": "99th percentile"} for row in rows]
    return grouped(shown, "what", "Venice's over this system's, times", fabric_colours(SYSTEMS))


STATED = Settings(("traffic", "load"), (OWN, OPEN), beside=("workload",))

FIGURE = Figure("fig11", "Fig. 11: tail latency of two workloads", __doc__, runs, table, chart, STATED)
