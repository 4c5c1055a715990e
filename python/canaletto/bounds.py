"""Closed forms of a drive's throughput and latency, over numbers or whole arrays of them.

`canaletto.bound` takes the numbers out of a design. Here they are given, so that 10^5 drives are a call:

>>> import numpy as np
>>> from canaletto import bounds
>>> rates = np.linspace(1200.0, 4800.0, 4)  # MB/s of a channel
>>> drive = bounds.Drive(
...     fabric="bus", rows=8, columns=8, page_bytes=4096, read_us=3, program_us=9, link_rate=rates, read_command_us=1.2
... )
>>> [round(float(iops) / 1e6, 2) for iops in bounds.peak_iops(drive, bounds.Work(size=512))]
[4.92, 5.65, 5.94, 6.12]

A part (a die, a channel, the host link) serves so many requests per second as it has servers over the time that a
request takes one of them. The least of these is the peak (operational analysis: Denning and Buzen, "The Operational
Analysis of Queueing Network Models", ACM Computing Surveys 10(3), 1978). Waits come from the M/D/1 queue.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from canaletto._engine import ConfigError
from canaletto._run.bound_drive import (
    Controller,
    Drive,
    Host,
    Kind,
    Link,
    Number,
    Operation,
    Work,
    crossing_bytes,
    even_chips,
    even_rows,
    operations,
    outer_chance,
    programmed_bytes,
    rest_reads,
)
from canaletto._run.bound_fabrics import Wires, data_before_command_us, wires

__all__ = [
    "Controller",
    "Drive",
    "Host",
    "Link",
    "Work",
    "knee",
    "limits_iops",
    "mean_unloaded_us",
    "peak_iops",
    "percentile_us",
    "queue_limits_iops",
    "servers",
    "unloaded_us",
]

Mix = Literal["times", "rates"]
"""Times of reads and programs add up, or rates are weighted by numbers."""

QUEUE_DEPTH, COMMANDS = "queue depth", "commands in the drive"

_COMPLETION, _READ_REQUEST, _DOORBELL = 16.0, 4.0, 2.0
"""Bytes: a completion entry, a read request besides its packet's, a doorbell."""


def limits_iops(drive: Drive, work: Work, *, mix: Mix = "times") -> dict[str, Number]:
    """Requests per second that each part of a drive allows.

    Parameters
    ----------
    drive
        The drive.
    work
        Requests.
    mix
        "times": what reads and programs take of a part adds up, as it must where the part serves one at a time.
        "rates": the mean of their rates, weighted by their numbers, which is what "Five-Minute Rule 40 Years Later"
        (arXiv 2511.03944) has; never less, and equal where there are reads alone.

    Returns
    -------
    dict
        Limit of each part, by name.

    Raises
    ------
    KeyError
        For a fabric that there is not.
    ConfigError
        For another `mix`.
    """
    if mix not in get_args(Mix):
        raise ConfigError(f"mix: got {mix!r}, expected times or rates")
    work_of = operations(drive, work)
    shared = [*wires(drive, work), *_dies(drive, work)]
    limits = {part.name: 1e6 * part.servers * _rate(part, work_of, mix) for part in shared}
    return limits | {
        name: 1e6 / time for name, time in _request_us(drive, work).items() if np.any(np.asarray(time) > 0)
    }


def servers(drive: Drive, work: Work) -> dict[str, Number]:
    """How many servers each part of `limits_iops` has, which work at the same time.

    Parameters
    ----------
    drive
        The drive.
    work
        Requests.

    Returns
    -------
    dict
        Number of servers, by part.

    Raises
    ------
    KeyError
        For a fabric that there is not.
    """
    shared = {part.name: part.servers for part in (*wires(drive, work), *_dies(drive, work))}
    return shared | dict.fromkeys(_request_us(drive, work), 1.0)


