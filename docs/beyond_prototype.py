"""Figures of the prototype from which our interconnects were made, next to what the product measures."""

from collections.abc import Iterator, Mapping
from functools import cache
from statistics import fmean
from typing import Any

import canaletto as cn
from beyond_runs import BASE, DEPTH, at_equal_pins, between, highest, mean_us
from canaletto._run.equal import CROSSBAR
from canaletto._run.links import links_of, trunk_offsets
from canaletto._run.simulate import run_once
from canaletto_papers.flows import flow, workload

DATA_FIRST = {"fabric.transfer_order": "data-first"}
LATIN = {"ftl.numbering": "latin"}
LINKS_OF_1_0 = {"fabric.network.link_rate": "2GB/s"}
BOTH = {"fabric.network.controllers": "alternating"}
ATOMIC = {"fabric.venice.scouts": "atomic"}
OMNIBUS = {"fabric": "omnibus"}
SPLIT = {"fabric": "omnibus-split"}
VENICE = {"fabric": "venice", "fabric.network.link_rate": "2.4GB/s"}
MESH = {"fabric": "scheduled-mesh", "fabric.network.link_rate": "2.4GB/s"}
LATE = {**OMNIBUS, **LATIN, "fabric.omnibus.late_split": "1KiB"}
MHC = {"fabric": "clusters", **LATIN}

DESIGNS: dict[str, dict[str, Any]] = {
    "packetized": {"fabric": "packetized"},
    "omnibus, data first": {**OMNIBUS, **DATA_FIRST},
    "omnibus": OMNIBUS,
    "split, data first": {**SPLIT, **DATA_FIRST},
    "split": SPLIT,
    "Venice, 1.0 GB/s, data first": {**VENICE, **LINKS_OF_1_0, **DATA_FIRST},
    "Venice, 1.0 GB/s, both edges, atomic": {**VENICE, **LINKS_OF_1_0, **BOTH, **ATOMIC},
    "Venice, 1.2 GB/s, both edges, atomic": {**VENICE, **BOTH, **ATOMIC},
    "Latin, late split": LATE,
    "scheduled mesh, 1.0 GB/s": {**MESH, **LINKS_OF_1_0},
    "scheduled mesh, 1.2 GB/s": MESH,
    "clusters, 3 trunks, Latin": {**MHC, "fabric.clusters.trunks": 3},
    "clusters, 4 trunks, Latin": MHC,
    CROSSBAR: {},
}
"""Designs of the prototype as the product has them, commands first unless said."""

Load = tuple[str, float, int]
LOADS: dict[str, Load] = {
    "uniform 4K": ("row", 0.0, 4),
    "½ on a row": ("row", 0.5, 4),
    "⅞ on a row": ("row", 0.875, 4),
    "¼ on a chip": ("chip", 0.25, 4),
    "uniform 16K": ("row", 0.0, 16),
    "½ row 16K": ("row", 0.5, 16),
    "worst line": ("worst-line", 0.5, 4),
}
"""Place of the load, its share there, KiB of a request."""

RAW = 19.2e9
"""Bytes a second of eight times sixteen pins."""

COMMON_US = {4: 13.2, 16: 30.0}
"""The mean latencies, in microseconds, that are the same for all."""

