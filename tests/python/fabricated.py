"""Results and timelines of every fabric by a toy model, independent of the engine.

Its times mean nothing; its forms follow `canaletto run --json` and timelines.
"""

import heapq
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import canaletto as cn
import polars as pl
from canaletto._run import gains, names

FABRICS = tuple(names.fabrics())
KINDS = (
    *("command", "data", "scout", "cancel", "reserved", "handshake"),
    *("array_read", "array_program", "array_erase", "register"),
)
CAUSES = (
    *("host_queue", "host_link", "device_queue", "firmware", "chip_busy_user", "chip_busy_gc_read", "path_conflict"),
    *("path_reservation", "command_transfer", "array_read", "array_program", "data_transfer", "completion"),
)

US = 1_000_000
HOP = 12_000
OWN = 2**32 - 1
"""Steps of the request itself carry this page; steps outside the array this part."""

# Time of a page on the wires; commands take a twentieth.
_DATA = {"packetized": 1.7, "omnibus-split": 1.2, "mesh": 1.9, "mesh-2bit": 6.0, "venice": 2.0, "ideal": 2.0}

Wire = tuple[str, int, int, int, int]


@dataclass
class Timeline:
    header: dict[str, Any]
    spans: pl.DataFrame
    steps: pl.DataFrame
    requests: pl.DataFrame
    windows: tuple[tuple[int, int], ...]


@dataclass
class _Request:
    number: int
    write: bool
    arrival: int
    pages: list[tuple[int, int]]
    complete: int = 0
    conflict: bool = False
    account: dict[str, int] = field(default_factory=lambda: defaultdict(int))


@dataclass
class _Page:
    request: _Request
    number: int
    chip: tuple[int, int]
    since: int
    steps: list[tuple[str, int, int]] = field(default_factory=list)


