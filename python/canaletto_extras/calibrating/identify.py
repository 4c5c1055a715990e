"""Parameters that the data can distinguish, by local sensitivities.

A column of the matrix is what a parameter's whole range does to the logarithms of all fitted statistics. If columns,
scaled to one length, are nearly dependent, the data determine a combination of the parameters; singular vectors of
small singular values name them (Belsley, Kuh and Welsch, "Regression Diagnostics", 1980, §3.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

LEAST_EFFECT = 0.005
NEARLY_DEPENDENT = 0.15
"""Singular value of scaled columns that are nearly dependent; of independent ones all are 1."""
TAKES_PART = 0.3
"""Least weight in a singular vector."""


@dataclass(frozen=True)
class Identified:
    effects: tuple[float, ...]
    """Mean effect of each whole range: 0.1 is ten percent."""
    without_effect: tuple[int, ...]
    together: tuple[tuple[int, ...], ...]
    uncertainties: tuple[float | None, ...]
    """As a part of its range; None where the data say nothing of it alone."""


def identify(columns: Sequence[Sequence[float]], error: float) -> Identified:
    import numpy as np

    matrix = np.asarray(columns, dtype=float).T
    count = matrix.shape[0]
    lengths = np.linalg.norm(matrix, axis=0)
    effects = lengths / np.sqrt(count)
    seen = [number for number, effect in enumerate(effects) if effect >= LEAST_EFFECT]
    together: list[tuple[int, ...]] = []
    alone: dict[int, float] = {}
    if seen:
        scaled = matrix[:, seen] / lengths[seen]
        _, values, vectors = np.linalg.svd(scaled, full_matrices=False)
        rank_missing = len(seen) - len(values)
        for value, vector in zip(values, vectors, strict=True):
            if value < NEARLY_DEPENDENT:
                group = tuple(seen[at] for at, weight in enumerate(vector) if abs(weight) > TAKES_PART)
                together.append(group)
        if rank_missing:
            together.append(tuple(seen))
        alone = _standard_errors(matrix, seen, error)
    tied = {number for group in together for number in group}
    return Identified(
        tuple(float(effect) for effect in effects),
        tuple(number for number in range(len(effects)) if number not in seen),
        tuple(dict.fromkeys(together)),
        tuple(None if number in tied else alone.get(number) for number in range(len(effects))),
    )


def _standard_errors(matrix: "np.ndarray[Any, Any]", seen: Sequence[int], error: float) -> dict[int, float]:
    import numpy as np

    own = matrix[:, list(seen)]
    freedom = max(own.shape[0] - own.shape[1], 1)
    covariance = np.linalg.pinv(own.T @ own) * error**2 * own.shape[0] / freedom
    return {number: float(np.sqrt(max(covariance[at, at], 0.0))) for at, number in enumerate(seen)}
