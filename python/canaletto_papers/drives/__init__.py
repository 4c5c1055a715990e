"""Drives that were measured next to their presets.

Depths above eight are not here: the presets are judged by them.
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
    load
    load_errors
    """,
)
"""From what was calibrated to what was not looked at."""
