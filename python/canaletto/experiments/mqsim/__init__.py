"""Experiments of "MQSim: A Framework for Enabling Realistic Studies of Modern Multi-Queue SSD Devices" (FAST 2018)."""

from canaletto.experiments.mqsim import (
    back_end,
    mapping_table,
    mqsim_back_end,
    mqsim_queue_fetch,
    mqsim_write_cache,
    queue_fetch,
    sizes,
    steady_state,
    table_errors,
    write_cache,
)

FIGURES = [
    module.FIGURE
    for module in (
        *(mqsim_back_end, mqsim_queue_fetch, mqsim_write_cache),
        *(queue_fetch, steady_state, sizes, table_errors),
        *(write_cache, mapping_table, back_end),
    )
]
"""MQSim's own files first, then the slides' order."""
