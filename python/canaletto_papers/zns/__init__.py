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
"""Reads next to other commands, writes and appends alone, and how many lines of both come near."""
