"""PCs with a fixed-latency drive: how long a DMA takes over south bridge, north bridge, one port or two, and where.

>>> from canaletto import attachments
>>> t = attachments.simulate("nbdp", "dma-read-hit", 65536)
>>> t.total_us, t.without_inside_us
>>> t.steps_us["direct_path"]  # the steps' sum is the total

`docs/explanation/attachments.md` says what is modelled. The design's `attachment` keys attach a simulated drive.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canaletto import _engine
from canaletto._run.config import check_whole, keyword_settings

__all__ = ["KINDS", "SCENARIOS", "Times", "pc", "simulate"]

KINDS = ("sbsp", "nbsp", "sbdp", "nbdp")
"""South or north bridge, single or dual port."""

SCENARIOS = ("dma-read-miss", "dma-read-hit", "dma-write", "page-fault", "network-download")


@dataclass(frozen=True)
class Times:
    """Time of a scenario, in microseconds."""

    total_us: float
    without_inside_us: float
    """The same with a drive whose inside takes no time."""
    steps_us: Mapping[str, float]
    """Time by step; the sum is the total."""


def pc(kind: str, **overrides: Any) -> str:
    """A PC in full, as TOML, with some keys changed.

    Parameters
    ----------
    kind
        One of `KINDS`.
    overrides
        Values by key, as in `canaletto schema pc`: `**{"ssd.miss_latency": "25us", "attachment.bridges.lanes": 8}`.

    Returns
    -------
    str
        TOML with every default spelt out.

    Raises
    ------
    ConfigError
        For an unknown key, a value that is not allowed, or an attachment that cannot carry its interface.
    """
    settings = keyword_settings({"attachment.kind": kind, **overrides})
    return _engine.resolve_pc("pc", "", [setting.text for setting in settings])


def simulate(kind: str, scenario: str, size: int, **overrides: Any) -> Times:
    """Returns the time of a scenario in a PC.

    Parameters
    ----------
    kind
        One of `KINDS`.
    scenario
        One of `SCENARIOS`.
    size
        Bytes of a transfer, a multiple of 512.
    overrides
        As for `pc`.

    Returns
    -------
    Times
        In microseconds, in all and by step.

    Raises
    ------
    ConfigError
        As `pc` does, for an unknown scenario, and for a size that is not allowed.

    Examples
    --------
    >>> from canaletto import attachments
    >>> t = attachments.simulate("nbdp", "dma-read-hit", 65536)
    >>> abs(sum(t.steps_us.values()) - t.total_us) < 1e-6
    True
    """
    check_whole("size", size, 512, 1 << 24)
    found = json.loads(_engine.simulate_pc(pc(kind, **overrides), scenario, size))
    return Times(
        total_us=found["total_ps"] / 1e6,
        without_inside_us=found["without_inside_ps"] / 1e6,
        steps_us={step: span / 1e6 for step, span in found["steps_ps"].items()},
    )
