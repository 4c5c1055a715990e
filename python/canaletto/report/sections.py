"""The parts of a page, each for one run or many. A part without data is empty text."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from canaletto.report import animation, array, bars, colours, lines, summary, terminal
from canaletto.report.document import asset, chart, embedded, fabric, grid, map_figure, note, section, table
from canaletto.report.units import cause_label, count, factor, number_of, scaled, share, thousandths, time_us

if TYPE_CHECKING:
    from canaletto.results import Result

Data: TypeAlias = Mapping[str, Any]


def key_figures(runs: Sequence[Data]) -> str:
    """A row a fabric; the best of contestants is bold."""
    headings = [
        "fabric",
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
    """Marks what prints like the best of each column. The ideal fabric is a bound and wins nothing."""
    contestants = [place for place, run in enumerate(runs) if run["fabric"] != summary.IDEAL]
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
    """The distribution, to the last request."""
    hint = "A click on a legend's entry brings out its line." if len(runs) > 1 else ""
    return section(
        "latency",
        "Latency",
        chart("tail", "Latency distribution", lines.tail(runs)),
        _latency_table([run.to_dict() for run in runs]),
        about=hint,
    )


def _latency_table(runs: Sequence[Data]) -> str:
    several = len(runs) > 1
    rows = [
        [*([fabric(run["fabric"])] if several else []), kind, *(time_us(row.get(key)) for key in terminal.PERCENTILES)]
        for run in runs
        for kind in terminal.KINDS
        if (row := run["latency_us"].get(kind)) and row.get("mean") is not None
    ]
    found = table([*(["fabric"] if several else []), "requests", *terminal.PERCENTILES.values()], rows)
    return f"<details><summary>All percentiles</summary>{found}</details>" if several else found


def speedup(speedups: Mapping[str, Mapping[str, float | None]]) -> str:
    """Speedup of each fabric over the first."""
    return section("speedup", "Speedup", chart("speedup-bars", _gain(speedups), bars.speedup(speedups)))


def _gain(speedups: Mapping[str, Mapping[str, float | None]]) -> str:
    """The result of the speedup chart in words."""
    first = next(iter(speedups), "")
    gains = {name: found["mean_latency"] or 0.0 for name, found in speedups.items() if name not in (first, "ideal")}
    best = max(gains, key=lambda name: gains[name], default=None)
    if best is None:
        return "Speedup by four measures"
    if gains[best] > 1 + summary.SAME:
        return f"{best} serves this {gains[best]:.3g} times as fast as {first} (mean latency)"
    return f"No fabric is more than {summary.SAME * 100:.0f} % faster than {first} (mean latency)"


def blame(runs: Sequence[Data]) -> str:
    """Latency by cause."""
    return section(
        "blame",
        "Latency by cause",
        grid(
            *(
                chart(name, title, bars.blame(runs, kind), as_shares=bars.blame(runs, kind, shares=True))
                for name, title, kind in (
                    ("blame-mean", "Mean request", "all"),
                    ("blame-slow", "Slowest 1 % of requests", "p99"),
                )
            ),
        ),
        _blame_table(runs),
        about="Every picosecond of a request is charged to one cause; a stack's causes sum to the latency.",
    )


def _blame_table(runs: Sequence[Data]) -> str:
    tables = [run["blame_us"].get(kind) or {} for run in runs for kind in ("all", "p99")]
    causes = colours.in_order(cause for found in tables for cause, value in found.items() if value)
    if not causes:
        return ""
    headings = [f"{fabric(run['fabric'])} {kind}" for run in runs for kind in ("mean", "slowest 1 %")]
    rows = [[escape(cause_label(c)), *(time_us(found[c]) if found.get(c) else "" for found in tables)] for c in causes]
    sums = ["sum", *(time_us(sum(value or 0 for value in found.values())) for found in tables)]
    return f"<details><summary>As a table</summary>{table(['cause', *headings], [*rows, sums])}</details>"


def conflicts(runs: Sequence[Data]) -> str:
    """Share of requests without path conflicts, and the mean wait by them."""
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
        about="A path conflict: a transfer could start but for the path. A chip's own port being busy is none.",
    )


def _lost_a_request(run: Data) -> float | None:
    lost: float | None = (run.get("path_conflicts") or {}).get("lost_us")
    completed: int = run["requests"]["completed"]
    return None if lost is None or not completed else lost / completed


def flows(data: Data) -> str:
    """A row a flow, if there are several; what they cost each other, if that is known."""
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
    about = "Slowdown is the mean latency beside the other flows over that alone on the drive. " if slowed else ""
    fair = f"Fairness, the smallest slowdown over the largest: {data['fairness']:.3f}." if slowed else ""
    return section("flows", "Flows", table(headings, rows), about=about + fair)


def confidence(data: Data) -> str:
    """Means over all seeds with their 95 % confidence intervals, if there are several."""
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
    """Energy by consumer, and mean power."""
    power = [(run["fabric"], each, thousandths(each, "W")) for run in runs for each in [run.get("average_power_mw")]]
    return section(
        "energy",
        "Energy",
        grid(
            chart("energy-stacks", "Energy of the run", bars.energy(runs)),
            chart("power", "Average power", bars.bars(power, "average power (mW)")),
        ),
    )


def utilisation(runs: Sequence[Data]) -> str:
    """The chip array of each fabric, coloured by how busy its parts were."""
    found = array.maps(runs)
    if found is None:
        return ""
    blocks = max(each["block"][0] * each["block"][1] for each in found["maps"])
    hint = (
        "Squares are chips: the square is the flash array, the strip below it the chip's port. Lines are wires, "
        "round squares at the edge controllers. The colour is the share of the execution time in use, on one "
        "scale everywhere; a part's name and share show when the pointer rests on it."
    )
    block = f" A square stands for a block of up to {blocks} chips and shows their mean." if blocks > 1 else ""
    return section(
        "map",
        "Utilisation of chips and wires",
        note(hint + block),
        map_figure("maps", "Utilisation"),
        embedded("maps-data", found | {"colours": colours.SEQUENTIAL}),
    )


def over_time(runs: Sequence[Data]) -> str:
    """Queueing, latency and conflicts over the run."""

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
    )


def seen(
    timelines: Mapping[str, animation.Timeline] | None,
    room: int,
    request: int | None = None,
    say: Callable[[str], object] | None = None,
) -> str:
    """The animation of a window, in at most so many bytes.

    request: the one that the window was chosen for. say: called with a sentence if not all of the window is shown.
    """
    if not timelines:
        return ""
    limit = min(room, animation.MAX_BYTES)
    found = animation.pack(timelines, limit, request)
    if found is None:
        if say is not None:
            much = any(timeline.spans.height for timeline in timelines.values())
            say(f"the report plays nothing: {'too much' if much else 'nothing'} happens in its window")
        return ""
    cut = _cut(found, limit)
    if cut and say is not None:
        say(f"the report's window is cut: {cut}")
    about = f"The window was chosen for request {request}." if request is not None else ""
    return section(
        "seen",
        "Animation of the fabric",
        note(" ".join(filter(None, (about, cut)))),
        asset("animation.html"),
        embedded("timeline-data", found),
    )


def _cut(found: Data, limit: int) -> str:
    """A sentence if not all of the window is shown."""
    if found["end"] >= found["whole"]:
        return ""
    why = (
        f"this page has room for {limit // 1000:,} kB of it"
        if found["end"] < found["recorded"]
        else "no more of it was recorded"
    )
    shown, whole = time_us(found["end"] / 1e6), time_us(found["whole"] / 1e6)
    return f"Shown are the first {shown} of the window of {whole}: {why}."


def facts(data: Data) -> str:
    """Further lines of the summary."""
    items = [f"<dt>{escape(label)}</dt><dd>{escape(fact)}</dd>" for label, fact in terminal.facts(data)]
    return section("facts", "Further results", f"<dl>{''.join(items)}</dl>")


def opening(title: str, faint: str, runs: Sequence[Data]) -> str:
    """Title, run, and verdict in words."""
    failed = terminal.failed(runs)
    return (
        f'<header><h1>{escape(title)}</h1><p class="faint">{escape(faint)}</p></header>'
        + (f'<p class="failed">{escape(failed)}</p>' if failed else "")
        + f'<p class="summary">{escape(summary.comparison(runs))}</p>'
    )
