"""Wires of each fabric in closed form: how many there are, and how long a page takes them.

For buses the sum of their times is exact. Entries of `mesh`, `venice`, `scheduled-mesh` and `clusters` are bounds,
which contention can only lower.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from canaletto._run.bound_drive import Drive, Kind, Number, Work, even_chips, even_rows, used_columns

DATA_HEADER = 3
DATA_REQUEST = 2
"""Flits of the packet that asks for read data."""
COLUMN = 4
"""Flits of header, command and column address."""
STATUS_REPORT = 2
"""Flits of a status that a chip sends by itself."""


class Wires(NamedTuple):
    name: str
    servers: Number
    time_us: Callable[[Kind, Number], Number]
    is_exact: bool = True
    alone_us: Callable[[Kind, Number], Number] | None = None


Fabric = Callable[[Drive, Work], list[Wires]]


def _cycles(drive: Drive, size: Number, rate: Number) -> Number:
    burst = drive.burst_bytes
    return (np.floor(np.asarray(size) / burst) * burst if burst else np.asarray(size)) / rate


def _packet(drive: Drive, kind: Kind, size: Number, lanes: int, packets: int = 1) -> Number:
    asked = DATA_REQUEST if kind == "read" else 0
    flits = np.asarray(size) + packets * (DATA_HEADER + asked)
    return np.ceil(flits / lanes) / drive.link_rate


def _transfers(drive: Drive, kind: Kind, data: Number) -> Number:
    if kind == "read":
        commands = (drive.read_command_us + np.asarray(drive.status_us) * drive.read_status) / drive.read_pages
        held = (drive.read_us + np.asarray(drive.read_chip_us)) / drive.read_pages if drive.holds_reads else 0.0
        return commands + drive.column_us + data + held
    commands = (drive.program_command_us + np.asarray(drive.status_us) * drive.program_status) / drive.program_planes
    held = (
        (drive.program_us + np.asarray(drive.program_chip_us)) / drive.program_planes if drive.holds_programs else 0.0
    )
    return commands + data + held


def _crossings(drive: Drive, kind: Kind) -> Number:
    if kind == "read":
        commands = (1.0 + np.asarray(drive.read_status)) / drive.read_pages
        return commands + 1.0 if not drive.holds_reads else commands
    return (1.0 + np.asarray(drive.program_status)) / drive.program_planes


def _bus(drive: Drive, work: Work) -> list[Wires]:
    def time(kind: Kind, size: Number) -> Number:
        return _transfers(drive, kind, _cycles(drive, size, drive.link_rate))

    return [Wires("channels", even_rows(drive, work), time)]


def _ideal(drive: Drive, work: Work) -> list[Wires]:
    [channels] = _bus(drive, work)
    return [Wires("paths to chips", even_chips(drive, work), channels.time_us)]


def _packetized(drive: Drive, work: Work) -> list[Wires]:
    def time(kind: Kind, size: Number) -> Number:
        return _transfers(drive, kind, _packet(drive, kind, size, 2))

    return [Wires("channels", even_rows(drive, work), time)]


def _sca(drive: Drive, work: Work) -> list[Wires]:
    def commands(kind: Kind, _: Number) -> Number:
        return _transfers(drive, kind, 0.0)

    def data(_: Kind, size: Number) -> Number:
        return np.asarray(size) / drive.link_rate

    rows = even_rows(drive, work)
    return [Wires("command pins", rows, commands), Wires("data pins", rows, data)]


def _omnibus_of(packets: int) -> Fabric:
    def wires(drive: Drive, work: Work) -> list[Wires]:
        rows, columns = even_rows(drive, work), used_columns(drive, work)
        # A controller drives one column bus at the most; those join columns evenly (Networked SSD §V-E).
        all_column_buses = np.minimum(drive.rows, drive.columns)
        column_buses = np.ceil(np.asarray(columns) * all_column_buses / drive.columns)
        used_rows = np.minimum(drive.rows, np.ceil(rows))
        buses = np.minimum(used_rows + column_buses, (1.0 + column_buses) * np.asarray(rows))
        buses = np.minimum(buses, drive.rows) if drive.serves_one else buses
        agreed = column_buses / (used_rows + column_buses)

        def time(kind: Kind, size: Number) -> Number:
            handshakes: Number = _crossings(drive, kind) * drive.handshake_us * agreed
            return _transfers(drive, kind, _packet(drive, kind, size, 1, packets)) + handshakes

        def alone(kind: Kind, size: Number) -> Number:
            if packets == 1:
                return _transfers(drive, kind, _split_late(drive, kind, size))
            return _transfers(drive, kind, _packet(drive, kind, size, 1, packets) / packets) + drive.handshake_us

        return [Wires("row and column buses", buses, time, alone_us=alone)]

    return wires


def _split_late(drive: Drive, kind: Kind, size: Number) -> Number:
    """Other rows' controllers send the bus's controller one message."""
    whole = _packet(drive, kind, size, 1)
    if not np.any(drive.late_split_bytes):
        return whole
    chunk = np.where(np.asarray(drive.late_split_bytes) > 0, drive.late_split_bytes, np.inf)
    flits = whole * np.asarray(drive.link_rate)
    # The first chunk, with what is left over, stays on the row's bus.
    chunks = np.floor(np.round(flits) / chunk) - 1.0

    def beside(told: Number) -> Number:
        """The second bus also needs its message, the change of column and a header."""
        ready = told + (COLUMN + DATA_HEADER) / np.asarray(drive.link_rate) + drive.turn_us
        each = np.where(np.isfinite(chunk), chunk, 0.0) / drive.link_rate
        even = (whole - ready) * drive.link_rate / (2.0 * chunk)
        taken = [np.clip(part, 1.0, np.maximum(chunks, 1.0)) for part in (np.floor(even), np.ceil(even))]
        best = np.minimum(*(np.maximum(whole - each * part, ready + each * part) for part in taken))
        return np.where(chunks >= 1.0, np.minimum(best, whole), whole)

    own = 1.0 / np.asarray(drive.rows)
    found: Number = own * beside(0.0) + (1.0 - own) * beside(np.asarray(drive.handshake_us) / 2.0)
    return found


def _mesh_of(pins: int) -> Fabric:
    def wires(drive: Drive, work: Work) -> list[Wires]:
        flit = 8.0 / pins / np.asarray(drive.network_rate)
        rows, columns = np.asarray(even_rows(drive, work)), np.asarray(used_columns(drive, work))
        anywhere = np.minimum(drive.rows, rows * (columns / np.maximum(columns - 1.0, 1.0)))
        links = np.where(columns > 1, anywhere, drive.rows) if drive.any_controller else rows

        def data(size: Number) -> Number:
            packets = np.ceil(np.asarray(size) / drive.mesh_packet_bytes)
            return flit * (size + DATA_HEADER * packets)

        def inward(kind: Kind, size: Number) -> Number:
            if kind == "read":
                return drive.read_command_us / np.asarray(drive.read_pages)
            return drive.program_command_us / np.asarray(drive.program_planes) + data(size)

        def outward(kind: Kind, size: Number) -> Number:
            if kind == "read":
                return data(size)
            return flit * STATUS_REPORT * drive.program_status / drive.program_planes

        def past_routers(crossing: Callable[[Kind, Number], Number]) -> Callable[[Kind, Number], Number]:
            return lambda kind, size: crossing(kind, size) + (columns + 1.0) / 2.0 * drive.hop_us

        ports = even_chips(drive, work)
        return [
            Wires("controller links to chips", links, inward, is_exact=False, alone_us=past_routers(inward)),
            Wires("controller links from chips", links, outward, is_exact=False, alone_us=past_routers(outward)),
            Wires("chip ports", ports, outward, is_exact=False),
        ]

    return wires


def _venice(drive: Drive, work: Work) -> list[Wires]:
    """A scout sets up each circuit, there and back (Venice, ISCA 2023, §4.2).

    Links between routers never limit an even load.
    """
    return _circuits(drive, work, lambda distance: distance * (2.0 * np.asarray(drive.hop_us)) + drive.hop_us)


def _scheduled_mesh(drive: Drive, work: Work) -> list[Wires]:
    """Circuits set up by the arbiter's search, out and back, and grants to the rows on the way."""
    return _circuits(drive, work, lambda distance: distance * (2.0 * np.asarray(drive.search_us)) + drive.setup_us)


