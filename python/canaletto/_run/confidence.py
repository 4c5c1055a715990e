"""Confidence intervals over repeated runs."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

LEVEL = 0.95

HEADLINES = (
    "iops",
    "bandwidth_mb_s",
    "execution_time_us",
    "latency_us.all.mean",
    "latency_us.all.p50",
    "latency_us.all.p99",
    "latency_us.all.p99_99",
    "latency_us.read.mean",
    "latency_us.write.mean",
    "flash.write_amplification",
    "fairness",
)
EXTRA_HEADLINES = (
    "requests.completed",
    "path_conflicts.free_request_share",
    "flash.reads",
    "flash.programs",
    "flash.erases",
)

# Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom.
_T = (
    *(12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389),
    *(2.2009852, 2.1788128, 2.1603687, 2.1447867, 2.1314495, 2.1199053, 2.1098156, 2.1009220, 2.0930241, 2.0859634),
    *(2.0796138, 2.0738731, 2.0686576, 2.0638986, 2.0595386, 2.0555294, 2.0518305, 2.0484071, 2.0452296, 2.0422725),
)


def intervals(seeds: Sequence[int], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {"seeds": list(seeds), "level": LEVEL}
    for name in HEADLINES:
        values = [lookup(result, name) for result in results]
        if all(value is not None for value in values):
            found[name] = {"mean": fmean(values), "half_width": half_width(values)}
    return found


def half_width(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    return student_t(len(values) - 1) * stdev(values) / sqrt(len(values))


def student_t(degrees: int) -> float:
    if degrees <= len(_T):
        return _T[degrees - 1]
    # Cornish-Fisher expansion: within 1e-6 beyond 30 degrees of freedom (Abramowitz and Stegun 26.7.5).
    z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return sum((term / float(degrees) ** power for power, term in enumerate(terms)), 0.0)


def lookup(data: Mapping[str, Any], name: str) -> Any:
    found: Any = data
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return None
        found = found[part]
    return found
