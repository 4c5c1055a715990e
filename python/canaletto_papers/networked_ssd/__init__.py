"""Figures of "Networked SSD: Flash Memory Interconnection Network for High-Bandwidth SSD" (MICRO 2022)."""

from canaletto_papers.figure import of_modules
from canaletto_papers.networked_ssd.serving import SYSTEMS as NAMES

__all__ = ["FIGURES", "NAMES"]

FIGURES = of_modules(
    __name__,
    """
    fig3
    fig4
    fig14
    fig15
    fig16
    fig17
    fig18
    fig19
    fig20
    ecc
    causes
    causes_gc
    """,
)
