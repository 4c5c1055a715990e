"""Numbers of the closed forms from a design and a workload."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from canaletto import _engine
from canaletto._engine import ConfigError
from canaletto._run import names
from canaletto._run.bound_drive import Controller, Drive, Link, Work
from canaletto._run.config import Design, Workload
from canaletto._run.quantities import lane_rate, rate, size_bytes, time_us

_ENTRY_BYTES = 8.0
"""Bytes of a mapping entry in DRAM ("Five-Minute Rule 40 Years Later", arXiv 2511.03944, §III)."""

_SATA_RATE = 150.0
"""Bytes a microsecond of Serial ATA's first generation; each further one doubles it (Serial ATA 3.1 §7.2)."""
_SATA_FRAMES = 2 * 20 + 28 + 4 + 8 + 5 * 32.0
"""Bytes of a queued read beside its data: two Register FIS, DMA Setup, the header of the Data FIS, Set Device Bits, and
the primitives around these five (Serial ATA 3.1 §9.4, §10.3)."""

Keys = Mapping[str, Any]


def drive_of(design: Design, work: Work) -> Drive:
    """A design as the closed forms see it, whose commands address as many planes as the work lets them.

    Raises ConfigError for what has no closed form.
    """
    keys = design.to_dict()
    _check(keys)
    for key, number in failing_parts(design).items():
        raise ConfigError(f"{key}: got {number}, expected 0: an interconnect of which parts fail has no closed form")
    geometry, flash, fabric = keys["geometry"], keys["flash"], keys["fabric"]
    ecc = keys["controller"]["ecc"]
    outer = ecc["outer"]
    found = names.sequences(design)
    times = {(each["name"], each["planes"]): each for each in found["times"]}
    planes, luns = geometry["planes_per_die"], _luns(keys)
    independent = flash["independent_plane_reads"]
    waiting = _waiting(keys, work)
    reads = 1.0 if independent else _read_batch(keys, waiting)
    programs = 1.0 if flash["multi_plane"] == "off" else min(float(planes), max(1.0, waiting))

    def command_us(kind: str, batch: float, key: str) -> float:
        """Between those of one plane and of all."""
        one, most = times[kind, 1][key], times[kind, planes][key]
        part = (batch - 1.0) / (planes - 1.0) if planes > 1 else 0.0
        return float(one + part * (most - one)) / 1e3

    status = _status(fabric, times)
    network = rate(fabric["network"]["link_rate"])
    return Drive(
        fabric=fabric["kind"],
        rows=geometry["channels"],
        columns=geometry["chips_per_channel"],
        luns=luns,
        planes=planes,
        page_bytes=size_bytes(geometry["page"]),
        read_us=_mean_us(flash["read"]) + time_us(flash["ready_delay"]),
        program_us=_mean_us(flash["program"]),
        read_planes=reads,
        program_planes=programs,
        independent_planes=independent,
        reads_overlap=flash["cache_read"],
        link_rate=rate(fabric["link_rate"]),
        network_rate=network,
        burst_bytes=fabric["burst_bytes"] if fabric["kind"] in ("bus", "ideal") else 0,
        read_command_us=command_us("read", reads, "wires_ns"),
        program_command_us=command_us("program", programs, "wires_ns"),
        column_us=times["page", 1]["wires_ns"] / 1e3 if ("page", 1) in times and not _is_stated(fabric) else 0.0,
        status_us=times["status", 1]["wires_ns"] / 1e3 if ("status", 1) in times else 0.0,
        read_status=status["read"],
        program_status=status["program"],
        read_chip_us=command_us("read", reads, "chip_ns"),
        program_chip_us=command_us("program", programs, "chip_ns"),
        data_first=fabric["transfer_order"] == "data-first",
        holds_reads=fabric["hold_path"] in ("reads", "always"),
        holds_programs=fabric["hold_path"] == "always",
        handshake_us=_handshake_us(fabric["omnibus"]["control"]),
        late_split_bytes=size_bytes(fabric["omnibus"]["late_split"]) if fabric["kind"] == "omnibus" else 0.0,
        turn_us=found["turn_ns"] / 1e3,
        hop_us=_hop_us(fabric, geometry),
        **(_switches(fabric["clusters"], geometry["channels"]) | _granted(fabric, geometry["chips_per_channel"])),
        mesh_packet_bytes=size_bytes(fabric["mesh"]["packet"]),
        any_controller=_any_controller(fabric),
        codeword_bytes=size_bytes(ecc["codeword"]),
        outer_bytes=size_bytes(outer["codeword"]),
        inner_failure=outer["inner_failure"],
        outer_us=time_us(outer["latency"]),
        link=_link(keys),
        controller=_controller(keys["controller"]),
    )


