"""Bound of a path twice as wide, and the distribution of gains.

Method: the runs of Fig. 9; for every workload the ideal SSD's gain r next to pSSD's, and what r allows pSSD at the
least. Let a workload take the time T on the baseline. The ideal SSD differs from it in nothing but the waiting for
paths, so that this waiting is T - T / r. Where waiting is in proportion to the time that a path is occupied, channels
twice as wide halve it: T / r + (T - T / r) / 2 = T (1 + r) / (2 r) is left, and the gain is 2 r / (1 + r): 1 for r = 1,
1.6 for r = 4, never 2. `ours` is the gain, `bound` that value of the workload's own r, or the mean of these.

The bound is concave: its mean over workloads is at most the bound of the mean of r. For a mean and a most of r it is at
least what a mixture of workloads that gain nothing and workloads that gain the most would have. The last lines compute
both for the published mean of 4.0 and most of 11.74, and how many of the 19 workloads that mixture takes. A mean of
1.27 for pSSD is possible only near the lower end, where few workloads gain nearly everything.

Assumptions: as in Fig. 9. Waiting grows faster than in proportion where queues build up, so that a channel twice as
wide can gain more than the bound, and less where something else is short.
"""

from collections.abc import Mapping
from statistics import fmean

import altair as alt
from canaletto._report.charts import Spec, spec

from canaletto_papers.bars import PUBLISHED as RED
from canaletto_papers.bars import fabric_colours
from canaletto_papers.figure import Data, Figure, Grid, Label, Row, Run, Scale
from canaletto_papers.venice import fig9
from canaletto_papers.venice.evaluation import (
    AVERAGE,
    LOADS,
    MOST,
    OWN,
    PERFORMANCE,
    SYSTEMS,
    TABLE2,
    TRAFFICS,
    compared,
    execution_time,
    matrix,
)

SHOWN = ("Baseline", "pSSD", "pnSSD", "NoSSD", "Venice", "ideal")
LEAST, MOST_OF_MEANS = "least that the published means allow", "most that the published means allow"
HOW_MANY = "workloads of 19 that gain the most, in the mixture with the least"


def runs(scale: Scale) -> dict[Label, Run]:
    return {label: run for label, run in matrix(scale, [PERFORMANCE]).items() if label[4] in SHOWN}


def bound(gain: float) -> float:
    return 2 * gain / (1 + gain)


def mixture(mean: float, most: float) -> float:
    return (mean - 1) / (most - 1)


def published() -> list[Row]:
    mean, most = (fig9.PUBLISHED[PERFORMANCE, "ideal", what] for what in (AVERAGE, MOST))
    share = mixture(mean, most)
    theirs = fig9.PUBLISHED[PERFORMANCE, "pSSD", AVERAGE]
    shared = {"traffic": "published", "load": "published", "system": "pSSD", "ideal": mean, "published": None}
    least = 1 - share + share * bound(most)
    return [
        {**shared, "workload": LEAST, "bound": least, "ours": theirs},
        {**shared, "workload": MOST_OF_MEANS, "bound": bound(mean), "ours": theirs},
        {**shared, "workload": HOW_MANY, "bound": share * len(TABLE2), "ours": None},
    ]


def table(found: Mapping[Label, Data]) -> list[Row]:
    gains = [row for row in compared(found, execution_time, {}) if row["system"] != "Baseline"]
    ideal = {
        (row["traffic"], row["load"], row["workload"]): row["ours"]
        for row in gains
        if row["system"] == "ideal" and row["workload"] != AVERAGE
    }
    rows: list[Row] = []
    for row in gains:
        here = (row["traffic"], row["load"])
        each = [gain for (*where, name), gain in ideal.items() if tuple(where) == here and _is(name, row["workload"])]
        rows.append(
            {
                "traffic": row["traffic"],
                "load": row["load"],
                "system": row["system"],
                "workload": row["workload"],
                "ideal": fmean(each),
                "bound": fmean(bound(gain) for gain in each),
                "ours": row["ours"],
                "published": None,
            }
        )
    return rows + published()


def _is(name: str, wanted: str) -> bool:
    return wanted in (AVERAGE, name)


def chart(rows: list[Row]) -> dict[str, Spec]:
    shades = fabric_colours({name: SYSTEMS[name] for name in SHOWN if name != "Baseline"})
    dots = [
        {"where": f"{row['traffic']}, {row['load']}", **{key: row[key] for key in ("system", "workload", "ours")}}
        for row in rows
        if row["load"] in LOADS and row["workload"] != AVERAGE
    ]
    means = [
        {"where": f"{kind}, {load}", "system": system, "ours": known}
        for kind in TRAFFICS
        for load in LOADS
        for system in shades
        if (known := fig9.PUBLISHED.get((PERFORMANCE, system, AVERAGE))) is not None
    ]
    order = [f"{kind}, {load}" for kind in TRAFFICS for load in LOADS]
    y = alt.Y("where:N", sort=order, title=None)
    offset = alt.YOffset("system:N", sort=list(shades))
    x = alt.X("ours:Q", title="speedup over Baseline (times, logarithmic)", scale=alt.Scale(type="log", nice=False))
    colour = alt.Color(
        "system:N",
        title=None,
        scale=alt.Scale(domain=list(shades), range=list(shades.values())),
        legend=alt.Legend(orient="top", columns=5),
    )
    shown = alt.Chart(alt.InlineData(dots)).mark_point(filled=True, size=30, opacity=0.8)
    marks = alt.Chart(alt.InlineData(means)).mark_tick(color=RED, thickness=2, orient="vertical")
    layers = alt.layer(
        shown.encode(x=x, y=y, yOffset=offset, color=colour, tooltip=["workload:N", "system:N", "ours:Q"]),
        marks.encode(x=x, y=y, yOffset=offset),
    )
    return {
        "a dot a workload; red: published means": spec(layers.properties(width="container", height=70 * len(order)))
    }


GRIDS = {
    f"{kind}, {load}": Grid("workload", "system", {"traffic": kind, "load": load})
    for kind, load in ((OWN, LOADS[0]), (OWN, LOADS[1]))
}

FIGURE = Figure("bound", "Bound of a path twice as wide", __doc__, runs, table, chart, grids=GRIDS)
