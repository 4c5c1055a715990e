"""Parts of a page, for one run or many. A part without data is empty text."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from canaletto._io.units import cause_label, count, factor, number_of, scaled, share, thousandths, time_us
from canaletto._report import (
    account,
    animation,
    array,
    bars,
    budget,
    colours,
    lines,
    places,
    summary,
    terminal,
)
from canaletto._report.account import Account
from canaletto._report.document import asset, chart, embedded, fabric, grid, map_figure, note, section, table
from canaletto._run import caveats
from canaletto._run.equal import IDEAL, Equal
from canaletto._run.gains import Gains
from canaletto._run.timeline import PAGE_LIMIT

if TYPE_CHECKING:
    from canaletto._run.results import Result

Data: TypeAlias = Mapping[str, Any]


def counting(equal: Equal) -> str:
    return section("equal", f"Equal {equal.measure}", sheet(budget.sheet(equal)), about=budget.sentence(equal))


def by_place(runs: Sequence[Data], found: Mapping[str, Sequence[Data]]) -> str:
    return section("places", "Hot spots", *map(sheet, places.sheets(runs, found)), about=places.ABOUT)


def sheet(found: list[list[str]]) -> str:
    heads, *rows = found
    cells = [[fabric(row[0]), *map(escape, row[1:])] for row in rows]
    return table([escape(head.replace("\n", " ")) for head in heads], cells)


def key_figures(runs: Sequence[Data]) -> str:
    headings = [
        summary.kind(runs),
        "IOPS",
        "bandwidth",
        "mean latency",
        "p99",
        "p99.99",
        "execution time",
        "requests without conflict",
    ]
    rows, numbers = [], []
    for run in runs:
        latency, conflicts = run["latency_us"].get("all") or {}, run.get("path_conflicts") or {}
        bandwidth = run["bandwidth_mb_s"]
        rows.append(
            [
                fabric(run["fabric"]),
                scaled(run["iops"]),
                scaled(None if bandwidth is None else bandwidth * 1e6, "B/s"),
                *(time_us(latency.get(key)) for key in ("mean", "p99", "p99_99")),
                time_us(run["execution_time_us"]),
                share(conflicts.get("free_request_share")),
            ]
        )
        fewer = [latency.get("mean"), latency.get("p99"), latency.get("p99_99"), run["execution_time_us"]]
        numbers.append([run["iops"], bandwidth, *(None if x is None else -x for x in fewer)])
    return table(headings, _bold_best(runs, rows, numbers))


def _bold_best(runs: Sequence[Data], rows: list[list[str]], numbers: list[list[float | None]]) -> list[list[str]]:
    contestants = [place for place, run in enumerate(runs) if run["fabric"] not in summary.BOUNDS]
    for column in range(len(numbers[0])):
        known = [(value, place) for place in contestants if (value := numbers[place][column]) is not None]
        best = rows[max(known)[1]][column + 1] if len(known) > 1 else None
        if best is None or all(rows[place][column + 1] == best for place in contestants):
            continue
        for place in contestants:
            if rows[place][column + 1] == best:
                rows[place][column + 1] = f"<b>{best}</b>"
    return rows


def latency(runs: Sequence["Result"]) -> str:
    hint = "Click a legend entry to highlight its line." if len(runs) > 1 else ""
    return section(
        "latency",
        "Latency",
        chart("tail", "Latency distribution", lines.tail(runs)),
        _latency_table([run.to_dict() for run in runs]),
        about=_with_absent(hint, runs, lambda run: (run["latency_us"].get("all") or {}).get("mean") is not None),
    )


def _latency_table(runs: Sequence[Data]) -> str:
    several = len(runs) > 1
    rows = [
        [*([fabric(run["fabric"])] if several else []), kind, *(time_us(row.get(key)) for key in terminal.PERCENTILES)]
        for run in runs
        for kind in terminal.KINDS
        if (row := run["latency_us"].get(kind)) and row.get("mean") is not None
    ]
    found = table([*([summary.kind(runs)] if several else []), "requests", *terminal.PERCENTILES.values()], rows)
    found += f"<p>{terminal.FEW}</p>" if terminal.lacks_percentiles(runs) else ""
    return f"<details><summary>All percentiles</summary>{found}</details>" if several else found


def speedup(runs: Sequence[Data], found: Gains) -> str:
    several = any(gain is not None and gain.half_width is not None for each in found.values() for gain in each.values())
    hint = (
        "Means over the seeds; all fabrics serve the same requests with each. Where an interval includes 1, the fabric "
        "is called equal."
    )
    return section(
        "speedup",
        "Speedup",
        chart("speedup-bars", _gain(runs, found), bars.speedup(found)),
        about=hint if several else "",
    )


def _gain(runs: Sequence[Data], found: Gains) -> str:
    if summary.unequal_failures(runs):
        return "Speedup by four measures; numbers of failed requests differ"
    first = next(iter(found), "")
    known = {name: gain for name, each in found.items() if name != first and (gain := each["mean_latency"]) is not None}
    real = [name for name in known if name not in summary.BOUNDS]
    best = max(real, key=lambda name: known[name].mean, default=None)
    if best is None:
        return "Speedup by four measures"
    if known[best].is_faster:
        return f"{best} serves this {summary.times(known[best])} as fast as {first} (mean latency)"
    return summary.none_faster(first, known)


def causes_chart(runs: Sequence[Data], kind: str) -> str:
    name, title = {
        "all": ("causes-mean", "Latency by root cause, mean request"),
        "p99": ("causes-slow", "Latency by root cause, slowest 1 % of requests"),
    }[kind]
    return chart(
        name,
        title,
        bars.causes(runs, kind),
        to_scale=bars.causes(runs, kind, to_scale=True),
        as_shares=bars.causes(runs, kind, shares=True),
        by_what_was_waited_for=bars.causes(runs, kind, "blame_us"),
    )


def causes(runs: Sequence[Data]) -> str:
    """The mean request's chart opens the page."""
    about = (
        "Every picosecond of a request is charged to one cause; a stack's causes sum to the latency. A wait is passed "
        "on to what its holder did or waited for itself; the other account charges it to what was waited for."
    )
    return section(
        "causes",
        "Latency by cause",
        causes_chart(runs, "p99"),
        _causes_table(runs, "root_cause_us", "Root causes as a table"),
        _causes_table(runs, "blame_us", "By what was waited for, as a table"),
        about=_with_absent(about, runs, lambda run: account.table(run, "all")),
    )


