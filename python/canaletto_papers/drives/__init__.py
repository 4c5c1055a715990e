"""Drives that were measured next to their presets.

Presets of client drives are calibrated from at most eight reads outstanding, presets of enterprise drives from light
loads.
"""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    table_reads
    table_deep
    latencies
    table_writes
    amplification
    table_data_sheets
    load
    load_errors
    """,
)
