"""Explanations of latencies in words."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from canaletto._io.units import count, digits, share, time_us, words

if TYPE_CHECKING:
    from canaletto._run.explain import Explained, Explanation, Holder, Step

SMALL = 0.005
"""Share of the latency; neighbouring steps below share a line."""

TOLD = 3
"""More holders are listed together."""

PHRASES = {
    "host_queue": "waited in the host for room in the submission queue",
    "host_link": "waited for the host link and crossed it",
    "device_queue": "waited in the submission queue to be fetched",
    "firmware": "was processed by the controller",
    "system_bus": "crossed the system bus",
    "dram": "passed the DRAM port",
    "ecc": "passed the ECC engine",
    "cache": "passed the data cache's DRAM",
    "write_buffer": "waited for room in the write buffer",
    "flush": "waited for earlier writes to reach the flash",
    "mapping_miss": "waited for its mapping entry to be read from flash",
    "same_page_write": "waited for an earlier write of the same page",
    "read_modify_write": "waited for the old page to be read",
    "free_blocks": "waited for garbage collection to free a block of {chip}",
    "chip_busy_user": "waited for {chip}",
    "chip_busy_gc_read": "waited for garbage collection to read at {chip}",
    "chip_busy_gc_program": "waited for garbage collection to program at {chip}",
    "chip_busy_erase": "waited for an erase at {chip}",
    "chip_busy_mapping": "waited for mapping tables to be read or programmed at {chip}",
    "chip_busy_folding": "waited for the pseudo-SLC cache to be folded at {chip}",
    "chip_busy_parity": "waited for parity to be programmed, or a page to be rebuilt from it, at {chip}",
    "path_conflict": "waited for a path to {chip}",
    "path_reservation": "had its path reserved",
    "transfer_of_others": "waited while other data crossed",
    "operand_transfer": "moved its operand to the chip that combines it",
    "compute": "was computed on, or waited for room or its turn",
    "command_transfer": "sent its command",
    "status": "waited until the controller had read {chip}'s status",
    "array_read": "was read by the array",
    "array_program": "was programmed by the array",
    "suspended": "was suspended for other reads",
    "retry": "was read or programmed again after a failure",
    "data_transfer": "sent its data",
    "completion": "sent its completion over the host link",
}
"""`{chip}` stands for the request's chip."""

_SHORT = {
    "host_queue": "waiting in the host's queue",
    "device_queue": "waiting in the submission queue",
    "cache": "the data cache",
    "write_buffer": "waiting for room in the write buffer",
    "flush": "waiting for earlier writes to reach the flash",
    "mapping_miss": "reading the mapping entry",
    "same_page_write": "an earlier write of the same page",
    "read_modify_write": "reading the old page",
    "free_blocks": "waiting for free blocks",
    "chip_busy_user": "chip busy",
    "chip_busy_gc_read": "reads of garbage collection at the chip",
    "chip_busy_gc_program": "programs of garbage collection at the chip",
    "chip_busy_erase": "erases at the chip",
    "chip_busy_mapping": "mapping tables at the chip",
    "chip_busy_folding": "folding at the chip",
    "chip_busy_parity": "parity at the chip",
    "array_read": "reading the array",
    "array_program": "programming the array",
    "suspended": "suspended for reads",
    "retry": "trying again",
}

_USES = {
    "command": "commands of {}",
    "data": "data of {}",
    "scout": "scouts of {}",
    "cancel": "scouts of {} going back",
    "reserved": "circuits of {}",
    "handshake": "handshakes of {}",
    "array_read": "page reads of {}",
    "array_program": "page programs of {}",
    "array_erase": "erases of {}",
    "compute": "computations of {}",
    "register": "the page register, with data of {}",
}

_WITH = {
    "array_read": "a read",
    "array_program": "a write",
    "array_erase": "an erase",
    "register": "data still to leave it",
    "data": "transfers",
    "command": "transfers",
}


_WORKS = {
    "host": "the host",
    "cache": "the data cache",
    "gc": "garbage collection",
    "mapping": "mapping tables",
    "parity": "parity",
}


