"""Measured points: jobs, and how a drive answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from canaletto._engine import ConfigError

QUANTILES = (0.1, 0.5, 0.9, 0.99)
"""In fio's results by default."""

OPS = ("read", "write")
Half = Literal["fitted", "judged"]
BELOW = 1e18


def positive(found: object) -> float | None:
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found < BELOW:
        return None
    return float(found)


def name_of(quantile: float) -> str:
    return f"p{quantile * 100:g}_us".replace(".", "_", 1) if quantile * 100 % 1 else f"p{quantile * 100:.0f}_us"


@dataclass(frozen=True)
class Job:
    options: Mapping[str, str]
    processes: int
    depth: int
    size: str
    kind: str

    @property
    def outstanding(self) -> int:
        return self.processes * self.depth


@dataclass(frozen=True)
class Point:
    name: str
    job: Job
    op: str
    statistics: Mapping[str, float]
    latencies_us: tuple[float, ...] = ()
    """In the order of measurement; none where only statistics are known."""
    half: Half = "fitted"

    @property
    def label(self) -> str:
        processes = f" x {self.job.processes}" if self.job.processes > 1 else ""
        return f"{self.op} {self.job.kind} {self.job.size} depth {self.job.depth}{processes}"


def halved(points: Sequence[Point], *, judge: bool) -> list[Point]:
    """By kind, size and depth, every second point is judged; with `judge` false, none.

    A single log is cut in the middle.
    """
    ordered = sorted(points, key=lambda point: (point.op, point.job.kind, size_order(point), point.job.outstanding))
    if not judge:
        return ordered
    if len(ordered) > 1:
        return [replace(point, half="judged" if number % 2 else "fitted") for number, point in enumerate(ordered)]
    (only,) = ordered
    if len(only.latencies_us) < 2 * FEWEST:
        raise ConfigError(
            f"{only.name}: got one measured point, expected two or more: half of the data are kept for judging. "
            '`judge = "none"` (--judge none) fits all of them'
        )
    middle = len(only.latencies_us) // 2
    parts: dict[Half, tuple[float, ...]] = {
        "fitted": only.latencies_us[:middle],
        "judged": only.latencies_us[middle:],
    }
    return [of_latencies(f"{only.name}, {half}", only.job, only.op, part, half) for half, part in parts.items()]


FEWEST = 100
"""With fewer a percentile shows chance."""


def size_order(point: Point) -> tuple[int, str]:
    digits = point.job.size.rstrip("B")
    return (int(digits), "") if digits.isdigit() else (0, digits)


LEAST_ABOVE = 10
"""With fewer a percentile shows chance."""


def of_latencies(name: str, job: Job, op: str, latencies_us: Sequence[float], half: Half = "fitted") -> Point:
    """In a closed loop the rate follows from Little's law."""
    import numpy as np

    found = np.asarray(latencies_us)
    mean = float(found.mean())
    statistics = {"mean_us": mean, "iops": job.outstanding / mean * 1e6}
    known = [quantile for quantile in QUANTILES if (1 - quantile) * len(found) > LEAST_ABOVE - 0.5]
    statistics |= {name_of(each): float(cut) for each, cut in zip(known, np.quantile(found, known), strict=True)}
    return Point(name, job, op, statistics, tuple(latencies_us), half)
