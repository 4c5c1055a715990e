"""Common parts of the figures with garbage collection (§VII-C): systems, and their drive."""

from canaletto._run import config
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Scale
from canaletto_papers.flows import workload
from canaletto_papers.venice.evaluation import OWN, TABLE2, flows

FABRICS = {"baseSSD": "bus", "pSSD": "packetized", "pnSSD": "omnibus"}
"""Our names of the paper's systems (Table III)."""

KINDS: dict[str, dict[str, object]] = {
    "PaGC": {"gc.scope": "parallel", "gc.preemptible": False},
    "preemptive": {"gc.scope": "parallel", "gc.preemptible": True},
    "SpGC": {"gc.scope": "spatial", "gc.preemptible": False},
}
"""Kinds of collection (§VII-A and C)."""

OCCUPANCY = 0.75
"""Share of the addresses that hold data. Assumed: the paper states none."""


def system(name: str, kind: str, scale: Scale, **keys: object) -> Design:
    """The drive of Table II as one of its systems, with a kind of collection, in its steady state.

    Its blocks have 128 pages instead of 512, and a plane 256 of them (16 and 128 at the small scale): an epoch collects
    a block of every plane at once, and a run should see several epochs.
    """
    shared: dict[str, object] = {
        "ftl.write_placement": "dynamic",
        "precondition.kind": "steady",
        "precondition.occupancy": OCCUPANCY,
        "geometry.blocks_per_plane": scale.of(256, 128),
        "geometry.pages_per_block": scale.of(128, 16),
    }
    return config.design("networked-ssd", fabric=FABRICS[name], **KINDS[kind], **{**shared, **keys})


EPOCHS = 2
"""Completed epochs below which a run shows how collection starts up, and not what it costs."""


def epochs(data: Data) -> int:
    return int(data["flash"]["gc"]["epochs"])


def work(data: Data) -> dict[str, float | int | None]:
    """Columns that tell how much collection a run did, so that systems which did different work are seen."""
    return {"epochs": epochs(data), "write_amplification": data["flash"]["write_amplification"]}


SLOWED = {"ssd-00": "45us", "ssd-10": "6us"}
"""Mean times between requests of profiles whose published rates (Venice, Table 2: 90 KB every 5 us, 11.5 KB every 2 us)
are more than the drive's link of 8 GB/s, or nearly: here they ask for 2 GB/s."""


def profile(name: str, requests: int, traffic: str = OWN) -> Workload:
    """A published trace's traffic, open loop at its published rate if the drive can carry that."""
    gap = float(SLOWED[name].removesuffix("us")) if name in SLOWED else TABLE2[name][2]
    return workload(name, flows(name, traffic, requests, inter_arrival_us=gap))
