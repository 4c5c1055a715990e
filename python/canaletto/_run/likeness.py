"""Likeness of the traffic of two traces or workloads."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import sqrt
from typing import Any

Found = Mapping[str, Any]

FIGURES: dict[str, tuple[str, Callable[[Found], float | None]]] = {
    "requests": ("count", lambda f: f["requests"]),
    "read share": ("share", lambda f: f["read_share"]),
    "mean size": ("bytes", lambda f: f["size_bytes"]["mean"]),
    "mean time between arrivals": ("us", lambda f: f["mean_inter_arrival_us"]),
    "variation of arrivals": ("factor", lambda f: f["inter_arrival_us"]["variation"]),
    "arrivals together": ("share", lambda f: f["inter_arrival_us"]["zero_share"]),
    "sequential share": ("share", lambda f: f["sequential_share"]),
    "requests of a run": ("factor", lambda f: f["run_length"]),
    "footprint": ("bytes", lambda f: f["footprint_bytes"]),
    "page accesses again": ("share", lambda f: f["reuse"]["share"]),
    "hottest 10 % of pages": ("share", lambda f: f["reuse"]["hottest_10_percent"]),
    "returns to recent places": ("share", lambda f: f["starts"]["recent_share"]),
    "busiest channel": ("factor", lambda f: f["channels"]["imbalance"] if f["channels"] else None),
    "busiest channel in bursts": ("factor", lambda f: f["channels"]["imbalance_of_bursts"] if f["channels"] else None),
}

DISTRIBUTIONS: dict[str, Callable[[Found], Sequence[Sequence[float]]]] = {
    "sizes of reads": lambda f: f["sizes"][0],
    "sizes of writes": lambda f: f["sizes"][1],
    "times between arrivals": lambda f: f["inter_arrivals"],
    "distances of reuse": lambda f: f["reuse"]["distances"],
}


def likeness(a: Found, b: Found) -> dict[str, list[dict[str, Any]]]:
    """`figures` side by side (`a`, `b`, `ratio`), and `distributions`.

    A distance is the largest difference of the cumulative distributions (Kolmogorov-Smirnov).
    """
    figures = [
        {"name": name, "unit": unit, "a": of(a), "b": of(b), "ratio": _ratio(of(a), of(b))}
        for name, (unit, of) in FIGURES.items()
    ]
    distances = [
        {"name": name, "distance": distance(of(a), of(b)), "by_chance": by_chance(of(a), of(b))}
        for name, of in DISTRIBUTIONS.items()
    ]
    return {"figures": figures, "distributions": distances}


def _ratio(a: float | None, b: float | None) -> float | None:
    return b / a if a and b is not None else None


def distance(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> float | None:
    if not a or not b:
        return None
    below = [_below(a), _below(b)]
    values = sorted({pair[0] for pair in (*a, *b)})
    return max(abs(below[0](value) - below[1](value)) for value in values)


def by_chance(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> float | None:
    """The distance that two samples of one distribution exceed in one case of twenty; None without values.

    The two-sample test for large samples (Smirnov 1948): 1.358 times the root of 1/n + 1/m.
    """
    counts = [sum(pair[1] for pair in pairs) for pairs in (a, b)]
    return min(1.358 * sqrt(sum(1 / number for number in counts)), 1.0) if all(counts) else None


ALIKE, DIFFERENT = 0.1, 0.3
"""Assumed: a tenth of the requests elsewhere hardly changes a mean latency, a third does."""

ABOUT = (
    "Apart: the largest difference of the cumulative distributions (Kolmogorov-Smirnov), 0 % for equal ones. "
    f"Up to {100 * ALIKE:.0f} % is good; from {100 * DIFFERENT:.0f} % on distributions differ."
)


def judged(distance: float, chance: float | None) -> str:
    if chance is not None and distance <= chance:
        return "as of one distribution"
    return "alike" if distance <= ALIKE else "different" if distance >= DIFFERENT else "similar"


def _below(pairs: Sequence[Sequence[float]]) -> Callable[[float], float]:
    values = [pair[0] for pair in pairs]
    sums = [0.0, *accumulate(pair[1] for pair in pairs)]
    return lambda value: sums[bisect_right(values, value)] / sums[-1]


def rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    from canaletto._io.units import ABSENT, binary, count, digits, factor, share, time_us

    word: dict[str, Callable[[float], str]] = {
        "count": lambda value: count(int(value)),
        "share": share,
        "bytes": binary,
        "us": time_us,
        "factor": digits,
    }
    for line in found["figures"]:
        a, b = (ABSENT if line[side] is None else word[line["unit"]](line[side]) for side in ("a", "b"))
        if (a, b) != (ABSENT, ABSENT):
            yield line["name"], a, b, ABSENT if line["ratio"] is None else factor(line["ratio"])
    for line in found["distributions"]:
        if line["distance"] is not None:
            told = judged(line["distance"], line["by_chance"])
            yield line["name"], "", "", f"{share(line['distance'])} apart: {told}"