def _with_absent(about: str, runs: Sequence[Data], has: Callable[[Data], object]) -> str:
    absent = [run["fabric"] for run in runs if not has(run)]
    return " ".join(
        filter(None, [about, f"Not shown, because there are no data: {', '.join(absent)}." if absent else ""])
    )


def _causes_table(runs: Sequence[Data], shown: Account, title: str) -> str:
    tables = [account.table(run, kind, shown) for run in runs for kind in ("all", "p99")]
    occurring = colours.in_order(cause for found in tables for cause in found)
    if not occurring:
        return ""
    headings = [f"{fabric(run['fabric'])} {kind}" for run in runs for kind in ("mean", "slowest 1 %")]
    rows = [
        [escape(cause_label(cause)), *(time_us(found[cause]) if found.get(cause) else "" for found in tables)]
        for cause in occurring
    ]
    sums = ["sum", *(time_us(sum(found.values())) for found in tables)]
    return f"<details><summary>{title}</summary>{table(['cause', *headings], [*rows, sums])}</details>"


def conflicts(runs: Sequence[Data]) -> str:
    free = [(run["fabric"], (run.get("path_conflicts") or {}).get("free_request_share")) for run in runs]
    percent = [(name, None if each is None else each * 100, share(each)) for name, each in free]
    lost = [(run["fabric"], each, time_us(each)) for run in runs for each in [_lost_a_request(run)]]
    return section(
        "conflicts",
        "Path conflicts",
        grid(
            chart(
                "conflict-free",
                "Requests without conflict",
                bars.bars(percent, "requests without path conflict (%)", 100),
            ),
            chart(
                "conflict-lost",
                "Conflict wait per request",
                bars.bars(lost, "conflict wait of all pages of a request, mean (µs)"),
            ),
        ),
        about=_with_absent(
            "Path conflict: a transfer is ready, but no path is free. A busy port of the chip is no conflict.",
            runs,
            lambda run: (run.get("path_conflicts") or {}).get("free_request_share") is not None,
        ),
    )