def peak_iops(drive: Drive, work: Work, *, mix: Mix = "times") -> Number:
    """Requests per second that a drive serves at the most: the least limit of its parts.

    Parameters
    ----------
    drive
        The drive.
    work
        Requests. With a finite `queue_depth` or number of `commands`, `queue_limits_iops` counts, too.
    mix
        As for `limits_iops`.

    Returns
    -------
    float or array
        Requests per second.

    Raises
    ------
    KeyError
        For a fabric that there is not.
    """
    found = limits_iops(drive, work, mix=mix) | queue_limits_iops(drive, work)
    limits = [np.asarray(each, dtype=np.float64) for each in found.values()]
    least: NDArray[np.float64] = limits[0]
    for limit in limits[1:]:
        least = np.minimum(least, limit)
    return least


def queue_limits_iops(drive: Drive, work: Work) -> dict[str, Number]:
    """Requests per second that those outstanding, and those that the drive works on at a time, allow (Little's law).

    A request is outstanding for its latency and the host's thinking. The drive works on it from the fetch of its entry
    until it has its data, or they are on flash or in the cache. Read data and the completion cross while the next one
    is fetched. A Serial ATA drive has it until the host knows that it is done.

    Parameters
    ----------
    drive
        The drive.
    work
        Requests.

    Returns
    -------
    dict
        Limit by name; infinite where nothing limits.

    Raises
    ------
    KeyError
        For a fabric that there is not.
    """
    outstanding = mean_unloaded_us(drive, work) + np.asarray(work.think_us)
    worked_on = _mean_us(drive, work, _slot_link)
    with np.errstate(divide="ignore"):
        return {
            QUEUE_DEPTH: 1e6 * np.asarray(work.queue_depth) / outstanding,
            COMMANDS: 1e6 * np.asarray(work.commands) / worked_on,
        }


def unloaded_us(drive: Drive, work: Work) -> Number:
    """Latency of a single read of flash on the idle drive, in microseconds; of a write where nothing is read.

    Parameters
    ----------
    drive
        The drive.
    work
        Requests.

    Returns
    -------
    float or array
        Microseconds.

    Raises
    ------
    KeyError
        For a fabric that there is not.
    """
    reads = _alone_us(drive, replace(work, found=0.0), "read", _unloaded_link)
    others = np.where(
        np.asarray(work.writes) > 0,
        _alone_us(drive, work, "program", _unloaded_link),
        _alone_us(drive, work, "other", _unloaded_link),
    )
    return np.where(np.asarray(work.reads) > 0, reads, others) + _host_us(drive)


def mean_unloaded_us(drive: Drive, work: Work) -> Number:
    """Mean latency of requests that are alone on the drive, in microseconds: with what the cache keeps from flash.

    Parameters
    ----------
    drive
        The drive.
    work
        Requests.

    Returns
    -------
    float or array
        Microseconds.

    Raises
    ------
    KeyError
        For a fabric that there is not.
    """
    return _mean_us(drive, work, _unloaded_link) + _host_us(drive)


def _mean_us(drive: Drive, work: Work, link: "LinkTime") -> Number:
    shares = {"read": work.reads, "program": work.writes, "other": work.other_share}
    return sum(
        (np.asarray(share) * _alone_us(drive, work, kind, link) for kind, share in shares.items()), np.float64(0.0)
    )


def _host_us(drive: Drive) -> Number:
    return np.asarray(drive.host.submit_us) + drive.host.interrupt_us + drive.host.complete_us


def _alone_us(drive: Drive, work: Work, kind: str, link: "LinkTime") -> Number:
    around = _firmware_us(drive, work, kind) + link(drive, work, kind)
    if kind == "other":
        return around
    if kind == "program":
        around = around + drive.controller.write_latency_us
    spared = np.asarray(work.found) if kind == "read" else np.asarray(work.cached_writes) - work.safe_writes
    return around + (1.0 - spared) * _flash_us(drive, work, kind)


def _firmware_us(drive: Drive, work: Work, kind: str) -> Number:
    inside = drive.controller
    of_kind = np.asarray(inside.per_request_us) + (inside.per_write_us if kind == "program" else 0.0)
    units = work.pages if work.units is None else work.units
    return of_kind if kind == "other" else of_kind + np.asarray(inside.per_page_us) * units


