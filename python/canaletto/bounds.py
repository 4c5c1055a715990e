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

A part (a die, a channel, the host link) serves so many requests a second as it has servers over the time that a request
takes one of them; the least of these is the peak (operational analysis: Denning and Buzen, "The Operational Analysis of
Queueing Network Models", ACM Computing Surveys 10(3), 1978). Waits come from the M/D/1 queue.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from canaletto._run.bound_drive import (
    Controller,
    Drive,
    Kind,
    Link,
    Number,
    Operation,
    Work,
    even_chips,
    even_rows,
    operations,
    outer_chance,
)
from canaletto._run.bound_fabrics import Wires, data_before_command_us, wires

__all__ = [
    "Controller",
    "Drive",
    "Link",
    "Work",
    "knee",
    "limits_iops",
    "mean_unloaded_us",
    "peak_iops",
    "percentile_us",
    "servers",
    "unloaded_us",
]

Mix = Literal["times", "rates"]
"""How reads and programs share a part: their times add up, or their rates are weighted by how many there are."""

_COMPLETION, _READ_REQUEST, _DOORBELL = 16.0, 4.0, 2.0
"""Bytes of a completion queue entry, of a read request beside its packet's, and of a doorbell: the engine's."""


def limits_iops(drive: Drive, work: Work, *, mix: Mix = "times") -> dict[str, Number]:
    """Requests a second that each part of a drive allows.

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
    """
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
    """Requests a second that a drive serves at the most: the least limit of its parts.

    Parameters
    ----------
    drive
        The drive.
    work
        Requests. With a finite `queue_depth` no more than that over `mean_unloaded_us` are served, either.
    mix
        As for `limits_iops`.

    Returns
    -------
    float or array
        Requests a second.

    Raises
    ------
    KeyError
        For a fabric that there is not.
    """
    limits = [np.asarray(each, dtype=np.float64) for each in limits_iops(drive, work, mix=mix).values()]
    least: NDArray[np.float64] = limits[0]
    for limit in limits[1:]:
        least = np.minimum(least, limit)
    return np.minimum(least, 1e6 * np.asarray(work.queue_depth) / mean_unloaded_us(drive, work))


def unloaded_us(drive: Drive, work: Work) -> Number:
    """Latency of a single read on the idle drive, of a write where nothing is read, in microseconds.

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
    return np.where(np.asarray(work.read_share) > 0, _alone_us(drive, work, "read"), _alone_us(drive, work, "program"))


def mean_unloaded_us(drive: Drive, work: Work) -> Number:
    """Mean latency of requests that are alone on the drive, reads and writes, in microseconds.

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
    reads = np.asarray(work.read_share)
    return reads * _alone_us(drive, work, "read") + (1.0 - reads) * _alone_us(drive, work, "program")


