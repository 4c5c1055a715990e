"""Downloads: blocks arrive over the network and are written to the drive. Total time, and without the drive's inside.

Method: 16 blocks of the size. The network interface, at the south bridge, puts a block into main memory by both
bridges; then it is written. With one port a block arrives when the last one is written. With two ports it is written
"solely via the direct path" (slides) while the next one arrives, and two blocks have room in main memory.

Assumptions: Gigabit Ethernet (ICH8 has it), nothing but data on it; times of writes.
"""

from canaletto_papers.pc_ssd.study import DOWNLOAD, scenario_figure

FIGURE = scenario_figure("network-download", "Network download", __doc__, DOWNLOAD)
