"""The names there are."""

import json
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any

from canaletto import _engine

if TYPE_CHECKING:
    from canaletto._run.config import Design


@cache
def presets() -> dict[str, str]:
    """Design presets, each with one line about it."""
    return _abouts(_engine.presets())


@cache
def profiles() -> dict[str, str]:
    """Workload profiles, each with one line about it."""
    return _abouts(_engine.profiles())


@cache
def fabrics() -> dict[str, str]:
    """Fabrics, each with one line about it."""
    return {facts["name"]: facts["sentence"] for facts in json.loads(_engine.fabrics())}


def sequences(design: "Design | str | PathLike[str]") -> dict[str, Any]:
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
    from canaletto._run.config import Design
    from canaletto._run.config import design as resolve

    drive = design if isinstance(design, Design) else resolve(design)
    found: dict[str, Any] = json.loads(_engine.sequences(drive.to_toml()))
    return found


@cache
def usual_fabrics() -> tuple[str, ...]:
    """Fabrics that are compared if none are named, the baseline first."""
    return tuple(facts["name"] for facts in json.loads(_engine.fabrics()) if facts["is_usual"])


def _abouts(listing: str) -> dict[str, str]:
    return {entry["name"]: entry["about"] for entry in json.loads(listing)}
