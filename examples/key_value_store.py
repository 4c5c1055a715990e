"""A small key-value store on a simulated drive: a log of records, an index in memory, clients that wait for answers.

Each client asks, waits for the drive, and asks again: a closed loop, in which the drive decides how fast it all goes.
Puts are appended to a log and are durable once a flush after them is complete, one flush for all that wait (group
commit). Gets read the newest record of their key.

    python examples/key_value_store.py [DESIGN [CLIENTS [OPERATIONS]]]
"""

import random
import sys
from collections import deque
from itertools import count
from typing import Literal

import canaletto as cn

RECORD_SECTORS = 8  # a record of 4 KiB
KEYS = 20_000
GETS = 0.9  # share of the operations


class Store:
    """The store and its clients, driven by the completions of a drive."""

    def __init__(self, drive: cn.Drive, clients: int, operations: int) -> None:
        self.drive = drive
        self.left = operations
        self.clients = clients
        self.draw = random.Random(1)
        self.log_end = KEYS * RECORD_SECTORS  # all keys are there, in order
        self.places = {key: key * RECORD_SECTORS for key in range(KEYS)}
        self.tags = count()
        self.asked: dict[int, tuple[str, int, int]] = {}  # tag: what, key, when its client asked
        self.unflushed: deque[int] = deque()  # when the clients of written records asked
        self.flushing: list[int] = []
        self.latency_ps: dict[str, list[int]] = {"get": [], "put": []}

    def run(self) -> None:
        """Serves all operations."""
        for _ in range(self.clients):
            self.ask()
        for completion in self.drive:
            self.answer(completion)

    def ask(self) -> None:
        """A client's next operation: half of them on a tenth of the keys."""
        if self.left == 0:
            return
        self.left -= 1
        key = self.draw.randrange(KEYS // 10 if self.draw.random() < 0.5 else KEYS)
        if self.draw.random() < GETS:
            self.submit("get", "read", self.places[key], key)
        else:
            self.submit("put", "write", self.log_end, key)
            self.places[key] = self.log_end
            self.log_end = (self.log_end + RECORD_SECTORS) % (self.drive.sectors - RECORD_SECTORS)

    def submit(self, what: str, op: Literal["read", "write"], lba: int, key: int) -> None:
        """Asks the drive for one record."""
        tag = next(self.tags)
        self.asked[tag] = what, key, self.drive.now_ps
        self.drive.submit(op, lba, RECORD_SECTORS, tag=tag)

    def answer(self, completion: cn.Completion) -> None:
        """The drive has done something."""
        now = completion.completed_ps
        what, _, since = self.asked.pop(completion.tag)
        if what == "get":
            self.done("get", since, now)
        elif what == "put":
            self.unflushed.append(since)
        else:
            for put in self.flushing:
                self.done("put", put, now)
            self.flushing = []
        if self.unflushed and not self.flushing:
            self.flushing = list(self.unflushed)
            self.unflushed.clear()
            tag = next(self.tags)
            self.asked[tag] = "flush", 0, now
            self.drive.submit("flush", tag=tag)

    def done(self, what: str, since: int, now: int) -> None:
        """A client has its answer, and asks again."""
        self.latency_ps[what].append(now - since)
        self.ask()


def main(design: str = "performance-optimized", clients: str = "32", operations: str = "20000") -> None:
    """Runs the store on a design, and says how fast it was."""
    drive = cn.Drive(design)
    store = Store(drive, int(clients), int(operations))
    store.run()
    done = sum(len(latencies) for latencies in store.latency_ps.values())
    print(f"{done} operations of {clients} clients on {design}: {done / (drive.now_ps / 1e12):,.0f} a second")
    for what, latencies in store.latency_ps.items():
        latencies.sort()
        middle, late = latencies[len(latencies) // 2], latencies[len(latencies) * 99 // 100]
        print(f"{what}: median {middle / 1e6:.1f} us, p99 {late / 1e6:.1f} us")
    counts = drive.results.requests
    print(f"the drive: {counts.reads} reads, {counts.writes} writes, {counts.flushes} flushes")


if __name__ == "__main__":
    main(*sys.argv[1:])
