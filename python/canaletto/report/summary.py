"""What came out, in plain words made from the data."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from canaletto.report.units import share, time_us, words

Data: TypeAlias = Mapping[str, Any]

SAME = 0.01
"""Fabrics whose figures differ by less than this share are called equal."""

DOING = {
    "host_queue": "waiting for room in the host's queue",
    "host_link": "on the host link",
    "device_queue": "waiting for the drive to fetch requests",
    "firmware": "at the controller's processor",
    "system_bus": "on the controller's bus",
    "dram": "at the DRAM",
    "ecc": "correcting errors",
    "same_page_write": "waiting for an earlier write of the same page",
    "read_modify_write": "reading old pages for partial writes",
    "free_blocks": "waiting for free blocks",
    "chip_busy_user": "waiting for chips busy with other requests",
    "chip_busy_gc": "waiting for chips busy with garbage collection",
    "path_conflict": "waiting for a free path",
    "path_reservation": "reserving paths",
    "command_transfer": "sending commands",
    "array_read": "reading the arrays",
    "array_program": "programming the arrays",
    "data_transfer": "moving data over the wires",
    "completion": "completing",
}
"""What a request does while time is charged to a cause."""


def comparison(runs: Sequence[Data]) -> str:
    """Who wins, by how much and why; that nothing differs, if so."""
    served = [run for run in runs if _mean(run) is not None]
    if len(served) < 2:
        return single(served[0]) if served else "No request was completed, so there is nothing to compare."
    contestants = [run for run in served if run["fabric"] != "ideal"] or served
    sentences = _nothing_differs(served) or [
        *_winner(served[0], contestants),
        *_tail(served[0], contestants),
        *_slowest(served[0], contestants),
        *_bound(served[0], contestants, served),
    ]
    missing = [run["fabric"] for run in runs if _mean(run) is None]
    if missing:
        sentences.append(f"No request was completed on {_listed(missing)}.")
    return " ".join(sentences)


def single(run: Data) -> str:
    """Where the time of the mean request went and what makes slow ones slow."""
    mean, p99 = _mean(run), _p99(run)
    if mean is None:
        return "No request was completed."
    sentence = f"The mean request takes {time_us(mean)}"
    parts = [f"{part * 100:.0f} % of it {doing(cause)}" for cause, part in _largest(run, "all")]
    sentence += f": {_listed(parts)}" if parts else ""
    if p99 is not None:
        sentence += f". The slowest 1 % take {time_us(p99)} or longer"
        slow = [f"{part * 100:.0f} % of it {doing(cause)}" for cause, part in _largest(run, "p99")]
        sentence += f": {_listed(slow)}" if slow else ""
    free = (run.get("path_conflicts") or {}).get("free_request_share")
    if free is not None:
        lost = (run["blame_us"].get("all") or {}).get("path_conflict") or 0
        sentence += f". {share(free)} of requests met no path conflict; conflicts cost {share(lost / mean)} of the time"
    return sentence + "."


def doing(cause: str) -> str:
    """What a request does while time is charged to a cause."""
    return DOING.get(cause, f"in {words(cause)}")


def _nothing_differs(runs: Sequence[Data]) -> list[str]:
    measures = [
        [_mean(run) for run in runs],
        [_p99(run) for run in runs],
        [run["execution_time_us"] for run in runs],
    ]
    if any(_spread(values) > SAME for values in measures):
        return []
    parts = [f"{part * 100:.0f} % of its time {doing(cause)}" for cause, part in _largest(runs[0], "all")]
    spent = f" On {runs[0]['fabric']} a request spends {_listed(parts)}." if parts else ""
    lost = max((run["blame_us"].get("all") or {}).get("path_conflict", 0) / (_mean(run) or 1) for run in runs)
    return [
        f"Nothing differs: on each of the {len(runs)} fabrics the mean request takes {time_us(_mean(runs[0]))}, the "
        f"slowest 1 % take {time_us(_p99(runs[0]))} or longer, and the run takes "
        f"{time_us(runs[0]['execution_time_us'])}, within {SAME * 100:.0f} %.",
        f"The fabric does not limit this work: path conflicts cost at most {share(lost)} of a request's time.{spent}",
    ]


def _winner(first: Data, contestants: Sequence[Data]) -> Iterator[str]:
    best = min(contestants, key=lambda run: _mean(run) or 0)
    equals = [run["fabric"] for run in contestants if run is not best and _near(_mean(run), _mean(best))]
    if best is first or first["fabric"] in equals:
        others = [name for name in equals if name != first["fabric"]]
        others = [best["fabric"], *others] if best is not first else others
        equal = f"; {_listed(others)} {'equals' if len(others) == 1 else 'equal'} it" if others else ""
        yield (
            f"No fabric serves this work faster than {first['fabric']}: "
            f"its mean request takes {time_us(_mean(first))}{equal}."
        )
        return
    text = (
        f"{best['fabric']} serves this work fastest: its mean request takes {time_us(_mean(best))} instead of "
        f"{time_us(_mean(first))} on {first['fabric']} ({_times(_mean(first), _mean(best))} as fast)"
    )
    ends = (first["execution_time_us"], best["execution_time_us"])
    if _near(*ends):
        text += ", though the run takes as long, since requests arrive when they do"
    else:
        text += (
            f", {'and' if ends[1] < ends[0] else 'but'} the run takes {time_us(ends[1])} instead of {time_us(ends[0])}"
        )
    yield text + "."
    if equals:
        yield f"{_listed(equals)} {'is' if len(equals) == 1 else 'are'} within {SAME * 100:.0f} % of it."
    yield from _why(first, best)


def _why(first: Data, best: Data) -> Iterator[str]:
    gains = _gains(first, best)
    gained = sum(gain for gain in gains.values() if gain > 0)
    before, after = first["blame_us"]["all"], best["blame_us"]["all"]
    main = [cause for cause, gain in gains.items() if gain > 0.2 * gained][:2]
    if main:
        parts = [
            f"{doing(cause)} ({time_us(after.get(cause, 0))} instead of {time_us(before[cause])})" for cause in main
        ]
        yield f"What it saves is time {_listed(parts)}."
    lost = [cause for cause, gain in reversed(gains.items()) if gain < -0.05 * gained][:2]
    if lost and gained:
        yield f"In exchange it spends {_listed([f'{time_us(-gains[cause])} more {doing(cause)}' for cause in lost])}."
    free = [(run.get("path_conflicts") or {}).get("free_request_share") for run in (first, best)]
    if None not in free:
        yield f"{share(free[1])} of its requests met no path conflict, {share(free[0])} on {first['fabric']}."


def _tail(first: Data, contestants: Sequence[Data]) -> Iterator[str]:
    """Says so if another fabric than the winner has the better tail."""
    winner = min(contestants, key=lambda run: _mean(run) or 0)
    winner = first if _near(_mean(winner), _mean(first)) else winner
    best = min(contestants, key=lambda run: _p99(run) or float("inf"))
    if best is not winner and (_p99(best) or 0) < (1 - SAME) * (_p99(winner) or 0):
        yield (
            f"In the tail {best['fabric']} is ahead: its slowest 1 % take {time_us(_p99(best))} or longer, "
            f"{time_us(_p99(winner))} on {winner['fabric']}."
        )


def _slowest(first: Data, contestants: Sequence[Data]) -> Iterator[str]:
    worst = max(contestants, key=lambda run: _mean(run) or 0)
    if worst is first or _near(_mean(worst), _mean(first)) or (_mean(worst) or 0) < (_mean(first) or 0):
        return
    cause, gain = list(_gains(first, worst).items())[-1]
    because = f"; it spends {time_us(-gain)} more {doing(cause)}" if gain < 0 else ""
    yield (
        f"{worst['fabric']} is slowest: its mean request takes {_times(_mean(worst), _mean(first))} as long as on "
        f"{first['fabric']}{because}."
    )


def _bound(first: Data, contestants: Sequence[Data], runs: Sequence[Data]) -> Iterator[str]:
    ideal = next((run for run in runs if run["fabric"] == "ideal"), None)
    if ideal is None or ideal in contestants:
        return
    best = min(contestants, key=lambda run: _mean(run) or 0)
    gap = (_mean(first) or 0) - (_mean(ideal) or 0)
    text = f"With a path of its own for every chip (ideal) the mean request would take {time_us(_mean(ideal))}"
    if best is not first and gap > SAME * (_mean(first) or 0):
        closed = ((_mean(first) or 0) - (_mean(best) or 0)) / gap
        name = best["fabric"]
        text += f", which {name} beats" if closed > 1 else f": {name} closes {share(closed)} of that gap"
    yield text + "."


def _gains(first: Data, other: Data) -> dict[str, float]:
    """By how much less time the other charges to each cause, the largest gain first."""
    before, after = first["blame_us"].get("all") or {}, other["blame_us"].get("all") or {}
    gains = {cause: (before.get(cause) or 0) - (after.get(cause) or 0) for cause in {**before, **after}}
    return dict(sorted(gains.items(), key=lambda item: -item[1]))


def _largest(run: Data, kind: str) -> list[tuple[str, float]]:
    """The causes that take most of the time, at most two, with their shares."""
    table = {cause: value for cause, value in (run["blame_us"].get(kind) or {}).items() if value}
    total = sum(table.values())
    found = sorted(table.items(), key=lambda item: -item[1])[:2]
    return [(cause, value / total) for cause, value in found if value > 0.1 * total]


def _mean(run: Data) -> float | None:
    found: float | None = (run["latency_us"].get("all") or {}).get("mean")
    return found


def _p99(run: Data) -> float | None:
    found: float | None = (run["latency_us"].get("all") or {}).get("p99")
    return found


def _near(a: float | None, b: float | None) -> bool:
    return _spread([a, b]) <= SAME


def _spread(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return (max(known) - min(known)) / min(known) if known and min(known) > 0 else 0.0


def _times(more: float | None, less: float | None) -> str:
    ratio = (more or 0) / less if less else 0.0
    return f"{ratio:,.2f} times" if ratio < 10 else f"{ratio:,.0f} times"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
