"""Tests of the modules, each against a few lines of Python that say what it does; run by cocotb in `units_top`."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

RIGHT, LEFT, UP, DOWN = range(4)
SCOUT, COMMAND, DATA, STROBE = range(4)
ROWS = COLUMNS = 8


def link(kind=SCOUT, data=0, valid=1):
    return valid << 10 | kind << 8 | data


def links(**ports):
    names = ("right", "left", "up", "down")
    return sum(ports.get(name, 0) << 11 * port for port, name in enumerate(names))


def of(value, port):
    wires = int(value) >> 11 * port & 0x7FF
    return (wires >> 8 & 3, wires & 0xFF) if wires >> 10 else None


def header(chip, reserve=True):
    return reserve << 6 | chip


def tail(controller, reserve=True, unused=0):
    return 1 << 7 | reserve << 6 | controller << 3 | unused


async def start(dut):
    for handle in dut:
        if handle._name.endswith("_i"):
            handle.value = 0
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    for _ in range(3):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    await FallingEdge(dut.clk)


@cocotb.test()
async def shortest_ways(dut):
    """From every router to every chip: the ports beyond which it is nearer."""
    for row, column, chip in itertools.product(range(ROWS), range(COLUMNS), range(ROWS * COLUMNS)):
        dut.minimal_row_i.value, dut.minimal_column_i.value, dut.minimal_chip_i.value = row, column, chip
        await Timer(1, "ns")
        to_row, to_column = divmod(chip, COLUMNS)
        nearer = (
            (to_column > column) << RIGHT | (to_column < column) << LEFT | (to_row > row) << UP | (to_row < row) << DOWN
        )
        assert int(dut.minimal_o.value) == nearer, (row, column, chip)


@cocotb.test()
async def choices(dut):
    """Every state: Algorithm 1's lists, and the register's 1, 3, 2."""
    for free, minimal, entry, state in itertools.product(range(16), range(16), range(4), (1, 2, 3)):
        tried = random.Random(free * 16 + minimal).randrange(16)
        dut.choice_free_i.value, dut.choice_tried_i.value, dut.choice_minimal_i.value = free, tried, minimal
        dut.choice_entry_i.value, dut.choice_lfsr_i.value = entry, state
        await Timer(1, "ns")
        able = [port for port in range(4) if (free & ~tried) >> port & 1]
        outputs = [port for port in able if minimal >> port & 1] or [port for port in able if port != entry]
        assert bool(dut.choice_found_o.value) == bool(outputs)
        after = {1: 3, 3: 2, 2: 1}[state] if len(outputs) > 1 else state
        if outputs:
            assert int(dut.choice_port_o.value) == outputs[(after - 1) % len(outputs) if len(outputs) > 1 else 0]
        assert int(dut.choice_lfsr_o.value) == after


@cocotb.test()
async def packets_cross_a_link(dut):
    """A packet takes two cycles on the wires and is complete in the third; circuits' bytes are no packets."""
    await start(dut)
    for packet in (0x6DF0, 0x2D82, 0x00FF):
        dut.sender_send_i.value, dut.sender_packet_i.value = 1, packet
        await FallingEdge(dut.clk)
        dut.sender_send_i.value = 0
        assert int(dut.sender_link_o.value) == link(SCOUT, packet >> 8)
        await FallingEdge(dut.clk)
        assert int(dut.sender_link_o.value) == link(SCOUT, packet & 0xFF)
        assert not dut.receiver_full_o.value
        await FallingEdge(dut.clk)
        assert dut.receiver_full_o.value and int(dut.receiver_packet_o.value) == packet
        assert int(dut.sender_link_o.value) >> 10 == 0
        for kind in (DATA, COMMAND, STROBE):
            dut.sender_circuit_i.value = link(kind, 0xA5)
            await FallingEdge(dut.clk)
            assert int(dut.sender_link_o.value) == link(kind, 0xA5) and not dut.receiver_full_o.value
        dut.sender_circuit_i.value = 0
        for _ in range(3):
            await FallingEdge(dut.clk)
            assert int(dut.sender_link_o.value) >> 10 == 0 and not dut.receiver_full_o.value


@cocotb.test()
async def circuits_cross_both_ways(dut):
    """Random tables whose rows share no port: every byte comes out at the other end of its row, and nowhere else."""
    rng = random.Random(1)
    for _ in range(2000):
        ports = [*rng.sample(range(4), 4), 4]
        rng.shuffle(ports)
        rows = {}
        while len(ports) > 1 and rng.random() < 0.8:
            a, b = ports.pop(), ports.pop()
            exit_, entry = (a, b) if b != 4 else (b, a)
            rows[exit_] = entry
        dut.crossbar_valid_i.value = sum(1 << exit_ for exit_ in rows)
        dut.crossbar_entry_i.value = sum(entry << 2 * exit_ for exit_, entry in rows.items())
        given = [rng.choice([0, link(DATA, rng.randrange(256)), link(STROBE), link(SCOUT, 7)]) for _ in range(4)]
        chip = rng.choice([0, link(DATA, rng.randrange(256))])
        dut.crossbar_link_i.value = sum(wires << 11 * port for port, wires in enumerate(given))
        dut.crossbar_chip_i.value = chip
        await Timer(1, "ns")
        comes = {
            port: wires for port, wires in enumerate([*given, chip]) if wires >> 8 & 0b111 not in (0, 0b100) and wires
        }
        other = {**rows, **{entry: exit_ for exit_, entry in rows.items()}}
        for port in range(5):
            out = of(dut.crossbar_link_o.value, port) if port < 4 else of(dut.crossbar_chip_o.value, 0)
            expected = comes.get(other.get(port))
            assert out == (None if expected is None else (expected >> 8 & 3, expected & 0xFF)), (rows, port)


