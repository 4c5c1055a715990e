"""Rate, width and extent of the wires of compared fabrics: differences that are no structure, and what they decide."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from canaletto._io.units import ABSENT, count, digits, factor
from canaletto._report.summary import contenders
from canaletto._run.gains import Gains

Run: TypeAlias = Mapping[str, Any]

APART = 1.02
"""Ratio of two bandwidths from which on they differ."""


def sheet(runs: Sequence[Run]) -> list[list[str]]:
    """The fields `interconnect` side by side: headings, then a row a fabric."""
    heads = ["wires", "MT/s per\nwire", "wires\nper link", "pins per\ncontroller", "pins\nper chip", "wires ×\npitches"]
    return [[*heads, "area\n(mm²)"], *(_row(run) for run in runs)]


def _row(run: Run) -> list[str]:
    found = run.get("interconnect") or {}
    keys = ("rate_mt_s", "width", "data_pins_per_controller", "data_pins_per_chip", "wire_length_pitches", "area_mm2")
    return [run["fabric"], *(_number(found.get(key)) for key in keys)]


def _number(value: float | None) -> str:
    if value is None:
        return ABSENT
    return count(int(value)) if value == int(value) else digits(value)


def about(runs: Sequence[Run]) -> str:
    """The meaning of the columns, and the sources of areas."""
    sources = dict.fromkeys(run["interconnect"]["area_source"] for run in runs if run.get("interconnect"))
    return f"Rates are of one data wire; lengths are in pitches between chips. Area: {'; '.join(sources)}."


def caveat(runs: Sequence[Run], gains: Gains) -> str:
    """A sentence if wires alone, by rate or number, explain what the verdict says; empty otherwise."""
    first, *others = contenders(runs, gains)
    bandwidths = {run["fabric"]: bandwidth_mb_s(run) for run in runs}
    mine, theirs = bandwidths[first], bandwidths[others[0]] if others else None
    gain = (gains.get(others[0]) or {}).get("mean_latency") if others else None
    if gain is None or mine is None or theirs is None:
        return ""
    best, ratio = others[0], theirs / mine
    faster, wider = max(gain.mean, 1 / gain.mean), max(ratio, 1 / ratio)
    if (gain.mean > 1) != (ratio > 1) or wider < APART or not (gain.is_faster or gain.is_slower) or faster > wider:
        return ""
    more, less = (best, first) if ratio > 1 else (first, best)
    return (
        f"Not structure alone: the wires at {more}'s controllers carry {factor(wider)} as much as those of {less}, "
        "which can explain all of the difference. Compare them with as many pins (--equal pins) at one rate."
    )


def bandwidth_mb_s(run: Run) -> float | None:
    """Rate at which all data pins of a controller carry data; None if nobody counted them."""
    found = run.get("interconnect") or {}
    pins = found.get("data_pins_per_controller")
    return None if pins is None else float(found["rate_mt_s"] * pins / 8)
