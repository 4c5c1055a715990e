"""DMA reads of data that are on flash: total time, and without the drive's inside.

Method: one DMA on an idle PC (`host/attach/`), 512 B to 128 KiB, with a drive of fixed latency and rate. `ours` is
the speedup over SBSP in total time; "without the drive's inside" is the same DMA with a drive whose inside takes no
time. Steps belong to the path that ends last. The slides' charts are lost in the extract: only their highest
ratios are known (`max-improvement`).

Assumptions: every key marked so in `canaletto schema pc`, above all 50 us and 250 MB/s behind each port of the drive;
a dual-port drive reads half of the data at each port.
"""

from canaletto_papers.pc_ssd.study import READ_MISS, scenario_figure

FIGURE = scenario_figure("read-miss", "DMA read with cache miss", __doc__, READ_MISS)
