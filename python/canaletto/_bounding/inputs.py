"""Numbers of a design in the closed forms."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from canaletto._engine import ConfigError
from canaletto._run.bound_drive import Controller, Drive, Host, Link, Work
from canaletto._run.config import Design
from canaletto._run.links import loaded_rate
from canaletto._run.quantities import lane_rate, rate, size_bytes, time_us
from canaletto._run.sequences import sequences

_ENTRY_BYTES = 8.0
_SATA_RATE = 150.0
_SATA_REGISTER = 20 + 32.0
"""A command, and the drive's answer, with primitives (Serial ATA 3.1 §9.4, §10.3)."""
_SATA_FRAMES = 2 * 20 + 28 + 4 + 8 + 5 * 32.0
"""A queued read besides data.

Two Register FIS, DMA Setup, header of the Data FIS, Set Device Bits, and the primitives around these five (Serial ATA
3.1 §9.4, §10.3).
"""

Keys = Mapping[str, Any]


def drive_of(design: Design, work: Work, *, is_alone: bool = False) -> Drive:
    """A design whose commands address as many planes as the work lets them.

    is_alone: one request at a time, so commands address one plane.

    Raises ConfigError for what has no closed form.
    """
    keys = design.to_dict()
    _check(keys)
    for key, number in failing_parts(design).items():
        raise ConfigError(f"{key}: got {number}, expected 0: an interconnect of which parts fail has no closed form")
    geometry, flash, fabric = keys["geometry"], keys["flash"], keys["fabric"]
    is_printed = fabric["kind"] == "venice" and fabric["venice"]["as_printed"]
    holds = "always" if is_printed else fabric["hold_path"]
    found = sequences(design)
    times = {(each["name"], each["planes"]): each for each in found["times"]}
    planes, luns = geometry["planes_per_die"], _luns(keys)
    independent = flash["independent_plane_reads"]
    waiting = 1.0 if is_alone else _waiting(keys, work)
    reads = 1.0 if independent or is_alone else _read_batch(keys, work, waiting)
    # Pages that are complete in the cache wait for a LUN there.
    written = np.inf if work.cached_writes and not is_alone else waiting
    programs = 1.0 if flash["multi_plane"] == "off" else _batch(keys, written)

    command_us = partial(_command_us, times, planes)
    status = _status(fabric, times)
    return Drive(
        fabric=fabric["kind"],
        rows=geometry["channels"],
        columns=geometry["chips_per_channel"],
        luns=luns,
        # Dies that do not work at the same time are one LUN with the planes of all.
        planes=planes * geometry["dies_per_chip"] / luns,
        pages_at_lun=planes if keys["ftl"]["allocation"].startswith("P") else 1.0,
        page_bytes=size_bytes(geometry["page"]),
        read_us=_read_us(keys, work) + time_us(flash["ready_delay"]),
        program_us=_program_us(flash, work),
        erase_us=_erase_us(keys),
        read_planes=reads,
        read_sharing=1.0 if is_alone else _read_sharing(keys, work),
        program_planes=programs,
        independent_planes=independent,
        reads_overlap=flash["cache_read"],
        programs_overlap=flash["cache_program"],
        program_busy_us=time_us(flash["cache_program_busy"]),
        link_rate=loaded_rate(keys),
        network_rate=rate(fabric["network"]["link_rate"]),
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
        holds_reads=holds in ("reads", "always"),
        holds_programs=holds == "always",
        serves_one=fabric["kind"] == "omnibus" and fabric["omnibus"]["transfers_per_controller"] == 1,
        handshake_us=_handshake_us(fabric["omnibus"]["control"]),
        late_split_bytes=size_bytes(fabric["omnibus"]["late_split"]) if fabric["kind"] == "omnibus" else 0.0,
        turn_us=found["turn_ns"] / 1e3,
        hop_us=_hop_us(fabric, geometry),
        **(_switches(fabric["clusters"], geometry["channels"]) | _granted(fabric, geometry["chips_per_channel"])),
        mesh_packet_bytes=size_bytes(fabric["mesh"]["packet"]),
        any_controller=_any_controller(fabric),
        piece_bytes=unit_bytes(keys),
        **_codewords(keys["controller"]["ecc"]),
        link=_link(keys),
        controller=_controller(keys["controller"]),
        host=_host(keys["host"]),
    )


def _command_us(times: Mapping[Any, Any], planes: int, kind: str, batch: float, key: str) -> float:
    one, most = times[kind, 1][key], times[kind, planes][key]
    part = (batch - 1.0) / (planes - 1.0) if planes > 1 else 0.0
    return float(one + part * (most - one)) / 1e3


