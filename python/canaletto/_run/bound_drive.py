"""Numbers that the closed forms of a drive's throughput need: of the drive, and of what it is asked to do.

Every number may be an array, all of one shape (or shapes that numpy makes one of): a bound is then one for each.
Times are in microseconds, sizes in bytes and rates in bytes a microsecond, which are 10^6 bytes a second.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Number: TypeAlias = float | NDArray[np.float64]
"""A number, or one for each drive of many."""

Kind: TypeAlias = Literal["read", "program"]


@dataclass(frozen=True, kw_only=True)
class Link:
    """Link between host and drive."""

    rate: Number
    """Bytes a microsecond, each way."""
    max_payload: Number = 128.0
    """Largest payload of a packet, in bytes."""
    overhead: Number = 28.0
    """Bytes that each packet adds; of Serial ATA, those of a request's frames beside its data."""
    latency_us: Number = 0.0
    """Time of a packet beside its transfer, each way."""
    entry_bytes: Number = 64.0
    """Bytes of a submission queue entry."""
    half_duplex: bool = False
    """Whether only one end sends at a time (Serial ATA)."""


@dataclass(frozen=True, kw_only=True)
class Controller:
    """Parts of the controller. A rate of infinity is no limit."""

    dram: Number = np.inf
    system_bus: Number = np.inf
    ecc: Number = np.inf
    """Rate of each channel's ECC engine."""
    ecc_latency_us: Number = 0.0
    per_request_us: Number = 0.0
    """Processor time of a request."""
    per_page_us: Number = 0.0
    """Processor time of each page of it."""
    lookup_rate: Number = np.inf
    """Look-ups of mapping entries a microsecond that DRAM allows."""


@dataclass(frozen=True, kw_only=True)
class Drive:
    """A drive as the closed forms see it, whose times of commands are those of its fabric, data apart."""

    fabric: str
    """Name of the interconnect, as in designs."""
    rows: Number
    """Channels, the rows of the array of chips."""
    columns: Number
    """Chips on each."""
    luns: Number = 1.0
    """LUNs of a chip, which work at the same time."""
    planes: Number = 1.0
    """Planes of a LUN."""
    page_bytes: Number
    read_us: Number
    """Array time of a page read: the mean over types of page."""
    program_us: Number
    """Array time of a page program: the mean over types of page."""
    read_planes: Number = 1.0
    """Planes that a read command can address when places are random."""
    program_planes: Number = 1.0
    """Planes that a program command can address."""
    independent_planes: bool = False
    """Whether each plane takes read commands of its own while others of its LUN work."""
    reads_overlap: bool = False
    """Whether commands and data cross while the array reads on (cache registers)."""
    programs_overlap: bool = False
    """Whether commands and data cross while the array programs on (cache registers)."""
    link_rate: Number
    """Rate of eight data pins of a bus."""
    network_rate: Number = 1000.0
    """Rate of eight data pins of a link between routers."""
    burst_bytes: int = 0
    """Bytes of a burst, of which only whole ones cross a bus; 0: every byte counts."""
    read_command_us: Number = 0.0
    """Time of a read command of `read_planes` planes on the wires."""
    program_command_us: Number = 0.0
    """Time of a program command of `program_planes` planes on the wires."""
    column_us: Number = 0.0
    """Time of the change of column before each page that is read."""
    status_us: Number = 0.0
    """Time of a status read on the wires."""
    read_status: Number = 0.0
    """Status reads of a read command: 1 if it is polled and the array is done by then."""
    program_status: Number = 0.0
    """The same of a program command."""
    read_chip_us: Number = 0.0
    """Time that the chip takes beside its array for a read."""
    program_chip_us: Number = 0.0
    """The same for a program."""
    data_first: bool = True
    """Whether data of finished reads go before new commands."""
    holds_reads: bool = False
    """Whether a path stays taken from the command of a read to its data."""
    holds_programs: bool = False
    """Whether a path stays taken until a program is done."""
    handshake_us: Number = 0.0
    """Time in which controllers agree on a column bus (`omnibus`)."""
    late_split_bytes: Number = 0.0
    """Data of the chunks in which the end of a page goes over its chip's other bus (`omnibus`); 0: in none."""
    turn_us: Number = 0.0
    """Time in which a chip turns to another column."""
    hop_us: Number = 0.0
    """Time of a scout, or of a packet's head, from router to router."""
    trunks: Number = 4.0
    """Trunks of a switch (`clusters`)."""
    chips_per_switch: Number = 8.0
    """Chips of a switch."""
    chips_per_bus: Number = 2.0
    """Chips of an inner bus of a switch."""
    setup_us: Number = 0.0
    """Time of a grant, and of the set-up of a switch, or of the routers of a circuit."""
    search_us: Number = 0.0
    """Time of a step of an arbiter's search (`scheduled-mesh`)."""
    switch_us: Number = 0.0
    """Time that a byte spends in a switch."""
    mesh_packet_bytes: Number = 4096.0
    """Largest payload of a packet of a mesh."""
    any_controller: bool = True
    """Whether any controller of a network serves any chip, or that of the chip's row alone."""
    codeword_bytes: Number = 512.0
    """Data of a codeword of the inner code."""
    outer_bytes: Number = 0.0
    """Data of an outer codeword, all of which is read where a codeword within fails; 0: no outer code."""
    inner_failure: Number = 0.0
    """Probability that a codeword cannot be corrected by itself."""
    outer_us: Number = 0.0
    """Time that the ECC engine takes for an outer codeword, beside that of any page."""
    link: Link | None = None
    """None: the host is no limit."""
    controller: Controller = Controller()


