"""Experiments of "MQSim: A Framework for Enabling Realistic Studies of Modern Multi-Queue SSD Devices" (FAST 2018)."""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    files_back_end
    files_queue_fetch
    files_write_cache
    latency_steps
    queue_fetch
    steady_state
    sizes
    table_errors
    write_cache
    mapping_table
    back_end
    """,
)
