"""Figures of "Networked SSD: Flash Memory Interconnection Network for High-Bandwidth SSD" (MICRO 2022)."""

from canaletto.experiments.networked_ssd import fig18, fig19, fig20

FIGURES = [fig18.FIGURE, fig19.FIGURE, fig20.FIGURE]
"""In the paper's order."""
