"""Tables and charts of "Architecture Exploration of High-Performance PCs with a Solid-State Disk" (slides)."""

from canaletto_papers.pc_ssd import (
    breakdown,
    device,
    match,
    max_improvement,
    network_download,
    page_fault,
    read_hit,
    read_miss,
    real_traces,
    sensitivity,
    write,
)

FIGURES = [
    *(module.FIGURE for module in (read_miss, read_hit, write, page_fault, network_download, real_traces)),
    *(module.FIGURE for module in (max_improvement, breakdown)),
    *sensitivity.FIGURES,
    match.FIGURE,
    device.FIGURE,
]
"""In the slides' order, then what explains them, then a simulated drive."""