def _lost_a_request(run: Data) -> float | None:
    lost: float | None = (run.get("path_conflicts") or {}).get("lost_us")
    completed: int = run["requests"]["completed"]
    return None if lost is None or not completed else lost / completed


def flows(data: Data) -> str:
    slowed = data.get("fairness") is not None
    rows = [
        [
            escape(str(flow["name"])),
            count((flow.get("requests") or {}).get("completed")),
            scaled(flow.get("iops")),
            *(time_us(((flow.get("latency_us") or {}).get("all") or {}).get(key)) for key in ("mean", "p99", "max")),
            *([factor(flow.get("slowdown"))] if slowed else []),
        ]
        for flow in data.get("flows") or ()
    ]
    if not rows[1:]:
        return ""
    headings = ["flow", "requests", "IOPS", "mean", "p99", "max", *(["slowdown"] if slowed else [])]
    about = (
        "Slowdown is the mean latency next to the other flows over the mean latency alone on the drive. "
        if slowed
        else ""
    )
    fair = f"Fairness, the smallest slowdown over the largest: {data['fairness']:.3f}." if slowed else ""
    return section("flows", "Flows", table(headings, rows), about=about + fair)


def confidence(data: Data) -> str:
    found = data.get("confidence") or {}
    rows = []
    for name, interval in found.items():
        if isinstance(interval, Mapping):
            format_ = terminal.figure(name)
            cells = [format_(interval["mean"]), f"± {format_(interval['half_width'])}"]
            rows.append([escape(terminal.headline_name(name)), *map(escape, cells)])
    return (
        section(
            "seeds",
            f"Means over {number_of(len(found['seeds']), 'seed')}",
            table(["", "mean", "95 % confidence"], rows),
        )
        if rows
        else ""
    )


def energy(runs: Sequence[Data]) -> str:
    power = [
        (run["fabric"], each and each / 1000, thousandths(each, "W"))
        for run in runs
        for each in [run.get("average_power_mw")]
    ]
    about = (
        "Dynamic energy is spent on work: array operations, and transfers over wires and through routers. Static "
        "energy is drawn all the time, so it grows with the length of the run."
    )
    return section(
        "energy",
        "Energy",
        grid(
            chart("energy-dynamic", "Dynamic energy", bars.energy(runs, dynamic=True)),
            chart("energy-stacks", "Dynamic and static energy", bars.energy(runs)),
            chart("power", "Average power", bars.bars(power, "average power (W)")),
        ),
        about=_with_absent(about, runs, lambda run: run.get("energy_mj")),
    )


def utilisation(runs: Sequence[Data]) -> str:
    found = array.maps(runs)
    if found is None:
        return ""
    blocks = max(each["block"][0] * each["block"][1] for each in found["maps"])
    hint = (
        "Squares are chips: the square is the flash array, the strip below it the chip's port. Lines are wires, "
        "round squares at the edge are controllers. The colour is the share of the execution time in use, on one scale "
        "in all reports. It follows the square root of the share, so that small shares differ visibly. "
        "Point at a part to see its name and share."
    )
    block = f" A square stands for a block of up to {blocks} chips and shows their mean." if blocks > 1 else ""
    return section(
        "map",
        "Utilisation of chips and wires",
        note(_with_absent(hint + block, runs, lambda run: run.get("map") and run["map"]["chips"])),
        map_figure("maps", "Utilisation"),
        embedded("maps-data", found | {"colours": colours.SEQUENTIAL}),
    )


