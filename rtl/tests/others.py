"""Tests of NoSSD's router and of the Omnibus' control plane; run by cocotb in `units_top`."""

import random
from collections import defaultdict

import cocotb
from cocotb.triggers import FallingEdge
from units import start

BUFFER = 64
# Ends of the mesh: chips 0 to 3, then the controllers of rows 0 and 1, which packets know as 128 and 129.
ENDS = (0, 1, 2, 3, 128, 129)


class End:
    """A chip or a controller: sends where the router's buffer has room, takes what comes, not always at once."""

    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.waiting, self.sending, self.space = [], [], BUFFER
        self.taken, self.got, self.owed = [], [], 0

    def drive(self):
        if not self.sending and self.waiting and self.space >= len(self.waiting[0]):
            self.sending = list(self.waiting.pop(0))
        byte = self.sending.pop(0) if self.sending else None
        self.space -= byte is not None
        credit = self.owed > 0 and self.rng.random() < 0.7
        self.owed -= credit
        return (byte is not None) << 9 | (byte or 0) << 1 | credit

    def look(self, wires):
        self.space += wires & 1
        if wires >> 9:
            self.owed += 1
            assert self.owed <= BUFFER, "more than the buffer holds"
            self.got.append(wires >> 1 & 0xFF)
            if len(self.got) >= 3 and len(self.got) == 3 + self.got[1] * 256 + self.got[2]:
                self.taken.append(bytes(self.got))
                self.got = []


@cocotb.test()
async def every_packet_arrives_once_and_in_order(dut):
    """Random packets between all ends, of 1 to 61 bytes: whole, at their destination, in order per pair."""
    await start(dut)
    rng = random.Random(3)
    ends = {number: End(number, rng) for number in ENDS}
    sent = defaultdict(list)
    for n in range(600):
        source, destination = rng.sample(ENDS, 2)
        payload = bytes([source, n & 255, n >> 8, *rng.randbytes(rng.randrange(0, 55))])
        ends[source].waiting.append(bytes([destination, 0, len(payload)]) + payload)
        sent[source, destination].append(payload)
    for _ in range(40_000):
        wires = [end.drive() for end in ends.values()]
        dut.mesh_chip_i.value = sum(each << 10 * i for i, each in enumerate(wires[:4]))
        dut.mesh_controller_i.value = sum(each << 10 * i for i, each in enumerate(wires[4:]))
        await FallingEdge(dut.clk)
        chips, controllers = int(dut.mesh_chip_o.value), int(dut.mesh_controller_o.value)
        for i, end in enumerate(ends.values()):
            end.look((chips >> 10 * i if i < 4 else controllers >> 10 * (i - 4)) & 0x3FF)
        if sum(len(end.taken) for end in ends.values()) == 600:
            break
    came = defaultdict(list)
    for number, end in ends.items():
        for packet in end.taken:
            assert packet[0] == number
            came[packet[3], number].append(packet[3:])
    assert came == sent


@cocotb.test()
async def a_column_bus_has_one_owner(dut):
    """Random wishes: a column's owner is one, keeps it until done, the row bus goes first, and everybody is served."""
    await start(dut)
    rng = random.Random(4)
    want, columns, served, waited = [False] * 4, [0] * 4, 0, [0] * 4
    held = {}
    for _ in range(4000):
        busy = [rng.random() < 0.8 for _ in range(4)]
        done = [bool(r in held and rng.random() < 0.2) for r in range(4)]
        for r in range(4):
            if not want[r] and rng.random() < 0.3:
                want[r], columns[r], waited[r] = True, rng.randrange(4), 0
        dut.omnibus_want_i.value = sum(w << r for r, w in enumerate(want))
        dut.omnibus_done_i.value = sum(d << r for r, d in enumerate(done))
        dut.omnibus_column_i.value = sum(c << 2 * r for r, c in enumerate(columns))
        dut.omnibus_row_busy_i.value = sum(b << r for r, b in enumerate(busy))
        await FallingEdge(dut.clk)
        for r in range(4):
            if done[r]:
                held.pop(r)
                want[r] = False
                served += 1
        rows, cols = int(dut.omnibus_row_o.value), int(dut.omnibus_column_o.value)
        for r in range(4):
            row, column = rows >> r & 1, cols >> r & 1
            assert not (row and column)
            if r in held:
                assert held[r] == ("row" if row else "column" if column else None), "kept until it is done"
            elif row or column:
                assert want[r] and not done[r] and (not row or not busy[r]) and (not column or busy[r])
                held[r] = "row" if row else "column"
            elif want[r]:
                waited[r] += 1
                assert waited[r] < 200, "starved"
        owners = [columns[r] for r, what in held.items() if what == "column"]
        assert len(owners) == len(set(owners)), "a column bus has two owners"
    assert served > 500
