"""Several fabrics' results of the same work, in one screen of 80 columns: who wins, by how much, and why."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from canaletto.compare import speedups
from canaletto.confidence import lookup
from canaletto.report import notebook, terminal
from canaletto.report.units import ABSENT, listing, scaled, share, time_us, words

Run: TypeAlias = Mapping[str, Any]
Sheet: TypeAlias = list[list[str]]
"""A table: the headings, whose lines break where there is a newline, then the rows."""

NOTABLE = 0.01
"""A smaller gain in mean latency is none."""

IDEAL = "ideal"
"""The fabric that nobody can build: it is named beside the winner, and wins only where no other ran."""

_WIDTH = 80
_CONFLICTS = ("path_conflict", "path_reservation")
# What `utilisation` lists beside the parts of the fabric.
_OTHER_PARTS = ("link to device", "link to host", "flash arrays", "processor", "system bus", "DRAM port", "ECC")


def render(runs: Sequence[Run]) -> RenderableType:
    """The whole answer."""
    parts: list[RenderableType] = [
        Text.assemble((str(runs[0]["design"]), "bold"), " · ", title(runs), "\n", (terminal.served(runs[0]), "dim")),
        Text(verdict(runs), "bold green"),
        _table(headlines(runs)),
        _table(interconnect(runs), left=(4,)),
        *[_table(blame(runs, kind), causes=True) for kind in ("all", "p99")],
        _cost(runs),
    ]
    return Group(*[line for part in parts for line in (part, Text())][:-1])


def text(runs: Sequence[Run]) -> str:
    """The answer as plain text."""
    return terminal.plain(render(runs), _WIDTH)


def html(runs: Sequence[Run]) -> str:
    """The answer for a notebook cell."""
    sheets = [headlines(runs), interconnect(runs), blame(runs, "all"), blame(runs, "p99")]
    tables = [notebook.table([_one_line(cell) for cell in head], rows) for head, *rows in sheets]
    name = listing([str(runs[0]["design"]), title(runs)])
    return (
        f"<div><p><b>{escape(name)}</b><br>{escape(terminal.served(runs[0]))}</p>"
        f"<p>{escape(verdict(runs))}</p>{''.join(tables)}</div>"
    )


def title(runs: Sequence[Run]) -> str:
    """What names a comparison beside the design: workload, fabrics, seed."""
    return listing([str(runs[0]["workload"]), ", ".join(run["fabric"] for run in runs), f"seed {runs[0]['seed']}"])


def verdict(runs: Sequence[Run]) -> str:
    """Who wins, by how much, and why: in words, and honest when nothing differs."""
    first, *others = runs
    name = first["fabric"]
    gains = {run["fabric"]: gain for run in others if (gain := _gain(first, run)) is not None}
    if _mean(first) is None:
        return "No request completed: there is nothing to compare."
    if not gains:
        return f"There is only one fabric: {_where(first)}."
    real = {fabric: gain for fabric, gain in gains.items() if fabric != IDEAL} or gains
    best = max(real, key=lambda fabric: real[fabric])
    reach = f"; {IDEAL}: {_factor(gains[IDEAL])}" if IDEAL in gains and best != IDEAL else ""
    if real[best] > 1 + NOTABLE:
        winner = next(run for run in others if run["fabric"] == best)
        won = f"{best} serves this {_factor(gains[best])} as fast as {name} (mean latency{reach})"
        return f"{won}; {_reason(first, winner)}."
    return _nobody_wins(first, others, gains, reach)


def _nobody_wins(first: Run, others: Sequence[Run], gains: Mapping[str, float], reach: str) -> str:
    name = first["fabric"]
    but = f" but {IDEAL}" if gains.get(IDEAL, 0) > 1 + NOTABLE else ""
    none = f"No fabric{but} is more than {NOTABLE * 100:.0f} % faster than {name} (mean latency{reach if but else ''})"
    last = min(gains, key=lambda fabric: gains[fabric])
    if gains[last] >= 1 / (1 + NOTABLE):
        return f"{none}: {_where(first)}."
    loser = next(run for run in others if run["fabric"] == last)
    return f"{none}; {last} takes {_factor(1 / gains[last])} as long: {_reason(loser, first)}."


def _reason(slow: Run, fast: Run) -> str:
    """Where the slower one's time went: always what path conflicts did, and first what did more."""
    tables = [run["blame_us"]["all"] for run in (slow, fast)]
    pairs = {cause: tuple(float(table.get(cause) or 0) for table in tables) for cause in {**tables[0], **tables[1]}}
    cause = max(pairs, key=lambda cause: pairs[cause][0] - pairs[cause][1])
    a, b = slow["fabric"], fast["fabric"]
    conflicts = f"{a} loses {_conflict_share(slow)} of its latency to path conflicts, {b} {_conflict_share(fast)}"
    if cause == "path_conflict":
        return conflicts
    times = [time_us(time) for time in pairs[cause]]
    return f"the largest difference is {words(cause)}, {times[0]} on {a} and {times[1]} on {b}; {conflicts}"


