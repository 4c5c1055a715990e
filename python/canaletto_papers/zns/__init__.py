"""A zoned drive under interference, measured and ours."""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    reads
    writes
    agreement
    """,
)
