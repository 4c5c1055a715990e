"""The mixes of Table 3."""

from functools import cache

from canaletto._run.config import Workload

from canaletto_papers.flows import workload
from canaletto_papers.venice.evaluation import OWN, QUEUE_DEPTH, SKEWED, TABLE2, flows

TABLE3: dict[str, tuple[tuple[str, ...], float]] = {
    "mix1": (("src2_1", "proj_3"), 5.8),
    "mix2": (("src2_1", "proj_3", "YCSB_D"), 8.4),
    "mix3": (("prxy_0", "rsrch_0"), 93.0),
    "mix4": (("prxy_0", "rsrch_0", "mds_0"), 56.0),
    "mix5": (("prxy_0", "src2_1"), 5.0),
    "mix6": (("prxy_0", "src2_1", "usr_0"), 3.0),
}
"""Constituents and mean time between arrivals in us (Table 3)."""

SCALED, UNSCALED, CLOSED = "scaled to Table 3", "unscaled", "QD 64"


def superposed(name: str) -> float:
    return 1 / sum(1 / TABLE2[each][2] for each in TABLE3[name][0])


@cache
def mixed(name: str, load: str, requests: int, kind: str = OWN) -> Workload:
    """A constituent sends the share of requests that its rate is of all rates.

    Scaled, times between arrivals are divided by one factor so that the mix arrives at Table 3's mean.
    """
    constituents, published = TABLE3[name]
    alone = superposed(name)
    factor = published / alone if load == SCALED else 1.0
    parts = []
    for each in constituents:
        share = alone / TABLE2[each][2]
        count = max(1, round(requests * share))
        if load == CLOSED:
            parts += flows(each, kind, count, queue_depth=QUEUE_DEPTH * share)
        else:
            parts += flows(each, kind, count, inter_arrival_us=TABLE2[each][2] * factor)
    return workload(name, parts, partitioned=kind == SKEWED)
