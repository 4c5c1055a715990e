"""From an idle drive to a saturated one: every fabric under more and more load, imbalance, and larger requests.

No paper's figures, but what decides most of those papers' figures.
"""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    curves
    knees
    imbalance
    sizes
    """,
)