def _where(run: Run) -> str:
    """What path conflicts did to a run, and what did most."""
    table = run["blame_us"]["all"]
    conflicts = f"path conflicts cost {run['fabric']} {_conflict_share(run)} of its latency"
    most = max(table, key=lambda cause: table[cause] or 0, default=None)
    if most is None or most == "path_conflict":
        return conflicts
    return f"{conflicts}; the largest part is {words(most)} ({share(table[most] / (_mean(run) or 1))})"


def headlines(runs: Sequence[Run]) -> Sheet:
    """How fast each fabric is, and what it takes."""
    gains = speedups(runs)
    heads = [f"speedup over\n{runs[0]['fabric']}", "exec.\ntime", "mean\nlatency", "p99\nlatency", "IOPS"]
    rows = [[run["fabric"], *map(_factor, gains[run["fabric"]].values())] for run in runs]
    columns = {
        "latency,\nmean": [time_us(_mean(run)) for run in runs],
        "latency,\np99": [time_us(lookup(run, "latency_us.all.p99")) for run in runs],
        "energy": [_milli(lookup(run, "energy_mj.total"), "J") for run in runs],
        "power": [_milli(run.get("average_power_mw"), "W") for run in runs],
    }
    for head, cells in columns.items():
        if any(cell != ABSENT for cell in cells):
            heads.append(head)
            rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
    return [heads, *rows]


def interconnect(runs: Sequence[Run]) -> Sheet:
    """What path conflicts did, and the part of each fabric that is in use most."""
    heads = ["path\nconflicts", "requests\nwithout", "transactions\nwithout", "lost a\nrequest,\nall pages"]
    return [[*heads, "busiest part\nof the fabric", "in use"], *map(_interconnect_row, runs)]


def _interconnect_row(run: Run) -> list[str]:
    conflicts = run["path_conflicts"]
    counted = run["requests"]["reads"] + run["requests"]["writes"]
    lost = conflicts["lost_us"]
    part, use = busiest(run) or (ABSENT, None)
    free = [share(conflicts[f"free_{kind}_share"]) for kind in ("request", "transaction")]
    return [run["fabric"], *free, time_us(lost / counted if counted and lost is not None else None), part, share(use)]


def busiest(run: Run) -> tuple[str, float] | None:
    """The part of a run's fabric that is in use most, and for what share of the time. None if nothing was used."""
    layout = run.get("map") or {}
    parts = [(part["name"], part["share"]) for kind in ("wires", "controllers") for part in layout.get(kind) or ()]
    if not parts:
        used = run.get("utilisation") or ()
        parts = [(each["part"], each["share"]) for each in used if each["part"] not in _OTHER_PARTS]
    return max(parts, key=lambda part: part[1] or 0, default=None)