def over_time(runs: Sequence[Data]) -> str:
    def lost(series: Data) -> list[float | None]:
        pairs = zip(series["path_conflict_us"], series["completed"], strict=True)
        return [lost / done if done else None for lost, done in pairs]

    return section(
        "time",
        "Development over time",
        chart(
            "time-outstanding",
            "Requests outstanding",
            lines.over_time(runs, lambda series: series["outstanding"], "requests outstanding, mean"),
        ),
        chart(
            "time-latency",
            "Latency of requests completed",
            lines.over_time(runs, lambda series: series["latency_us"], "latency, mean ({unit})"),
        ),
        chart(
            "time-conflicts",
            "Conflict wait per request",
            lines.over_time(runs, lost, "conflict wait per request ({unit})"),
        ),
        about=_with_absent("", runs, lambda run: run.get("series")),
    )


def seen(
    timelines: Mapping[str, animation.Timeline] | None,
    room: int,
    request: int | None = None,
    say: Callable[[str], object] | None = None,
    first: Sequence[str] = (),
) -> str:
    """In at most that many bytes.

    request: shown by the window. say: called if not all of it is shown. first: fabrics shown first.
    """
    if not timelines:
        return ""
    limit = min(room, animation.MAX_BYTES)
    found = animation.pack(timelines, limit, request, first)
    if found is None:
        if say is not None:
            much = any(timeline.spans.height for timeline in timelines.values())
            say(f"the report plays nothing: {'too much' if much else 'nothing'} happens in its window")
        return ""
    cut = _cut(found, limit)
    if cut and say is not None:
        say(f"the report's window is cut: {cut}")
    about = f"The window was chosen for request {request}." if request is not None else ""
    idle = [fabric for fabric, timeline in timelines.items() if not timeline.spans.height]
    about += f" Nothing happens in it on {', '.join(idle)}." if idle else ""
    return section(
        "seen",
        "Animation of the fabric",
        note(" ".join(filter(None, (about, cut)))),
        asset("animation.html"),
        embedded("timeline-data", found),
    )


def _cut(found: Data, limit: int) -> str:
    if found["end"] >= found["whole"]:
        return ""
    why = (
        f"this page has room for {limit // 1000:,} kB of it"
        if found["end"] < found["recorded"]
        else f"of it were recorded at most {PAGE_LIMIT:,} spans and steps"
    )
    shown, whole = time_us(found["end"] / 1e6), time_us(found["whole"] / 1e6)
    return f"Shown are the first {shown} of the window of {whole}: {why}."


def facts(data: Data) -> str:
    items = [f"<dt>{escape(label)}</dt><dd>{escape(fact)}</dd>" for label, fact in terminal.facts(data)]
    return section("facts", "Further results", f"<dl>{''.join(items)}</dl>")


def opening(title: str, faint: str, runs: Sequence[Data], found: Gains | None = None, *parts: str) -> str:
    failed = terminal.failed(runs)
    ideal = any(run["fabric"] == IDEAL for run in runs[1:])
    full = summary.saturation(runs, found)
    warned = [caveat for caveat in (full.strip(), *caveats.of_all(runs)) if caveat]
    told = (
        (f'<p class="failed">{escape(failed)}</p>' if failed else "")
        + "".join(f'<p class="caveat">{escape(caveat)}</p>' for caveat in warned)
        + f'<p class="summary">{escape(summary.comparison(runs, found).removeprefix(full))}</p>'
        + (note(summary.ABOUT_IDEAL) if ideal else "")
        + "".join(parts)
    )
    return (
        f'<header><h1>{escape(title)}</h1><p class="faint">{escape(faint)}</p></header>'
        f'<div class="opening"><div>{told}</div><div>{causes_chart(runs, "all")}</div></div>'
    )
