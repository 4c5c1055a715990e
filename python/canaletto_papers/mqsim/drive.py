"""Drive, depths, and runs of two flows and of each alone."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from canaletto._run import config
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Label, Run
from canaletto_papers.mqsim.files import DEPTHS

PRESET = "mqsim-fast18"

BOTH, FIRST, SECOND = "both", "Flow-1 alone", "Flow-2 alone"

ENDLESS = 10**12

__all__ = ["BOTH", "DEPTHS", "FIRST", "PRESET", "SECOND", "drive", "stopping", "three"]


@cache
def _drive(keys: tuple[tuple[str, Any], ...]) -> Design:
    return config.design(PRESET, **dict(keys))


def drive(keys: Mapping[str, Any] | None = None) -> Design:
    return _drive(tuple((keys or {}).items()))


def stopping(stop: str, **keys: Any) -> dict[str, Any]:
    return {"requests": ENDLESS, "stop": stop, **keys}


def three(case: str, works: Sequence[tuple[str, Workload]], design: Design) -> dict[Label, Run]:
    """Flow-1 alone does not depend on the load."""
    found: dict[Label, Run] = {}
    for load, work in works:
        found[case, load, BOTH] = Run(design, work)
        found[case, load, FIRST] = Run(design, works[0][1], alone=0)
        found[case, load, SECOND] = Run(design, work, alone=1)
    return found
