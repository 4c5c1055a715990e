"""Verdicts on results, in plain words made from the data."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from canaletto.report.units import cause_label, factor, share, time_us, words

Data: TypeAlias = Mapping[str, Any]

SAME = 0.01
"""Fabrics whose figures differ by less than this share are called equal."""

IDEAL = "ideal"
"""The conflict-free bound: it is named beside the winner, and wins only where no other ran."""

DOING = {
    "host_queue": "waiting for room in the host's queue",
    "host_link": "on the host link",
    "device_queue": "waiting for the drive to fetch requests",
    "firmware": "at the controller's processor",
    "system_bus": "on the controller's bus",
    "dram": "at the DRAM",
    "ecc": "correcting errors",
    "cache": "at the data cache",
    "write_buffer": "waiting for room in the write buffer",
    "flush": "waiting for flushes",
    "mapping_miss": "reading mapping entries from flash",
    "same_page_write": "waiting for an earlier write of the same page",
    "read_modify_write": "reading old pages for partial writes",
    "free_blocks": "waiting for free blocks",
    "chip_busy_user": "waiting for chips busy with other requests",
    "chip_busy_gc_read": "waiting for chips busy with reads of garbage collection",
    "chip_busy_gc_program": "waiting for chips busy with programs of garbage collection",
    "chip_busy_erase": "waiting for chips busy with erases",
    "chip_busy_mapping": "waiting for chips busy with mapping tables",
    "path_conflict": "waiting for a free path",
    "path_reservation": "reserving paths",
    "command_transfer": "sending commands",
    "array_read": "reading the arrays",
    "array_program": "programming the arrays",
    "suspended": "suspended for reads of others",
    "retry": "reading or programming again after failures",
    "data_transfer": "moving data over the wires",
    "completion": "completing",
}
"""Activity of a request while time is charged to a cause."""


def comparison(runs: Sequence[Data]) -> str:
    """Verdict, and further results in words."""
    served = [run for run in runs if _mean(run) is not None]
    if len(served) < 2:
        return single(served[0]) if served else "No request was completed, so there is nothing to compare."
    first = served[0]
    contestants = [run for run in served if run["fabric"] != IDEAL] or served
    winner = _winner(first, contestants)
    sentences = [verdict(served), *_tail(winner, contestants)]
    if winner is not first:
        sentences += [*_exchange(first, winner), *_slowest(first, contestants)]
    elif all(_near(run["execution_time_us"], first["execution_time_us"]) for run in contestants):
        sentences.append(_free(contestants))
    missing = [run["fabric"] for run in runs if _mean(run) is None]
    if missing:
        sentences.append(f"No request was completed on {_listed(missing)}.")
    return " ".join(filter(None, sentences))


def verdict(runs: Sequence[Data]) -> str:
    """Verdict in one sentence: the fastest fabric, its gain and the cause, or that nothing differs."""
    first, *others = runs
    name = first["fabric"]
    gains = {run["fabric"]: gain for run in others if (gain := _gain(first, run)) is not None}
    if _mean(first) is None:
        return "No request completed: there is nothing to compare."
    if not gains:
        return f"There is only one fabric: {_where(first)}."
    real = {fabric: gain for fabric, gain in gains.items() if fabric != IDEAL} or gains
    best = max(real, key=lambda fabric: real[fabric])
    reach = f"; {IDEAL}: {factor(gains[IDEAL])}" if IDEAL in gains and best != IDEAL else ""
    if real[best] > 1 + SAME:
        winner = next(run for run in others if run["fabric"] == best)
        won = f"{best} serves this {factor(gains[best])} as fast as {name} (mean latency{reach})"
        return f"{won}; {_reason(first, winner)}."
    return _nobody_wins(first, others, gains, reach)


def single(run: Data) -> str:
    """Largest causes of the mean latency and of the slowest requests."""
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
    """Activity of a request while time is charged to a cause."""
    return DOING.get(cause, f"in {words(cause)}")


def _nobody_wins(first: Data, others: Sequence[Data], gains: Mapping[str, float], reach: str) -> str:
    name = first["fabric"]
    but = f" but {IDEAL}" if gains.get(IDEAL, 0) > 1 + SAME else ""
    none = f"No fabric{but} is more than {SAME * 100:.0f} % faster than {name} (mean latency{reach if but else ''})"
    last = min(gains, key=lambda fabric: gains[fabric])
    if gains[last] >= 1 / (1 + SAME):
        return f"{none}: {_where(first)}."
    loser = next(run for run in others if run["fabric"] == last)
    return f"{none}; {last} takes {factor(1 / gains[last])} as long: {_reason(loser, first)}."


def _reason(slow: Data, fast: Data) -> str:
    """Cause of a difference: the loss by path conflicts, and first any larger cause."""
    tables = [run["blame_us"]["all"] for run in (slow, fast)]
    pairs = {cause: tuple(float(table.get(cause) or 0) for table in tables) for cause in {**tables[0], **tables[1]}}
    cause = max(pairs, key=lambda cause: pairs[cause][0] - pairs[cause][1])
    a, b = slow["fabric"], fast["fabric"]
    conflicts = f"{a} loses {_conflict_share(slow)} of its latency to path conflicts, {b} {_conflict_share(fast)}"
    if cause == "path_conflict":
        return conflicts
    times = [time_us(time) for time in pairs[cause]]
    return f"the largest difference is {cause_label(cause)}, {times[0]} on {a} and {times[1]} on {b}; {conflicts}"


def _where(run: Data) -> str:
    """Effect of path conflicts on a run, and the largest cause."""
    table = run["blame_us"]["all"]
    conflicts = f"path conflicts cost {run['fabric']} {_conflict_share(run)} of its latency"
    most = max(table, key=lambda cause: table[cause] or 0, default=None)
    if most is None or most == "path_conflict":
        return conflicts
    return f"{conflicts}; the largest part is {cause_label(most)} ({share(table[most] / (_mean(run) or 1))})"


def _winner(first: Data, contestants: Sequence[Data]) -> Data:
    """The one that the verdict calls the fastest: the first unless another gains something."""
    best = min(contestants, key=lambda run: _mean(run) or 0)
    return best if (_gain(first, best) or 0) > 1 + SAME else first


def _exchange(first: Data, winner: Data) -> Iterator[str]:
    """Cost of a gain in mean latency, and measures that it does not change."""
    gains = _gains(first, winner)
    gained = sum(gain for gain in gains.values() if gain > 0)
    lost = [cause for cause, gain in reversed(gains.items()) if gain < -0.05 * gained][:2]
    if lost and gained:
        yield f"In exchange it spends {_listed([f'{time_us(-gains[cause])} more {doing(cause)}' for cause in lost])}."
    ends = (first["execution_time_us"], winner["execution_time_us"])
    if _near(*ends):
        yield "The run takes as long, since requests arrive when they do."
    else:
        yield f"The run takes {time_us(ends[1])} instead of {time_us(ends[0])}."
    yield _free([first, winner])


def _free(runs: Sequence[Data]) -> str:
    """Share of requests without path conflict on each fabric."""
    known = [(run["fabric"], (run.get("path_conflicts") or {}).get("free_request_share")) for run in runs]
    parts = [f"{share(free)} on {fabric}" for fabric, free in known if free is not None]
    return f"Requests without a path conflict: {_listed(parts)}." if parts else ""


def _tail(winner: Data, contestants: Sequence[Data]) -> Iterator[str]:
    """Sentence on another fabric than the winner with the better tail, if there is one."""
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
        f"{worst['fabric']} is slowest: its mean request takes {factor(1 / (_gain(first, worst) or 1))} as long as "
        f"on {first['fabric']}{because}."
    )


def _gain(first: Data, run: Data) -> float | None:
    a, b = _mean(first), _mean(run)
    return a / b if a and b else None


def _conflict_share(run: Data) -> str:
    lost = run["blame_us"]["all"].get("path_conflict")
    return share(lost / (_mean(run) or lost)) if lost else "nothing"


def _gains(first: Data, other: Data) -> dict[str, float]:
    """Reduction of each cause's time from one run to the other, the largest first."""
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


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
