"""Bulk bitwise operations: one-shot sensing over sensing one by one and over the host (Flash-Cosmos, MICRO 2022).

Method: the AND of 4, 16 or 48 operands of a page each, 256 tasks outstanding. The drive has 8 channels of 1.2 GB/s
with 8 dies of two planes, and a link of 8 GB/s. Flash-Cosmos senses up to 48 operands at once, ParaBit senses one after
the other, and the host reads all of them. `ours` is Flash-Cosmos's rate, or operands per energy, over the other's.

Assumptions: only the paper's abstract and public summaries were at hand. They state the drive, pages of 16 KiB, 48 word
lines per string, and 3.3 % more time to sense them at once. A read of 22.5 us is assumed. Operands lie in one block and
string group. The paper's numbers are means over three applications (bitmap indices, image segmentation, cliques of
graphs) whose operand counts were not found, so that ours are shown by number of operands. Its energy counts a measured
processor and memory; ours counts arrays, fabric and units with the powers of `compute`, and neither link nor memory.
"""

from collections.abc import Mapping

from canaletto_papers.compute.drives import PAGE_KIB, drive, energy_per_byte, operand_rate, tasks
from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale

OPERANDS = (4, 16, 48)
SYSTEMS = {"host": ("host", 48), "ParaBit": ("array", 1), "Flash-Cosmos": ("array", 48)}
PUBLISHED = {("ParaBit", "rate"): 3.5, ("host", "rate"): 32.0, ("ParaBit", "energy"): 3.3, ("host", "energy"): 95.0}


def runs(scale: Scale) -> dict[Label, Run]:
    found: dict[Label, Run] = {}
    for system, (at, at_once) in SYSTEMS.items():
        design = drive(8, 8.0, **{"compute.array.operands": at_once, "compute.array.groups": 1})
        for operands in OPERANDS:
            # One behind the other in a plane, in the order in which an untouched drive is found.
            apart = f"{8 * 8 * 2 * PAGE_KIB}KiB"
            work = tasks(scale.of(4000, 1000), PAGE_KIB, 256, kind="gather", at=at, operands=operands, distance=apart)
            found[system, str(operands)] = Run(design, work)
    return found


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for operands in OPERANDS:
        best = found["Flash-Cosmos", str(operands)]
        for (system, quantity), published in PUBLISHED.items():
            other = found[system, str(operands)]
            gain = operand_rate(best) / operand_rate(other)
            if quantity == "energy":
                gain = energy_per_byte(other) / energy_per_byte(best)
            rows.append(
                {
                    "operands": str(operands),
                    "over": system,
                    "quantity": quantity,
                    "ours": gain,
                    "published": published,
                }
            )
    return rows


FIGURE = Figure(
    "bitwise",
    "Operands sensed at once over operands sensed one by one, and over the host",
    __doc__,
    runs,
    table,
    lambda _: None,
    by_effect=True,
    ordered=("over",),
)
