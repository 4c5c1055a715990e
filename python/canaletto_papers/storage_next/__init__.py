"""Small reads at tens of millions a second: the drive of "Five-Minute Rule 40 Years Later" (arXiv 2511.03944).

The formulas of its model are `canaletto.bounds`; its simulator, MQSim-Next, is not public.
"""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    table2
    fig7
    failures
    changes
    tails
    """,
)
