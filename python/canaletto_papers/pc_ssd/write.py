"""DMA writes: total time, and without the drive's inside.

Method: as for reads. The DMA engine asks main memory for each chunk of 512 B and asks for the next one when that is
at the drive (slides, "DMA write (consecutive)"). A write ends when it is on flash.

Assumptions: every key marked so in `canaletto schema pc`, above all 200 us and 170 MB/s behind each port of the
drive.
"""

from canaletto_papers.pc_ssd.study import WRITE, scenario_figure

FIGURE = scenario_figure("write", "DMA write", __doc__, WRITE)