def work_of(design: Design, workload: Workload, write_amplification: float) -> Work:
    """Requests of a workload that generates them, as the closed forms see them.

    Raises ConfigError for requests whose sizes nothing states, such as those of a trace.
    """
    keys = design.to_dict()
    flows = workload.to_dict()["flow"]
    if any("synthetic" not in flow for flow in flows):
        raise ConfigError(
            f"{workload.label}: got requests of a trace, expected generated ones, or a size and a share of reads"
        )
    made = [flow["synthetic"] for flow in flows]
    count = np.array([float(each["requests"]) for each in made])
    shares = count / count.sum()
    page = size_bytes(keys["geometry"]["page"])
    at_chips = _chip_shares(design, workload)
    reads, sizes, pages = 0.0, 0.0, 0.0
    for share, each in zip(shares, made, strict=True):
        reads += share * each["read_share"]
        for kind, part in ((True, each["read_share"]), (False, 1.0 - each["read_share"])):
            for size, weight in _sizes(each, reads=kind):
                sizes += share * part * weight * size
                pages += share * part * weight * pages_of(size, size_bytes(each["alignment"]), page)
    return Work(
        size=sizes,
        read_share=reads,
        write_amplification=write_amplification,
        pages=pages,
        gathers=gathers(keys, sizes),
        busiest_row=float(at_chips.sum(axis=1).max()),
        columns=float((at_chips.sum(axis=0) > 0.0).sum()),
        busiest_chip=float(at_chips.max()),
        queue_depth=_outstanding(keys, made),
    )


def pages_of(size: float, alignment: float, page: float) -> float:
    """Pages that a request of a size touches, on average over the places where it may begin."""
    step = math.gcd(int(alignment), int(page))
    starts = np.arange(0, int(page), step)
    return float(np.mean(np.ceil((starts + size) / page)))


def gathers(keys: Keys, size: float) -> bool:
    """Whether writes of this size fill pages together."""
    unit = size_bytes(keys["ftl"]["mapping_unit"])
    return 0 < unit < size_bytes(keys["geometry"]["page"]) and size % unit == 0


def outstanding(keys: Keys, flows: int, wanted: float) -> float:
    """Requests that the drive has of so many that the host wants outstanding."""
    host = keys["host"]
    if host["protocol"] == "sata":
        return min(wanted, float(host["sata"]["slots"]))
    queues = flows * host["queues_per_flow"]
    return float(
        min(wanted, queues * min(host["fetch_limit"], host["queue_entries"] - 1), host.get("command_limit", np.inf))
    )


def _check(keys: Keys) -> None:
    """Raises ConfigError for parts of a design that no closed form counts, where they decide."""
    if (kind := keys["attachment"]["kind"]) != "none":
        raise ConfigError(f'attachment.kind: got "{kind}", expected "none": attachments have no closed form')
    if (mapping := keys["ftl"]["mapping"]) != "page":
        raise ConfigError(f'ftl.mapping: got "{mapping}", expected "page": others have no closed form')