def to_dict(found: "Explained") -> dict[str, Any]:
    return {
        "schema": 1,
        "requests": [_request_dict(each) for each in found.explanations],
        "left_out": found.left_out,
    }


def render(found: "Explained") -> Iterator[RenderableType]:
    for number, explanation in enumerate(found.explanations):
        if number:
            yield Text()
        yield headline(explanation)
        yield _table(explanation)
        yield Text(f"  mostly: {mostly(explanation)}", "bold yellow")


def headline(explanation: "Explanation") -> Text:
    e = explanation
    extent = f" of {_size(e.bytes)} at LBA {e.lba}" if e.sectors else ""
    extent += f" from byte {e.first_byte} on" if e.first_byte else ""
    if e.place is not None:
        extent += "" if e.place.zone is None else f" of zone {e.place.zone}"
        extent += "" if e.place.handle is None else f" by handle {e.place.handle}"
        extent += "" if e.place.namespace is None else f" in namespace {e.place.namespace}"
    what = f": {e.op}{extent}, {figure(e, e.latency_ps)} µs"
    if e.times_median is not None:
        what += f", {digits(e.times_median)} times the median"
    more = f"\n  arrived at {_moment(e.arrival_ps)}"
    if e.pages > 1:
        more += f"; {count(e.pages)} pages, of which the last to finish is shown"
    return Text.assemble((f"request {e.request}", "bold"), what, (more, "dim"))


def lines(explanation: "Explanation") -> list[tuple[int, int, str]]:
    told: list[tuple[int, int, str]] = []
    limit = SMALL * explanation.latency_ps
    for small, group in groupby(_joined(explanation.steps), lambda same: _duration(same) < limit):
        for steps in [[step for same in group for step in same]] if small else group:
            start, end = steps[0].start_ps, steps[-1].end_ps
            said = [_words(explanation, same) for same in _joined(steps)]
            if len(said) > 1:
                said = [_plain(step) for step in steps]
            told.append((start - explanation.arrival_ps, end - start, ", ".join(dict.fromkeys(said))))
    return told


def mostly(explanation: "Explanation") -> str:
    """By root cause, or where none is known by what was waited for."""
    roots = explanation.root_causes
    parts = roots or _parts_by_wait(explanation)
    if not parts:
        return "nothing"
    most = max(parts, key=lambda part: parts[part])
    told = f"{_rooted(explanation, most) if roots else most} ({share(parts[most] / explanation.latency_ps)})"
    return told + _longest(explanation, parts[most]) if roots and most == "chip_busy_user" else told


def _rooted(explanation: "Explanation", cause: str) -> str:
    label = _SHORT.get(cause, words(cause))
    chips = [step.chip for step in explanation.steps if step.chip is not None]
    chip = chips[-1] if chips else "its chip"
    if cause in ("path_conflict", "transfer_of_others", "path_reservation"):
        way = _listed(explanation.ways, 2) if explanation.ways else f"the ways to {chip}"
        return {
            "path_conflict": f"waiting for {way}",
            "transfer_of_others": f"transfers of others at {chip}",
            "path_reservation": f"reserving {way}",
        }[cause]
    if cause == "chip_busy_user":
        own = set(_held(explanation)) == {explanation.request}
        return f"{chip} busy with {'its other pages' if own else 'requests'}"
    return f"{label} {chip}" if label.endswith("at") else label.replace("the chip", chip)


def _longest(explanation: "Explanation", busy_ps: int) -> str:
    held = _held(explanation)
    longest = max(held, key=lambda request: held[request], default=None)
    # A wait for an earlier request is passed on to what that one waited for, which is not among the holders.
    if longest is None or held[longest] < busy_ps / 2 or set(held) == {explanation.request}:
        return ""
    return f", longest with {'its other pages' if longest == explanation.request else f'request {longest}'}"


