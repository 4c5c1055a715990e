"""Caveats of a run: saturation, runs too short for a steady figure, and limits."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from canaletto import _engine
from canaletto._io.units import count, digits, number_of, scaled, share
from canaletto._run.config import Design, Workload
from canaletto._run.quantities import size_bytes

GROWTH = 1.5
BACKLOG = 2.0


def of(run: Mapping[str, Any]) -> list[str]:
    parts = (_cut_off, _traces, _load, _small, _collection, _cached, _unsettled)
    return [sentence for part in parts for sentence in part(run)]


def notes(run: Mapping[str, Any], design: Design, workload: Workload) -> list[str]:
    return [*of(run), *_straddling(design, workload), *design.notes, *workload.notes]


def of_all(runs: Sequence[Mapping[str, Any]], *, before: bool = True) -> list[str]:
    """Notes of several runs, each with its fabrics.

    before: with notes on keys, which commands print before they run.
    """
    told = {run["fabric"]: [each for each in _notes(run) if before or _IDLE not in each] for run in runs}
    if len(runs) == 1:
        return next(iter(told.values()))
    saturated = [run for run in runs if (run.get("load") or {}).get("saturated")]
    apart = {sentence for run in saturated for sentence in _load(run)}
    rested = [run["fabric"] for run in runs if run not in saturated]
    order = [*rested, *(run["fabric"] for run in saturated)]
    found = {sentence: None for fabric in order for sentence in told[fabric] if sentence not in apart}
    about = {sentence: [fabric for fabric in told if sentence in told[fabric]] for sentence in found}
    return [
        *_saturated(saturated),
        *(
            on(sentence, about[sentence], len(runs))
            for sentence in found
            if is_told(sentence, about[sentence], len(runs))
        ),
    ]


def _notes(run: Mapping[str, Any]) -> list[str]:
    return list(run["notes"]) if run.get("notes") is not None else of(run)


_IDLE = ": has no effect: it needs "


def is_told(note: str, fabrics: Sequence[str], of: int) -> bool:
    """A reader cannot expect a key of Venice's to act on a bus."""
    return len(fabrics) == of or f"{_IDLE}fabric.kind = " not in note


