"""Tables that the smaller commands print."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import RenderableType
from rich.text import Text

from canaletto._io.units import (
    ABSENT,
    binary,
    change,
    count,
    digits,
    factor,
    listing,
    number_of,
    scaled,
    share,
    time_us,
    words,
)
from canaletto._report.terminal import figure, headline_name, plain_table, trace_lines
from canaletto._run import caveats, likeness

if TYPE_CHECKING:
    from canaletto._bounding.bound import Bound
    from canaletto._run.drive import Drive
    from canaletto._run.mqsim import Replay
    from canaletto._run.repeat import Difference, Rerun
    from canaletto._run.timeline import Timeline
    from canaletto._sweeping.document import Document
    from canaletto._sweeping.estimate import Estimate


def plain(differences: Sequence["Difference"]) -> list[dict[str, Any]]:
    return [{"name": line.name, "a": line.a, "b": line.b, "change": line.change} for line in differences]


def rerun(again: "Rerun") -> Iterator[RenderableType]:
    if again.identical:
        yield Text("identical: every result is the same", "bold green")
    else:
        yield Text(f"different: {number_of(len(again.differences), 'result differs', 'results differ')}", "bold red")
        table = plain_table("result", "recorded", "now", "change", right=(1, 2, 3))
        for line in again.differences[:20]:
            table.add_row(line.name, value(line.a), value(line.b), change(line.change))
        yield table
    if again.version != again.recorded_version:
        yield Text(f"recorded by canaletto {again.recorded_version}, repeated by {again.version}")


def diff(
    a: str, b: str, configuration: Sequence["Difference"], results: Sequence["Difference"]
) -> Iterator[RenderableType]:
    if configuration:
        table = plain_table("configuration", a, b)
        for line in configuration:
            table.add_row(line.name, value(line.a), value(line.b))
        yield table
    else:
        yield Text("The configurations are the same.")
    yield Text()
    table = plain_table("result", a, b, "change", right=(1, 2, 3))
    for line in results:
        format_ = figure(line.name)
        cells = [ABSENT if value is None else format_(value) for value in (line.a, line.b)]
        table.add_row(headline_name(line.name), *cells, "same" if line.a == line.b else change(line.change))
    yield table


def planned(
    asked: "Document", points: int, simulations: int, missing: int, cost: "Estimate", processors: int
) -> Iterator[RenderableType]:
    table = plain_table("axis", "values", right=(1,))
    for axis in asked.grid.all_axes:
        table.add_row(axis.key, count(len(axis.values)))
    yield table
    shared = "" if simulations == points else f", {number_of(simulations, 'different simulation')}"
    known = (
        ""
        if missing == simulations
        else f", {number_of(simulations - missing, 'of them computed', 'of them computed')}"
    )
    yield Text(f"{number_of(points, 'point')}{shared}{known}")
    if cost.cpu_hours is None:
        yield Text(f"CPU time unknown: none of {number_of(cost.tried, 'point')} tried got far enough")
    elif missing:
        alone = time_us(cost.cpu_hours * 3.6e9 / processors)
        in_all = (
            f"{cost.cpu_hours:.2g} CPU-hours"
            if cost.cpu_hours >= 1
            else f"{time_us(cost.cpu_hours * 3.6e9)} of CPU time"
        )
        yield Text(
            f"about {in_all} for {count(missing)} missing ones, estimated from {cost.tried}: "
            f"{alone} on this machine's {number_of(processors, 'processor')}"
        )


def mqsim(replay: "Replay") -> Iterator[RenderableType]:
    for number, scenario in enumerate(replay.scenarios):
        heading = f"scenario {number}" if len(replay.scenarios) > 1 else "flow"
        columns = ["completed", "IOPS", "mean", "min", "p99", "max"]
        table = plain_table(heading, *columns, right=tuple(range(1, 7)))
        for flow in scenario.flows:
            served, generated = flow["completed"], flow["generated"]
            response = flow["device_response_ns"] or {}
            times = [response.get(key) for key in ("mean", "min", "p99", "max")]
            table.add_row(
                flow["name"],
                count(served) + ("" if served == generated else f" of {count(generated)}"),
                scaled(flow["iops"]),
                *[time_us(None if ns is None else ns / 1000) for ns in times],
            )
        yield table
        reasons = listing(scenario.inexact)
        yield Text(f"close to MQSim: {reasons}" if reasons else "exact: MQSim's own times, to the nanosecond")
        cost = scenario.cost
        yield Text(
            listing([f"{cost['cpu_s']:.2f} CPU-s", f"{scaled(cost['requests_per_cpu_s'])} requests/CPU-s"]), "dim"
        )


def presets(kinds: Mapping[str, Mapping[str, str]]) -> Iterator[RenderableType]:
    for number, (kind, known) in enumerate(kinds.items()):
        if number:
            yield Text()
        table = plain_table(kind, "")
        for name, about in known.items():
            table.add_row(name, about)
        yield table


_PLACES = {"wires": "wires", "held": "chip, bus held", "chip": "chip, wires free", None: "wires"}
_PLANES = {"each": "", "first": "first plane", "earlier": "each but the last", "last": "last plane"}


def sequences(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    kind = f"table {found['table']}" if found["table"] else "the design's own"
    yield Text(f"{kind}, times of {found['interface']}", "bold")
    for sequence in found["sequences"]:
        yield Text()
        table = plain_table(sequence["name"], "ns", "on", "of several planes", "source of the time", right=(1,))
        for step in sequence["steps"]:
            ns = ABSENT if step["ns"] is None else digits(step["ns"])
            table.add_row(step["step"], ns, _PLACES[step["on"]], _PLANES[step["of"]], step["source"] or "")
        yield table
        yield Text(f"source: {sequence['source']}" if sequence["source"] else "", "dim")
    yield Text()
    table = plain_table(f"on {found['fabric']}", "planes", "wires (ns)", "chip (ns)", right=(1, 2, 3))
    for time in found["times"]:
        table.add_row(time["name"], str(time["planes"]), digits(time["wires_ns"]), digits(time["chip_ns"]))
    yield table


def overload(found: Mapping[str, Any]) -> str:
    """Empty if the drive can do what is asked."""
    offered: Mapping[str, float] = found.get("offered") or {"read_gb_s": 0.0, "write_gb_s": 0.0}
    for kind in ("read", "write"):
        lowest = found[f"{kind}_bounds"][0]
        if offered[f"{kind}_gb_s"] > lowest["limit_gb_s"]:
            rates = [scaled(rate * 1e9, "B/s") for rate in (offered[f"{kind}_gb_s"], lowest["limit_gb_s"])]
            return (
                f"Saturated: {rates[0]} of {kind}s are offered, and {lowest['resource']} allows {rates[1]}. "
                "Latencies will depend on the length of the run."
            )
    return ""


def answers(found: Mapping[str, Any], closed_form: "Bound | None") -> Iterator[RenderableType]:
    if said := overload(found):
        yield Text(said, "bold yellow")
    if closed_form is not None:
        yield Text(_said(closed_form), "bold")
    table = plain_table("", "")
    table.show_header = False
    table.add_row("capacity", f"{scaled(found['logical_bytes'], 'B')} of {scaled(found['raw_bytes'], 'B')} raw")
    array = [number_of(found[key], key.removesuffix("s")) for key in ("chips", "planes")]
    table.add_row("array", listing([*array, f"pages of {count(found['page_bytes'])} B"]))
    table.add_row("memory", f"at most about {scaled(found['memory_mb'] * 1e6, 'B')}")
    cpu_s = found["cpu_s"]
    table.add_row("time", "not known beforehand" if cpu_s is None else f"about {time_us(cpu_s * 1e6)} of CPU")
    yield table
    for kind, heading in (("read", "reads bound by"), ("write", "writes bound by")):
        yield Text()
        table = plain_table(heading, "bandwidth", "in pages", right=(1, 2))
        for number, bound in enumerate(found[f"{kind}_bounds"]):
            rate = bound["limit_gb_s"] * 1e9
            style = "" if number else "bold yellow"
            iops = f"{scaled(rate / found['page_bytes'])} IOPS"
            table.add_row(bound["resource"], scaled(rate, "B/s"), iops, style=style)
        yield table


def several_planned(
    rows: Sequence[Mapping[str, Any]], simulations: int, cpu_s: float | None
) -> Iterator[RenderableType]:
    table = plain_table("fabric", "most IOPS", "bandwidth", "limited by", "knee", "memory", right=(1, 2, 4, 5))
    for row in rows:
        bandwidth = row["peak_bandwidth_mb_s"]
        table.add_row(
            row["fabric"],
            scaled(row["peak_iops"]),
            scaled(None if bandwidth is None else bandwidth * 1e6, "B/s"),
            row["limit"] or ABSENT,
            scaled(row["knee_iops"]),
            scaled(row["memory_mb"] * 1e6, "B"),
        )
    yield table
    time = "CPU time not known beforehand" if cpu_s is None else f"about {time_us(cpu_s * 1e6)} of CPU"
    yield Text(f"{number_of(simulations, 'simulation')}, {time}")


def bound(found: "Bound") -> Iterator[RenderableType]:
    yield Text(_said(found), "bold")
    if not found.is_exact:
        yield Text(
            f"{found.fabric} has no closed form: wires and ports allow no more, contention may allow less.", "dim"
        )
    if found.simulated_requests:
        run = f"{number_of(found.simulated_requests, 'request')} at saturation"
        yield Text(f"Measured with {run}: write amplification {digits(found.write_amplification)}.", "dim")
    yield Text()
    table = plain_table("part alone", "IOPS", "bandwidth", right=(1, 2))
    for number, (part, limit) in enumerate(found.limits_iops.items()):
        style = "" if number else "bold yellow"
        table.add_row(part, scaled(limit), scaled(limit * found.size_bytes, "B/s"), style=style)
    yield table
    yield Text()
    knee = f"{scaled(found.knee_iops)} IOPS (mean latency twice the idle drive's)"
    if found.is_closed:
        knee = "none: with so few requests outstanding latency hardly grows"
    table = plain_table("", "")
    table.show_header = False
    kinds = {"reads": found.unloaded_read_us, "writes": found.unloaded_write_us, "mean": found.mean_unloaded_us}
    idle = [f"{kind} {time_us(each)}" for kind, each in kinds.items() if each is not None]
    table.add_row("idle latency", listing(idle))
    table.add_row("knee", knee)
    if found.sustained_iops is not None and found.sustained_write_amplification is not None:
        state = f"write amplification {digits(found.sustained_write_amplification)}, no pseudo-SLC"
        table.add_row("endless writing", f"at most {scaled(found.sustained_iops)} IOPS ({state})")
    table.add_row("queue depth", f"at least {digits(found.knee_depth)} outstanding requests for the peak")
    yield table
    tails = found.to_dict()["latency"]
    if not tails:
        return
    yield Text()
    names = [name for name in tails[0] if name != "load"]
    table = plain_table("load", *(name.removesuffix("_us") for name in names), right=tuple(range(1, len(names) + 1)))
    for each in tails:
        table.add_row(f"{each['load']:.0%}", *(time_us(each[name]) for name in names))
    yield table


def _said(found: "Bound") -> str:
    asked = f"{share(found.read_share)} reads, mean size {_kib(found.size_bytes)}"
    peak = f"{scaled(found.peak_iops)} IOPS, {scaled(found.bandwidth_mb_s * 1e6, 'B/s')}"
    if not found.simulated_requests:
        return f"{found.design} on {found.fabric}, {asked}: at most {peak}, limited by {found.limit}"
    first = next(iter(found.limits_iops))
    of_part = f"limited by {first}, which" if found.limit == first else f"limited by {found.limit}: {first}"
    saturates = f"{found.design} on {found.fabric}, {asked}: saturates at {peak}"
    if found.peak_iops >= found.ceiling_iops:  # Requests that the run drew differ a little from their mean.
        return f"{saturates}, limited by {found.limit}"
    return f"{saturates}, {of_part} alone would allow {scaled(found.ceiling_iops)}"


def drive(found: "Drive") -> Iterator[RenderableType]:
    due = found.next_event_ps
    yield Text(f"drive {found.design.name} on {found.design.fabric}", "bold")
    table = plain_table("", "", right=(1,))
    table.show_header = False
    table.add_row("time", time_us(found.now_ps / 1e6))
    table.add_row("next event", ABSENT if due is None else time_us(due / 1e6))
    table.add_row("requests outstanding", count(found.outstanding))
    table.add_row("capacity", binary(found.sectors * 512))
    yield table


def timeline(found: "Timeline") -> Iterator[RenderableType]:
    windows = ", ".join(f"{time_us(start / 1e6)} to {time_us(end / 1e6)}" for start, end in found.windows)
    yield Text(f"timeline {found.title}", "bold")
    yield Text(f"{windows}: {number_of(found.requests.height, 'request')}, {number_of(found.steps.height, 'step')}")
    if found.truncated:
        yield Text(f"cut at {time_us(found.until_ps / 1e6)}", "bold yellow")
    used = pl.col("end_ps") - pl.col("start_ps")
    table = plain_table("use", "times", "in all", right=(1, 2))
    for kind, spans, total in found.spans.group_by("kind").agg(pl.len(), used.sum()).sort("kind").rows():
        table.add_row(words(kind), count(spans), time_us(total / 1e6))
    yield table


def trace(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    if "against" in found:
        yield from _alike(found)
        return
    yield Text(f"{found['file']}", "bold")
    table = plain_table("", "")
    table.show_header = False
    for label, text in trace_facts(found):
        table.add_row(label, text)
    yield table


def _alike(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    other = found["against"]
    table = plain_table("", "a", "b", "b / a", right=(1, 2, 3))
    for row in likeness.rows(other["alike"]):
        table.add_row(*row)
    yield Text(f"a: {found['file']}\nb: {other['file']}", "bold")
    yield table
    yield Text(likeness.ABOUT, "dim")


def trace_facts(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    size, gap, reuse = found["size_bytes"], found["inter_arrival_us"], found["reuse"]
    packing = "" if found["compression"] == "plain" else f" in {found['compression']}"
    yield "format", f"{found['format']}{packing}"
    special = [
        number_of(found[kind], one, kind) for kind, one in (("trims", "trim"), ("flushes", "flush")) if found[kind]
    ]
    yield "requests", ", ".join([count(found["requests"]), f"{share(found['read_share'])} reads", *special])
    yield "data", f"{binary(found['bytes_read'])} read, {binary(found['bytes_written'])} written"
    yield (
        "sizes",
        f"{binary(size['mean'])} mean, {binary(size['p50'])} median, {binary(size['p99'])} p99, "
        f"{binary(size['min'])} to {binary(size['max'])}",
    )
    yield "extent", f"{binary(found['end_bytes'])} on {number_of(found['devices'], 'device')}"
    about = "" if reuse["one_page_of"] == 1 else f" (estimated from one page of {reuse['one_page_of']})"
    yield "footprint", f"{binary(found['footprint_bytes'])} in pages of 4 KiB{about}"
    runs = "" if found["run_length"] is None else f", in runs of {digits(found['run_length'])}"
    yield "sequential", f"{share(found['sequential_share'])} of requests begin where one of the last 64 ended{runs}"
    yield (
        "reuse",
        f"{share(reuse['share'])} of page accesses are to pages accessed before; "
        f"{share(reuse['hottest_10_percent'])} to the hottest 10 % of pages",
    )
    yield "span", f"{time_us(found['span_us'])}, one request each {time_us(found['mean_inter_arrival_us'])}"
    if gap["p50"] is not None:
        varied = "" if gap["variation"] is None else f", deviation {gap['variation']:.1f} times the mean"
        yield (
            "arrivals",
            f"{share(gap['zero_share'])} together; gaps {time_us(gap['p50'])} median, "
            f"{time_us(gap['p99'])} p99{varied}",
        )
    channels = found.get("channels")
    if channels is not None:
        bursts = channels["imbalance_of_bursts"]
        short = "" if bursts is None else f", {factor(bursts)} within short stretches"
        yield "channels", f"the busiest of {channels['design']} takes {factor(channels['imbalance'])} the mean{short}"
    bounded = [found["bounded"]] if found.get("bounded") else []
    for note in (*bounded, *trace_lines(found["lines"]), *caveats.of_trace(found["lines"])):
        yield "lines", note


def _kib(size: float | None) -> str:
    if size is None:
        return ABSENT
    return f"{size:.0f} B" if size < 1024 else f"{digits(size / 1024)} KiB"


def value(given: Any) -> str:
    if given is None:
        return ABSENT
    return f"{given:.10g}" if isinstance(given, float) else str(given)
