"""Replayed traces in words."""

from collections.abc import Iterator, Mapping
from os.path import basename
from typing import Any

from canaletto._io.units import count, factor, time_us

Data = Mapping[str, Any]


def facts(data: Data) -> Iterator[tuple[str, str]]:
    for stream in data.get("replays") or ():
        traces = stream["traces"]
        if len(traces) > 1:
            yield "replay", _stream(stream)
        for trace in traces:
            yield "replay", "; ".join([f"{basename(trace['file'])}: {_times(trace, stream)}", *_parts(trace)])
    if scaling := data.get("time_scaling"):
        given, now = time_us(scaling["given_inter_arrival_us"]), time_us(scaling["inter_arrival_us"])
        yield (
            "times",
            f"all open-loop flows at {factor(scaling['speed'])} their speed: {now} between requests, not {given}",
        )


def _stream(stream: Data) -> str:
    text = f"{count(stream['requests'])} requests of {len(stream['traces'])} traces as flow {stream['flow']}"
    gap = stream["inter_arrival_us"]
    return text if gap is None else f"{text}, {time_us(gap)} between requests"


def _times(trace: Data, stream: Data) -> str:
    recorded = trace["recorded_inter_arrival_us"]
    if stream["pace"] in ("closed-loop", "as-fast-as-possible"):
        depth = stream["queue_depth"]
        how = "as fast as possible" if depth is None else f"{count(depth)} requests outstanding"
        return how if recorded is None else f"{how} ({time_us(recorded)} between requests as recorded)"
    if trace["speed"] == 1:
        how = "at the recorded times"
        return how if recorded is None else f"{how}, {time_us(recorded)} between requests"
    how = f"at {factor(trace['speed'])} the recorded speed"
    if recorded is None:
        return how
    return f"{how}: {time_us(trace['inter_arrival_us'])} between requests, {time_us(recorded)} as recorded"


def _parts(trace: Data) -> Iterator[str]:
    for key, words in (
        ("skipped", "requests skipped"),
        ("not_sampled", "requests not sampled"),
        ("wrapped", "addresses wrapped"),
        ("scaled", "addresses scaled"),
    ):
        if trace[key]:
            yield f"{count(trace[key])} {words}"
    if trace["passes"] > 1:
        yield f"replayed {count(trace['passes'])} times"
