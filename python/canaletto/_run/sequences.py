"""Command sequences of a drive."""

import json
from os import PathLike
from typing import Any

from canaletto import _engine
from canaletto._run.config import Design
from canaletto._run.config import design as resolve


def sequences(design: Design | str | PathLike[str]) -> dict[str, Any]:
    """Looks at the command sequences of a drive: every step on its chips' pins, and the times on its fabric.

    Parameters
    ----------
    design
        A drive; or a preset's name or a TOML file, as for `design`.

    Returns
    -------
    dict
        What `canaletto sequences --json` prints: `sequences` with their steps, and `times` of each command in
        nanoseconds, on the wires (data apart) and in the chip (the array apart).

    Raises
    ------
    ConfigError
        For a drive that cannot be simulated.

    Examples
    --------
    >>> import canaletto as cn
    >>> drive = cn.design("networked-ssd").replace(**{"fabric.sequences": "full"})
    >>> {time["name"]: time["wires_ns"] for time in cn.sequences(drive)["times"] if time["planes"] == 1}["page"]
    625.0
    """
    drive = design if isinstance(design, Design) else resolve(design)
    found: dict[str, Any] = json.loads(_engine.sequences(drive.to_toml()))
    return found