def _codewords(ecc: Keys) -> dict[str, float]:
    outer = ecc["outer"]
    return {
        "codeword_bytes": size_bytes(ecc["codeword"]),
        "outer_bytes": size_bytes(outer["codeword"]),
        "inner_failure": outer["inner_failure"],
        "outer_us": time_us(outer["latency"]),
    }


def _check(keys: Keys) -> None:
    """Raises ConfigError for parts of a design that no closed form counts."""
    if (kind := keys["attachment"]["kind"]) != "none":
        raise ConfigError(f'attachment.kind: got "{kind}", expected "none": attachments have no closed form')
    if (mapping := keys["ftl"]["mapping"]) != "page":
        raise ConfigError(f'ftl.mapping: got "{mapping}", expected "page": others have no closed form')


def failing_parts(design: Design) -> dict[str, int]:
    """Keys of parts that fail and that the fabric has, with how many do."""
    parts = ("links", "routers", "controllers", "buses", "switches")
    failures = design.to_dict()["fabric"]["failures"]
    given = {f"fabric.failures.{part}": int(failures[part]) for part in parts}
    idle = [key for key in given if any(f"{key}: has no effect" in note for note in design.notes)]
    return {key: number for key, number in given.items() if number > 0 and key not in idle}


def _mean_us(times: str | list[str]) -> float:
    each = [times] if isinstance(times, str) else times
    return sum(map(time_us, each)) / len(each)


def _pseudo_slc_bytes(flash: Keys) -> float:
    return float(size_bytes(flash["pslc"]["static_size"]) + size_bytes(flash["pslc"]["dynamic_size"]))


def _program_us(flash: Keys, work: Work) -> float:
    native = _mean_us(flash["program"])
    share = _pseudo_slc_bytes(flash) / max(_programmed(work), 1.0)
    return native - min(1.0, share) * max(0.0, native - time_us(flash["pslc"]["program"]))


def _erase_us(keys: Keys) -> float:
    together = 1 if keys["flash"]["multi_plane"] == "off" else keys["geometry"]["planes_per_die"]
    return float(time_us(keys["flash"]["erase"]) / keys["geometry"]["pages_per_block"] / together)


def _programmed(work: Work) -> float:
    return float(work.written_bytes) * float(work.programmed_bytes or work.size) / float(work.size)


def _read_us(keys: Keys, work: Work) -> float:
    """Pseudo-SLC mode for the share of pages that writes may have put there."""
    flash, native = keys["flash"], _mean_us(keys["flash"]["read"])
    if _pseudo_slc_bytes(flash) <= 0 or float(work.writes) <= 0:
        return native
    there = min(_pseudo_slc_bytes(flash), _programmed(work))
    share = min(1.0, there / max(float(work.spread_bytes), there))
    return native - share * max(0.0, native - time_us(flash["pslc"]["read"]))


def _luns(keys: Keys) -> int:
    return int(keys["geometry"]["dies_per_chip"]) if keys["flash"]["die_interleaving"] else 1


def _waiting(keys: Keys, work: Work) -> float:
    """Pages that wait for a LUN, if any do, when all requests are outstanding.

    Infinite if nothing states how many are.
    """
    geometry = keys["geometry"]
    rows = geometry["channels"] if work.busiest_row is None else 1.0 / float(work.busiest_row)
    columns = geometry["chips_per_channel"] if work.columns is None else float(work.columns)
    chips = rows * columns if work.busiest_chip is None else 1.0 / float(work.busiest_chip)
    return _together(_pages_waiting(keys, work), min(chips * _luns(keys), _places(keys, work)))


def _pages_waiting(keys: Keys, work: Work) -> float:
    pages = max(float(work.pages), float(work.parts or 0.0))
    if work.programmed_bytes is not None and float(work.writes) > 0:
        pages = max(pages, float(work.programmed_bytes) / size_bytes(keys["geometry"]["page"]))
    return float(work.in_drive) * pages


def _together(number: float, places: float) -> float:
    """Mean number that meet in a place where any are.

    Of n that each choose one of N, n over the number of different ones, N (1 - (1 - 1/N)^n).
    """
    if number <= 1.0 or np.isinf(number):
        return max(1.0, number)
    chosen = -places * math.expm1(number * math.log1p(-1.0 / places)) if places > 1.0 else 1.0
    return max(1.0, number / chosen)


def _places(keys: Keys, work: Work) -> float:
    """Pages among which requests choose with equal chance; 1: all may want the same one."""
    return max(1.0, float(work.spread_bytes) / size_bytes(keys["geometry"]["page"]))


