"""The tables that `canaletto serve` prints at its end."""

from collections.abc import Iterator, Mapping
from typing import Any

from canaletto._io.units import count, digits, listing, number_of, scaled, time_us
from canaletto._report.terminal import plain_table
from rich.console import RenderableType
from rich.text import Text


def served(statistics: Mapping[str, Any]) -> Iterator[RenderableType]:
    requests, connections = statistics["requests"], statistics["connections"]
    clock = f"{statistics['clock']} clock"
    simulated, wall = (time_us(statistics[name] * 1e6) for name in ("simulated_s", "wall_s"))
    yield Text(listing([statistics["design"], clock, f"{simulated} simulated in {wall}"]), "bold")
    table = plain_table("requests", "number", "data", "mean", "p50", "p99", "max", right=(1, 2, 3, 4, 5, 6))
    for kind, found in requests.items():
        if times := found["latency_us"]:
            shown = (time_us(times[name]) for name in ("mean", "p50", "p99", "max"))
            table.add_row(kind, count(found["completed"]), scaled(found["bytes"], "B"), *shown)
    if table.row_count:
        yield Text()
        yield table
    if late := statistics["lateness_us"]:
        lateness = [f"{name} {time_us(late[name])}" for name in ("mean", "p50", "p99", "max")]
        yield Text(f"replies left late by: {', '.join(lateness)}")
    if statistics["mean_outstanding"]:
        yield Text(f"outstanding requests: {digits(statistics['mean_outstanding'])} on average")
    facts = [number_of(connections["accepted"], "connection")]
    failed = sum(found["failed"] for found in requests.values())
    told = {
        "turned away": connections["turned_away"],
        "cut off": connections["cut_off"],
        "requests refused": statistics["refused_requests"],
        "requests failed": failed,
    }
    yield Text(listing([*facts, *(f"{number:,} {name}" for name, number in told.items() if number)]))