def failing_parts(design: Design) -> dict[str, int]:
    """Keys of parts of the interconnect that fail, as far as the fabric has such parts, with how many do."""
    parts = ("links", "routers", "controllers", "buses", "switches")
    failures = design.to_dict()["fabric"]["failures"]
    given = {f"fabric.failures.{part}": int(failures[part]) for part in parts}
    idle = [key for key in given if any(f"{key}: has no effect" in note for note in design.notes)]
    return {key: number for key, number in given.items() if number > 0 and key not in idle}


def _mean_us(times: str | list[str]) -> float:
    """Mean array time over types of page."""
    each = [times] if isinstance(times, str) else times
    return sum(map(time_us, each)) / len(each)


def _luns(keys: Keys) -> int:
    """LUNs of a chip that work at the same time."""
    return int(keys["geometry"]["dies_per_chip"]) if keys["flash"]["die_interleaving"] else 1


def _waiting(keys: Keys, work: Work) -> float:
    """Pages that wait for a LUN on average when all requests are outstanding; infinite if nothing states how many."""
    geometry = keys["geometry"]
    rows = geometry["channels"] if work.busiest_row is None else 1.0 / float(work.busiest_row)
    columns = geometry["chips_per_channel"] if work.columns is None else float(work.columns)
    chips = rows * columns if work.busiest_chip is None else 1.0 / float(work.busiest_chip)
    return float(work.queue_depth) * float(work.pages) / (chips * _luns(keys))


def _read_batch(keys: Keys, waiting: float) -> float:
    """Planes that a read command addresses on average, of those that wait for a LUN.

    With `any-page` all of them go together. Otherwise the others need the page number of the first, which a request at
    a random place has with a chance of one in the pages of a block; of an unknown number that wait none is taken to.
    """
    geometry, mode = keys["geometry"], keys["flash"]["multi_plane"]
    planes = geometry["planes_per_die"]
    if mode == "any-page":
        return float(min(planes, max(1.0, waiting)))
    if mode == "off" or np.isinf(waiting):
        return 1.0
    return float(1.0 + (planes - 1.0) * (1.0 - (1.0 - 1.0 / geometry["pages_per_block"]) ** (waiting / planes)))


def _is_stated(fabric: Keys) -> bool:
    """Whether all commands take a time that the design states."""
    return "command_time" in fabric


def _status(fabric: Keys, times: Mapping[Any, Any]) -> dict[str, float]:
    """Status reads of a command, by kind (`StatusReads` of the engine)."""
    if ("status", 1) not in times or _is_stated(fabric):
        return {"read": 0.0, "program": 0.0}
    when_done = fabric["kind"].startswith("mesh") or fabric["status"]["ready"] == "pin"
    return {"read": 0.0 if when_done else 1.0, "program": 1.0}


def _handshake_us(control: Keys) -> float:
    """Request and grant between controllers, each with the time to its answer (Networked SSD §V-D)."""
    message = size_bytes(control["message"]) * 8.0 / (control["width"] * rate(control["rate"]))
    return float(2.0 * (message + time_us(control["delay"])))


def _switches(keys: Keys, controllers: int) -> dict[str, Any]:
    """Switches of `clusters`, and a grant: two bits for what it is and the way, a trunk, an inner bus, a chip on it."""
    trunks = min(keys.get("trunks", 4), controllers)
    chips_per_bus = keys["chips_per_switch"] // keys["inner_buses"]
    chip = (keys["inner_buses"] - 1).bit_length() + (chips_per_bus - 1).bit_length()
    bits = 1 + max(1 + (trunks - 1).bit_length() + chip, 2 * chip)
    grant = math.ceil(bits / keys["grant_width"]) / rate(keys["grant_rate"])
    return {
        "trunks": float(trunks),
        "chips_per_switch": float(keys["chips_per_switch"]),
        "chips_per_bus": float(chips_per_bus),
        "setup_us": float(grant) + time_us(keys["setup"]),
        "switch_us": time_us(keys["delay"]),
    }


