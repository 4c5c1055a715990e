"""Systems with garbage collection (§VII-C)."""

from canaletto._run import config
from canaletto._run.config import Design, Workload

from canaletto_papers.figure import Data, Scale
from canaletto_papers.flows import workload
from canaletto_papers.venice.evaluation import OWN, TABLE2, flows

FABRICS = {"baseSSD": "bus", "pSSD": "packetized", "pnSSD": "omnibus"}

KINDS: dict[str, dict[str, object]] = {
    "PaGC": {"gc.scope": "parallel", "gc.preemptible": False},
    "preemptive": {"gc.scope": "parallel", "gc.preemptible": True},
    "SpGC": {"gc.scope": "spatial", "gc.preemptible": False},
}
"""Kinds of collection (§VII-A and C)."""

OCCUPANCY = 0.75
"""Share of the addresses that hold data. Assumed: the paper states none."""


def system(name: str, kind: str, scale: Scale, **keys: object) -> Design:
    """In its steady state.

    Blocks have 128 pages instead of 512, and a plane 256 of them (16 and 128 at the small scale): a run should see
    several epochs.
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
"""Fewer show how collection starts up."""


def epochs(data: Data) -> int:
    return int(data["flash"]["gc"]["epochs"])


def work(data: Data) -> dict[str, float | int | None]:
    return {"epochs": epochs(data), "write_amplification": data["flash"]["write_amplification"]}


SLOWED = {"ssd-00": "45us", "ssd-10": "6us"}
"""Mean times for 2 GB/s of profiles whose published rates (Venice, Table 2.

90 KB every 5 us, 11.5 KB every 2 us) exceed the link's 8 GB/s, or nearly.
"""


def profile(name: str, requests: int, traffic: str = OWN) -> Workload:
    """At its published rate if the drive can carry that."""
    gap = float(SLOWED[name].removesuffix("us")) if name in SLOWED else TABLE2[name][2]
    return workload(name, flows(name, traffic, requests, inter_arrival_us=gap))
