"""Power and energy (Fig. 14).

Method: the runs of Fig. 9 on the performance-optimized SSD, each normalized to the baseline's. "Paper's formula" is the
mean power of the parts while they work, and its product with the execution time (§6.4), over the others' as the paper
prints it in percent. "Physical" is the energy of arrays, wires and routers at work (dynamic) and of everything at all
times (static: idle power x time), over the execution time for the power.

Assumptions: as in Fig. 9. Energies come from the shipped model (docs/explanation/energy.md); the paper does not print
its array powers. Its statement that power falls with the execution time can only be read as the paper's formula.
"""

from collections.abc import Callable, Mapping

from canaletto._report.charts import Spec

from canaletto_papers.bars import fabric_colours, grouped
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.venice.evaluation import (
    AS_PUBLISHED,
    AVERAGE,
    BASELINE,
    OPEN,
    OWN,
    PERFORMANCE,
    SYSTEMS,
    against,
    compared,
    matrix,
)

MEASURES: dict[str, Callable[[Data], float]] = {
    "average power, paper's formula": lambda data: data["energy_detail"]["paper"]["average_power_mw"],
    "energy, paper's formula": lambda data: data["energy_detail"]["paper"]["energy_mj"],
    "average power, physical": lambda data: data["average_power_mw"],
    "energy, physical": lambda data: data["energy_mj"]["total"],
    "energy, dynamic": lambda data: data["energy_mj"]["array"] + data["energy_mj"]["fabric"],
    "energy, wires and routers": lambda data: data["energy_mj"]["fabric"],
    "energy, static": lambda data: data["energy_mj"]["static"],
}

POWER, ENERGY = "average power, paper's formula", "energy, paper's formula"

VENICE_OVER = {
    POWER: {"Baseline": 0.96, "NoSSD": 0.99},
    ENERGY: {"Baseline": 0.39, "pSSD": 0.46, "pnSSD": 0.47, "NoSSD": 0.54},
}
"""Venice's over these (§6.4: power 4 and 1 % below, energy 61, 54, 53 and 46 % below)."""


def runs(scale: Scale) -> dict[Label, Run]:
    return matrix(scale, [PERFORMANCE])


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for what, measure in MEASURES.items():

        def ratio(data: Data, other: Data, measure: Callable[[Data], float] = measure) -> float:
            return measure(data) / measure(other)

        rows += [{"what": what, **row} for row in compared(found, ratio, {}) if row["system"] != BASELINE]
        for other, published in VENICE_OVER.get(what, {}).items():
            known = {(PERFORMANCE, "Venice", AVERAGE): published}
            rows += [{"what": what, **row} for row in against(found, ratio, known, other)]
    return rows


def chart(rows: list[Row]) -> dict[str, Spec]:
    shades = fabric_colours(SYSTEMS)
    headline = [row for row in rows if (row["traffic"], row["load"]) == (OWN, OPEN) and row["system"] in shades]
    shown = [
        {**row, "published": VENICE_OVER[row["what"]]["Baseline"]}
        if (row["system"], row["workload"]) == ("Venice", AVERAGE) and row["what"] in VENICE_OVER
        else row
        for row in headline
    ]
    averages = [row for row in shown if row["workload"] == AVERAGE]
    title = "over Baseline's, times"
    drawn = {"the paper's formulas and ours, means; red: published": grouped(averages, "what", title, shades)}
    for what in (POWER, ENERGY):
        here = [row for row in shown if row["what"] == what]
        drawn[f"{what}, open loop at Table 2's rates; red: published"] = grouped(here, "workload", title, shades)
    return drawn


FIGURE = Figure("fig14", "Fig. 14: power and energy", __doc__, runs, table, chart, AS_PUBLISHED)