def _flash_us(drive: Drive, work: Work, kind: str) -> Number:
    drive = replace(drive, read_sharing=1.0)
    parts = work.pages if work.parts is None else work.parts
    size = np.asarray(work.size) / parts
    inside = drive.controller
    stages = [1.0 / np.asarray(rate) for rate in (inside.ecc, inside.system_bus, inside.dram)]
    piece = np.minimum(size, drive.piece_bytes)
    # Pieces pass one behind the other: all of them the slowest stage, the last one the others, too.
    slowest = np.maximum(np.maximum(stages[0], stages[1]), stages[2])
    passed = inside.ecc_latency_us + piece * sum(stages) + (size - piece) * slowest

    def page(each: Kind, moved: Number) -> Number:
        array = drive.read_us + np.asarray(drive.read_chip_us)
        if each == "program":
            array = drive.program_us + np.asarray(drive.program_chip_us)
        return _unloaded_wires(drive, work, moved, reads=each == "read") + array

    if kind == "read":
        engine = np.asarray(inside.ecc_latency_us) + drive.outer_us
        again = outer_chance(drive, size) * (page("read", drive.outer_bytes) + engine)
        return page("read", size) + again + _behind_us(drive, work, "read", size) + passed
    programmed, partial = programmed_bytes(drive, work), rest_reads(drive, work)
    rest = (programmed - np.asarray(work.size)) / np.where(partial > 0, partial, 1.0)
    # Rests of several pages are read side by side.
    share = np.minimum(partial, 1.0) if work.rest_share is None else work.rest_share
    filled = share * np.where(partial > 0, page("read", rest), 0.0)
    moved = np.minimum(crossing_bytes(drive, work) / parts, drive.page_bytes)
    # Other pages cross while a rest is read.
    return np.maximum(filled, _behind_us(drive, work, "program", moved)) + page("program", moved) + passed


def _behind_us(drive: Drive, work: Work, kind: Kind, size: Number) -> Number:
    """Wait of a request's last page for its others."""
    at_lun = np.minimum(work.pages, drive.pages_at_lun)
    # Two buses lead to a chip, for whole pages or for halves.
    two_ways = {"omnibus": at_lun / 2.0 - 1.0, "omnibus-split": (at_lun - 1.0) / 2.0}
    before = two_ways.get(drive.fabric, at_lun - 1.0)
    decoding = 0.0 if drive.controller.ecc_overlaps or kind == "program" else drive.controller.ecc_latency_us

    def waits(part: Wires) -> Number:
        others = np.maximum(np.maximum(np.asarray(work.pages) / part.servers - 1.0, before), 0.0)
        return others * (np.asarray(part.time_us(kind, size)) - part.time_us(kind, 0.0) + decoding)

    longest: Number = np.float64(0.0)
    # Pages of a request follow each other over all rows, wherever it begins.
    for part in wires(drive, replace(work, busiest_row=None, columns=None, busiest_chip=None)):
        longest = np.maximum(longest, waits(part))
    return longest


def percentile_us(service_us: Number, load: Number, percentile: Number, unloaded: Number) -> Number:
    """Latency percentile of a part that is an M/D/1 queue, in microseconds.

    The mean wait of M/D/1 with an exponential tail, after "Five-Minute Rule 40 Years Later" (arXiv 2511.03944, §III):
    service · ρ / (2 (1 - ρ)) · ln(1 / (1 - p)) + the latency without waiting.

    Parameters
    ----------
    service_us
        Time that a request takes one server of the part: servers over peak throughput.
    load
        Load ρ, from 0 to less than 1, as a share of the peak.
    percentile
        Share p of the requests that are no slower, such as 0.99.
    unloaded
        Latency of a request that waits for nothing, in microseconds. (The source has the array's time alone.)

    Returns
    -------
    float or array
        Microseconds.
    """
    rho = np.asarray(load)
    wait: NDArray[np.float64] = np.asarray(service_us) * rho / (2.0 * (1.0 - rho))
    return wait * np.log(1.0 / (1.0 - np.asarray(percentile))) + unloaded


def knee(service_us: Number, unloaded: Number) -> Number:
    """Load at which the mean latency of an M/D/1 queue is twice the idle drive's, as a share of the peak.

    Parameters
    ----------
    service_us
        Time that a request takes one server of the part, in microseconds.
    unloaded
        Latency of a request that waits for nothing, in microseconds.

    Returns
    -------
    float or array
        Load, from 0 to 1.
    """
    twice = 2.0 * np.asarray(unloaded)
    return twice / (twice + service_us)


