"""Changes of one thing, for the mixes of Fig. 7.

Method: the drive and the closed loop of `fig7`; each line differs from the first of its mix in what it names, and in
nothing else. Published is the number of Fig. 7 with each.

Assumptions: as in `fig7`.
"""

from collections.abc import Mapping
from typing import Any

from canaletto._io import _toml
from canaletto._run.config import Design

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale, Settings
from canaletto_papers.storage_next.drive import design, extent, requests
from canaletto_papers.storage_next.fig7 import PUBLISHED

_FULL = "full sequences"
_ONE_LUN = {"geometry.dies_per_chip": 1, "geometry.planes_per_die": 6}
_ON_THEIR_OWN = {**_ONE_LUN, "flash.independent_plane_reads": True, "flash.multi_plane": "any-page"}
CHANGES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "no cache registers": {"flash.cache_read": False},
    "commands and data share pins": {"fabric.kind": "bus"},
    _FULL: {"fabric.sequences": "full"},
    f"{_FULL}, shared pins": {"fabric.sequences": "full", "fabric.kind": "bus"},
    f"{_FULL}, ready pins instead of polls": {"fabric.sequences": "full", "fabric.status.ready": "pin"},
    "planes of a die in one LUN, each reads on its own": _ON_THEIR_OWN,
    "planes of a die read together, any pages": {**_ONE_LUN, "flash.multi_plane": "any-page"},
    "one plane of a die reads at a time": {**_ONE_LUN, "flash.multi_plane": "off"},
    "channels of 5.6 GB/s": {"fabric.link_rate": "5.6GB/s"},
    "channels of 1.8 GB/s": {"fabric.link_rate": "1.8GB/s"},
    "host link of PCIe Gen5 x4": {"link.lanes": 4, "link.lane_rate": "gen5"},
}

MIXED: dict[str, dict[str, Any]] = {
    "as it is": {},
    "memory for writes is one channel of DDR4-3200": {
        "cache.dram.rate": "12.8GB/s",
        "cache.dram.trcd": "13.75ns",
        "cache.dram.tcl": "13.75ns",
        "cache.dram.trp": "13.75ns",
    },
    "memory for writes of 16 MiB": {"cache.capacity": "16MiB"},
    "each address has its plane": {"ftl.write_placement": "static"},
    "erases of 1 ms": {"flash.erase": "1ms"},
    "24 % of spare space": {"ftl.overprovisioning": 0.24},
    "40 % of spare space": {"ftl.overprovisioning": 0.4},
    "planes of a die in one LUN, each reads on its own": _ON_THEIR_OWN,
    "the same, programs behind programs": {**_ON_THEIR_OWN, "flash.cache_program": True},
    "channels of 5.6 GB/s": {"fabric.link_rate": "5.6GB/s"},
}

MIXES = {"90:10": 0.9, "70:30": 0.7, "50:50": 0.5}

FEWER = "1,000 outstanding"


def runs(scale: Scale) -> dict[Label, Run]:
    number = extent(scale, 1.0)
    found: dict[Label, Run] = {
        ("100:0", name): Run(_changed(keys), requests(number, 512, 1.0)) for name, keys in CHANGES.items()
    }
    found["100:0", FEWER] = Run(design(), requests(number, 512, 1.0, queue_depth=1_000))
    for mix, share in MIXES.items():
        work = requests(extent(scale, share), 512, share)
        found.update({(mix, name): Run(design(keys), work) for name, keys in MIXED.items()})
    return found


def _changed(keys: Mapping[str, Any]) -> Design:
    """Full sequences take the times of their interface."""
    if "fabric.sequences" not in keys:
        return design(keys)
    document = design().to_dict()
    del document["fabric"]["command_time"]
    return Design.from_toml(_toml.dumps(document), "storage-next").replace(**keys)


def table(found: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "channel": "3.6 GB/s",
            "mix": mix,
            "change": name,
            "write_amplification": data["flash"]["write_amplification"] if mix != "100:0" else None,
            "p99_us": data["latency_us"]["all"]["p99"],
            "ours": data["iops"] / 1e6,
            "published": PUBLISHED["3.6 GB/s", mix],
        }
        for (mix, name), data in found.items()
    ]


FIGURE = Figure(
    "table-changes",
    "Changes of one thing",
    __doc__,
    runs,
    table,
    lambda _: None,
    settings=Settings(("change",), of="fig7"),
)
