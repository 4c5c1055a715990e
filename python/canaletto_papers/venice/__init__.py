"""Figures of "Venice: Improving SSD Parallelism at Low Cost via Conflict-Free Accesses" (ISCA 2023)."""

from canaletto_papers.figure import of_modules
from canaletto_papers.venice.evaluation import SYSTEMS as NAMES
from canaletto_papers.venice.findings import FINDINGS

__all__ = ["FIGURES", "FINDINGS", "NAMES"]

FIGURES = of_modules(
    __name__,
    """
    fig3
    fig4
    table1
    table2
    table3
    fig9
    fig10
    fig11
    fig12
    fig13
    fig14
    fig15
    table4
    intensity
    bound
    causes
    as_printed
    prior_holds
    prior_search
    traces
    """,
)
