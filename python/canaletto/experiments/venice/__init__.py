"""Figures of "Venice: Improving SSD Parallelism at Low Cost via Conflict-Free Accesses" (ISCA 2023)."""

from canaletto.experiments.venice import fig4, fig9, fig10, fig13

FIGURES = [fig4.FIGURE, fig9.FIGURE, fig10.FIGURE, fig13.FIGURE]
"""In the paper's order."""
