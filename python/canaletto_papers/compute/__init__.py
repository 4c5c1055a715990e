"""Computation where the data are: what published in-storage systems gain over a host.

Their simulators are not public, so that each figure states its set-up and what is unknown.
"""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    bitwise
    filters
    collection
    """,
)
