"""A zoned drive under interference, measured and ours."""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    reads
    writes
    """,
)
"""Reads next to other commands, then writes and appends alone."""