def _saturated(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if runs:
        served = [f"{scaled(run['load']['served_iops'])} on {run['fabric']}, busiest {bottleneck(run)}" for run in runs]
        yield (
            f"Saturated: {scaled(runs[0]['load']['offered_iops'])} requests/s arrive; served are {'; '.join(served)}. "
            "Latencies there depend on the length of the run."
        )


def on(sentence: str, fabrics: Sequence[str], of: int) -> str:
    """A sentence with its fabrics, if these are not all."""
    if len(fabrics) == of:
        return sentence
    # A sentence may also begin with a file or a flow.
    first = sentence[0].lower() if sentence[: sentence.find(" ")].istitle() else sentence[0]
    return f"On {', '.join(fabrics)}: {first}{sentence[1:]}"


def bottleneck(run: Mapping[str, Any]) -> str:
    found = (run.get("load") or {}).get("bottleneck")
    return f"{found['part']} ({share(found['use'])} in use)" if found else ""


def _cut_off(run: Mapping[str, Any]) -> Iterator[str]:
    found = run.get("cut_off") or {}
    if found.get("chips"):
        failed = number_of(found["requests_failed"], "request")
        yield (
            f"Failed parts of the interconnect cut {number_of(found['chips'], 'chip')} off: {failed} failed "
            "because of it, reads at once. They count in rates and latencies."
        )


WRAPPED = 0.01


def _traces(run: Mapping[str, Any]) -> Iterator[str]:
    for trace in run.get("traces") or ():
        for sentence in of_trace(trace, overlaid=trace["overlaid"], paced=trace["paced"]):
            yield f"{trace['file']}: {sentence}"
    for replay in run.get("replays") or ():
        for trace in replay["traces"]:
            if trace["requests"] and trace["wrapped"] > WRAPPED * trace["requests"]:
                yield (
                    f"{trace['file']}: {share(trace['wrapped'] / trace['requests'])} of the requests lay beyond the "
                    "drive and share its addresses with others. Take a larger drive, or scale the addresses (--fit)."
                )


def of_trace(lines: Mapping[str, Any], *, overlaid: bool = True, paced: bool = True) -> Iterator[str]:
    """Doubts about a trace.

    overlaid: devices share the drive's addresses. paced: replayed at its times.
    """
    devices, together, clock = (lines.get(key) or 0 for key in ("devices", "simultaneous_share", "clock_ns"))
    if overlaid and devices > 1:
        number = f"at least {devices}" if devices == _engine.MOST_DEVICES else devices
        yield (
            f"requests of {number} devices, laid over each other at the same addresses. Lay the devices end to "
            "end (--devices offset), or keep one of them."
        )
    closed = "Replay it without its times (--queue-depth N), or scale generated traffic to it (trace fit)."
    if paced and clock > 1:
        unit = "seconds" if clock == 10**9 else "milliseconds"
        yield (
            f"all times are whole {unit}, so requests come in bursts that did not exist, and latencies show them. "
            f"{closed}"
        )
    elif paced and together > 0.5:
        yield (
            f"{share(together)} of the requests arrive at the same moment as the one before, and wait for it. {closed}"
        )


def _load(run: Mapping[str, Any]) -> Iterator[str]:
    load = run.get("load") or {}
    growth = load.get("backlog_growth")
    if load.get("saturated"):
        rates = f"{scaled(load['offered_iops'])} requests/s arrive, {scaled(load['served_iops'])} are served"
        yield (
            f"Saturated: {rates}. Busiest: {bottleneck(run)}. The backlog grows as long as requests come, so latencies "
            "depend on the length of the run."
        )
    elif growth is not None and growth > GROWTH and _outstanding(run) > BACKLOG:
        yield (
            f"Too short for a steady figure: {digits(growth)} times as many requests were outstanding towards the end "
            "as before the middle. Run longer, or leave out the beginning (--warmup auto)."
        )


def _outstanding(run: Mapping[str, Any]) -> float:
    outstanding = [float(each) for each in (run.get("series") or {}).get("outstanding") or ()]
    return sum(outstanding) / max(1, len(outstanding))


SPARE = 4.0
"""Spare blocks per plane; with fewer, the computed steady state is off by over 5 % (preconditioning.md)."""


def _small(run: Mapping[str, Any]) -> Iterator[str]:
    before = run.get("precondition") or {}
    blocks, free = before.get("blocks") or {}, (before.get("free_blocks") or {}).get("mean")
    if before.get("kind") != "steady" or not free:
        return
    planes = blocks["free"] / free
    spare = (blocks["full"] - before["valid_pages"] * blocks["total"] / before["pages"]) / planes
    if spare < SPARE:
        yield (
            f"Too small a drive for the computed steady state: {digits(max(spare, 0.0))} spare blocks per plane, "
            f"expected at least {SPARE:.0f}. Its write amplification is off by more than 5 %. Write the drive instead "
            "(--precondition replay), or take more blocks or more over-provisioning."
        )


def _collection(run: Mapping[str, Any]) -> Iterator[str]:
    flash = run.get("flash") or {}
    blocks = flash.get("blocks") or {}
    # Memories that are written in place have nothing to collect.
    collects = blocks.get("open", 0) + blocks.get("full", 0) > 0
    if not (collects and flash.get("host_pages")):
        return
    chips = len((run.get("map") or {}).get("chips") or ())
    erases = flash.get("erases") or 0
    if erases == 0:
        fresh = not run.get("precondition")
        advice = "Begin with a drive in steady state (--precondition steady), or write more" if fresh else "Write more"
        yield f"No block was collected: what writes cost in the long run does not show. {advice}{_enough(run)}."
    elif erases < chips:
        yield (
            f"Only {number_of(erases, 'block')} of {count(chips)} chips were erased: the run is too short for a "
            f"steady figure of collection. Write more{_enough(run)}."
        )


def _enough(run: Mapping[str, Any]) -> str:
    before = run.get("precondition") or {}
    free = (before.get("blocks") or {}).get("free", 0)
    if not free or before["kind"] != "steady":
        return ""
    pages = free * before["pages"] / before["blocks"]["total"]
    times = pages / run["flash"]["host_pages"]
    again = f" (--repeat {math.ceil(times)})" if run.get("traces") and times > 1 else ""
    return f": about {scaled(times * run['requests']['completed'])} requests in all{again}"


ALL = 0.999
"""Share of writes from which on the pseudo-SLC cache has taken all of them."""


def _cached(run: Mapping[str, Any]) -> Iterator[str]:
    flash = run.get("flash") or {}
    if (run.get("requests") or {}).get("writes") and not flash.get("programs"):
        yield (
            "All writes stayed in the write buffer, so that no flash was programmed. Write more than it holds to "
            "see what writes cost."
        )
    taken, written = (flash.get("pslc") or {}).get("host_pages") or 0, flash.get("host_pages") or 0
    folded = (flash.get("pslc") or {}).get("pages_folded") or 0
    if written and taken >= ALL * written and folded < taken / 2:
        yield (
            "All writes stayed in the pseudo-SLC cache, so that the state of the blocks behind it does not show. Write "
            "more than the cache holds to see what writes cost in the long run."
        )


SETTLED = 1.25


def _unsettled(run: Mapping[str, Any]) -> Iterator[str]:
    state, flash = run.get("precondition") or {}, run.get("flash") or {}
    before, now = state.get("write_amplification"), flash.get("write_amplification")
    chips = len((run.get("map") or {}).get("chips") or ())
    if state.get("kind") != "steady" or not before or not now or (flash.get("erases") or 0) < chips:
        return
    if max(before, now) / min(before, now) > SETTLED:
        yield (
            f"Write amplification left the steady state: {digits(before)} before the run, {digits(now)} in it. "
            "Write more, or begin with a written drive (--precondition replay)."
        )


def _straddling(design: Design, workload: Workload) -> Iterator[str]:
    page = design.to_dict()["geometry"]["page"]
    for flow in workload.to_dict()["flow"]:
        made = flow.get("synthetic") or {}
        size, step = made.get("size"), made.get("alignment")
        if size is None or step is None or made.get("addresses") == "sequential":
            continue
        within = size_bytes(step) / size_bytes(page)
        if size_bytes(size) % size_bytes(page) == 0 and within < 1:
            yield (
                f"{flow['name']}: requests of {size} begin at multiples of {step}, so that {share(1 - within)} of them "
                f'touch one more page of {page} than they fill. With alignment = "{page}" none does.'
            )
