"""The fabrics on one drive, with and without a limit at the host."""

from functools import cache

from canaletto._report import colours
from canaletto._run import config
from canaletto._run.config import Design

FABRICS = tuple(colours.FABRICS)

SHADES = colours.FABRICS

LINKED, UNLIMITED = "host link of 8 GB/s", "no limit at the host"
LINKS = (LINKED, UNLIMITED)

ROWS = 8


@cache
def drive(fabric: str, link: str, preset: str = "performance-optimized") -> Design:
    """Without a limit, its host link is 16 times as fast."""
    keys = {} if link == LINKED else {"link.lanes": 16, "link.lane_rate": "8GB/s"}
    return config.design(preset, fabric=fabric, **keys)