PROTOTYPE: dict[str, tuple[str, ...]] = {
    "packetized": ("15.4/16.8", "4.2/4.4", "2.3/2.4", "4.7/4.9", "15.4/18.3", "2.6/4.3", "= row"),
    "omnibus, data first": ("14.6/14.6", "9.2/9.2", "5.3/5.3", "4.4/4.4", "11.1/15.1", "8.3/10.1", "= row"),
    "omnibus": ("17.9/17.9", "12.8/12.8", "7.1/7.1", "4.5/4.5", "13.4/18.0", "11.7/15.1", "= row"),
    "split, data first": ("13.4/14.9", "7.4/8.4", "4.0/4.8", "3.0/3.2", "11.4/15.1", "7.7/9.4", "= row"),
    "split": ("15.7/17.6", "9.7/11.5", "5.3/6.9", "4.5/4.9", "13.5/17.8", "10.4/13.3", "= row"),
    "Venice, 1.0 GB/s, data first": ("9.0/9.2", "8.3/8.6", "4.9/5.4", "2.9/3.0", "7.3/9.4", "6.8/8.3", "–"),
    "Venice, 1.0 GB/s, both edges, atomic": (
        "10.8/10.8",
        "10.3/10.6",
        "7.2/8.2",
        "4.7/4.9",
        "9.1/10.5",
        "8.5/10.3",
        "–",
    ),
    "Venice, 1.2 GB/s, both edges, atomic": (
        "12.8/13.2",
        "12.0/12.5",
        "7.5/8.7",
        "4.6/4.9",
        "11.1/12.9",
        "10.1/12.1",
        "–",
    ),
    "Latin, late split": ("16.5/18.1", "13.3/15.0", "7.8/9.1", "4.6/4.9", "14.8/18.5", "11.7/16.2", "11.5/13.6"),
    "scheduled mesh, 1.0 GB/s": ("14.3/14.6", "13.0/13.6", "7.7/8.7", "4.7/4.9", "12.5/14.6", "10.9/13.5", "≥ 14.4"),
    "scheduled mesh, 1.2 GB/s": ("17.1/17.4", "14.5/15.5", "7.8/9.0", "4.6/4.9", "15.1/17.4", "12.5/15.5", "≥ 14.4"),
    "clusters, 3 trunks, Latin": (
        "17.8/18.2",
        "14.3/15.8",
        "7.8/9.0",
        "4.6/4.9",
        "15.9/18.1",
        "12.8/16.6",
        "12.2/13.1",
    ),
    "clusters, 4 trunks, Latin": (
        "17.8/18.2",
        "14.6/16.1",
        "7.9/9.1",
        "4.6/4.9",
        "16.1/18.1",
        "13.0/16.8",
        "13.2/14.8",
    ),
    CROSSBAR: ("18.4/18.6", "15.5/17.0", "8.0/9.3", "4.7/4.9", "16.6/18.6", "13.9/17.1", "–"),
}
"""Knees of the prototype in GB/s, at twice the idle latency and at the common mean, by the loads above."""


@cache
def base() -> cn.Design:
    """The drive without a fabric's keys, at 16 pins."""
    return cn.design("performance-optimized").replace(**BASE)


def design(keys: Mapping[str, Any]) -> cn.Design:
    """The drive with such a fabric; without keys with the crossbar."""
    return base().replace(**keys) if keys else at_equal_pins(base())[CROSSBAR]


def load(where: Load, reads: float, requests: int, depth: int = 0, rate: float = 0.0) -> cn.Workload:
    """Requests, that many of them at a place, in a closed loop or at a rate in requests per second."""
    place, share, kib = where

    def part(name: str, of: float, more: Mapping[str, Any], **outside: Any) -> dict[str, Any]:
        pace = {"inter_arrival": between(rate * of)} if rate else {"queue_depth": max(1, round(depth * of))}
        shape = {"requests": max(1, round(requests * of)), "read_share": reads, "size": f"{kib}KiB"}
        return flow(name, {**shape, "alignment": f"{kib}KiB", **more, **pace}, **outside)

    if not share:
        return workload("all", [part("all", 1.0, {})])
    if place == "worst-line":
        return workload("hot", [part("all", 1.0, {"hot_spot": {"at": place, "share": share}})])
    spot = {"row": {"channels": [0]}, "chip": {"channels": [0], "chips": [0]}}[place]
    flows = [part("hot", share, {}, **spot), part("others", 1 - share, {}, channels=list(range(1, 8)))]
    return workload("hot", flows, partitioned=True)


def measured(drive: cn.Design, made: cn.Workload, seed: int = 1) -> dict[str, Any]:
    """Results of a run, as JSON has them."""
    return run_once(drive, made, seed, 0, False, None)[0]


SEEDS = (1, 2, 3)
"""Near a knee the mean of 20,000 requests is another one with another seed: means of three."""


def both_knees(drive: cn.Design, where: Load, seeds: tuple[int, ...] = SEEDS) -> str:
    """GB/s at twice the idle latency, and at the common mean."""
    kib = where[2]
    requests = 20_000 if kib == 4 else 8_000
    most = RAW / (kib * 1024)
    alone = mean_us(measured(drive, load((where[0], 0.0, kib), 1.0, 500, depth=1)))

    @cache
    def waits(rate: float) -> float:
        return fmean(mean_us(measured(drive, load(where, 1.0, requests, rate=rate), seed)) for seed in seeds)

    found = [highest(waits, limit, most) * kib * 1024 / 1e9 for limit in (2 * alone, COMMON_US[kib])]
    return "/".join(f"{each:.1f}" for each in found)


