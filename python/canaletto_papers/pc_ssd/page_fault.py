"""Page faults: a victim page is written and a new page read. Total time, and without the drive's inside.

Method: with one port the read's command is made when the write is complete. With two ports both DMAs are one packed
command and run at the same time, each over both paths; they meet at every part they share.

Assumptions: as in reads and writes; the new page is on flash.
"""

from canaletto_papers.pc_ssd.study import PAGE_FAULT, scenario_figure

FIGURE = scenario_figure("page-fault", "Page fault", __doc__, PAGE_FAULT)