def _custom(drive: Drive, work: Work) -> list[Wires]:
    return _circuits(drive, work, lambda _: 0.0)


def _circuits(drive: Drive, work: Work, setup_us: Callable[[Number], Number]) -> list[Wires]:
    rows, columns = np.asarray(even_rows(drive, work)), np.asarray(used_columns(drive, work))
    distance = (columns + 1.0) / 2.0  # links from the nearest controller, its own included
    cycle = 1.0 / np.asarray(drive.network_rate)

    def time(kind: Kind, size: Number) -> Number:
        each = setup_us(distance) + distance * cycle
        return _transfers(drive, kind, np.asarray(size) / drive.network_rate) + _crossings(drive, kind) * each

    beside = np.minimum(2.0, np.asarray(drive.rows) - 1.0)
    into_row = np.minimum(drive.rows, (1.0 + columns * beside) * rows)
    servers = into_row if drive.any_controller else rows
    return [
        Wires("controllers", servers, time, is_exact=False),
        Wires("chip ports", even_chips(drive, work), time, is_exact=False),
    ]


def _switched(drive: Drive, kind: Kind) -> Number:
    crossings = _crossings(drive, kind)
    through = crossings + 1.0 if kind == "read" else crossings
    return crossings * np.asarray(drive.setup_us) + through * np.asarray(drive.switch_us)


