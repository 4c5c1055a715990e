"""Makes the tables of docs/explanation/energy.md: `.venv/bin/python docs/energy.py --write`."""

from collections.abc import Iterator, Mapping

import canaletto as cn
import tables
from canaletto_papers.flows import flow, workload

PAGE = tables.DOCS / "explanation/energy.md"
FABRICS = ("bus", "venice", "mesh")
SHARES = (1.0, 0.9, 0.7, 0.5)
FAR = 5
"""Chip that is as many links from its controller."""


def powers(reads: float) -> dict[str, float]:
    """Average power by the paper's formula, single pages, mW."""
    pages = {"requests": 2000, "read_share": reads, "size": "4KiB", "queue_depth": 1}
    work = workload("pages", [flow("pages", pages, channels=[0], chips=[FAR])], partitioned=True)
    runs = cn.compare("performance-optimized", work, FABRICS, records=False, progress=False)
    return {fabric: runs[fabric].to_dict()["energy_detail"]["paper"]["average_power_mw"] for fabric in FABRICS}


def line(reads: float, found: Mapping[str, float]) -> str:
    apart = [100 * (found["venice"] / found[other] - 1) for other in ("bus", "mesh")]
    cells = [*(f"{found[fabric]:.1f} mW" for fabric in FABRICS), *(f"−{-each:.1f} %" for each in apart)]
    return f"| {100 * reads:.0f} : {100 * (1 - reads):.0f} | {' | '.join(cells)} |"


def paper() -> Iterator[str]:
    yield "| reads : writes | baseline | venice | mesh | venice to baseline | venice to mesh |"
    yield "| --- | --- | --- | --- | --- | --- |"
    yield from (line(reads, powers(reads)) for reads in SHARES)
    yield "| [V], 19 workloads | | | | −4 % | −1 % |"


TABLES = {"energy-paper": (PAGE, paper)}

if __name__ == "__main__":
    tables.main(__doc__, TABLES)
