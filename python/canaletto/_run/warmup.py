"""The length of a run's warm-up.

MSER-5 (K. P. White, Simulation 69, 1997; White, Cobb and Spratt, Winter Simulation Conference 2000): latencies in the
order of completion are averaged in batches of five. The sum of squared deviations after leaving out `d` of `n` batches,
over (n − d)², is least at the warm-up's end.
"""

import numpy as np
import numpy.typing as npt

BATCH = 5
"""Latencies averaged to one figure, hence the method's name."""

LEAST = 40


def mser(latencies: npt.NDArray[np.float64]) -> int | None:
    """None if no beginning of up to half the run is long enough."""
    batches = len(latencies) // BATCH
    if len(latencies) < LEAST:
        return None
    means = np.asarray(latencies[: batches * BATCH], np.float64).reshape(batches, BATCH).mean(axis=1)
    means = means - means.mean()
    # Sums over the rest after leaving out d batches, from the end.
    counts = np.arange(batches, 0, -1, dtype=np.float64)
    sums, squares = (np.cumsum(values[::-1])[::-1] for values in (means, means**2))
    errors = (squares - sums**2 / counts) / counts**2
    half = batches // 2
    best = int(np.argmin(errors[: half + 1]))
    # A least value at the very end of the search means that the run has not come to rest.
    return None if best == half else best * BATCH
