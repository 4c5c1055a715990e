"""Figures of "Networked SSD: Flash Memory Interconnection Network for High-Bandwidth SSD" (MICRO 2022)."""

from canaletto_papers.networked_ssd import (
    causes,
    causes_gc,
    fig3,
    fig4,
    fig14,
    fig15,
    fig16,
    fig17,
    fig18,
    fig19,
    fig20,
)
from canaletto_papers.networked_ssd.serving import SYSTEMS as NAMES

__all__ = ["FIGURES", "NAMES"]

_PUBLISHED = (fig3, fig4, fig14, fig15, fig16, fig17, fig18, fig19, fig20)

FIGURES = [module.FIGURE for module in (*_PUBLISHED, causes, causes_gc)]
"""In the paper's order, then what explains them."""
