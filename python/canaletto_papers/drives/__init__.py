"""Drives that were measured beside their presets.

What was measured at greater depths than eight is not here: it is what these presets are judged by.
"""

from canaletto_papers.drives import amplification, latencies, table_data_sheets, table_reads, table_writes

FIGURES = [module.FIGURE for module in (table_reads, latencies, table_writes, amplification, table_data_sheets)]
"""From what was calibrated to what was not looked at."""
