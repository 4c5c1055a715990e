"""DMA reads of data that are in the drive's buffer: total time, and without the drive's inside.

Method: as for misses, with a buffer that answers after 100 ns at the rate of DDR2-800.

Assumptions: as for misses. The north bridge's DRAM interface is a rank of main memory's channel, which data cross
twice.
"""

from canaletto_papers.pc_ssd.study import READ_HIT, scenario_figure

FIGURE = scenario_figure("read-hit", "DMA read with cache hit", __doc__, READ_HIT)