def prototype_knees() -> Iterator[str]:
    """The prototype's table, and below each line ours."""
    yield "| | of | " + " | ".join(LOADS) + " |\n" + "| --- " * (len(LOADS) + 2) + "|"
    for name, keys in DESIGNS.items():
        yield f"| {name} | prototype | " + " | ".join(PROTOTYPE[name]) + " |"
        yield "| | here | " + " | ".join(both_knees(design(keys), where) for where in LOADS.values()) + " |"


WIRES: dict[str, tuple[str, dict[str, Any]]] = {
    "packetized": ("128", {"fabric": "packetized"}),
    "omnibus": ("~190", OMNIBUS),
    "scheduled mesh": ("240", MESH),
    "clusters, 3 trunks": ("–", {**MHC, "fabric.clusters.trunks": 3}),
    "clusters, 4 trunks": ("~300", MHC),
    "ideal": ("288", {"fabric": "ideal"}),
}
"""Length of wires of the prototype's designs, by eights."""


SIDE = 8
"""Rows, and columns, of the prototype's array."""


def long_column_buses() -> int:
    """Pitches of Omnibus whose column buses are as long as row buses, and as long again along their controllers' rows.

    Here they run along a row to their column only, and down it between its chips.
    """
    rows = along_rows = down_columns = SIDE * SIDE
    return rows + along_rows + down_columns


def switches_in_the_middle(trunks: int) -> int:
    """Pitches of clusters of a row each with the switch at the fourth chip, where here it is at the first one.

    A trunk goes there along its controller's row, then through the rows of its switches.
    """
    middle, offsets = SIDE // 2 - 1, trunk_offsets(trunks, SIDE)
    inner = sum(max(abs(chip - middle), abs(chip + 1 - middle)) for chip in range(0, SIDE, 2))
    reached = [[(row + step) % SIDE for step in (0, *(-offset for offset in offsets))] for row in range(SIDE)]
    return SIDE * inner + sum(middle + 1 + max(rows) - min(rows) for rows in reached)


def prototype_wires() -> Iterator[str]:
    """Eights of data wires × chip pitches."""
    yield "| | " + " | ".join(WIRES) + " |\n" + "| --- " * (len(WIRES) + 1) + "|"
    yield "| prototype | " + " | ".join(theirs for theirs, _ in WIRES.values()) + " |"
    cells = []
    for name, (_, keys) in WIRES.items():
        links = links_of(base().replace(**keys).to_dict())
        assert links is not None
        # Links of a mesh are of sixteen wires here, twice those of Venice's paper.
        width = 16 if name == "scheduled mesh" else links.width
        cells.append(f"{links.length * width / 8:.0f}")
    yield "| here | " + " | ".join(cells) + " |"
    laid = {"omnibus": long_column_buses()}
    laid |= {f"clusters, {trunks} trunks": 2 * switches_in_the_middle(trunks) for trunks in (3, 4)}
    yield "| laid otherwise | " + " | ".join(f"{laid.get(name, '=')}" for name in WIRES) + " |"


RATES: dict[str, tuple[str, ...]] = {
    "omnibus, data first": ("26", "54", "32", "16.5", "16.8"),
    "omnibus": ("–", "–", "–", "–", "–"),
    "split, data first": ("–", "–", "–", "17.4", "17.3"),
    "split": ("17.7", "30", "21.9", "–", "18.5"),
    "Latin, late split": ("15.2", "18.8", "21.6", "17.4", "18.7"),
    "scheduled mesh, 1.2 GB/s": ("11.5", "16.8", "21.0", "17.1", "17.7"),
    "clusters, 4 trunks, Latin": ("11.7", "16.8", "20.7", "18.0", "18.4"),
    CROSSBAR: ("11.2", "16.8", "20.9", "18.4", "18.7"),
    "Venice, 1.2 GB/s, both edges, atomic": ("–", "–", "–", "11.3", "11.6"),
}
"""99th percentiles of the prototype in µs at 70 % of the knee of omnibus, and its GB/s of writes and of both."""

SHARE = 0.7


