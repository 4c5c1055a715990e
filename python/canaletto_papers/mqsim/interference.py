"""Slowdowns of two flows and their fairness, as rows and charts that the experiments share."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
from canaletto._report.charts import Spec, lines
from canaletto._run import slowdown

from canaletto_papers.figure import Row

FLOWS = ("Flow-1", "Flow-2")
FAIRNESS = "fairness"

SHADES = {"Flow-1": "#0072b2", "Flow-2": "#d55e00", FAIRNESS: "#009e73"}

Means = tuple[float, float]


def slowdowns(shared: Means, alone: Means) -> dict[str, float | None]:
    found = {name: slowdown.ratio(*pair) for name, pair in zip(FLOWS, zip(shared, alone, strict=True), strict=True)}
    return {**found, FAIRNESS: slowdown.fairness(list(found.values()))}


def mean_us(flows: Sequence[Mapping[str, Any]]) -> float:
    counts = [flow["requests"]["completed"] for flow in flows]
    means = [flow["latency_us"]["all"]["mean"] for flow in flows]
    return float(sum(n * mean for n, mean in zip(counts, means, strict=True) if n) / sum(counts))


def iops(flows: Sequence[Mapping[str, Any]]) -> float:
    return float(sum(flow["iops"] or 0.0 for flow in flows))


def rows(
    case: str,
    load: str,
    x: float,
    shared: Means,
    alone: Means,
    throughputs: tuple[float, float] | None = None,
    published: Mapping[str, float | None] | None = None,
) -> list[Row]:
    ours, theirs = slowdowns(shared, alone), published or {}
    more: list[tuple[float | None, ...]] = [*zip(shared, alone, throughputs or (None, None), strict=True), (None,) * 3]
    return [
        {
            "case": case,
            "load": load,
            "x": x,
            "system": name,
            "what": "slowdown" if name in FLOWS else "least slowdown over largest",
            "shared_us": together,
            "alone_us": by_itself,
            "shared_kiops": throughput and throughput / 1e3,
            "ours": ours[name],
            "published": theirs.get(name),
        }
        for name, (together, by_itself, throughput) in zip(ours, more, strict=True)
    ]


def charts(found: Sequence[Row], title: str, *, log: bool = True) -> dict[str, Spec]:
    scale = alt.Scale(type="log", base=2, nice=False) if log else alt.Scale()
    places = sorted({row["x"] for row in found})
    x = alt.X("x:Q", title=title, scale=scale, axis=alt.Axis(values=places))
    drawn: dict[str, Spec] = {}
    for case in dict.fromkeys(row["case"] for row in found):
        here = [row for row in found if row["case"] == case]
        for what, systems in (("slowdown", FLOWS), (FAIRNESS, (FAIRNESS,))):
            shown = [row for row in here if row["system"] in systems]
            theirs = [{**row, "ours": row["published"]} for row in shown if row["published"] is not None]
            top = {"domain": [0, 1]} if what == FAIRNESS else {"domainMin": 0}
            y = alt.Y("ours:Q", title=what, scale=alt.Scale(**top))
            points = "; points: MQSim 7ec40e3" if theirs else ""
            drawn[f"{case}: {what}{points}"] = lines(shown, x, y, SHADES, order="x", marks=theirs, height=220)
    return drawn
