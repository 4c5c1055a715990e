"""A result in one screen of 80 columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from canaletto._io.units import (
    bar,
    cause_label,
    count,
    factor,
    listing,
    number_of,
    part_of_whole,
    scaled,
    share,
    thousandths,
    time_us,
    words,
)
from canaletto._report import account, maintenance, replays
from canaletto._report.account import Account
from canaletto._run import caveats
from canaletto._run.confidence import lookup

PERCENTILES = {
    "mean": "mean",
    "p50": "p50",
    "p90": "p90",
    "p99": "p99",
    "p99_9": "p99.9",
    "p99_99": "p99.99",
    "max": "max",
}

FEW = "–: fewer than ten requests are slower, too few for a percentile."

KINDS = ("all", "read", "write", "trim", "flush")

_BAR = 11
_HEAD = "bold cyan"
_FAINT = "dim"


def render(data: Mapping[str, Any], shown: Account | None = None) -> RenderableType:
    parts: list[RenderableType] = [_title(data)]
    if failures := failed([data]):
        parts.append(Text(failures, "bold red"))
    parts += [Text(caveat, "bold yellow") for caveat in caveats.of_all([data], before=False)]
    parts += [Text(), _headline(data), Text(), _latency(data), Text(), _causes(data, shown)]
    if len(data.get("flows") or ()) > 1:
        parts += [Text(), _flows(data)]
    if data.get("confidence"):
        parts += [Text(), _confidence(data["confidence"])]
    return Group(*parts, Text(), _facts(data))


def text(data: Mapping[str, Any], width: int = 80) -> str:
    return plain(render(data), width)


def plain(part: RenderableType, width: int) -> str:
    out = StringIO()
    # In a notebook, Rich would show it there at once, next to the cell's own answer.
    Console(file=out, width=width, color_system=None, legacy_windows=False, force_jupyter=False).print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def sentence(data: Mapping[str, Any]) -> str:
    return f"{served(data)} in {time_us(data['execution_time_us'])} simulated"


def served(data: Mapping[str, Any]) -> str:
    requests = data["requests"]
    names = {"reads": "read", "writes": "write", "trims": "trim", "flushes": "flush"}
    kinds = [number_of(requests[kind], name, kind) for kind, name in names.items() if requests.get(kind)]
    generated, completed = requests["generated"], number_of(requests["completed"], "request")
    unserved = "" if requests["completed"] == generated else f" of {count(generated)} generated"
    # The warm-up is among the completed ones, and neither in the kinds nor in the bytes.
    counted = sum(requests.get(kind) or 0 for kind in names)
    part, after = (f"{count(counted)} of ", " after the warm-up") if counted < requests["completed"] else ("", "")
    return f"{part}{completed}{unserved}{after} ({', '.join(kinds)}; {scaled(requests['bytes'], 'B')})"


def failed(runs: Sequence[Mapping[str, Any]]) -> str:
    found = {run["fabric"]: run["requests"].get("failed") for run in runs}
    if len(runs) == 1:
        (number,) = found.values()
        if not number:
            return ""
        return f"{number_of(number, 'request was', 'requests were')} completed with an error."
    told = [f"{count(number)} on {fabric}" for fabric, number in found.items() if number]
    return f"Requests were completed with an error: {', '.join(told)}." if told else ""


def title(data: Mapping[str, Any]) -> list[str]:
    return [str(data["design"]), str(data["workload"]), str(data["fabric"]), f"seed {data['seed']}"]


def _title(data: Mapping[str, Any]) -> Text:
    design, *rest = title(data)
    return Text.assemble((design, "bold"), " · ", listing(rest), "\n", (sentence(data), _FAINT))


def _headline(data: Mapping[str, Any]) -> RenderableType:
    latency = data["latency_us"]["all"] or {}
    figures = [
        (scaled(data["iops"]), "IOPS"),
        (scaled(_times(data["bandwidth_mb_s"], 1e6), "B/s"), "bandwidth"),
        (time_us(latency.get("mean")), "mean latency"),
        (time_us(latency.get("p99")), "p99 latency"),
    ]
    table = Table.grid(padding=(0, 4, 0, 0))
    table.add_row(*[Text(figure, "bold green") for figure, _ in figures])
    table.add_row(*[Text(label, _FAINT) for _, label in figures])
    return Padding(table, (0, 0, 0, 2))


def _latency(data: Mapping[str, Any]) -> RenderableType:
    table = _table("latency", *PERCENTILES.values())
    for kind in KINDS:
        row = data["latency_us"].get(kind)
        if row and row.get("mean") is not None:
            table.add_row(kind, *[time_us(row.get(key)) for key in PERCENTILES])
    return Group(table, Text(FEW, _FAINT)) if lacks_percentiles([data]) else table


def lacks_percentiles(runs: Iterable[Mapping[str, Any]]) -> bool:
    served = [row for run in runs for row in run["latency_us"].values() if row and row.get("mean") is not None]
    return any(row.get(key) is None for row in served for key in PERCENTILES)


def _causes(data: Mapping[str, Any], shown: Account | None) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style=_HEAD)
    table.add_column(account.TITLES[shown or account.main(data)], no_wrap=True)
    for heading in ("mean", "slowest 1 %"):
        table.add_column(heading, no_wrap=True, width=_BAR)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True, style=_FAINT)
    for cause, *kinds in cause_rows(data, shown):
        cells: list[RenderableType] = [cause_label(cause)]
        for colour, (value, part) in zip(("cyan", "magenta"), kinds, strict=True):
            cells += [Text(bar(part, _BAR - 1), colour), time_us(value) if value else "", part_of_whole(part)]
        table.add_row(*cells)
    return table


def cause_rows(
    data: Mapping[str, Any], shown: Account | None = None
) -> list[tuple[str, tuple[float, float], tuple[float, float]]]:
    mean, p99 = (account.table(data, kind, shown) for kind in ("all", "p99"))
    sums = [sum(part.values()) for part in (mean, p99)]
    rows = []
    for cause in mean:
        values = [part.get(cause, 0.0) for part in (mean, p99)]
        shares = [value / total if total else 0.0 for value, total in zip(values, sums, strict=True)]
        rows.append((cause, (values[0], shares[0]), (values[1], shares[1])))
    return sorted(rows, key=lambda row: -row[1][0])


def _flows(data: Mapping[str, Any]) -> RenderableType:
    slowed = any(flow.get("slowdown") is not None for flow in data["flows"])
    table = _table("flow", "requests", "IOPS", "bandwidth", "mean", "p99", "max", *(["slowdown"] if slowed else []))
    for flow in data["flows"]:
        latency = lookup(flow, "latency_us.all") or {}
        table.add_row(
            flow["name"],
            count(lookup(flow, "requests.completed")),
            scaled(flow.get("iops")),
            scaled(_times(flow.get("bandwidth_mb_s"), 1e6), "B/s"),
            *[time_us(latency.get(key)) for key in ("mean", "p99", "max")],
            *([factor(flow.get("slowdown"))] if slowed else []),
        )
    return table


def _confidence(confidence: Mapping[str, Any]) -> RenderableType:
    seeds = confidence["seeds"]
    table = _table(f"over {number_of(len(seeds), 'seed')}", "mean", "95 % confidence")
    for name, found in confidence.items():
        if isinstance(found, Mapping):
            format_ = figure(name)
            table.add_row(headline_name(name), format_(found["mean"]), f"± {format_(found['half_width'])}")
    return table


def _facts(data: Mapping[str, Any]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=_HEAD, no_wrap=True)
    table.add_column()
    for label, fact in facts(data):
        table.add_row(label, fact)
    return table


def trace_lines(found: Mapping[str, Any]) -> Iterator[str]:
    if found["skipped_lines"]:
        yield f"{number_of(found['skipped_lines'], 'bad line')} left out, the first: {found['first_skipped']}"
    if found["out_of_order_lines"]:
        yield f"{number_of(found['out_of_order_lines'], 'line')} out of order, sorted by arrival"
    if found.get("clock_restarts"):
        yield f"its clock starts again {number_of(found['clock_restarts'], 'time')}: the runs follow each other"


def facts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    flash = data.get("flash") or {}
    amplification = flash.get("write_amplification")
    counts = [number_of(flash[f"{kind}s"], kind) for kind in ("read", "program", "erase") if flash.get(f"{kind}s")]
    if amplification is not None:
        counts.append(f"write amplification {amplification:.2f}")
    if busiest := caveats.bottleneck(data):
        yield "busiest", busiest
    yield "flash", listing(counts) or "not touched"
    yield from _placement(flash)
    if data.get("precondition"):
        yield "initial", _initial_state(data["precondition"])
    yield from replays.facts(data)
    yield from maintenance.facts(data)
    for trace in data.get("traces") or ():
        for note in trace_lines(trace):
            yield "trace", f"{trace['file']}: {note}"
    conflicts = data.get("path_conflicts") or {}
    if conflicts.get("free_request_share") is not None:
        lost = conflicts.get("lost_us")
        yield (
            "paths",
            f"{share(conflicts['free_request_share'])} of requests without path conflict"
            + (f" · {time_us(lost)} waited in all" if lost else ""),
        )
    energy = (data.get("energy_mj") or {}).get("total")
    if energy is not None:
        yield "energy", listing([thousandths(energy, "J"), f"{thousandths(data['average_power_mw'], 'W')} on average"])
    if len(data.get("flows") or ()) > 1 and data.get("fairness") is not None:
        yield "fairness", f"{data['fairness']:.3f}, the smallest slowdown over the largest"
    cost = data["cost"]
    yield (
        "cost",
        listing(
            [
                f"{cost['cpu_s']:.2f} CPU-s",
                f"{scaled(cost['requests_per_cpu_s'])} requests/CPU-s",
                f"{scaled(cost['events'])} events",
                f"{scaled(_times(cost['peak_rss_mb'], 1e6), 'B')} peak memory",
            ]
        ),
    )


def _placement(flash: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Zones and what they refused, in the standard's words; handles."""
    if zones := flash.get("zones"):
        states = [_counted(zones["states"]), f"{scaled(zones['capacity_bytes'], 'B')} each"]
        refused = [f"refused: {_counted(zones['refused'])}"] if zones["refused"] else []
        yield "zones", listing([*states, *refused])
    if fdp := flash.get("fdp"):
        handles, units = fdp["handles"], sum(handle["units_opened"] for handle in fdp["handles"])
        used = sum(handle["host_pages"] > 0 for handle in handles)
        unknown = fdp["invalid_placements"]
        said = [f"{used} of {number_of(len(handles), 'handle')} written", number_of(units, "reclaim unit")]
        yield "handles", listing([*said, *([number_of(unknown, "unknown handle")] if unknown else [])])


