"""Measured saturation of a drive that is written.

The drive begins with an empty data cache, in steady state with free blocks. The run continues until writes have used
both, as far as `MOST_PAGES` suffice.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from canaletto._run import config, simulate
from canaletto._run.bound_drive import Work
from canaletto._run.config import Design, Workload, WorkloadOptions
from canaletto._run.quantities import size_bytes

MOST_PAGES = 100_000
_FAR = 16
_FILLS = 3
"""Multiple of a pseudo-SLC cache that must be written to show the rate behind it."""

_LEAST_REQUESTS = 8_000
_ROUNDS = 16
"""Requests per outstanding one, so that the end weighs little."""

_DEEPEST = 1024
"""A drive of the presets takes half as many."""

_LEAST_INTERVALS = 20
_SEED = 1


@dataclass(frozen=True)
class Saturated:
    iops: float
    requests: int
    write_amplification: float
    long_run: float | None
    """Write amplification at which the drive's state settles. None for a fresh drive."""


def measured(design: Design, workload: Workload | None, work: Work) -> Saturated:
    """workload: its requests; None: as `work`, at random places.

    Raises ConfigError or SimulationError for what cannot be simulated.
    """
    if design.to_dict()["precondition"]["kind"] == "replay":
        # Writing all of the drive takes minutes, and leads to the same state.
        design = design.replace(**{"precondition.kind": "steady"})
    depth = int(min(float(work.in_drive), _DEEPEST))
    requests = _requests(work, depth, size_bytes(design.to_dict()["cache"]["capacity"]))
    made = _closed(workload, depth) if workload is not None else _generated(work, depth)
    stated = [flow.get("synthetic", {}).get("requests") for flow in made.to_dict()["flow"]]
    # Fewer would not show what the drive can do.
    most = max(sum(stated), requests) if workload is not None else math.inf
    found = _run(design, made, requests, len(stated))
    needed, limit = _until_pressed(found), min(most, MOST_PAGES / float(work.pages))
    if requests < needed <= _FAR * limit and not (needed > limit and _is_left_half_full(design, work, limit)):
        found = _run(design, made, min(needed, limit), len(stated))
    flash = found["flash"]
    return Saturated(
        rate(found),
        found["requests"]["completed"],
        flash["write_amplification"] or 1.0,
        (found.get("precondition") or {}).get("write_amplification"),
    )


def _requests(work: Work, depth: int, cache: float) -> int:
    most = MOST_PAGES / float(work.pages)
    filled = 2.0 * cache * float(work.cached_writes) / (float(work.size) * float(work.writes))
    return int(max(min(max(_LEAST_REQUESTS, _ROUNDS * depth, filled), most), 2 * depth, 100))


def _until_pressed(found: dict[str, Any]) -> int:
    before, pages = found.get("precondition") or {}, found["flash"]["host_pages"] + found["flash"]["padding"]
    if before.get("kind") != "steady" or not pages:
        return 0
    free = before["blocks"]["free"] / before["blocks"]["total"] * before["pages"]
    return int(2.0 * free * found["requests"]["completed"] / pages)


def _is_left_half_full(design: Design, work: Work, requests: float) -> bool:
    """That many requests would leave a pseudo-SLC cache between its two rates."""
    sizes = design.to_dict()["flash"]["pslc"]
    cache = sum(size_bytes(sizes[f"{kind}_size"]) for kind in ("static", "dynamic"))
    return requests * float(work.size) * float(work.writes) < _FILLS * cache


def rate(found: dict[str, Any]) -> float:
    """Requests per second up to the last arrival; then fewer are outstanding."""
    series = found["series"]
    served = [number for number, count in enumerate(series["completed"]) if count]
    last = max(number for number, count in enumerate(series["arrivals"]) if count)
    between = last - served[0] - 1
    if between < _LEAST_INTERVALS:
        return float(found["iops"])
    return float(sum(series["completed"][served[0] + 1 : last]) / between / series["interval_us"] * 1e6)


def _run(design: Design, made: Workload, requests: float, flows: int) -> dict[str, Any]:
    each = max(1, round(requests / flows))
    shaped = config.shaped(made, WorkloadOptions(requests=each))
    return simulate.run_once(design, shaped, _SEED, each * flows // 2, False, None, root_causes=False)[0]


def _closed(workload: Workload, depth: int) -> Workload:
    flows = len(workload.to_dict()["flow"])
    return config.shaped(workload, WorkloadOptions(queue_depth=max(1, depth // flows)))


def _generated(work: Work, depth: int) -> Workload:
    step = min(float(work.size), size_bytes("4KiB"))
    text = (
        f'name = "saturating"\n[[flow]]\nname = "a"\n[flow.synthetic]\nrequests = 1\nqueue_depth = {depth}\n'
        f'read_share = {float(work.read_share)}\nsize = "{int(work.size)}B"\nalignment = "{int(step)}B"\n'
    )
    return Workload.from_toml(text, "saturating requests")


def is_written(work: Work) -> bool:
    return bool(np.any(np.asarray(work.writes) > 0))