def _rate(part: Wires, work_of: list[Operation], mix: Mix) -> Number:
    times = [(each, np.asarray(each.number) * part.time_us(each.kind, each.size)) for each in work_of]
    if mix == "times":
        total = np.asarray(sum(time for _, time in times), dtype=np.float64)
        with np.errstate(divide="ignore"):
            return 1.0 / total
    blocks = np.asarray(sum(np.asarray(each.blocks) for each in work_of))
    with np.errstate(divide="ignore", invalid="ignore"):
        # A request's operations of a kind, over their share of the blocks: what is absent weighs nothing.
        rates = [
            np.where(np.asarray(each.blocks) > 0, np.asarray(each.blocks) ** 2 / time, 0.0) for each, time in times
        ]
    return sum(rates, np.float64(0.0)) / blocks**2


def _dies(drive: Drive, work: Work) -> list[Wires]:
    """LUNs with one command at a time, and planes, whose registers a page leaves before the next is read."""
    luns = np.asarray(even_chips(drive, work)) * drive.luns
    read = drive.read_us + np.asarray(drive.read_chip_us)

    def crossing(kind: str, size: Number) -> Number:
        return _unloaded_wires(drive, work, size, reads=kind == "read")

    def of_lun(kind: str, size: Number) -> Number:
        if kind == "program":
            # Next to the array: the next one is loaded meanwhile, or crosses behind.
            beside: Number = crossing(kind, size) + np.asarray(drive.program_chip_us) / drive.program_planes
            if drive.programs_overlap:
                beside = np.minimum(beside, np.asarray(drive.program_busy_us) / drive.program_planes)
            # Where nothing is collected nothing is erased.
            erased = np.where(np.asarray(work.write_amplification) > 1.0, drive.erase_us, 0.0)
            return drive.program_us / np.asarray(drive.program_planes) + beside + erased
        if drive.independent_planes:
            return np.zeros_like(np.asarray(size, dtype=np.float64))
        if drive.reads_overlap:
            return read / drive.read_pages
        commands = drive.read_command_us + np.asarray(drive.status_us) * drive.read_status
        behind = data_before_command_us(drive, size) if drive.data_first else 0.0
        return (read + commands) / drive.read_pages + behind

    def of_plane(kind: str, size: Number) -> Number:
        if kind == "program":
            return of_lun(kind, size) * drive.planes
        crosses = crossing(kind, size)
        array = read / np.asarray(drive.read_sharing)
        both: Number = np.maximum(array, crosses) if drive.reads_overlap else array + crosses
        return both

    return [Wires("dies", luns, of_lun), Wires("planes", luns * drive.planes, of_plane)]


def _unloaded_wires(drive: Drive, work: Work, size: Number, *, reads: bool) -> Number:
    kind: Kind = "read" if reads else "program"
    held = drive.read_us if reads else drive.program_us
    chip = drive.read_chip_us if reads else drive.program_chip_us
    parts = [part for part in wires(drive, work) if part.name != "chip ports"]
    times = [(part.alone_us or part.time_us)(kind, size) for part in parts]
    holds = drive.holds_reads if reads else drive.holds_programs
    # Of several pins or ways all are taken one after the other by a page that is alone.
    return sum(times, np.float64(0.0)) - (held + np.asarray(chip) if holds else 0.0)


def _packets(link: Link, size: Number) -> Number:
    return size + np.ceil(np.asarray(size) / link.max_payload) * link.overhead