def _clusters(drive: Drive, work: Work) -> list[Wires]:
    """A transfer takes a trunk and an inner bus."""
    rows, columns = np.asarray(even_rows(drive, work)), np.asarray(used_columns(drive, work))

    def time(kind: Kind, size: Number) -> Number:
        return _transfers(drive, kind, _packet(drive, kind, size, 2)) + _switched(drive, kind)

    switches = np.ceil(np.asarray(drive.columns) / drive.chips_per_switch)
    trunks = np.minimum(drive.rows, rows * switches * np.asarray(drive.trunks))
    buses = rows * np.minimum(columns, np.ceil(np.asarray(drive.columns) / drive.chips_per_bus))
    return [
        Wires("trunks", trunks, time, is_exact=False),
        # A page that is alone takes both at the same time.
        Wires("inner buses", buses, time, is_exact=False, alone_us=lambda _, __: 0.0),
    ]


def _chain(drive: Drive, work: Work) -> list[Wires]:
    """Commands and written data go out, read data come back.

    A packet that comes from nearer than the last one waits for a hop or more, so no bound is exact. The mean way there
    and back is as long in a ring as in a daisy chain.
    """
    rows, hops = even_rows(drive, work), (np.asarray(drive.columns) - 1.0) / 2.0 * np.asarray(drive.hop_us)

    def out(kind: Kind, size: Number) -> Number:
        return _transfers(drive, kind, _packet(drive, kind, size, 1) if kind == "program" else 0.0)

    def alone(kind: Kind, size: Number) -> Number:
        packets = np.asarray(_crossings(drive, kind)) - (1.0 if kind == "read" else 0.0)
        return np.asarray(out(kind, size) + hops * packets)

    def back(kind: Kind, size: Number) -> Number:
        return _packet(drive, kind, size, 1) if kind == "read" else 0.0

    return [
        Wires("links to chips", rows, out, is_exact=False, alone_us=alone),
        Wires(
            "links from chips",
            rows,
            back,
            is_exact=False,
            alone_us=lambda kind, size: back(kind, size) + (hops if kind == "read" else 0.0),
        ),
    ]


FABRICS: dict[str, Fabric] = {
    "bus": _bus,
    "sca": _sca,
    "packetized": _packetized,
    "omnibus": _omnibus_of(1),
    "omnibus-split": _omnibus_of(2),
    "mesh": _mesh_of(8),
    "mesh-2bit": _mesh_of(2),
    "venice": _venice,
    "scheduled-mesh": _scheduled_mesh,
    "clusters": _clusters,
    "daisy-chain": _chain,
    "ring": _chain,
    "custom": _custom,
    "ideal": _ideal,
}


def data_before_command_us(drive: Drive, size: Number) -> Number:
    """Time by which a LUN's own data delay its next command, where data go first.

    Two buses, or links of two directions, carry both at once. On separate pins a command waits for the change of column
    alone.
    """
    if drive.fabric == "sca":
        return drive.column_us
    if drive.fabric in ("bus", "ideal"):
        return drive.column_us + _cycles(drive, size, drive.link_rate)
    if drive.fabric == "packetized":
        return _packet(drive, "read", size, 2)
    if drive.fabric == "clusters":
        return _packet(drive, "read", size, 2) + np.asarray(drive.setup_us) + 2.0 * np.asarray(drive.switch_us)
    if drive.fabric in ("venice", "scheduled-mesh", "custom"):
        return drive.column_us + np.asarray(size) / drive.network_rate
    return 0.0


def wires(drive: Drive, work: Work) -> list[Wires]:
    return FABRICS[drive.fabric](drive, work)
