"""The highest ratios to SBSP (slides, "Max. Performance Improve Ratio").

Method: for each scenario and attachment the highest ratio of total times over sizes from 512 B to 128 KiB, beside the
published one; also without the drive's inside. Traces have one ratio each.

Assumptions: those of the scenarios. The slides do not say over what their maximum is taken, nor whether the drive's
inside is in it; we read sizes, and all of the time.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec
from canaletto.experiments.bars import grouped
from canaletto.experiments.figure import Data, Figure, Label, Row
from canaletto.experiments.pc_ssd import real_traces
from canaletto.experiments.pc_ssd.study import BASELINE, SHADES, SYSTEMS, TITLES, best, nothing, published


def table(_: Mapping[Label, Data]) -> list[Row]:
    """A line a scenario and attachment, then one a trace and attachment."""
    systems = [system for system in SYSTEMS if system != BASELINE]
    rows: list[Row] = []
    for scenario, title in TITLES.items():
        for system in systems:
            ratio, size = best(system, scenario)
            rows.append(
                {
                    "operation": title,
                    "system": system,
                    "at_bytes": size,
                    "without_inside": best(system, scenario, inside=False)[0],
                    "ours": ratio,
                    "published": published(scenario, system),
                }
            )
    for source, number in zip(real_traces.sources(), real_traces.NUMBERED, strict=True):
        for system in systems:
            of_trace = {"ours": real_traces.trace_gain(system, source), "published": published(number, system)}
            rows.append({"operation": number, "system": system, "at_bytes": None, "without_inside": None, **of_trace})
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    """Hits dwarf everything else and have a chart of their own."""
    hits = [row for row in rows if row["operation"] == "DMA read hit"]
    others = [row for row in rows if row not in hits]
    return {
        "bars: ours; red: what was published": grouped(others, "operation", "times as fast as SBSP", SHADES),
        "hits": grouped(hits, "operation", "times as fast as SBSP", SHADES),
    }


FIGURE = Figure("max-improvement", "Highest performance ratios", __doc__, nothing, table, chart)
