"""Tables and charts of "Architecture Exploration of High-Performance PCs with a Solid-State Disk" (slides)."""

from canaletto_papers.figure import of_modules

FIGURES = of_modules(
    __name__,
    """
    read_miss
    read_hit
    write
    page_fault
    network_download
    real_traces
    max_improvement
    breakdown
    sensitivity
    match
    joint
    device
    """,
)