def _held(explanation: "Explanation") -> dict[int, int]:
    sums: dict[int, int] = {}
    for step in explanation.steps:
        for holder in step.holders if step.cause == "chip_busy_user" else ():
            if holder.request is not None:
                sums[holder.request] = sums.get(holder.request, 0) + holder.time_ps
    return sums


def _parts_by_wait(explanation: "Explanation") -> dict[str, int]:
    parts: dict[str, int] = {}

    def add(label: str, time: int) -> None:
        if time:
            parts[label] = parts.get(label, 0) + time

    for step in explanation.steps:
        label, rest = _SHORT.get(step.cause, words(step.cause)), step.duration_ps
        if step.cause in ("chip_busy_user", "read_modify_write"):
            for holder in step.holders:
                add(_part_of_wait(step.cause, label, holder), holder.time_ps)
                rest -= holder.time_ps
        add("in line for a chip that was idle" if step.cause == "chip_busy_user" else label, max(0, rest))
    return parts


def _part_of_wait(cause: str, label: str, holder: "Holder") -> str:
    if cause == "read_modify_write":
        did = _SHORT.get(holder.kind, words(holder.kind))
        return label if holder.kind == "array_read" else f"{label}, of it {did}"
    own = holder.work in ("gc", "mapping", "parity")
    return f"{label} with {_WORKS[holder.work] if own else _WITH.get(holder.kind, words(holder.kind))}"


def figure(explanation: "Explanation", ps: int) -> str:
    unit = 10 ** (6 - _decimals(explanation))
    return f"{_rounded(ps, unit) * unit / 1e6:,.{_decimals(explanation)}f}"


def _table(explanation: "Explanation") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold cyan")
    table.add_column("  after", justify="right", no_wrap=True, style="dim")
    table.add_column("took", justify="right", no_wrap=True)
    table.add_column("")
    unit = 10 ** (6 - _decimals(explanation))
    for after, took, text in lines(explanation):
        # Durations are differences of rounded moments, so that those shown add up to the latency shown.
        begin, end = (_rounded(time, unit) * unit for time in (after, after + took))
        table.add_row(f"  {figure(explanation, begin)}", f"{figure(explanation, end - begin)} µs", text)
    return table


def _joined(steps: Sequence["Step"]) -> list[list["Step"]]:
    return [list(same) for _, same in groupby(steps, lambda step: step.cause)]


def _duration(steps: Sequence["Step"]) -> int:
    return steps[-1].end_ps - steps[0].start_ps


def _words(explanation: "Explanation", steps: Sequence["Step"]) -> str:
    step = steps[0]
    holders = [holder for each in steps for holder in each.holders]
    said = _plain(step)
    if step.cause in ("path_conflict", "compute") and step.parts:
        said += f" ({_listed(step.parts, 2)})"
    elif used := [part for each in steps for part in each.parts if not holders and part != step.chip]:
        said += f" ({_listed(list(dict.fromkeys(used)), 2)})"
    if step.cause == "read_modify_write":
        told = [f"{_SHORT.get(h.kind, words(h.kind))} ({time_us(h.time_ps / 1e6)})" for h in holders]
    elif len(holders) <= TOLD:
        told = [_holder(explanation, step, holder) for holder in holders]
    else:
        uses = _by_use(holders)
        told = [_alike(explanation, alike) for alike in uses[:TOLD]]
        if others := [holder for alike in uses[TOLD:] for holder in alike]:
            told.append(f"other uses ({time_us(sum(holder.time_ps for holder in others) / 1e6)})")
    unheld = sum(each.unheld_ps for each in steps)
    if holders and step.cause.startswith("chip_busy") and unheld:
        told.append(f"others before it in line while the chip was idle ({time_us(unheld / 1e6)})")
    return f"{said}: {', '.join(told)}" if told else said


def _plain(step: "Step") -> str:
    return PHRASES.get(step.cause, words(step.cause)).format(chip=step.chip or "its chip")