def _alone_us(drive: Drive, work: Work, kind: Kind) -> Number:
    """Latency of a request that is alone; of a write of a part of a page with the read of the rest."""
    size = np.asarray(work.size) / work.pages
    inside = drive.controller
    passed = inside.ecc_latency_us + size * (1.0 / np.asarray(inside.ecc) + 1.0 / np.asarray(inside.dram))
    passed = passed + size / inside.system_bus + inside.per_request_us + np.asarray(inside.per_page_us) * work.pages
    around = passed + _unloaded_link(drive, work, reads=kind == "read")

    def page(each: Kind, moved: Number) -> Number:
        array = drive.read_us + np.asarray(drive.read_chip_us)
        if each == "program":
            array = drive.program_us + np.asarray(drive.program_chip_us)
        return _unloaded_wires(drive, work, moved, reads=each == "read") + array

    if kind == "read":
        engine = np.asarray(inside.ecc_latency_us) + drive.outer_us
        again = outer_chance(drive, size) * (page("read", drive.outer_bytes) + engine)
        return page("read", size) + again + around
    rest = drive.page_bytes - size
    filled = 0.0 if work.gathers else np.where(rest > 0, page("read", np.maximum(rest, 0.0)), 0.0)
    return filled + page("program", drive.page_bytes) + around


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
    """Load at which the mean latency of an M/D/1 queue is twice that of the idle drive, as a share of the peak.

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
    """Requests that one server of a part serves in a microsecond."""
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
    """LUNs, each busy with one command at a time, and planes, whose registers a page leaves before the next is read."""
    luns = np.asarray(even_chips(drive, work)) * drive.luns
    read = drive.read_us + np.asarray(drive.read_chip_us)
    program = drive.program_us + np.asarray(drive.program_chip_us)

    def crossing(kind: str, size: Number) -> Number:
        return _unloaded_wires(drive, work, size, reads=kind == "read")

    def of_lun(kind: str, size: Number) -> Number:
        if kind == "program":
            data = 0.0 if drive.programs_overlap else crossing(kind, size)
            return program / drive.program_planes + data
        if drive.independent_planes:
            return np.zeros_like(np.asarray(size, dtype=np.float64))
        if drive.reads_overlap:
            return read / drive.read_planes
        commands = drive.read_command_us + np.asarray(drive.status_us) * drive.read_status
        behind = data_before_command_us(drive, size) if drive.data_first else 0.0
        return (read + commands) / drive.read_planes + behind

    def of_plane(kind: str, size: Number) -> Number:
        if kind == "program":
            return of_lun(kind, size) * drive.planes
        crosses = crossing(kind, size)
        return np.maximum(read, crosses) if drive.reads_overlap else read + crosses

    return [Wires("dies", luns, of_lun), Wires("planes", luns * drive.planes, of_plane)]


def _unloaded_wires(drive: Drive, work: Work, size: Number, *, reads: bool) -> Number:
    """Time on the wires of a page that meets nothing, the array apart."""
    kind: Kind = "read" if reads else "program"
    held = drive.read_us if reads else drive.program_us
    chip = drive.read_chip_us if reads else drive.program_chip_us
    parts = [part for part in wires(drive, work) if part.name != "chip ports"]
    times = [(part.alone_us or part.time_us)(kind, size) for part in parts]
    holds = drive.holds_reads if reads else drive.holds_programs
    # Of several pins or ways all are taken one after the other by a page that is alone.
    return sum(times, np.float64(0.0)) - (held + np.asarray(chip) if holds else 0.0)


def _packets(link: Link, size: Number) -> Number:
    """Bytes on the link of a message of so many."""
    return size + np.ceil(np.asarray(size) / link.max_payload) * link.overhead


def _request_us(drive: Drive, work: Work) -> dict[str, Number]:
    """Time that a request takes of each part that there is one of."""
    inside, reads = drive.controller, np.asarray(work.read_share)
    writes, size = 1.0 - reads, np.asarray(work.size)
    moved = size * (1.0 + 2.0 * writes * (np.asarray(work.write_amplification) - 1.0))
    rows = even_rows(drive, work)
    times: dict[str, Number] = {
        "DRAM": moved / inside.dram,
        "mapping look-ups": np.asarray(work.pages) / inside.lookup_rate,
        "system bus": moved / inside.system_bus,
        "ECC engines": moved / (np.asarray(inside.ecc) * rows),
        "processor": inside.per_request_us + np.asarray(inside.per_page_us) * work.pages,
    }
    if drive.link is None:
        return times
    link = drive.link
    # Entries are fetched many at a time under load; each request has two doorbells and a completion of its own.
    entry = np.asarray(link.entry_bytes) * (1.0 + np.asarray(link.overhead) / link.max_payload)
    to_host = reads * _packets(link, size) + writes * (link.overhead + _READ_REQUEST) + _packets(link, _COMPLETION)
    to_drive = writes * _packets(link, size) + entry + 2.0 * _packets(link, _DOORBELL)
    if link.half_duplex:
        return times | {"host link": (size + link.overhead) / link.rate}
    return times | {"host link, to host": to_host / link.rate, "host link, to drive": to_drive / link.rate}


def _unloaded_link(drive: Drive, work: Work, *, reads: bool) -> Number:
    """Time of a request's messages on the link: doorbell, fetch, entry, data (of a write fetched, too), completion."""
    if drive.link is None:
        return 0.0
    link = drive.link
    if link.half_duplex:
        return (np.asarray(work.size) + link.overhead) / link.rate
    messages = [_DOORBELL, _READ_REQUEST, link.entry_bytes, work.size, _COMPLETION]
    latencies = 4.0
    if not reads:
        messages.append(_READ_REQUEST)
        latencies = 6.0
    crossed = sum((_packets(link, size) for size in messages), np.float64(0.0)) / link.rate
    return crossed + latencies * np.asarray(link.latency_us)
