"""Speedups over the first fabric of a comparison, with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, TypeAlias

from canaletto._run.confidence import LEVEL, half_width

SAME = 0.01
"""Fabrics whose figures differ by less than this share are called equal."""

MEASURES = ("execution_time", "mean_latency", "p99_latency", "iops")


@dataclass(frozen=True)
class Gain:
    """With several seeds: the mean, and half the width of its 95 % interval."""

    mean: float
    half_width: float | None = None

    @property
    def is_sure(self) -> bool:
        return self.half_width is None or abs(self.mean - 1) > self.half_width

    @property
    def is_faster(self) -> bool:
        return self.mean > 1 + SAME and self.is_sure

    @property
    def is_slower(self) -> bool:
        return self.mean * (1 + SAME) < 1 and self.is_sure

    def is_beyond(self, other: "Gain") -> bool:
        least, most = self.mean - (self.half_width or 0), other.mean + (other.half_width or 0)
        return self.mean > (1 + SAME) * other.mean and least > most


Gains: TypeAlias = Mapping[str, Mapping[str, Gain | None]]
"""By fabric and measure; None where undefined."""


def gains(samples: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, dict[str, Gain | None]]:
    """One sequence per seed, each with a result for every fabric, the baseline first.

    Ratios are taken seed by seed, because all fabrics then serve the same requests.
    """
    each = [_ratios(runs) for runs in samples]
    return {
        fabric: {measure: _gain([found[fabric][measure] for found in each]) for measure in MEASURES}
        for fabric in each[0]
    }


def intervals(found: Gains, seeds: Sequence[int]) -> dict[str, Any]:
    speedup = {
        fabric: {measure: _plain(gain) for measure, gain in measures.items()} for fabric, measures in found.items()
    }
    return {"seeds": list(seeds), "level": LEVEL, "speedup": speedup}


def _plain(gain: Gain | None) -> dict[str, float | None] | None:
    return None if gain is None else {"mean": gain.mean, "half_width": gain.half_width}


def _gain(ratios: Sequence[float | None]) -> Gain | None:
    known = [ratio for ratio in ratios if ratio is not None]
    return Gain(fmean(known), half_width(known)) if known and len(known) == len(ratios) else None


def _ratios(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float | None]]:
    first = runs[0]
    return {
        run["fabric"]: {
            "execution_time": _ratio(first["execution_time_us"], run["execution_time_us"]),
            "mean_latency": _ratio(first["latency_us"]["all"]["mean"], run["latency_us"]["all"]["mean"]),
            "p99_latency": _ratio(first["latency_us"]["all"]["p99"], run["latency_us"]["all"]["p99"]),
            "iops": _ratio(run["iops"], first["iops"]),
        }
        for run in runs
    }


def _ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a and b else None
