"""The highest ratios to SBSP (slides, "Max. Performance Improve Ratio").

Method: for each scenario and attachment the highest ratio of total times over sizes from 512 B to 128 KiB, next to the
published one; also without the drive's inside. All of it again with ATA at 133 MB/s: the slides give "133 ~ 300 MB/s"
for it, and not which of them they took. Traces have one ratio each. They are other traces than the slides', whose
ratios stand in `of_their_trace` and are not judged.

Assumptions: as in the scenarios. The slides do not say over what their maximum is taken, nor whether the drive's
inside is in it; we read sizes, and all of the time.
"""

from collections.abc import Mapping

from canaletto._report.charts import Spec

from canaletto_papers.bars import grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Settings
from canaletto_papers.pc_ssd import real_traces
from canaletto_papers.pc_ssd.study import BASELINE, SHADES, SYSTEMS, TITLES, Keys, best, nothing, published

AS_IT_IS = "ATA at 300 MB/s"
SETTINGS: dict[str, Keys] = {AS_IT_IS: (), "ATA at 133 MB/s": (("attachment.ata.rate", "133MB/s"),)}
"""The ends of the range that the slides give; Serial ATA's, as in the study's chip set, is the default."""


def table(_: Mapping[Label, Data]) -> list[Row]:
    systems = [system for system in SYSTEMS if system != BASELINE]
    rows: list[Row] = []
    for setting, keys in SETTINGS.items():
        for scenario, title in TITLES.items():
            for system in systems:
                ratio, size = best(system, scenario, keys)
                rows.append(
                    {
                        "setting": setting,
                        "operation": title,
                        "system": system,
                        "at_bytes": size,
                        "without_inside": best(system, scenario, keys, inside=False)[0],
                        "of_their_trace": None,
                        "ours": ratio,
                        "published": published(scenario, system),
                    }
                )
        for name, (number, source) in real_traces.named().items():
            shared = {"setting": setting, "operation": name, "at_bytes": None, "without_inside": None}
            rows += [
                {
                    **shared,
                    "system": system,
                    "of_their_trace": published(number, system),
                    "ours": real_traces.trace_gain(system, source, keys),
                    "published": None,
                }
                for system in systems
            ]
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    drawn: dict[str, Spec] = {}
    for setting in SETTINGS:
        here = [row for row in rows if row["setting"] == setting]
        hits = [row for row in here if row["operation"] == "DMA read hit"]
        others = [row for row in here if row not in hits]
        drawn[f"{setting}; red: published"] = grouped(others, "operation", "times as fast as SBSP", SHADES)
        drawn[f"hits, {setting}; red: published"] = grouped(hits, "operation", "times as fast as SBSP", SHADES)
    return drawn


STATED = Settings(("setting",), (AS_IT_IS,), beside=("operation",))

FIGURE = Figure("max-improvement", "Highest performance ratios", __doc__, nothing, table, chart, STATED)
