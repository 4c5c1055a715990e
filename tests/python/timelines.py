"""Timelines drawn by hand, in nanoseconds."""

import json
from typing import Any

KINDS = (
    *("command", "data", "scout", "cancel", "reserved", "handshake"),
    *("array_read", "array_program", "array_erase", "register"),
)
CAUSES = (
    *("host_queue", "host_link", "device_queue", "firmware", "system_bus", "dram", "ecc", "same_page_write"),
    *("read_modify_write", "free_blocks", "chip_busy_user", "chip_busy_gc_read", "chip_busy_gc_program"),
    *("chip_busy_erase", "chip_busy_mapping", "path_conflict", "path_reservation"),
    *("command_transfer", "array_read", "array_program", "data_transfer", "completion"),
)
OPS = ("read", "write", "trim", "flush")
NOBODY, NOT_YET = 2**32 - 1, 2**64 - 1
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
WORKS = ("host", "cache", "gc", "mapping")
SPANS = {
    **{"kind": "u8", "part": "u32", "start_ps": "u64", "end_ps": "u64", "request": "u32", "page": "u32"},
    "work": "u8",
}
STEPS = {"request": "u32", "page": "u32", "cause": "u8", "start_ps": "u64", "end_ps": "u64", "part": "u32"}
REQUESTS = {
    **{"number": "u32", "flow": "u16", "kind": "u8", "lba": "u64", "sectors": "u32", "stream": "u16"},
    **{"arrival_ps": "u64", "complete_ps": "u64"},
}