@dataclass(frozen=True, kw_only=True)
class Work:
    """Requests of one size at random places."""

    size: Number
    """Bytes of a request."""
    read_share: Number = 1.0
    """Share of the requests that read."""
    write_amplification: Number = 1.0
    """Programs of the drive over what the host writes."""
    pages: Number = 1.0
    """Pages that a request touches, on average."""
    gathers: bool = False
    """Whether writes of less than a page fill pages together (`ftl.mapping_unit`)."""
    busiest_row: Number | None = None
    """Share of the requests on the busiest row. None: all rows have as many."""
    columns: Number | None = None
    """Chips of each row that are used. None: all."""
    busiest_chip: Number | None = None
    """Share of the requests on the busiest chip. None: those of the busiest row have as many."""
    queue_depth: Number = np.inf
    """Requests outstanding at the most."""


class Operation(NamedTuple):
    """Page reads or programs that a request causes."""

    kind: Kind
    number: Number
    """Of them for each request."""
    size: Number
    """Bytes that each moves."""
    blocks: Number
    """How many times a request's size they stand for, the weight of a mean of rates."""


def operations(drive: Drive, work: Work) -> list[Operation]:
    """Flash operations of a request.

    Collection reads and programs again what it keeps: with write amplification Φ a write costs Φ programs and Φ - 1
    reads ("Five-Minute Rule 40 Years Later", arXiv 2511.03944, §III). A write of a part of a page that is not gathered
    reads the rest of it first.
    """
    asked = _corrected_at_once(drive, work)
    again = [
        Operation("read", each.number * np.asarray(chance), drive.outer_bytes, each.blocks * np.asarray(chance))
        for each in asked
        if each.kind == "read" and np.any(chance := outer_chance(drive, each.size))
    ]
    return asked + again


def outer_chance(drive: Drive, size: Number) -> Number:
    """Probability that a read of so many bytes must read a whole outer codeword, since one within its data fails.

    Outer codewords that the read has in whole need not be read again; places are taken to be aligned.
    """
    outer = np.asarray(drive.outer_bytes, dtype=np.float64)
    partial = np.where(outer > 0, np.asarray(size) % np.where(outer > 0, outer, 1.0), 0.0)
    codewords = np.ceil(partial / drive.codeword_bytes)
    return 1.0 - (1.0 - np.asarray(drive.inner_failure)) ** codewords


def _corrected_at_once(drive: Drive, work: Work) -> list[Operation]:
    """Flash operations of a request whose codewords can all be corrected."""
    reads, writes = work.read_share, 1.0 - np.asarray(work.read_share)
    kept = np.asarray(work.write_amplification) - 1.0
    per_page = np.asarray(work.size) / work.pages
    host = Operation("read", reads * np.asarray(work.pages), per_page, reads)
    if work.gathers:
        programs = writes * work.write_amplification
        return [
            host,
            Operation("read", writes * kept, work.size, writes * kept),
            Operation("program", programs * work.size / drive.page_bytes, drive.page_bytes, programs),
        ]
    pages = writes * work.pages
    rest = np.asarray(drive.page_bytes) - per_page
    programs = pages * work.write_amplification
    return [
        host,
        Operation("read", np.where(rest > 0, pages, 0.0), rest, np.where(rest > 0, pages, 0.0)),
        Operation("read", pages * kept, drive.page_bytes, pages * kept),
        Operation("program", programs, drive.page_bytes, programs),
    ]


def even_rows(drive: Drive, work: Work) -> Number:
    """Rows that would carry the load if all had as much as the busiest one."""
    return drive.rows if work.busiest_row is None else 1.0 / np.asarray(work.busiest_row)


def used_columns(drive: Drive, work: Work) -> Number:
    """Chips of a row that are used."""
    return drive.columns if work.columns is None else work.columns


def even_chips(drive: Drive, work: Work) -> Number:
    """Chips that would carry the load if all had as much as the busiest one."""
    if work.busiest_chip is None:
        return np.asarray(even_rows(drive, work)) * used_columns(drive, work)
    return 1.0 / np.asarray(work.busiest_chip)