def _read_sharing(keys: Keys, work: Work) -> float:
    """Waiting reads that one array read serves: with mapping units below a page all of the same page.

    Others come while a page waits, which has k in the end: the mean is (k + 1) / 2.
    """
    waiting = _pages_waiting(keys, work)
    if unit_bytes(keys) >= size_bytes(keys["geometry"]["page"]) or np.isinf(waiting):
        return 1.0
    return 2.0 * _together(waiting, _places(keys, work)) - 1.0


def unit_bytes(keys: Keys) -> float:
    return size_bytes(keys["ftl"]["mapping_unit"]) or size_bytes(keys["geometry"]["page"])


def _batch(keys: Keys, waiting: float) -> float:
    return float(min(keys["geometry"]["planes_per_die"], waiting))


def _read_batch(keys: Keys, work: Work, waiting: float) -> float:
    """Mean planes of a read command.

    With `any-page` all that wait go together. Otherwise the others need the first one's page number, with a chance of
    one in the pages of a block, or of the part of a plane that is asked for.
    """
    geometry, mode = keys["geometry"], keys["flash"]["multi_plane"]
    planes = geometry["planes_per_die"]
    if mode == "any-page":
        return _batch(keys, waiting)
    if mode == "off" or np.isinf(waiting):
        return 1.0
    all_planes = geometry["channels"] * geometry["chips_per_channel"] * geometry["dies_per_chip"] * planes
    numbers = max(1.0, min(geometry["pages_per_block"], _places(keys, work) / all_planes))
    return float(1.0 + (planes - 1.0) * (1.0 - (1.0 - 1.0 / numbers) ** (waiting / planes)))


def _is_stated(fabric: Keys) -> bool:
    return "command_time" in fabric


def _status(fabric: Keys, times: Mapping[Any, Any]) -> dict[str, float]:
    if ("status", 1) not in times or _is_stated(fabric):
        return {"read": 0.0, "program": 0.0}
    when_done = fabric["kind"].startswith("mesh") or fabric["status"]["ready"] == "pin"
    return {"read": 0.0 if when_done else 1.0, "program": 1.0}


MESSAGE_BITS = 64.0
"""As in `fabric/omnibus/control.rs`."""


def _handshake_us(control: Keys) -> float:
    message = MESSAGE_BITS / (control["width"] * rate(control["rate"]))
    return float(2.0 * (message + time_us(control["delay"])))


def _switches(keys: Keys, controllers: int) -> dict[str, Any]:
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
    """A grant to a row: the way, and a column and one of four links for both ends of its run."""
    if fabric["kind"] != "scheduled-mesh":
        return {}
    keys = fabric["scheduled_mesh"]
    bits = 1 + 2 * ((columns - 1).bit_length() + 2)
    grant = math.ceil(bits / keys["grant_width"]) / rate(keys["grant_rate"])
    return {"setup_us": float(grant) + time_us(keys["setup"]), "search_us": time_us(keys["search_step"])}


def _hop_us(fabric: Keys, geometry: Keys) -> float:
    if fabric["kind"] in ("daisy-chain", "ring"):
        return time_us(fabric["chain"]["hop_delay"])
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
        return Link(
            rate=_SATA_RATE * 2 ** (generation - 1), overhead=_SATA_FRAMES, half_duplex=True, register=_SATA_REGISTER
        )
    is_pcie = link["kind"] == "pcie"
    by_kind = (16 if link["lane_rate"] in ("gen6", "gen7") else 28) if is_pcie else 0
    access = {"pcie": 4.0, "ucie": 16.0, "hbm": 0.0}[link["kind"]]
    return Link(
        rate=link["lanes"] * lane_rate(link["lane_rate"]),
        max_payload=size_bytes(link["max_payload"]),
        overhead=link.get("packet_overhead_bytes", by_kind),
        latency_us=time_us(link["latency"]),
        entry_bytes=host["submission_entry_bytes"],
        half_duplex=link["kind"] == "hbm",
        access=access if host["protocol"] == "memory" else None,
    )


def _host(keys: Keys) -> Host:
    return Host(
        submit_us=time_us(keys["submit_time"]),
        complete_us=time_us(keys["complete_time"]),
        interrupt_us=time_us(keys["interrupt_latency"]),
    )


def _controller(part: Keys) -> Controller:
    def limit(key: str) -> float:
        return rate(part[key]) or np.inf

    return Controller(
        dram=limit("dram"),
        system_bus=limit("system_bus"),
        ecc=limit("ecc_rate"),
        ecc_latency_us=time_us(part["ecc_latency"]),
        ecc_overlaps=part["ecc_overlap"],
        per_request_us=time_us(part["firmware_per_request"]),
        per_page_us=time_us(part["firmware_per_page"]),
        per_write_us=time_us(part["firmware_per_write"]),
        write_latency_us=time_us(part["write_latency"]),
        lookup_rate=limit("dram") / _ENTRY_BYTES,
    )
