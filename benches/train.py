"""Runs by whose profiles a tuned build is optimised (`make tuned`, `make wheel`): what people simulate, on any fabric.

maturin starts it with the package built to count where it goes (`pgo-command` in pyproject.toml).
"""

from collections.abc import Iterator

import canaletto as cn
from canaletto import _engine
from canaletto._run import names
from case import CASES, simulate

REQUESTS = 5_000
"""Of each run: far more than a hot place needs to be known as one."""

PROFILES = ("hm_0", "mix1", "YCSB_B", "postgres")
"""Mixed, several flows, mostly reads, small writes."""

VARIANTS: tuple[dict[str, object], ...] = (
    {},
    {"precondition.kind": "steady"},
    {"cache.capacity": "16MiB"},
    {"mapping.cache_capacity": "256KiB"},
)
"""Changes that many studies make: their runs take the code for every feature."""


def pairs() -> Iterator[tuple[cn.Design, cn.Workload]]:
    """Every drive with its workload."""
    workloads = [cn.workload(profile, requests=REQUESTS) for profile in PROFILES]
    for fabric in names.fabrics():
        for workload in workloads:
            yield cn.design("performance-optimized", fabric=fabric), workload
    for preset in names.presets():
        yield cn.design(preset), workloads[0]
    for variant in VARIANTS:
        for workload in workloads:
            yield cn.design("performance-optimized", **variant), workload


def main() -> None:
    """Simulates all of them, with root causes and without."""
    for case in CASES:
        simulate(case, 4 * REQUESTS, _engine)
    for design, workload in pairs():
        for root_causes in (True, False):
            cn.run(design, workload, root_causes=root_causes)


if __name__ == "__main__":
    main()
