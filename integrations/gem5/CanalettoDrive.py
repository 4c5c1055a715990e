"""A canaletto drive in gem5: storage in a range of addresses, with a simulated solid-state drive's times."""

from m5.objects.AbstractMemory import AbstractMemory
from m5.params import Param, ResponsePort, VectorParam


class CanalettoDrive(AbstractMemory):
    """A memory with the times of a simulated drive."""

    type = "CanalettoDrive"
    cxx_header = "canaletto_drive.hh"
    cxx_class = "gem5::CanalettoDrive"

    port = ResponsePort("Requests for the drive")
    design = Param.String("performance-optimized", "Name of a preset of canaletto")
    settings = VectorParam.String([], "Settings of the design, each key=value")
    seed = Param.UInt64(1, "Seed of all random streams")
