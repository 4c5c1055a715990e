"""Numbers that the closed forms of a drive's throughput need.

Every number may be an array; a bound is then one for each. Times are in microseconds, sizes in bytes and rates in bytes
per microsecond, which are 10^6 bytes per second.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Number: TypeAlias = float | NDArray[np.float64]
"""A number, or one per drive."""

Kind: TypeAlias = Literal["read", "program"]


@dataclass(frozen=True, kw_only=True)
class Link:
    """Link between host and drive."""

    rate: Number
    """Bytes per microsecond, each way."""
    max_payload: Number = 128.0
    """Largest payload of a packet, in bytes."""
    overhead: Number = 28.0
    """Bytes that each packet adds; for Serial ATA, frames without data."""
    latency_us: Number = 0.0
    """Time of a packet besides its transfer, each way."""
    entry_bytes: Number = 64.0
    """Bytes of a submission queue entry."""
    half_duplex: bool = False
    """Only one end sends at a time (Serial ATA)."""
    register: Number = 0.0
    """Bytes of a frame with a command, and of the drive's answer during the array read (Serial ATA)."""
    access: Number | None = None
    """Bytes of a packet without data (`host.protocol = "memory"`)."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """Time of the host's software. A separate core serves each queue pair."""

    submit_us: Number = 0.0
    """Core time before a request enters its queue."""
    complete_us: Number = 0.0
    interrupt_us: Number = 0.0
    """Time until a completion reaches the core, which it does not occupy."""


@dataclass(frozen=True, kw_only=True)
class Controller:
    """Parts of the controller. Infinite rates are no limit."""

    dram: Number = np.inf
    system_bus: Number = np.inf
    ecc: Number = np.inf
    """Rate of each channel's ECC engine."""
    ecc_latency_us: Number = 0.0
    ecc_overlaps: bool = True
    """Whether pages cross while others are decoded."""
    per_request_us: Number = 0.0
    """Processor time of a request."""
    per_page_us: Number = 0.0
    """Of each mapping unit, at most a page."""
    per_write_us: Number = 0.0
    """Added for a write."""
    write_latency_us: Number = 0.0
    """Time of a write besides the processor's, during which others are served."""
    lookup_rate: Number = np.inf
    """Look-ups of mapping entries per microsecond that DRAM allows."""