def blame(runs: Sequence[Run], kind: str) -> Sheet:
    """Causes in rows, fabrics in columns; they sum to the last row.

    kind: `all` for the mean over all requests, `p99` for the mean over the slowest hundredth.
    """
    tables = [run["blame_us"].get(kind) or {} for run in runs]
    sums = [sum(table.values()) if table else None for table in tables]
    causes = {cause: max(table.get(cause) or 0 for table in tables) for table in tables for cause in table}
    rows = [
        [words(cause), *[time_us(table[cause]) if table.get(cause) else "" for table in tables]]
        for cause in sorted(causes, key=lambda cause: -causes[cause])
        if causes[cause]
    ]
    title, total = ("all requests", "mean latency") if kind == "all" else ("slowest 1 %", "their mean")
    head = [f"where time went:\n{title}", *[run["fabric"] for run in runs]]
    return [head, *rows, [total, *map(time_us, sums)]]


def _table(sheet: Sheet, *, left: Sequence[int] = (), causes: bool = False) -> Table:
    """A sheet for the terminal. left: columns of words. causes: the last row is the sum of the others."""
    if causes and _room(sheet) < len(sheet[0]) - 1:
        sheet = _narrowed(sheet)
    heads, *rows = sheet
    gap = 2 if _room(sheet) >= 2 * len(heads) else 1
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold cyan")
    for number, heading in enumerate(heads):
        justify: Any = "left" if number == 0 or number in left else "right"
        table.add_column(heading, justify=justify, vertical="bottom", no_wrap=True)
    for row in rows:
        conflict = causes and row[0] in map(words, _CONFLICTS)
        table.add_row(*row, style="bold" if causes and row is rows[-1] else "yellow" if conflict else "")
    return table


def _room(sheet: Sheet) -> int:
    """What its columns leave of a line for the gaps between them."""
    columns = zip(*sheet, strict=True)
    return _WIDTH - sum(max(len(line) for cell in column for line in cell.split("\n")) for column in columns)


def _narrowed(sheet: Sheet) -> Sheet:
    """Columns for many fabrics: their names in short lines, times without the space before the unit."""
    heads, *rows = sheet
    names = ["\n".join(_pieces(name)) for name in heads[1:]]
    return [[heads[0], *names], *[[row[0], *[cell.replace(" ", "") for cell in row[1:]]] for row in rows]]


def _pieces(name: str) -> Iterator[str]:
    """A name in pieces of at most seven characters."""
    for number, part in enumerate(name.split("-")):
        word = f"-{part}" if number else part
        while len(word) > 7:
            yield f"{word[:6]}-"
            word = word[6:]
        yield word


def _cost(runs: Sequence[Run]) -> Text:
    costs = [run["cost"] for run in runs]
    cpu, memory = sum(cost["cpu_s"] for cost in costs), max(cost["peak_rss_mb"] for cost in costs)
    facts = listing([f"{cpu:.2f} CPU-s", f"{scaled(memory * 1e6, 'B')} peak memory"])
    return Text.assemble(("cost", "bold cyan"), f"  {facts}")


def _mean(run: Run) -> float | None:
    mean: float | None = run["latency_us"]["all"]["mean"]
    return mean


def _gain(first: Run, run: Run) -> float | None:
    a, b = _mean(first), _mean(run)
    return a / b if a and b else None


def _conflict_share(run: Run) -> str:
    lost = run["blame_us"]["all"].get("path_conflict")
    return share(lost / (_mean(run) or lost)) if lost else "nothing"


def _factor(speedup: float | None) -> str:
    if speedup is None:
        return ABSENT
    if speedup < 0.0005:
        return "<0.001×"
    decimals = 3 if speedup < 0.0995 else 2 if speedup < 99.995 else 0
    return f"{speedup:,.{decimals}f}×"


def _milli(number: float | None, unit: str) -> str:
    """A number of thousandths of a unit, with the prefix that fits: `1.25 mJ`."""
    if number is None:
        return ABSENT
    if number == 0:
        return "0"
    for size, prefix in ((1e-6, "n"), (1e-3, "µ"), (1.0, "m")):
        if number < 999.5 * size:
            return f"{scaled(number / size)} {prefix}{unit}"
    return scaled(number / 1e3, unit)


def _one_line(heading: str) -> str:
    return heading.replace("\n", " ")