class Toy:
    def __init__(self, fabric: str, rows: int = 4, columns: int = 4, requests: int = 400, seed: int = 1) -> None:
        self.fabric, self.rows, self.columns = fabric, rows, columns
        self.random = random.Random(seed)
        self.events: list[tuple[int, int, Callable[[int], None]]] = []
        self.count = 0
        self.free: dict[Any, int] = defaultdict(int)
        self.busy: dict[Any, int] = defaultdict(int)
        self.taken: set[tuple[int, int]] = set()
        self.waiting: dict[tuple[int, int], list[Callable[[int], None]]] = defaultdict(list)
        self.spans: list[tuple[str, Any, int, int, int, int]] = []
        self.steps: list[tuple[int, int, str, int, int, Any]] = []
        self.wires = list(_wires(fabric, rows, columns))
        draw = random.Random(seed + 1)  # The same work for every fabric.
        now = 0
        self.requests = []
        for number in range(requests):
            now += int(draw.expovariate(1) * 28 * US / rows / columns * 1.5)
            pages = [
                (min(int(draw.expovariate(1) * rows / 2), rows - 1), draw.randrange(columns))
                for _ in range(draw.choice((1, 1, 2)))
            ]
            self.requests.append(_Request(number, draw.random() < 0.2, now, pages))
        self.pages = 0
        for request in self.requests:
            self.at(request.arrival + US, self.begin(request))
            self.charge(request, OWN, "host_link", request.arrival, request.arrival + US)
        self.now = 0
        while self.events:
            self.now, _, event = heapq.heappop(self.events)
            event(self.now)

    def at(self, time: int, event: Callable[[int], None]) -> None:
        self.count += 1
        heapq.heappush(self.events, (time, self.count, event))

    def charge(self, request: _Request, page: int, cause: str, start: int, end: int, part: Any = None) -> None:
        if end > start:
            self.steps.append((request.number, page, cause, start, end, part))
            if page == OWN:
                request.account[cause] += end - start

    def begin(self, request: _Request) -> Callable[[int], None]:
        def start(now: int) -> None:
            left = [len(request.pages)]
            for chip in request.pages:
                page = _Page(request, self.pages, chip, now)
                self.pages += 1
                self.take_chip(page, left)(now)

        return start

    def step(self, page: _Page, cause: str, now: int) -> None:
        self.charge(page.request, page.number, cause, page.since, now, ("chip", *page.chip))
        if now > page.since:
            page.steps.append((cause, page.since, now))
        page.since = max(page.since, now)

    def take_chip(self, page: _Page, left: list[int]) -> Callable[[int], None]:
        def attempt(now: int) -> None:
            if page.chip in self.taken:
                self.waiting[page.chip].append(attempt)
                return
            self.step(page, "chip_busy_user", now)
            self.taken.add(page.chip)
            self.take_path(page, self.commanded(page, left), "command")(now)

        return attempt

    def take_path(self, page: _Page, then: Callable[[int], None], kind: str) -> Callable[[int], None]:
        def attempt(now: int) -> None:
            paths = list(self.paths(page.chip))
            for path in paths:
                if all(self.free[wire] <= now for wire in path):
                    break
            else:
                page.request.conflict = True
                self.at(min(max(self.free[wire] for wire in path) for path in paths), attempt)
                return
            self.step(page, "path_conflict", now)
            if self.fabric == "venice":
                started = self.scout(page, path, now)
                self.step(page, "path_reservation", started)
            else:
                started = now
            size = _DATA.get(self.fabric, 3.4) * US
            if kind == "command" and not page.request.write:
                size /= 20
            end = started + int(size)
            for wire in path:
                self.free[wire] = end
                if self.fabric == "venice":
                    self.span("reserved", wire, now, end, page)
            hops = len(path) if "mesh" in self.fabric else 0
            for place, wire in enumerate(path):
                self.span(kind, wire, started + place * HOP * bool(hops), end - (hops - place) * HOP * bool(hops), page)
            self.span(kind, ("controller", path[0][1], -1), started, end, page)
            self.span(kind, ("chip", *page.chip), started, end, page)
            self.at(end, then)

        return attempt

    def scout(self, page: _Page, path: list[Wire], now: int) -> int:
        for place, wire in enumerate(path):
            if place > 1 and self.random.random() < 0.2:
                self.span("cancel", path[place - 1], now, now + HOP, page)
                self.span("scout", path[place - 1], now + HOP, now + 2 * HOP, page)
                now += 2 * HOP
            self.span("scout", wire, now, now + HOP, page)
            now += HOP
        return now

    def commanded(self, page: _Page, left: list[int]) -> Callable[[int], None]:
        def work(now: int) -> None:
            write = page.request.write
            self.step(page, "data_transfer" if write else "command_transfer", now)
            end = now + (30 if write else 3) * US
            kind = "array_program" if write else "array_read"
            plane = ("plane", *page.chip, 0, page.number % 2)
            self.span(kind, plane, now, end, page)
            self.at(end, self.worked(page, left, kind, plane))

        return work

    def worked(self, page: _Page, left: list[int], kind: str, plane: Any) -> Callable[[int], None]:
        def move(now: int) -> None:
            self.step(page, kind, now)
            if page.request.write:
                self.finish(page, left, now)
                return

            def done(end: int) -> None:
                self.step(page, "data_transfer", end)
                self.span("register", plane, now, end, page)
                self.finish(page, left, end)

            self.take_path(page, done, "data")(now)

        return move

    def finish(self, page: _Page, left: list[int], now: int) -> None:
        self.taken.remove(page.chip)
        if self.waiting[page.chip]:
            self.waiting[page.chip].pop(0)(now)
        left[0] -= 1
        if left[0]:
            return
        request = page.request
        request.complete = now + US // 10
        self.charge(request, OWN, "completion", now, request.complete)
        for cause, start, end in page.steps:
            request.account[cause] += end - start

    def span(self, kind: str, part: Any, start: int, end: int, page: _Page) -> None:
        end = max(end, start + 1)
        self.spans.append((kind, part, start, end, page.request.number, page.number))
        if kind not in ("scout", "cancel", "reserved"):
            self.busy[(part, kind) if part[0] == "plane" else part] += end - start

    def paths(self, chip: tuple[int, int]) -> Iterator[list[Wire]]:
        row, column = chip
        if self.fabric == "ideal":
            yield [("path", row, -1, row, column)]
            return
        if "mesh" not in self.fabric and self.fabric != "venice":
            yield [("channel", row, -1, row, self.columns - 1)]
            if self.fabric.startswith("omnibus"):
                yield [("column", 0, column, self.rows - 1, column)]
            return
        entries = [row, *(other for other in range(self.rows) if other != row)] if self.fabric == "venice" else [row]
        for entry in entries:
            yield list(self.routed(entry, row, column))

    def routed(self, entry: int, row: int, column: int) -> Iterator[Wire]:
        yield ("controller_link", entry, -1, entry, 0)
        for at in range(column):
            yield ("link", entry, at, entry, at + 1)
        while entry != row:
            further = entry + (1 if row > entry else -1)
            if self.fabric == "venice":  # One link, both ways.
                yield ("link", min(entry, further), column, max(entry, further), column)
            else:
                yield ("link", entry, column, further, column)
            entry = further

    def data(self) -> dict[str, Any]:
        done = self.requests
        duration = max(request.complete for request in done) - done[0].arrival
        kinds = {
            "all": done,
            "read": [request for request in done if not request.write],
            "write": [request for request in done if request.write],
        }
        times = {kind: sorted((each.complete - each.arrival) / US for each in chosen) for kind, chosen in kinds.items()}
        slow = sorted(done, key=lambda each: each.arrival - each.complete)[: max(len(done) // 100, 1)]
        lost = sum(each.account["path_conflict"] for each in done) / US
        counts = {
            "generated": len(done),
            "completed": len(done),
            "reads": len(kinds["read"]),
            "writes": len(kinds["write"]),
            "bytes": 4096 * self.pages,
        }
        free = sum(not each.conflict for each in done) / len(done)
        latency = {kind: _distribution(found) for kind, found in times.items()}
        iops = len(done) / (duration / US / 1e6)
        flow = {"name": "toy", "requests": counts, "iops": iops, "latency_us": latency}
        energy = {"array": 0.004 * self.pages, "fabric": 0.0003 * self.pages * (1 + len(self.wires) / 100)}
        energy["static"] = 2e-8 * duration / 1e3 * (1 + len(self.wires) / 200)
        energy["total"] = sum(energy.values())
        return {
            "schema": 1,
            "design": "toy",
            "workload": "hot rows",
            "fabric": self.fabric,
            "seed": 1,
            "requests": counts,
            "execution_time_us": duration / US,
            "iops": iops,
            "bandwidth_mb_s": counts["bytes"] / (duration / US),
            "latency_us": latency,
            "blame_us": {"all": _blame(done), "p99": _blame(slow)},
            "root_cause_us": {"all": _rooted(_blame(done)), "p99": _rooted(_blame(slow))},
            "path_conflicts": {"free_request_share": free, "free_transaction_share": free, "lost_us": lost},
            "device_response_us": latency["all"],
            "flash": {"reads": self.pages, "programs": 0, "erases": 0, "write_amplification": 1.0, "gc": {}},
            "utilisation": [],
            "energy_mj": energy,
            "average_power_mw": energy["total"] / (duration / US / 1e6),
            "flows": [flow],
            "fairness": None,
            "cost": {"wall_s": 0.1, "cpu_s": 0.1, "events": 1, "requests_per_cpu_s": 1e6, "peak_rss_mb": 50.0},
            "tail_us": {kind: _tail(found) for kind, found in times.items()},
            "series": self.series(duration),
            "map": self.map(duration),
        }

    def series(self, duration: int, intervals: int = 128) -> dict[str, Any]:
        width = duration / intervals
        start = self.requests[0].arrival
        found: dict[str, Any] = {"interval_us": width / US}
        arrivals, completed, outstanding, latency, lost = ([0.0] * intervals for _ in range(5))
        for request in self.requests:
            first, last = (min(int((t - start) / width), intervals - 1) for t in (request.arrival, request.complete))
            arrivals[first] += 1
            completed[last] += 1
            latency[last] += (request.complete - request.arrival) / US
            lost[last] += request.account["path_conflict"] / US
            for each in range(first, last + 1):
                begin, end = (
                    max(request.arrival - start, each * width),
                    min(request.complete - start, each * width + width),
                )
                outstanding[each] += max(end - begin, 0) / width
        means: list[float | None] = [t / n if n else None for t, n in zip(latency, completed, strict=True)]
        found |= {"arrivals": arrivals, "completed": completed, "outstanding": outstanding}
        return found | {"latency_us": means, "path_conflict_us": lost}

    def map(self, duration: int) -> dict[str, Any]:
        rows, columns = range(self.rows), range(self.columns)

        def array(row: int, column: int) -> float:
            kinds = ((("plane", row, column, 0, p), k) for p in (0, 1) for k in ("array_read", "array_program"))
            return min(sum(self.busy[kind] for kind in kinds) / duration, 1.0)

        return {
            "rows": self.rows,
            "columns": self.columns,
            "chips": [
                {
                    "name": f"chip {r},{c}",
                    "row": r,
                    "column": c,
                    "array": array(r, c),
                    "port": self.busy["chip", r, c] / duration,
                }
                for r in rows
                for c in columns
            ],
            "controllers": [
                {"name": f"controller {r}", "row": r, "column": -1, "share": self.busy["controller", r, -1] / duration}
                for r in rows
            ],
            "wires": [
                {
                    "name": wire_name(wire),
                    "kind": wire[0],
                    "from": list(wire[1:3]),
                    "to": list(wire[3:]),
                    "share": self.busy[wire] / duration,
                }
                for wire in self.wires
            ],
        }

    def _parts(self) -> dict[Any, dict[str, Any]]:
        chips = [(r, c) for r in range(self.rows) for c in range(self.columns)]
        parts: dict[Any, dict[str, Any]] = {}
        for r, c in chips:
            parts["chip", r, c] = {"name": f"chip {r},{c}", "kind": "chip", "row": r, "column": c}
        for r, c in chips:
            for p in (0, 1):
                name = {"name": f"plane {r},{c},0,{p}", "kind": "plane", "row": r, "column": c, "die": 0, "plane": p}
                parts["plane", r, c, 0, p] = name
        for r in range(self.rows):
            parts["controller", r, -1] = {"name": f"controller {r}", "kind": "controller", "row": r, "column": -1}
        for wire in self.wires:
            ends = {"from": list(wire[1:3]), "to": list(wire[3:])}
            parts[wire] = {"name": wire_name(wire), "kind": wire[0], **ends}
        return parts

    def timeline(self, start_us: float, end_us: float) -> Timeline:
        start, end = int(start_us * US), int(end_us * US)
        parts = self._parts()
        index = {part: number for number, part in enumerate(parts)}

        def inside(first: int, last: int) -> bool:
            return last > start and first < end

        spans = sorted((s for s in self.spans if inside(s[2], s[3])), key=lambda s: s[2])
        steps = [s for s in self.steps if inside(s[3], s[4])]
        alive = [r for r in self.requests if inside(r.arrival, r.complete)]
        return Timeline(
            {
                "truncated": False,
                "from_ps": start,
                "until_ps": end,
                "kinds": list(KINDS),
                "causes": list(CAUSES),
                "parts": list(parts.values()),
            },
            pl.DataFrame(
                [(k, index[p], s, e, r, n, "host") for k, p, s, e, r, n in spans],
                schema={
                    "kind": pl.Enum(KINDS),
                    "part": pl.UInt32,
                    "start_ps": pl.UInt64,
                    "end_ps": pl.UInt64,
                    "request": pl.UInt32,
                    "page": pl.UInt32,
                    "work": pl.Enum(["host"]),
                },
                orient="row",
            ),
            pl.DataFrame(
                [(r, None if p == OWN else p, c, s, e, index.get(a)) for r, p, c, s, e, a in steps],
                schema={
                    "request": pl.UInt32,
                    "page": pl.UInt32,
                    "cause": pl.Enum(CAUSES),
                    "start_ps": pl.UInt64,
                    "end_ps": pl.UInt64,
                    "part": pl.UInt32,
                },
                orient="row",
            ),
            pl.DataFrame(
                [
                    (
                        *(r.number, 0, "write" if r.write else "read", r.number * 8, 8 * len(r.pages)),
                        *(0, 4096 * len(r.pages), r.arrival, r.complete),
                    )
                    for r in alive
                ],
                schema={
                    "number": pl.UInt32,
                    "flow": pl.UInt16,
                    "op": pl.Enum(["read", "write", "trim", "flush"]),
                    "lba": pl.UInt64,
                    "sectors": pl.UInt32,
                    "first_byte": pl.UInt16,
                    "bytes": pl.UInt64,
                    "arrival_ps": pl.UInt64,
                    "complete_ps": pl.UInt64,
                },
                orient="row",
            ),
            ((start, end),),
        )


def _wires(fabric: str, rows: int, columns: int) -> Iterator[Wire]:
    mesh = "mesh" in fabric
    if not mesh and fabric != "venice":
        for row in range(rows):
            if fabric == "ideal":
                yield from (("path", row, -1, row, column) for column in range(columns))
            else:
                yield ("channel", row, -1, row, columns - 1)
        if fabric.startswith("omnibus"):
            yield from (("column", 0, column, rows - 1, column) for column in range(columns))
        return
    pairs = [("controller_link", (row, -1), (row, 0)) for row in range(rows)]
    pairs += [("link", (row, column), (row, column + 1)) for row in range(rows) for column in range(columns - 1)]
    pairs += [("link", (row, column), (row + 1, column)) for row in range(rows - 1) for column in range(columns)]
    for kind, a, b in pairs:
        yield (kind, *a, *b)
        if mesh:
            yield (kind, *b, *a)


def wire_name(wire: Wire) -> str:
    kind, *ends = wire
    if kind in ("channel", "column"):
        return f"{kind} {ends[0] if kind == 'channel' else ends[1]}"
    return f"{kind.replace('_', ' ')} {ends[0]},{ends[1]} to {ends[2]},{ends[3]}"


def _distribution(times: list[float]) -> dict[str, float | None]:
    keys = {"min": 0, "p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999, "max": 1}
    if not times:
        return dict.fromkeys(["mean", *keys])
    found: dict[str, float | None] = {"mean": sum(times) / len(times)}
    return found | {key: times[min(int(len(times) * q), len(times) - 1)] for key, q in keys.items()}


def _rooted(blame: dict[str, float]) -> dict[str, float]:
    """Waits for chips passed on to the wires that their data wait for."""
    wait = blame.get("chip_busy_user", 0.0)
    found = {**blame, "chip_busy_user": wait / 4, "transfer_of_others": wait / 4}
    found["path_conflict"] = found.get("path_conflict", 0.0) + wait / 2
    return found


def _blame(chosen: list[_Request]) -> dict[str, float]:
    sums: dict[str, int] = defaultdict(int)
    for request in chosen:
        for cause, time in request.account.items():
            sums[cause] += time
    return {cause: time / US / len(chosen) for cause, time in sorted(sums.items()) if time}


def _tail(times: list[float]) -> list[list[float]]:
    count, points, last = len(times), [], -1
    for step in range(40 * len(str(count)) + 1 if count else 0):
        rank = min(int(count * (1 - 10 ** (-step / 40))), count - 1)
        if rank > last:
            last = rank
            points.append([(count - rank) / count, times[rank]])
    return points


@dataclass
class Comparison:
    runs: list[cn.Result]
    equal: None = None
    hot_spots: dict[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> list[cn.Result]:
        return self.runs

    @property
    def gains(self) -> gains.Gains:
        return gains.gains([self.runs])


@cache
def toy(fabric: str, rows: int = 4, columns: int = 4, load: int = 400) -> Toy:
    return Toy(fabric, rows, columns, load)


def result(fabric: str = "bus", without: tuple[str, ...] = (), **changes: Any) -> cn.Result:
    sizes = {key: changes.pop(key) for key in ("rows", "columns", "load") if key in changes}
    data = {key: found for key, found in toy(fabric, **sizes).data().items() if key not in without}
    try:
        design = cn.design("performance-optimized", fabric=fabric)
    except cn.ConfigError:  # A fabric that the engine does not have yet.
        design = cn.design("performance-optimized", **{"fabric.link_rate": "1GB/s"})
    options = {"seed": 1, "seeds": 1, "warmup": 0}
    return cn.Result(data | changes, design, cn.workload("hm_0", requests=400), options, None)


def comparison(fabrics: tuple[str, ...] = FABRICS, **changes: Any) -> Comparison:
    return Comparison([result(fabric, **changes) for fabric in fabrics])


def timelines(fabrics: tuple[str, ...] = FABRICS, start_us: float = 100, end_us: float = 140) -> dict[str, Any]:
    return {fabric: toy(fabric).timeline(start_us, end_us) for fabric in fabrics}


def worn(fabric: str = "bus", **sizes: int) -> dict[str, Any]:
    draw = random.Random(len(fabric))
    data = toy(fabric, **sizes).data()
    intervals = 300
    host = [draw.randrange(40) for _ in range(intervals)]
    copied = [0] * 100 + [draw.randrange(30) for _ in range(intervals - 100)]
    erases = [0] * 100 + [draw.randrange(3) for _ in range(intervals - 100)]
    reasons = {"epoch": 40, "space": 300, "wear": 7}
    victims = sum(reasons.values())
    flash = {
        **{"reads": 5000, "programs": sum(host) + sum(copied), "erases": sum(erases), "host_pages": sum(host)},
        "write_amplification": 1 + sum(copied) / sum(host),
        "gc": {
            **{
                "collections": victims,
                "reasons": reasons,
                "pages_copied": sum(copied),
                "pages_copied_to_other_planes": 12,
            },
            **{"pages_copied_chip_to_chip": 0, "valid_share_of_victims": 0.43, "epochs": 2, "job_mean_us": 900.0},
            **{"job_max_us": 2500.0, "epoch_mean_us": 4000.0, "epoch_max_us": 5000.0},
        },
        "wear": {"erases_min": 1, "erases_mean": 4.25, "erases_max": 9, "bad_blocks": 3, "lifetime_bytes": 2.5e12},
        "blocks": {
            **{"total": 800, "free": 100, "open": 50, "full": 647, "bad": 3, "free_in_plane": [2, 5]},
            **{"by_valid_share": [0] * 8 + [47, 100, 200, 150, 50, 40, 30, 20, 5, 3, 1, 1], "valid_pages": 9000},
        },
        "series": {"interval_us": 12.5, "host_pages": host, "pages_copied": copied, "erases": erases},
        **{"suspensions": 17, "copybacks": 0, "read_retries": 5, "uncorrectable": 0},
    }
    collected = {"free_blocks": 0.5, "chip_busy_gc_read": 0.25, "chip_busy_gc_program": 1.0, "chip_busy_erase": 2.0}
    return {
        "flash": flash,
        "last_completion_us": 9000.0,
        **{
            account: {kind: table | collected for kind, table in data[account].items()}
            for account in ("blame_us", "root_cause_us")
        },
        "map": data["map"] | {"chips": [chip | {"erases": 3 + 2.5 * draw.random()} for chip in data["map"]["chips"]]},
        "cache": {
            **{"capacity_pages": 64, "power_loss_protection": True, "dirty_pages": 9},
            "reads": {"hits": 30, "partial": 10, "misses": 60},
            **{"writes": {"merged": 20, "inserted": 80, "waited": 4}, "destaged": 71, "flushes": 0},
        },
        "mapping": {
            "kind": "demand_paged",
            "entries": 4096,
            "hits": 950,
            "misses": 50,
            "shared_misses": 7,
            "translation_reads": 48,
            "merge_reads": 3,
            "translation_writes": 12,
        },
        "precondition": {
            **{"kind": "steady", "occupancy": [0.8, 0.8], "policy": "greedy", "write_amplification": 2.125},
            **{
                "pages_written": 0,
                "free_blocks": {"min": 2, "mean": 3.5, "max": 5},
                "valid_pages": 9000,
                "pages": 15000,
                "blocks": {"total": 800, "free": 100, "open": 0, "full": 697, "bad": 3},
            },
        },
    }