def tail(drive: cn.Design, where: Load, rate: float) -> float | None:
    """99th percentile of reads at a rate, in µs; None where that is more than the fabric serves."""
    if rate > measured(drive, load(where, 1.0, 20_000, depth=DEPTH))["iops"]:
        return None
    return float(measured(drive, load(where, 1.0, 20_000, rate=rate))["latency_us"]["all"]["p99"])


def prototype_rates() -> Iterator[str]:
    """Tails and rates of the prototype, and ours."""
    places = [LOADS[name] for name in ("uniform 4K", "½ on a row", "¼ on a chip")]
    knees = [float(both_knees(design(OMNIBUS), where).split("/")[0]) * 1e9 / 4096 for where in places]
    yield "| | of | p99, uniform | ½ on a row | ¼ on a chip | writes | half reads |\n" + "| --- " * 7 + "|"
    for name, theirs in RATES.items():
        drive = design(DESIGNS[name])
        late = [tail(drive, where, SHARE * rate) for where, rate in zip(places, knees, strict=True)]
        quick = drive.replace(**{"flash.program": "10us"})
        served = [
            measured(quick, load(places[0], reads, 100_000, depth=2 * DEPTH))["iops"] * 4096 / 1e9
            for reads in (0.0, 0.5)
        ]
        yield f"| {name} | prototype | " + " | ".join(theirs) + " |"
        yield "| | here | " + " | ".join("–" if each is None else f"{each:.1f}" for each in (*late, *served)) + " |"


FREE_GRANTS = {"fabric.clusters.grant_rate": "1TB/s", "fabric.clusters.grant_width": 8}
FREE_MESH_GRANTS = {"fabric.scheduled_mesh.grant_rate": "1TB/s", "fabric.scheduled_mesh.grant_width": 8}
NO_SEARCH = {"fabric.scheduled_mesh.search_step": "0ps"}
ORACLE = {"fabric.venice.retry": "oracle"}
WIRE = {"fabric.venice.tear_down": "wire"}
CHANGES: dict[str, dict[str, dict[str, Any]]] = {
    "omnibus": {"as it is": {}},
    "scheduled mesh, 1.2 GB/s": {
        "as it is": {},
        "no search": NO_SEARCH,
        "grants take no time": FREE_MESH_GRANTS,
        "set-up of 50 ns": {"fabric.scheduled_mesh.setup": "50ns"},
        "all three": {**NO_SEARCH, **FREE_MESH_GRANTS, "fabric.scheduled_mesh.setup": "50ns"},
    },
    "clusters, 4 trunks, Latin": {
        "as it is": {},
        "grants take no time": FREE_GRANTS,
        "no delay in switches": {"fabric.clusters.delay": "0ps"},
        "both": {**FREE_GRANTS, "fabric.clusters.delay": "0ps"},
        "row-major": {"ftl.numbering": "row-major"},
    },
    "Latin, late split": {
        "as it is": {},
        "row-major": {"ftl.numbering": "row-major"},
        "whole pages": {"fabric.omnibus.late_split": "0B"},
        "chunks of 2 KiB": {"fabric.omnibus.late_split": "2KiB"},
    },
    "Venice, 1.0 GB/s, data first": {
        "as it is": {},
        "scouts of an oracle": ORACLE,
        "torn down at once": WIRE,
        "both": {**ORACLE, **WIRE},
        "both, atomic": {**ORACLE, **WIRE, **ATOMIC},
    },
    "Venice, 1.2 GB/s, both edges, atomic": {
        "as it is": {},
        "scouts of an oracle": ORACLE,
        "torn down at once": WIRE,
        "both": {**ORACLE, **WIRE},
    },
}
"""Charges that the prototype did not make, one at a time."""


def changes() -> Iterator[str]:
    """Ours with single changes toward the prototype."""
    names = ("uniform 4K", "½ on a row")
    yield "| | change | " + " | ".join(names) + " |\n" + "| --- " * 4 + "|"
    for name, each in CHANGES.items():
        yield f"| {name} | prototype | " + " | ".join(PROTOTYPE[name][: len(names)]) + " |"
        for change, keys in each.items():
            found = [both_knees(design({**DESIGNS[name], **keys}), LOADS[where]) for where in names]
            yield f"| | {change} | " + " | ".join(found) + " |"
        seeded = [both_knees(design(DESIGNS[name]), LOADS[where], (4, 5, 6)) for where in names]
        yield "| | other seeds | " + " | ".join(seeded) + " |"
