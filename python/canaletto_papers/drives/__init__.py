"""Drives that were measured next to their presets.

What was measured at greater depths than eight is not here: it is what these presets are judged by.
"""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    table_reads
    latencies
    table_writes
    amplification
    table_data_sheets
    """,
)
"""From what was calibrated to what was not looked at."""