def _granted(fabric: Keys, columns: int) -> dict[str, Any]:
    """A grant to a row of `scheduled-mesh`: the way, and of both ends of its run a column and one of four links."""
    if fabric["kind"] != "scheduled-mesh":
        return {}
    keys = fabric["scheduled_mesh"]
    bits = 1 + 2 * ((columns - 1).bit_length() + 2)
    grant = math.ceil(bits / keys["grant_width"]) / rate(keys["grant_rate"])
    return {"setup_us": float(grant) + time_us(keys["setup"]), "search_us": time_us(keys["search_step"])}


def _hop_us(fabric: Keys, geometry: Keys) -> float:
    """Time from router to router, of a packet's head in a mesh, of a scout in Venice.

    A scout has two flits, of two bytes each where one cannot name every chip (Venice Fig. 6).
    """
    if fabric["kind"].startswith("mesh"):
        narrow = 4.0 if fabric["kind"] == "mesh-2bit" else 1.0
        return float(narrow / rate(fabric["network"]["link_rate"])) + time_us(fabric["network"]["router_delay"])
    chips, controllers = geometry["channels"] * geometry["chips_per_channel"], geometry["channels"]
    bits = max((chips - 1).bit_length(), (controllers - 1).bit_length())
    flit_bytes = math.ceil((bits + 2) / 8)
    hop = 2.0 * flit_bytes / rate(fabric["network"]["link_rate"]) + time_us(fabric["network"]["router_delay"])
    return float(hop)


def _any_controller(fabric: Keys) -> bool:
    if fabric["kind"] == "scheduled-mesh":
        return True
    part = fabric["mesh" if fabric["kind"].startswith("mesh") else "venice"]
    return bool(part["controller"] != "own-row")


def _link(keys: Keys) -> Link:
    host, link = keys["host"], keys["link"]
    if host["protocol"] == "sata":
        generation = host["sata"]["generation"]
        return Link(rate=_SATA_RATE * 2 ** (generation - 1), overhead=_SATA_FRAMES, half_duplex=True)
    by_generation = 16 if link["lane_rate"] in ("gen6", "gen7") else 28
    return Link(
        rate=link["lanes"] * lane_rate(link["lane_rate"]),
        max_payload=size_bytes(link["max_payload"]),
        overhead=link.get("packet_overhead_bytes", by_generation),
        latency_us=time_us(link["latency"]),
        entry_bytes=host["submission_entry_bytes"],
    )


def _controller(part: Keys) -> Controller:
    def limit(key: str) -> float:
        return rate(part[key]) or np.inf

    return Controller(
        dram=limit("dram"),
        system_bus=limit("system_bus"),
        ecc=limit("ecc_rate"),
        ecc_latency_us=time_us(part["ecc_latency"]),
        per_request_us=time_us(part["firmware_per_request"]),
        per_page_us=time_us(part["firmware_per_page"]),
        lookup_rate=limit("dram") / _ENTRY_BYTES,
    )


def _sizes(synthetic: Keys, *, reads: bool) -> list[tuple[float, float]]:
    """Sizes of reads or of others, with their shares."""
    mix = synthetic.get("sizes") or []
    if not reads and synthetic.get("write_sizes"):
        mix = synthetic["write_sizes"]
    if not mix:
        return [(size_bytes(synthetic["size"]), 1.0)]
    total = sum(each["share"] for each in mix)
    return [(size_bytes(each["size"]), each["share"] / total) for each in mix]


def _chip_shares(design: Design, workload: Workload) -> Any:
    """Share of the requests that begin at each chip, as an array of rows and columns."""
    geometry = design.to_dict()["geometry"]
    shares = _engine.chip_shares(design.to_toml(), workload.to_toml())
    return np.array(shares).reshape(geometry["channels"], geometry["chips_per_channel"])


def _outstanding(keys: Keys, made: list[Any]) -> float:
    """Requests outstanding at the most; infinite if any flow sends at times of its own."""
    depths = [each.get("queue_depth", np.inf) for each in made]
    return outstanding(keys, len(made), float(sum(depths)))
