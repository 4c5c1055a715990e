"""Verdicts on results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from canaletto._io.units import cause_label, count, factor, share, time_us
from canaletto._report import account, causes
from canaletto._run.caveats import bottleneck
from canaletto._run.equal import CROSSBAR, IDEAL
from canaletto._run.gains import SAME, Gain, Gains, gains

Data: TypeAlias = Mapping[str, Any]

BOUNDS = {IDEAL: "conflict-free", CROSSBAR: "crossbar"}
"""Nobody can build these fabrics. They win only where no other ran."""

ABOUT_IDEAL = (
    "ideal is conflict-free: wires like the bus's, but a separate set for each chip. "
    "Fabrics with wider wires, or more of them per transfer, can be faster."
)


def comparison(runs: Sequence[Data], found: Gains | None = None) -> str:
    served = [run for run in runs if _mean(run) is not None]
    if len(served) < 2:
        return single(served[0]) if served else "No request was completed, so there is nothing to compare."
    if unfair := unequal_failures(served):
        return unfair
    first = served[0]
    found = found or gains([served])
    contestants = [run for run in served if run["fabric"] not in BOUNDS] or served
    winner = _winner(first, contestants, found)
    sentences = [verdict(served, found), *_tail(winner, contestants, found)]
    if winner is not first:
        sentences += [*_exchange(first, winner), *_slowest(first, contestants, found)]
    elif all(_near(run["execution_time_us"], first["execution_time_us"]) for run in contestants):
        sentences.append(_free(contestants))
    missing = [run["fabric"] for run in runs if _mean(run) is None]
    if missing:
        sentences.append(f"No request was completed on {_listed(missing)}.")
    return " ".join(filter(None, sentences))


def kind(runs: Sequence[Data]) -> str:
    """Kind of thing that is compared."""
    return "fabric" if len({run.get("design") for run in runs}) == 1 else "drive"


def verdict(runs: Sequence[Data], found: Gains | None = None) -> str:
    """Fastest and slowest fabric next to the baseline, by how much, and the cause.

    found: gains of several seeds. Differences within intervals are called equal.
    """
    first, *others = runs
    name = first["fabric"]
    if _mean(first) is None:
        return "No request completed: there is nothing to compare."
    known = _known(runs, found)
    if not known:
        return f"There is only one {kind(runs)}: {_where(first)}."
    if unfair := unequal_failures(runs):
        return unfair
    real = _real(known)
    best = max(real, key=lambda fabric: real[fabric].mean)
    worst = min(real, key=lambda fabric: real[fabric].mean)
    reach = _reach({fabric: gain for fabric, gain in known.items() if fabric != best})
    slowest = f"; {worst} is slowest, at {times(real[worst])}" if real[worst].is_slower else ""
    full = saturation(runs, found)
    if not real[best].is_faster:
        return full + _nobody_wins(first, others, known)
    winner = next(run for run in others if run["fabric"] == best)
    won = f"{best} serves this {times(known[best])} as fast as {name} (mean latency{reach}){slowest}"
    return f"{full}{won}. {_sentence(_reason(first, winner))}."


def saturation(runs: Sequence[Data], found: Gains | None = None) -> str:
    """First sentence of a verdict, with slower fabrics that carry all they can where the first does not; else empty."""
    real = _real(_known(runs, found))
    if not real or unequal_failures(runs) or _is_full(runs[0]):
        return ""
    slower = [run for run in runs[1:] if run["fabric"] in real and real[run["fabric"]].is_slower and _is_full(run)]
    if not slower:
        return ""
    slower.sort(key=lambda run: run["fabric"] not in PAGES)
    parts = [f"{run['fabric']} by {bottleneck(run)}" for run in slower]
    said = ", ".join(parts).replace(" by ", " is saturated by ", 1)
    whose = "its" if len(parts) == 1 else "their"
    return f"{said}: {whose} latencies depend on the length of the run.{PAGES.get(slower[0]['fabric'], '')} "


def _known(runs: Sequence[Data], found: Gains | None) -> dict[str, Gain]:
    if _mean(runs[0]) is None:
        return {}
    table = {fabric: measures["mean_latency"] for fabric, measures in (found or gains([runs])).items()}
    return {run["fabric"]: gain for run in runs[1:] if (gain := table.get(run["fabric"])) is not None}


def _real(known: Mapping[str, Gain]) -> Mapping[str, Gain]:
    return {fabric: gain for fabric, gain in known.items() if fabric not in BOUNDS} or known


FULL = 0.95
"""Use of a part above which its queue decides latencies."""

PAGES = {"venice": " See docs/explanation/reproduction.md for when Venice pays and when not."}


def _is_full(run: Data) -> bool:
    load = run.get("load") or {}
    return bool(load.get("saturated") or (load.get("bottleneck") or {}).get("use", 0.0) > FULL)


def unequal_failures(runs: Sequence[Data]) -> str:
    """Instead of a winner where cut-off chips fail unequal numbers of requests; else empty."""
    failed = {run["fabric"]: (run.get("cut_off") or {}).get("requests_failed", 0) for run in runs}
    if len(set(failed.values())) < 2:
        return ""
    told = _listed([f"{count(number)} on {fabric}" for fabric, number in failed.items()])
    return (
        f"No {kind(runs)} is called the fastest, because numbers of failed requests differ, and failed reads are "
        f"answered at once: {told}."
    )


def contenders(runs: Sequence[Data], found: Gains) -> list[str]:
    served = [run for run in runs if _mean(run) is not None]
    if len(served) < 2:
        return [run["fabric"] for run in served or runs[:1]]
    first, *others = served
    real = [run for run in others if run["fabric"] not in BOUNDS] or others
    winner = _winner(first, [first, *real], found)
    if winner is first:
        winner = max(real, key=lambda run: _mean(run) or 0)
    return [first["fabric"], winner["fabric"]]


def times(gain: Gain) -> str:
    """A speedup, with its interval if it has one: `1.20×`, `1.20 ± 0.03×`."""
    if gain.half_width is None:
        return factor(gain.mean)
    digits = 3 if gain.mean < 0.0995 else 2
    return f"{gain.mean:,.{digits}f} ± {gain.half_width:.{digits}f}×"


def single(run: Data) -> str:
    mean, p99 = _mean(run), _p99(run)
    if mean is None:
        return "No request was completed."
    sentence = f"The mean request takes {time_us(mean)}"
    parts = [f"{part * 100:.0f} % of it {causes.doing(cause)}" for cause, part in causes.largest(run, "all")]
    sentence += f": {_listed(parts)}" if parts else ""
    if p99 is not None:
        sentence += f". The slowest 1 % take {time_us(p99)} or longer"
        slow = [f"{part * 100:.0f} % of it {causes.doing(cause)}" for cause, part in causes.largest(run, "p99")]
        sentence += f": {_listed(slow)}" if slow else ""
    free = (run.get("path_conflicts") or {}).get("free_request_share")
    if free is not None:
        lost = causes.conflict_share(run)
        sentence += f". {share(free)} of requests met no path conflict; conflicts cost {lost} of the time"
    return sentence + "."


def none_faster(name: str, known: Mapping[str, Gain], what: str = "fabric") -> str:
    """Beginning of a verdict without a winner."""
    faster = [word for name, word in BOUNDS.items() if name in known and known[name].is_faster]
    but = f" but the {' and the '.join(faster)} one" if faster else ""
    sure = "surely " if any(gain.half_width is not None for gain in known.values()) else ""
    reach = _reach(known) if faster else ""
    return f"No {what}{but} is {sure}more than {SAME * 100:.0f} % faster than {name} (mean latency{reach})"


def _reach(known: Mapping[str, Gain]) -> str:
    return "".join(f"; {word}: {times(known[name])}" for name, word in BOUNDS.items() if name in known)


def _nobody_wins(first: Data, others: Sequence[Data], known: Mapping[str, Gain]) -> str:
    none = none_faster(first["fabric"], known, kind([first, *others]))
    last = min(known, key=lambda fabric: known[fabric].mean)
    if not known[last].is_slower:
        return f"{none}: {_where(first)}."
    loser = next(run for run in others if run["fabric"] == last)
    return f"{none}; {last} is slowest, at {times(known[last])}. {_sentence(_reason(loser, first))}."


def _reason(slow: Data, fast: Data) -> str:
    a, b = slow["fabric"], fast["fabric"]
    conflicts = (
        f"{a} loses {causes.conflict_share(slow)} of its latency to path conflicts, {b} {causes.conflict_share(fast)}"
    )
    cause, pair = next(iter(causes.differences(slow, fast).items()))
    if cause == "path_conflict":
        return conflicts
    told = [time_us(time) for time in pair]
    return f"the largest difference is {cause_label(cause)}, {told[0]} on {a} and {told[1]} on {b}; {conflicts}"


def _where(run: Data) -> str:
    conflicts = f"path conflicts cost {run['fabric']} {causes.conflict_share(run)} of its latency"
    table = account.table(run, "all")
    most = max(table, key=lambda cause: table[cause], default=None)
    if most is None or most == "path_conflict":
        return conflicts
    return f"{conflicts}; the largest part is {cause_label(most)} ({share(table[most] / (_mean(run) or 1))})"


def _sentence(text: str) -> str:
    """A name keeps its spelling."""
    return text[0].upper() + text[1:] if text.startswith("the ") else text


def _winner(first: Data, contestants: Sequence[Data], found: Gains) -> Data:
    best = min(contestants, key=lambda run: _mean(run) or 0)
    gain = found[best["fabric"]]["mean_latency"]
    return best if gain is not None and gain.is_faster else first


def _exchange(first: Data, winner: Data) -> Iterator[str]:
    """Costs of a gain, and measures that it does not change."""
    changes = {cause: before - after for cause, (before, after) in causes.differences(first, winner).items()}
    gained = sum(gain for gain in changes.values() if gain > 0)
    lost = [cause for cause, gain in reversed(changes.items()) if gain < -0.05 * gained][:2]
    if lost and gained:
        parts = [f"{time_us(-changes[cause])} more {causes.doing(cause)}" for cause in lost]
        yield f"In exchange it spends {_listed(parts)}."
    ends = (first["execution_time_us"], winner["execution_time_us"])
    if _near(*ends):
        yield "The run takes as long, because requests arrive at given times."
    else:
        yield f"The run takes {time_us(ends[1])} instead of {time_us(ends[0])}."
    yield _free([first, winner])


def _free(runs: Sequence[Data]) -> str:
    known = [(run["fabric"], (run.get("path_conflicts") or {}).get("free_request_share")) for run in runs]
    parts = [f"{share(free)} on {fabric}" for fabric, free in known if free is not None]
    return f"Requests without a path conflict: {_listed(parts)}." if parts else ""


def _tail(winner: Data, contestants: Sequence[Data], found: Gains) -> Iterator[str]:
    best = min(contestants, key=lambda run: _p99(run) or float("inf"))
    gain, of_winner = (found[run["fabric"]]["p99_latency"] for run in (best, winner))
    ahead = gain is not None and of_winner is not None and gain.is_beyond(of_winner)
    if best is not winner and ahead and (_p99(best) or 0) < (1 - SAME) * (_p99(winner) or 0):
        yield (
            f"In the tail {best['fabric']} is ahead: its slowest 1 % take {time_us(_p99(best))} or longer, "
            f"{time_us(_p99(winner))} on {winner['fabric']}."
        )


def _slowest(first: Data, contestants: Sequence[Data], found: Gains) -> Iterator[str]:
    worst = max(contestants, key=lambda run: _mean(run) or 0)
    gain = found[worst["fabric"]]["mean_latency"]
    if gain is None or not gain.is_slower:
        return
    cause, (most, least) = next(iter(causes.differences(worst, first).items()))
    if most > least:
        yield f"On {worst['fabric']} the mean request spends {time_us(most - least)} more {causes.doing(cause)}."


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