@cocotb.test()
async def the_nearest_idle_controller_serves(dut):
    """Every chip, random controllers: the least number of links, the lowest number on a tie, none if none is idle."""
    rng = random.Random(2)
    for chip in range(ROWS * COLUMNS):
        for idle in [0, 255, *(rng.randrange(256) for _ in range(10))]:
            dut.dispatch_chip_i.value, dut.dispatch_idle_i.value = chip, idle
            await Timer(1, "ns")
            row, column = divmod(chip, COLUMNS)
            for chosen, alternating in ((dut.dispatch_west_o, False), (dut.dispatch_alternating_o, True)):
                at = [COLUMNS - 1 if alternating and c % 2 else 0 for c in range(ROWS)]
                able = [c for c in range(ROWS) if idle >> c & 1]
                best = min(able, key=lambda c: abs(row - c) + abs(column - at[c]), default=None)
                assert int(chosen.value) == (0 if best is None else 1 << best)


async def arrive(dut, **packets):
    for flit in range(2):
        dut.router_link_i.value = links(**{port: link(SCOUT, packet[flit]) for port, packet in packets.items()})
        await FallingEdge(dut.clk)
    dut.router_link_i.value = 0


async def leave(dut):
    await FallingEdge(dut.clk)
    headers = [of(dut.router_link_o.value, port) for port in range(4)]
    await FallingEdge(dut.clk)
    tails = [of(dut.router_link_o.value, port) for port in range(4)]
    return {
        p: (h[1], t[1])
        for p, (h, t) in enumerate(zip(headers, tails, strict=True))
        if h and t and h[0] == SCOUT == t[0]
    }


# The router is in row 3, column 4: chip 28.
HERE = 28


@cocotb.test()
async def a_scout_reserves_and_gives_up(dut):
    """It goes right, comes back in cancel mode, tries the others once each, and goes back where it came from."""
    await start(dut)
    await arrive(dut, left=(header(31), tail(6)))
    assert await leave(dut) == {RIGHT: (header(31), tail(6))}
    assert int(dut.router_held_o.value) == 1 << RIGHT
    came_back, tried = RIGHT, {RIGHT}
    for _ in range(2):
        await arrive(dut, **{("right", "left", "up", "down")[came_back]: (header(31, False), tail(6, False))})
        ((came_back, packet),) = (await leave(dut)).items()
        assert packet == (header(31), tail(6)) and came_back in {UP, DOWN} - tried
        assert int(dut.router_held_o.value) == 1 << came_back
        tried.add(came_back)
    await arrive(dut, **{("right", "left", "up", "down")[came_back]: (header(31, False), tail(6, False))})
    assert await leave(dut) == {LEFT: (header(31, False), tail(6, False))}
    assert int(dut.router_held_o.value) == 0
    # What was tried is remembered until the controller's wire says that another scout sets out.
    await arrive(dut, left=(header(31), tail(6)))
    assert await leave(dut) == {LEFT: (header(31, False), tail(6, False))}
    dut.router_clear_i.value = 1 << 6
    await FallingEdge(dut.clk)
    dut.router_clear_i.value = 0
    await arrive(dut, left=(header(31), tail(6)))
    assert await leave(dut) == {RIGHT: (header(31), tail(6))}


@cocotb.test()
async def a_circuit_ends_at_the_chip(dut):
    """The scout returns with one link counted; bytes go to the chip in the same cycle and come back a cycle later."""
    await start(dut)
    await arrive(dut, down=(header(HERE), tail(2)))
    assert await leave(dut) == {DOWN: (header(1), tail(2))}
    for n in range(5):
        dut.router_link_i.value = links(down=link(STROBE))
        dut.router_chip_i.value = link(DATA, 40 + n)
        await Timer(1, "ns")
        assert of(dut.router_chip_o.value, 0) == (STROBE, 0)
        await FallingEdge(dut.clk)
        assert of(dut.router_link_o.value, DOWN) == (DATA, 40 + n)
    dut.router_link_i.value = dut.router_chip_i.value = 0
    dut.router_clear_i.value = 1 << 2
    await FallingEdge(dut.clk)
    dut.router_clear_i.value = 0
    dut.router_link_i.value = links(down=link(DATA, 1))
    await Timer(1, "ns")
    assert of(dut.router_chip_o.value, 0) is None, "torn down"


