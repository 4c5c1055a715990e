"""Experiments of "MQSim: A Framework for Enabling Realistic Studies of Modern Multi-Queue SSD Devices" (FAST 2018)."""

from canaletto_papers.mqsim import (
    back_end,
    files_back_end,
    files_queue_fetch,
    files_write_cache,
    latency_steps,
    mapping_table,
    queue_fetch,
    sizes,
    steady_state,
    table_errors,
    write_cache,
)

FIGURES = [
    module.FIGURE
    for module in (
        *(files_back_end, files_queue_fetch, files_write_cache),
        *(latency_steps, queue_fetch, steady_state, sizes, table_errors),
        *(write_cache, mapping_table, back_end),
    )
]
"""MQSim's own files first, then the slides' order."""
