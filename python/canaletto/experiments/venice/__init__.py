"""Figures of "Venice: Improving SSD Parallelism at Low Cost via Conflict-Free Accesses" (ISCA 2023)."""

from canaletto.experiments.venice import (
    causes,
    fig3,
    fig4,
    fig9,
    fig10,
    fig11,
    fig12,
    fig13,
    fig14,
    fig15,
    table1,
    table2,
    table3,
    table4,
)
from canaletto.experiments.venice.evaluation import SYSTEMS as NAMES

__all__ = ["FIGURES", "NAMES"]

FIGURES = [
    module.FIGURE
    for module in (fig3, fig4, table1, table2, table3, fig9, fig10, fig11, fig12, fig13, fig14, fig15, table4, causes)
]
"""In the paper's order."""
