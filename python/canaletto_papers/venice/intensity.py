"""Overhead of path conflicts by intensity (slides of FMS 2024).

Method: the open-loop runs of Fig. 9 with the profiles' traffic on the performance-optimized SSD, and the two reads of
Fig. 3 next to them. The overhead of a workload is its mean latency on the baseline over that on the ideal SSD, less
one. Workloads of high intensity are those that arrive every 20 us or faster in Table 2. `ours` of the last line is
their mean overhead over the others' mean.

Assumptions: as for Fig. 9. The slides state that the overhead "increases by 1.6x" for workloads of high intensity. They
name neither the workloads nor the measure; latency is taken because the sentence before it is about latency ("57%").
"""

from collections.abc import Mapping
from statistics import fmean

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.venice.evaluation import BASELINE, LOADS, OPEN, OWN, PERFORMANCE, TABLE2, TRAFFICS, matrix

BUSY_US = 20

HIGH, OTHER = f"at most {BUSY_US} us between arrivals", "more"
GROWTH = "growth of the overhead"
PUBLISHED = 1.6


def runs(scale: Scale) -> dict[Label, Run]:
    return matrix(scale, [PERFORMANCE], [BASELINE, "ideal"], list(TABLE2))


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for kind in TRAFFICS:
        for load in LOADS:
            shared = {"traffic": kind, "load": load}
            overheads: dict[str, list[float]] = {HIGH: [], OTHER: []}
            for (ssd, its, at, name, system, seed), data in found.items():
                if (its, at, system) == (kind, load, BASELINE):
                    ideal = found[ssd, its, at, name, "ideal", seed]
                    ratio = data["latency_us"]["all"]["mean"] / ideal["latency_us"]["all"]["mean"]
                    overheads[HIGH if TABLE2[name][2] <= BUSY_US else OTHER].append(100 * (ratio - 1))
            means = {group: fmean(each) for group, each in overheads.items() if each}
            rows += [
                {**shared, "what": f"overhead, %: {group}", "ours": mean, "published": None}
                for group, mean in means.items()
            ]
            if len(means) == 2 and means[OTHER] > 0:
                rows.append({**shared, "what": GROWTH, "ours": means[HIGH] / means[OTHER], "published": PUBLISHED})
    return rows


def chart(_: list[Row]) -> None:
    """The slides print a sentence."""


FIGURE = Figure(
    "table-intensity",
    "Overhead of path conflicts by intensity",
    __doc__,
    runs,
    table,
    chart,
    Settings(("traffic", "load"), (OWN, OPEN)),
)