def _request_us(drive: Drive, work: Work) -> dict[str, Number]:
    inside, reads, writes = drive.controller, np.asarray(work.reads), np.asarray(work.writes)
    size, queues = np.asarray(work.size), np.asarray(work.queues)
    from_flash, to_flash = reads * (1.0 - np.asarray(work.found)), writes * (1.0 - np.asarray(work.absorbed))
    copied = to_flash * 2.0 * (np.asarray(work.write_amplification) - 1.0)
    moved = size * (from_flash + to_flash + copied)
    rows = even_rows(drive, work)
    decoded = moved / np.asarray(inside.ecc)
    if not inside.ecc_overlaps:
        parts = work.pages if work.parts is None else work.parts
        decoded += from_flash * (size / drive.link_rate + parts * (inside.ecc_latency_us + np.asarray(drive.column_us)))
    times: dict[str, Number] = {
        # What passes the data cache takes that one's DRAM.
        "DRAM": size * (from_flash + writes * (1.0 - np.asarray(work.cached_writes)) + copied) / inside.dram,
        "mapping look-ups": (reads + writes) * np.asarray(work.pages) / inside.lookup_rate,
        "system bus": moved / inside.system_bus,
        "ECC engines": decoded / rows,
        "processor": reads * _firmware_us(drive, work, "read")
        + writes * _firmware_us(drive, work, "program")
        + np.asarray(work.other_share) * _firmware_us(drive, work, "other"),
        "host cores": (np.asarray(drive.host.submit_us) + drive.host.complete_us) / queues,
    }
    if drive.link is None:
        return times
    link = drive.link
    sent = writes * (1.0 - np.asarray(work.zeroes))
    if link.access is not None:
        bare = np.asarray(link.access) + link.overhead
        out, back = bare + sent * _packets(link, size), reads * _packets(link, size) + writes * bare
        if link.half_duplex:
            return times | {"host link": (out + back) / link.rate}
        return times | {"host link, to host": back / link.rate, "host link, to drive": out / link.rate}
    if link.half_duplex:
        others = work.other_share * np.asarray(link.register)
        return times | {"host link": ((reads + sent) * size + (reads + writes) * link.overhead + others) / link.rate}
    # Entries are fetched many at a time under load; each request has two doorbells and its own completion.
    entry = np.asarray(link.entry_bytes) * (1.0 + np.asarray(link.overhead) / link.max_payload)
    to_host = reads * _packets(link, size) + sent * (link.overhead + _READ_REQUEST) + _packets(link, _COMPLETION)
    to_drive = sent * _packets(link, size) + entry + 2.0 * _packets(link, _DOORBELL)
    return times | {"host link, to host": to_host / link.rate, "host link, to drive": to_drive / link.rate}


LinkTime = Callable[[Drive, Work, str], Number]


def _unloaded_link(drive: Drive, work: Work, kind: str) -> Number:
    if drive.link is None:
        return 0.0
    link = drive.link
    if link.half_duplex or link.access is not None:
        return _slot_link(drive, work, kind)
    data = [work.size] if kind == "read" else []
    messages = [_DOORBELL, *data, _COMPLETION]
    crossed = sum((_packets(link, size) for size in messages), np.float64(0.0)) / link.rate
    # Data of a read and their completion cross one behind the other.
    return crossed + 2.0 * np.asarray(link.latency_us) + _slot_link(drive, work, kind)


def _slot_link(drive: Drive, work: Work, kind: str) -> Number:
    """While the drive has a request: fetch and entry, and a write's data with theirs."""
    if drive.link is None:
        return 0.0
    link = drive.link
    sent = 1.0 - np.asarray(work.zeroes)
    if link.access is not None:
        bare, data = np.asarray(link.access) + link.overhead, _packets(link, work.size)
        carried = {"read": bare + data, "program": 2.0 * bare + sent * data}.get(kind, 2.0 * bare)
        return carried / link.rate + 2.0 * np.asarray(link.latency_us)
    if link.half_duplex:
        if kind == "other":
            return np.asarray(link.register) / link.rate
        data = work.size - np.asarray(link.register) if kind == "read" else sent * work.size
        return (data + link.overhead) / link.rate
    asked = [_READ_REQUEST, link.entry_bytes]
    crossed = sum((_packets(link, size) for size in asked), np.float64(0.0)) / link.rate
    if kind == "program":
        crossed = crossed + sent * (_packets(link, _READ_REQUEST) + _packets(link, work.size)) / link.rate
    fetches = 2.0 + 2.0 * sent if kind == "program" else 2.0
    return crossed + fetches * np.asarray(link.latency_us)