class Drawing:
    def __init__(self, rows: int = 2, columns: int = 2) -> None:
        self.parts: list[dict[str, Any]] = []
        self.spans: list[tuple[int, ...]] = []
        self.steps: list[tuple[int, ...]] = []
        self.requests: list[tuple[int, ...]] = []
        self.truncated, self.until_ns = False, 0
        for row in range(rows):
            self.part(f"controller {row}", "controller", row, -1)
        for row in range(rows):
            for column in range(columns):
                self.part(f"chip {row},{column}", "chip", row, column)
                for plane in range(2):
                    self.part(f"chip {row},{column} plane {plane}", "plane", row, column, die=0, plane=plane)

    def part(self, name: str, kind: str, row: int, column: int, **more: Any) -> None:
        self.parts.append({"name": name, "kind": kind, "row": row, "column": column, **more})

    def wire(self, name: str, kind: str, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.part(name, kind, *start, **{"from": list(start), "to": list(end)})

    def number(self, part: str | None) -> int:
        return NOBODY if part is None else [each["name"] for each in self.parts].index(part)

    def span(
        self, part: str, kind: str, start: float, end: float, request: int | None, page: int, own: str = "gc"
    ) -> None:
        """own: the kind of work if no request asked for it."""
        owner, work = (NOBODY, own) if request is None else (request, "host")
        self.spans.append((KINDS.index(kind), self.number(part), ps(start), ps(end), owner, page, WORKS.index(work)))

    def step(
        self, request: int, page: int | None, cause: str, start: float, end: float, part: str | None = None
    ) -> None:
        whose = NOBODY if page is None else page
        self.steps.append((request, whose, CAUSES.index(cause), ps(start), ps(end), self.number(part)))

    def request(self, number: int, lba: int, sectors: int, arrival: float, complete: float | None, op: str) -> None:
        done = NOT_YET if complete is None else ps(complete)
        self.requests.append((number, 0, OPS.index(op), lba, sectors, 0, ps(arrival), done))

    def handed_over(self) -> tuple[str, Any, Any, Any]:
        header = {
            "truncated": self.truncated,
            "from_ps": 0,
            "until_ps": ps(self.until_ns),
            "kinds": KINDS,
            "works": WORKS,
            "causes": CAUSES,
            "parts": self.parts,
        }
        tables = [(SPANS, self.spans), (STEPS, self.steps), (REQUESTS, self.requests)]
        spans, steps, requests = (in_columns(types, rows) for types, rows in tables)
        return json.dumps(header), spans, steps, requests


def in_columns(types: dict[str, str], rows: list[tuple[int, ...]]) -> dict[str, tuple[str, bytes]]:
    return {
        name: (kind, b"".join(row[place].to_bytes(SIZES[kind], "little") for row in rows))
        for place, (name, kind) in enumerate(types.items())
    }


def ps(nanoseconds: float) -> int:
    return round(nanoseconds * 1000)


def bus() -> Drawing:
    """Request 0 programs chip 0,0; 1 reads two pages of it, and meanwhile 2 reads chip 0,1 of the same channel.

    Collection works at chip 0,0 too, and request 3, a write of the page that 0 writes, is not completed.
    """
    d = Drawing()
    for row in range(2):
        d.wire(f"channel {row}", "channel", (row, -1), (row, 1))
    d.request(0, 0, 8, 500, 112_000, op="write")
    d.request(1, 1600, 16, 2000.4, 131_000.9, op="read")
    d.request(2, 8000, 8, 100_000, 125_000, op="read")
    d.request(3, 0, 8, 110_000, None, op="write")
    leg(d, "command", 1000, 1100, 0, 0, "chip 0,0", "channel 0")
    leg(d, "data", 1100, 4500, 0, 0, "chip 0,0", "channel 0")
    d.span("chip 0,0 plane 0", "array_program", 4500, 104_500, 0, 0)
    d.span("chip 0,0 plane 0", "array_erase", 104_500, 106_500, None, 9)
    # Request 2 holds the channel while the chip is ready for request 1.
    d.span("chip 0,1 plane 0", "array_read", 101_000, 104_000, 2, 3)
    d.span("chip 0,1 plane 0", "register", 104_000, 109_000, 2, 3)
    leg(d, "data", 105_500, 109_000, 2, 3, "chip 0,1", "channel 0")
    leg(d, "command", 109_000, 109_100.5, 1, 1, "chip 0,0", "channel 0")
    d.span("chip 0,0 plane 0", "array_read", 109_100.5, 112_100.5, 1, 1)
    d.span("chip 0,0 plane 1", "array_read", 109_100.5, 112_100.5, 1, 2)
    d.span("chip 0,0 plane 1", "register", 112_100.5, 119_000, 1, 2)
    d.span("chip 0,0 plane 0", "register", 112_100.5, 115_500, 1, 1)
    leg(d, "data", 112_100.5, 115_500, 1, 1, "chip 0,0", "channel 0")
    leg(d, "data", 115_500, 119_000, 1, 2, "chip 0,0", "channel 0")
    for page, port in ((1, 112_100.5), (2, 115_500)):
        d.step(1, page, "chip_busy_erase", 3000, 5000, "chip 0,0")
        d.step(1, page, "chip_busy_user", 5000, 106_500, "chip 0,0")
        d.step(1, page, "path_conflict", 106_500, 109_000, "chip 0,0")
        d.step(1, page, "command_transfer", 109_000, 109_100.5, "chip 0,0")
        d.step(1, page, "array_read", 109_100.5, 112_100.5, "chip 0,0")
        d.step(1, page, "chip_busy_user", 112_100.5, port, "chip 0,0")
        d.step(1, page, "data_transfer", port, 119_000 if page == 2 else 115_500, "chip 0,0")
    d.step(1, None, "host_link", 2000.4, 3000)
    d.step(1, None, "host_link", 119_000, 130_000.7)
    d.step(1, None, "completion", 130_000.7, 131_000.9)
    d.step(2, None, "host_link", 100_000, 101_000)
    d.step(2, 3, "array_read", 101_000, 104_000, "chip 0,1")
    d.step(2, 3, "path_conflict", 104_000, 105_500, "chip 0,1")
    d.step(2, 3, "data_transfer", 105_500, 109_000, "chip 0,1")
    d.step(2, None, "host_link", 109_000, 125_000)
    d.step(3, None, "host_link", 110_000, 111_000)
    d.until_ns = 200_000
    return d


def collected() -> Drawing:
    """Request 1 waits for chip 0,0 while collection copies a page (7: read, then programmed) and erases a block."""
    d = Drawing()
    d.wire("channel 0", "channel", (0, -1), (0, 1))
    d.request(0, 0, 0, 500, 900, op="flush")
    d.request(1, 64, 8, 1000, 30_000, op="read")
    d.request(2, 128, 8, 1000, 2000, op="trim")
    d.step(0, None, "host_link", 500, 900)
    d.step(2, None, "host_link", 1000, 2000)
    leg(d, "command", 1000, 1100, None, 7, "chip 0,0", "channel 0")
    d.span("chip 0,0 plane 0", "array_read", 1100, 4000, None, 7)
    d.span("chip 0,0 plane 0", "register", 4000, 5000, None, 7)
    leg(d, "data", 4000, 5000, None, 7, "chip 0,0", "channel 0")
    # The command of its program goes with another page's, so that only data are seen of it.
    leg(d, "data", 5000, 6000, None, 7, "chip 0,0", "channel 0")
    d.span("chip 0,0 plane 0", "array_program", 6000, 16_000, None, 7)
    leg(d, "data", 16_000, 17_000, 9, 8, "chip 0,0", "channel 0")
    leg(d, "command", 17_000, 17_500, None, 10, "chip 0,0", "channel 0")
    d.span("chip 0,0 plane 0", "array_erase", 17_500, 27_000, None, 10)
    waits = {
        "chip_busy_gc_read": 4000,
        "chip_busy_gc_program": 11_000,
        "chip_busy_erase": 10_000,
        "chip_busy_user": 1000,
    }
    now = 1000
    for cause, length in waits.items():
        d.step(1, 1, cause, now, now + length, "chip 0,0")
        now += length
    d.step(1, 1, "array_read", now, 30_000, "chip 0,0")
    d.until_ns = 40_000
    return d


def leg(d: Drawing, kind: str, start: float, end: float, request: int | None, page: int, chip: str, wire: str) -> None:
    for part in (f"controller {chip[5]}", wire, chip):
        d.span(part, kind, start, end, request, page)


def routed() -> Drawing:
    """Request 1 waits for a way to chip 0,0, while request 0 holds a circuit."""
    d = Drawing()
    for row in range(2):
        d.wire(f"link {row},0-{row},1", "link", (row, 0), (row, 1))
        d.wire(f"controller link {row}", "controller_link", (row, -1), (row, 0))
    d.request(0, 0, 8, 0, 9000, op="read")
    d.request(1, 64, 8, 1000, 12_000, op="read")
    for part in ("controller 0", "controller link 0", "link 0,0-0,1"):
        d.span(part, "reserved", 1000, 6000, 0, 0)
        d.span(part, "data", 2000, 6000, 0, 0)
    d.span("controller 1", "data", 1000, 5000, 2, 7)
    d.span("controller link 0", "scout", 6500, 6600, 1, 1)
    d.step(1, 1, "path_conflict", 1000, 6500, "chip 0,0")
    d.step(1, 1, "path_reservation", 6500, 6600, "chip 0,0")
    d.step(1, 1, "data_transfer", 6600, 12_000, "chip 0,0")
    d.until_ns = 20_000
    return d


def crossed() -> Drawing:
    """Request 1 waits for either bus at chip 1,0, then for a write of its page."""
    d = Drawing()
    for place in range(2):
        d.wire(f"row {place}", "channel", (place, -1), (place, 1))
        d.wire(f"column {place}", "column", (0, place), (1, place))
    d.request(0, 0, 8, 0, 9000, op="write")
    d.request(1, 4, 2, 1000, 12_000, op="write")
    d.span("row 1", "data", 0, 5000, 2, 2)
    d.span("column 0", "data", 1000, 4000, None, 3, "cache")
    d.span("row 0", "data", 0, 5000, 4, 4)
    d.span("column 1", "data", 0, 5000, 5, 5)
    d.span("chip 0,1 plane 1", "array_program", 2000, 8000, 0, 0)
    d.step(1, 1, "same_page_write", 5000, 8000)
    d.step(1, 1, "path_conflict", 1000, 5000, "chip 1,0")
    d.step(1, None, "completion", 8000, 12_000)
    d.until_ns = 20_000
    return d
