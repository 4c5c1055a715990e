"""The length of a run's warm-up, found from its latencies.

MSER-5 (K. P. White, Simulation 69, 1997; White, Cobb and Spratt, Winter Simulation Conference 2000): latencies in the
order of completion are averaged in batches of five. The marginal standard error after leaving out `d` of `n` batches is
the sum of squared deviations of the others over (n − d)². Its least value over the first half is taken.
"""

import numpy as np
import numpy.typing as npt

BATCH = 5
"""Latencies averaged to one figure, hence the method's name."""

LEAST = 40
"""Requests below which there is nothing to find out."""


def mser(latencies: npt.NDArray[np.float64]) -> int | None:
    """The number of requests to leave out at the beginning; None if no beginning of up to half the run is long enough.

    latencies: in order of completion, in any unit.
    """
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
