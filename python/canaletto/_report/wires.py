"""Differences of wires between compared fabrics, and what they decide."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from canaletto._io.units import ABSENT, count, digits, factor, thousandths
from canaletto._report.summary import contenders
from canaletto._run.gains import Gains

Run: TypeAlias = Mapping[str, Any]

APART = 1.02


def sheet(runs: Sequence[Run]) -> list[list[str]]:
    heads = ["wires", "MT/s per\nwire", "wires\nper link", "pins per\ncontroller", "pins\nper chip", "wires ×\npitches"]
    rows = [[*heads, "area\n(mm²)", "energy per\nrequest"], *(_row(run) for run in runs)]
    return rows if any(row[-1] != ABSENT for row in rows[1:]) else [row[:-1] for row in rows]


def _row(run: Run) -> list[str]:
    found = run.get("interconnect") or {}
    keys = ("rate_mt_s", "width", "data_pins_per_controller", "data_pins_per_chip", "wire_length_pitches", "area_mm2")
    energy = found.get("energy_nj_per_request")
    return [run["fabric"], *(_number(found.get(key)) for key in keys), thousandths(energy and energy * 1e-6, "J")]


def _number(value: float | None) -> str:
    if value is None:
        return ABSENT
    return count(int(value)) if value == int(value) else digits(value)


_ABOUT = (
    "Rates are of one data wire; lengths are in pitches between chips; energy is what moving commands and data takes."
)


def absent(runs: Sequence[Run]) -> str:
    reasons: dict[str, list[str]] = {}
    for run in runs:
        found = run.get("interconnect")
        if found and found["area_mm2"] is None:
            reasons.setdefault(found["area_source"], []).append(run["fabric"])
    return " ".join(f"Area of {', '.join(fabrics)}: {reason}." for reason, fabrics in reasons.items())


def about(runs: Sequence[Run]) -> str:
    found = [(run["fabric"], run["interconnect"]) for run in runs if run.get("interconnect")]
    pins = [f"{fabric}: {each['pins_source']}" for fabric, each in found if "pins_source" in each]
    others = {
        name: "; ".join(dict.fromkeys(each[f"{name}_source"] for _, each in found if f"{name}_source" in each))
        for name in ("area", "energy")
    }
    told = {"Wires and pins": "; ".join(pins), **{name.capitalize(): text for name, text in others.items()}}
    return " ".join([_ABOUT, *(f"{name}: {text}." for name, text in told.items() if text)])


def caveat(runs: Sequence[Run], gains: Gains) -> str:
    """If wires alone explain the verdict; else empty. Drives differ in all."""
    if len({run.get("design") for run in runs}) > 1:
        return ""
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
    pins = {run["interconnect"]["data_pins_per_controller"] for run in runs if run["fabric"] in (best, first)}
    remedy = "one rate per wire" if len(pins) == 1 else "equal pins (--equal pins) and one rate"
    return (
        f"Not structure alone: the wires at {more}'s controllers carry {factor(wider)} as much as {less}'s, "
        f"which can explain all of the difference. Compare them at {remedy}."
    )


def bandwidth_mb_s(run: Run) -> float | None:
    found = run.get("interconnect") or {}
    pins = found.get("data_pins_per_controller")
    return None if pins is None else float(found["rate_mt_s"] * pins / 8)