def _counted(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{count(number)} {name.replace('_', ' ')}" for name, number in numbers.items())


def _initial_state(state: Mapping[str, Any]) -> str:
    blocks, free = state["blocks"], state["free_blocks"]
    kinds = [f"{count(blocks[kind])} {kind}" for kind in ("free", "open", "full", "bad") if blocks[kind]]
    spread = str(free["min"]) if free["min"] == free["max"] else f"{free['min']} to {free['max']}"
    parts = [
        state["kind"],
        f"{share(state['valid_pages'] / state['pages'])} of {number_of(state['pages'], 'page')} hold data",
        f"{' + '.join(kinds)} = {number_of(blocks['total'], 'block')}",
        f"{spread} free a plane",
    ]
    if state["write_amplification"] is not None:
        parts.append(f"write amplification {state['write_amplification']:.2f} in the long run ({state['policy']})")
    return listing(parts)


def figure(name: str) -> Any:
    if "_us" in name:
        return time_us
    if name == "bandwidth_mb_s":
        return lambda value: scaled(_times(value, 1e6), "B/s")
    if name.endswith("share"):
        return share
    if name.startswith("slowdown."):
        return factor
    if name.endswith(("amplification", "fairness")):
        return lambda value: f"{value:.3f}"
    return scaled if name == "iops" else count


def headline_name(name: str) -> str:
    if name.startswith("slowdown."):
        return f"slowdown of {name.removeprefix('slowdown.')}"
    parts = [part.removesuffix("_us").removesuffix("_mb_s") for part in name.split(".")]
    if parts[0] == "latency":
        parts = [*(part for part in parts[1:2] if part != "all"), "latency", PERCENTILES.get(parts[2], parts[2])]
    if parts == ["iops"]:
        return "IOPS"
    return words(" ".join(parts))


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=_HEAD)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    return table


def _times(number: float | None, factor: float) -> float | None:
    return None if number is None else number * factor


def plain_table(*headings: str, right: tuple[int, ...] = ()) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold cyan")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number in right else "left", overflow="fold")
    return table