@cocotb.test()
async def a_scout_that_returns_counts_links(dut):
    """Over the whole range of the field, into the tail's unused bits."""
    await start(dut)
    await arrive(dut, left=(header(31), tail(6)))
    await leave(dut)
    for counted in (1, 7, 62, 63, 64, 111):
        await arrive(dut, right=(header(counted & 63), tail(6, unused=counted >> 6)))
        after = counted + 1
        assert await leave(dut) == {LEFT: (header(after & 63), tail(6, unused=after >> 6))}


@cocotb.test()
async def the_lowest_number_goes_first(dut):
    """Two scouts want the same output in the same cycle: the lower number gets it, whatever their ports."""
    for first, second in (("left", "down"), ("down", "left")):
        await start(dut)
        await arrive(dut, **{first: (header(31), tail(1)), second: (header(31), tail(4))})
        left = await leave(dut)
        assert left[RIGHT] == (header(31), tail(1))
        assert tail(4) in {packet[1] for port, packet in left.items() if port != RIGHT}


@cocotb.test()
async def held_links_are_avoided(dut):
    """A link that the neighbour holds is not taken; without any other the scout goes back."""
    await start(dut)
    dut.router_held_i.value = 1 << RIGHT | 1 << UP | 1 << DOWN
    await arrive(dut, left=(header(31), tail(6)))
    assert await leave(dut) == {LEFT: (header(31, False), tail(6, False))}


async def answer(dut, first, second):
    for flit in (first, second):
        dut.controller_link_i.value = link(SCOUT, flit)
        await FallingEdge(dut.clk)
    dut.controller_link_i.value = 0


@cocotb.test()
async def a_controller_retries_and_writes(dut):
    """Departure in the slot, a failure, a retry on demand, then command and data bytes, and the circuit's end."""
    await start(dut)
    dut.controller_chip_i.value, dut.controller_bytes_i.value, dut.controller_commands_i.value = 19, 5, 2
    dut.controller_start_i.value = 1
    await FallingEdge(dut.clk)
    dut.controller_start_i.value = 0
    for _ in range(3):
        assert int(dut.controller_link_o.value) >> 10 == 0 and not dut.controller_idle_o.value, "not its slot"
        await FallingEdge(dut.clk)
    dut.controller_slot_i.value = 1
    await FallingEdge(dut.clk)
    assert int(dut.controller_link_o.value) == link(SCOUT, header(19)) and dut.controller_clear_o.value
    await FallingEdge(dut.clk)
    assert int(dut.controller_link_o.value) == link(SCOUT, tail(5)) and not dut.controller_clear_o.value
    await answer(dut, header(19, False), tail(5, False))
    await FallingEdge(dut.clk)
    assert dut.controller_waiting_o.value
    dut.controller_retry_i.value = 1
    await FallingEdge(dut.clk)
    dut.controller_retry_i.value = 0
    assert int(dut.controller_link_o.value) == link(SCOUT, header(19))
    await FallingEdge(dut.clk)
    # Four links: the last byte has crossed 5 + 4 cycles after the scout was back.
    dut.controller_data_i.value = 0x11
    await answer(dut, header(4), tail(5))
    sent = []
    for cycle in range(9):
        await FallingEdge(dut.clk)
        dut.controller_data_i.value = 0x12 + cycle
        wires = of(dut.controller_link_o.value, 0)
        if wires:
            sent.append(wires)
        assert bool(dut.controller_clear_o.value) == (cycle == 7) == bool(dut.controller_done_o.value)
        assert bool(dut.controller_idle_o.value) == (cycle == 8)
    assert sent == [(COMMAND, 0x11), (COMMAND, 0x12), (DATA, 0x13), (DATA, 0x14), (DATA, 0x15)]


@cocotb.test()
async def a_controller_reads_and_retries_at_once(dut):
    """As printed in §4.2: a scout that failed is followed by another; strobes take the way there, data the way back."""
    await start(dut)
    dut.controller_immediate_i.value = dut.controller_slot_i.value = 1
    dut.controller_chip_i.value, dut.controller_bytes_i.value, dut.controller_is_read_i.value = 44, 3, 1
    dut.controller_start_i.value = 1
    await FallingEdge(dut.clk)
    dut.controller_start_i.value = 0
    await FallingEdge(dut.clk)
    await answer(dut, header(44, False), tail(5, False))
    await FallingEdge(dut.clk)
    assert int(dut.controller_link_o.value) == link(SCOUT, header(44)) and not dut.controller_waiting_o.value
    await FallingEdge(dut.clk)
    await answer(dut, header(2), tail(5))
    for cycle in range(7):
        await FallingEdge(dut.clk)
        assert of(dut.controller_link_o.value, 0) == ((STROBE, 0) if cycle < 3 else None)
        assert bool(dut.controller_done_o.value) == (cycle == 5)
        assert bool(dut.controller_idle_o.value) == (cycle == 6)