@dataclass(frozen=True, kw_only=True)
class Drive:
    """A drive for the closed forms. Times of commands do not include data."""

    fabric: str
    """Name of the interconnect, as in designs."""
    rows: Number
    """Rows of the chip array."""
    columns: Number
    """Chips on each."""
    luns: Number = 1.0
    """LUNs of a chip, which work at the same time."""
    planes: Number = 1.0
    pages_at_lun: Number = 1.0
    """Pages that follow each other on the planes of a LUN."""
    page_bytes: Number
    read_us: Number
    """Array time of a page read: the mean over types of page."""
    program_us: Number
    """Array time of a page program: the mean over types of page."""
    read_planes: Number = 1.0
    """Planes of a read command at random places."""
    read_sharing: Number = 1.0
    """Host reads that one array read serves (`ftl.mapping_unit` below a page)."""
    program_planes: Number = 1.0
    erase_us: Number = 0.0
    """Least time that erases take per programmed page."""
    independent_planes: bool = False
    reads_overlap: bool = False
    """Commands and data cross while the array reads."""
    programs_overlap: bool = False
    program_busy_us: Number = 0.0
    """Time between two such programs (tCBSY)."""
    link_rate: Number
    """Rate of eight data pins of a bus."""
    network_rate: Number = 1000.0
    """Rate of eight data pins of a link between routers."""
    burst_bytes: int = 0
    """Bytes of a burst, of which only whole ones cross a bus; 0: every byte counts."""
    read_command_us: Number = 0.0
    """Time of a read command of `read_planes` planes on the wires."""
    program_command_us: Number = 0.0
    column_us: Number = 0.0
    """Time of the change of column before each page read."""
    status_us: Number = 0.0
    read_status: Number = 0.0
    """Status reads of a read command: 1 if polled and the array is done by then."""
    program_status: Number = 0.0
    read_chip_us: Number = 0.0
    program_chip_us: Number = 0.0
    data_first: bool = True
    """Data of finished reads go before new commands."""
    holds_reads: bool = False
    """A path stays taken from the command of a read to its data."""
    holds_programs: bool = False
    handshake_us: Number = 0.0
    """Time in which controllers agree on a column bus (`omnibus`)."""
    serves_one: bool = False
    """A controller serves one transfer at a time (`omnibus`)."""
    late_split_bytes: Number = 0.0
    """Chunk in which the end of a page goes over the other bus (`omnibus`); 0: none."""
    turn_us: Number = 0.0
    """Time in which a chip turns to another column."""
    hop_us: Number = 0.0
    """Time of a scout, or of a packet's head, from router to router."""
    trunks: Number = 4.0
    """Trunks of a switch (`clusters`)."""
    chips_per_switch: Number = 8.0
    chips_per_bus: Number = 2.0
    setup_us: Number = 0.0
    """Time of a grant, and of the set-up of a switch or of a circuit's routers."""
    search_us: Number = 0.0
    """Time of a step of an arbiter's search (`scheduled-mesh`)."""
    switch_us: Number = 0.0
    """Time that a byte spends in a switch."""
    mesh_packet_bytes: Number = 4096.0
    """Largest payload of a packet of a mesh."""
    any_controller: bool = True
    """Any controller of a network serves any chip."""
    piece_bytes: Number = np.inf
    """Bytes that pass the controller together: a mapping unit, at most a page."""
    codeword_bytes: Number = 512.0
    """Data of a codeword of the inner code."""
    outer_bytes: Number = 0.0
    """Data of an outer codeword, all read if a codeword within fails; 0: no outer code."""
    inner_failure: Number = 0.0
    """Probability that a codeword cannot be corrected by itself."""
    outer_us: Number = 0.0
    """Time of the ECC engine for an outer codeword, next to any page's."""
    link: Link | None = None
    """None: the host is no limit."""
    controller: Controller = Controller()
    host: Host = Host()

    @property
    def read_pages(self) -> Number:
        """Host reads that a read command serves: on several planes, and of the same pages."""
        return np.asarray(self.read_planes) * self.read_sharing


@dataclass(frozen=True, kw_only=True)
class Work:
    """Requests of one size."""

    size: Number
    """Bytes of a request that reads or writes."""
    read_share: Number = 1.0
    """Share of reads, of the requests that read or write."""
    other_share: Number = 0.0
    """Share of trims and flushes."""
    write_amplification: Number = 1.0
    """Programs of the drive over what the host writes."""
    pages: Number = 1.0
    """Pages that a request touches, on average."""
    units: Number | None = None
    """Mapping units, at most pages, that a request touches. None: `pages`."""
    parts: Number | None = None
    """Pages over which a lone request's data may be spread. None: `pages`."""
    programmed_bytes: Number | None = None
    """Bytes that a write programs, on average. None: all pages that it touches."""
    crossing_bytes: Number | None = None
    """Bytes of a write that cross to the chips. None: all that it programs."""
    rest_reads: Number | None = None
    """Page reads before a write of parts of pages. None: one per page that is not written whole."""
    rest_share: Number | None = None
    """Share of the writes with such reads. None: all, if there are any."""
    zeroes: Number = 0.0
    """Share of the writes of zeroes, which do not cross the host link."""
    spread_bytes: Number = np.inf
    """Bytes over which requests are spread evenly; 0: all may want one page."""
    written_bytes: Number = np.inf
    """Bytes that are written in all."""
    trimmed_bytes: Number = 0.0
    """Bytes that trims leave empty in all."""
    cached_writes: Number = 0.0
    """Share of the writes that go through the data cache."""
    safe_writes: Number = 0.0
    """Share of the cached writes that wait until they are on flash."""
    found: Number = 0.0
    """Share of the pages read that need no flash."""
    absorbed: Number = 0.0
    """Share of the pages written that never reach flash."""
    busiest_row: Number | None = None
    """Share of the requests on the busiest row. None: equal shares."""
    columns: Number | None = None
    """Chips of each row that are used. None: all."""
    busiest_chip: Number | None = None
    """Share of the requests on the busiest chip. None: equal shares within the busiest row."""
    queue_depth: Number = np.inf
    """Requests outstanding at the most."""
    think_us: Number = 0.0
    """Time between a completion and the next request of a closed loop."""
    commands: Number = np.inf
    """Most requests that the drive works on at a time."""
    queues: Number = 1.0
    """Queue pairs."""

    @property
    def reads(self) -> Number:
        return np.asarray(self.read_share) * (1.0 - np.asarray(self.other_share))

    @property
    def writes(self) -> Number:
        return (1.0 - np.asarray(self.read_share)) * (1.0 - np.asarray(self.other_share))

    @property
    def in_drive(self) -> Number:
        return np.minimum(self.queue_depth, self.commands)