def _holder(explanation: "Explanation", step: "Step", holder: "Holder") -> str:
    owner = _WORKS[holder.work] if holder.request is None else f"request {holder.request}"
    if holder.request == explanation.request:
        owner = "this request's own pages"
    said = _USES.get(holder.kind, words(holder.kind) + " of {}").format(owner)
    where = [part for part in holder.parts if part not in step.parts or len(step.parts) > 1]
    if where and where != [step.chip]:
        said += f" on {_listed([_within(part, step.chip) for part in where], 2)}"
    return f"{said} ({time_us(holder.time_ps / 1e6)})"


def _by_use(holders: Sequence["Holder"]) -> list[list["Holder"]]:
    uses: dict[tuple[str, str], list[Holder]] = {}
    for holder in holders:
        uses.setdefault((holder.kind, holder.work), []).append(holder)
    return sorted(uses.values(), key=lambda alike: -sum(holder.time_ps for holder in alike))


def _alike(explanation: "Explanation", holders: Sequence["Holder"]) -> str:
    requests = list(dict.fromkeys(holder.request for holder in holders))
    names = [f"{number}" for number in requests if number is not None]
    owner = f"request{'s' if len(names) > 1 else ''} {_listed(names, 2)}" if names else _WORKS[holders[0].work]
    if requests == [explanation.request]:
        owner = "this request's own pages"
    said = _USES.get(holders[0].kind, words(holders[0].kind) + " of {}").format(owner)
    times = f"{count(len(holders))} times, " if len(holders) > 1 else ""
    return f"{said} ({times}{time_us(sum(holder.time_ps for holder in holders) / 1e6)})"


def _within(part: str, chip: str | None) -> str:
    inner = part.removeprefix(chip).strip(" ,:") if chip else part
    return inner or part


def _listed(names: Sequence[str], most: int) -> str:
    if len(names) <= most + 1:
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"{', '.join(names[:most])} and {count(len(names) - most)} more"


def _decimals(explanation: "Explanation") -> int:
    latency_us = explanation.latency_ps / 1e6
    return 3 if latency_us < 10 else 2 if latency_us < 100 else 1


def _rounded(ps: int, unit: int) -> int:
    return (ps + unit // 2) // unit


def _moment(ps: int) -> str:
    nanoseconds = _rounded(ps, 1000)
    milliseconds, rest = divmod(nanoseconds, 10**6)
    return f"{milliseconds:,}.{rest // 1000:03} {rest % 1000:03} ms"


def _size(size: int) -> str:
    return f"{digits(size / 1024).removesuffix('.00')} KiB" if size >= 1024 else f"{size} B"


def _request_dict(explanation: "Explanation") -> dict[str, Any]:
    e = explanation
    return {
        "request": e.request,
        "flow": e.flow,
        "op": e.op,
        "lba": e.lba,
        "zone": e.place and e.place.zone,
        "handle": e.place and e.place.handle,
        "namespace": e.place and e.place.namespace,
        "sectors": e.sectors,
        "first_byte": e.first_byte,
        "bytes": e.bytes,
        "arrival_ps": e.arrival_ps,
        "complete_ps": e.complete_ps,
        "latency_ps": e.latency_ps,
        "median_ps": e.median_ps,
        "times_median": e.times_median,
        "pages": e.pages,
        "page": e.page,
        "mostly": mostly(e),
        "by_cause_ps": e.by_cause(),
        "by_root_cause_ps": dict(sorted(e.root_causes.items(), key=lambda item: -item[1])) if e.root_causes else None,
        "steps": [_step_dict(e, step) for step in e.steps],
    }


def _step_dict(explanation: "Explanation", step: "Step") -> Mapping[str, Any]:
    return {
        "cause": step.cause,
        "start_ps": step.start_ps,
        "duration_ps": step.duration_ps,
        "chip": step.chip,
        "parts": list(step.parts),
        "text": _words(explanation, [step]),
        "holders": [
            {
                "kind": each.kind,
                "request": each.request,
                "work": each.work,
                "parts": list(each.parts),
                "time_ps": each.time_ps,
            }
            for each in step.holders
        ],
        "unheld_ps": step.unheld_ps,
    }