class Operation(NamedTuple):
    kind: Kind
    number: Number
    size: Number
    blocks: Number


def operations(drive: Drive, work: Work) -> list[Operation]:
    """Flash operations of a request.

    With write amplification Φ a write costs Φ programs and Φ - 1 reads (arXiv 2511.03944, §III). A write of a part of a
    mapping unit reads the rest of it first.
    """
    asked = _corrected_at_once(drive, work)
    again = [
        Operation("read", each.number * np.asarray(chance), drive.outer_bytes, each.blocks * np.asarray(chance))
        for each in asked
        if each.kind == "read" and np.any(chance := outer_chance(drive, each.size))
    ]
    return asked + again


def outer_chance(drive: Drive, size: Number) -> Number:
    """Probability that an aligned read must read a whole outer codeword.

    Codewords that it has in whole are not read again.
    """
    outer = np.asarray(drive.outer_bytes, dtype=np.float64)
    partial = np.where(outer > 0, np.asarray(size) % np.where(outer > 0, outer, 1.0), 0.0)
    codewords = np.ceil(partial / drive.codeword_bytes)
    return 1.0 - (1.0 - np.asarray(drive.inner_failure)) ** codewords


def _corrected_at_once(drive: Drive, work: Work) -> list[Operation]:
    reads = np.asarray(work.reads) * (1.0 - np.asarray(work.found))
    writes = np.asarray(work.writes) * (1.0 - np.asarray(work.absorbed))
    kept = np.asarray(work.write_amplification) - 1.0
    programmed, partial = programmed_bytes(drive, work), rest_reads(drive, work)
    rest = (programmed - np.asarray(work.size)) / np.where(partial > 0, partial, 1.0)
    # Pages that fill up together are programmed, and kept by collection, as whole pages.
    size = np.minimum(programmed, drive.page_bytes)
    copies, programs = writes * programmed / size * kept, writes * programmed / drive.page_bytes
    crossing = crossing_bytes(drive, work) / programmed * drive.page_bytes
    return [
        Operation("read", reads * np.asarray(work.pages), np.asarray(work.size) / work.pages, reads),
        Operation("read", writes * partial, rest, writes * partial),
        Operation("read", copies, size, writes * kept),
        Operation("program", programs, crossing, writes),
        Operation("program", programs * kept, drive.page_bytes, writes * kept),
    ]


def programmed_bytes(drive: Drive, work: Work) -> NDArray[np.float64]:
    whole = np.asarray(drive.page_bytes) * work.pages
    return np.asarray(whole if work.programmed_bytes is None else work.programmed_bytes, dtype=np.float64)


def crossing_bytes(drive: Drive, work: Work) -> NDArray[np.float64]:
    given = programmed_bytes(drive, work) if work.crossing_bytes is None else work.crossing_bytes
    return np.asarray(given, dtype=np.float64)


def rest_reads(drive: Drive, work: Work) -> NDArray[np.float64]:
    if work.rest_reads is not None:
        return np.asarray(work.rest_reads, dtype=np.float64)
    return np.where(programmed_bytes(drive, work) > work.size, work.pages, 0.0)


def even_rows(drive: Drive, work: Work) -> Number:
    return drive.rows if work.busiest_row is None else 1.0 / np.asarray(work.busiest_row)


def used_columns(drive: Drive, work: Work) -> Number:
    return drive.columns if work.columns is None else work.columns


def even_chips(drive: Drive, work: Work) -> Number:
    if work.busiest_chip is None:
        return np.asarray(even_rows(drive, work)) * used_columns(drive, work)
    return 1.0 / np.asarray(work.busiest_chip)
