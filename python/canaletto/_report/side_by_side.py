"""Several fabrics' results of the same work, in 80 columns."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from canaletto._io.units import ABSENT, cause_label, count, listing, scaled, share, thousandths, time_us
from canaletto._report import account, budget, maintenance, places, summary, terminal, wires
from canaletto._run import caveats
from canaletto._run.confidence import lookup
from canaletto._run.equal import IDEAL, Equal
from canaletto._run.gains import MEASURES, Gain, Gains, gains

if TYPE_CHECKING:
    from canaletto._run.compare import Comparison

Run: TypeAlias = Mapping[str, Any]
Sheet: TypeAlias = list[list[str]]
"""Headings (a newline breaks a line), then rows."""

_WIDTH = 80
_CONFLICTS = ("path_conflict", "path_reservation")
_MANY = 6
_MOST = 9
_LABEL = 17


def render(
    runs: Sequence[Run],
    found: Gains | None = None,
    equal: Equal | None = None,
    hot_spots: Mapping[str, "Comparison"] | None = None,
) -> RenderableType:
    """found: gains of several seeds. equal: the budget. hot_spots: results by place of load."""
    found = found or gains([runs])
    absolute, speedups = headlines(runs, found)
    full = summary.saturation(runs, found)
    parts: list[RenderableType] = [
        Text.assemble((heading(runs), "bold"), " · ", title(runs), "\n", (terminal.served(runs[0]), "dim")),
        *([Text(failures, "bold red")] if (failures := terminal.failed(runs)) else []),
        *[Text(caveat, "bold yellow") for caveat in (full.strip(), *caveats.of_all(runs, before=False)) if caveat],
        Text(summary.verdict(runs, found).removeprefix(full), "bold green"),
        *([Text(caveat, "bold yellow")] if (caveat := wires.caveat(runs, found)) else []),
        _table(wires.sheet(runs)),
        *([Text(absent, "dim")] if (absent := wires.absent(runs)) else []),
        *(counting(equal) if equal else []),
        _table(absolute),
        *([Text(terminal.FEW, "dim")] if any(not lookup(run, "latency_us.all.p99_99") for run in runs) else []),
        _table(speedups),
        *([Text(summary.ABOUT_IDEAL, "dim")] if _has_ideal(runs) else []),
        *map(_table, by_place(runs, hot_spots or {})),
        _table(interconnect(runs), left=(4,)),
        *[_table(part, causes=True) for kind in ("all", "p99") for part in _divided(blame(runs, kind))],
        *[_table(sheet) for sheet in collection(runs)],
        _cost(runs),
    ]
    return Group(*[line for part in parts for line in (part, Text())][:-1])


def text(
    runs: Sequence[Run],
    found: Gains | None = None,
    equal: Equal | None = None,
    hot_spots: Mapping[str, "Comparison"] | None = None,
) -> str:
    return terminal.plain(render(runs, found, equal, hot_spots), _WIDTH)


def html(
    runs: Sequence[Run],
    found: Gains | None = None,
    equal: Equal | None = None,
    hot_spots: Mapping[str, "Comparison"] | None = None,
) -> str:
    from canaletto._report import bars, notebook

    found = found or gains([runs])
    counted = [budget.sheet(equal)] if equal else []
    sheets = [
        wires.sheet(runs),
        *counted,
        *headlines(runs, found),
        *by_place(runs, hot_spots or {}),
        interconnect(runs),
        blame(runs, "all"),
        blame(runs, "p99"),
        *collection(runs),
    ]
    tables = [notebook.table([_one_line(cell) for cell in head], rows) for head, *rows in sheets]
    name = listing([str(runs[0]["design"]), title(runs)])
    verdict = summary.verdict(runs, found)
    note = f"<p><b>{escape(caveat)}</b></p>" if (caveat := wires.caveat(runs, found)) else ""
    drawn = [
        notebook.picture(bars.speedup(found), f"Speedup. {verdict}"),
        notebook.picture(bars.causes(runs, "all"), f"Latency by cause, mean request. {verdict}"),
    ]
    return (
        f"<div><p><b>{escape(name)}</b><br>{escape(terminal.served(runs[0]))}</p>"
        f"{notebook.failures(runs)}<p>{escape(verdict)}</p>{note}{''.join([*drawn, *tables])}</div>"
    )


def counting(equal: Equal) -> list[RenderableType]:
    return [Text(budget.sentence(equal)), _table(budget.sheet(equal))]


def by_place(runs: Sequence[Run], hot_spots: Mapping[str, "Comparison"]) -> list[Sheet]:
    return places.sheets(runs, {place: each.shown for place, each in hot_spots.items()})


def heading(runs: Sequence[Run]) -> str:
    return str(runs[0]["design"]) if summary.kind(runs) == "fabric" else f"{len(runs)} drives"


def title(runs: Sequence[Run]) -> str:
    seeds = (runs[0].get("confidence") or {}).get("seeds")
    seed = f"seeds {seeds[0]} to {seeds[-1]}" if seeds else f"seed {runs[0]['seed']}"
    return listing([str(runs[0]["workload"]), ", ".join(run["fabric"] for run in runs), seed])


def headlines(runs: Sequence[Run], found: Gains) -> list[Sheet]:
    confidence = runs[0].get("confidence")
    columns = {
        "IOPS": [scaled(run["iops"]) for run in runs],
        **{
            f"latency,\n{name}": [time_us(lookup(run, f"latency_us.all.{key}")) for run in runs]
            for key, name in terminal.PERCENTILES.items()
            if key in ("mean", "p99", "p99_99")
        },
        "energy": [thousandths(lookup(run, "energy_mj.total"), "J") for run in runs],
        "power": [thousandths(run.get("average_power_mw"), "W") for run in runs],
    }
    told = {head: cells for head, cells in columns.items() if any(cell != ABSENT for cell in cells) or "99" in head}
    absolute = [[f"seed {runs[0]['seed']}" if confidence else summary.kind(runs), *told]]
    absolute += [[run["fabric"], *(cells[place] for cells in told.values())] for place, run in enumerate(runs)]
    mean = f"mean of {len(confidence['seeds'])} seeds,\n95 % interval,\n" if confidence else ""
    over = f"speedup over{' ' if confidence else chr(10)}{runs[0]['fabric']}"
    speedups = [[f"{mean}{over}", "exec.\ntime", "mean\nlatency", "p99\nlatency", "IOPS"]]
    speedups += [
        [run["fabric"], *(ABSENT if gain is None else summary.times(gain) for gain in _measured(found, run))]
        for run in runs
    ]
    return [absolute, speedups]


def _measured(found: Gains, run: Run) -> list[Gain | None]:
    measures = found.get(run["fabric"]) or {}
    return [measures.get(measure) for measure in MEASURES]


def _has_ideal(runs: Sequence[Run]) -> bool:
    return len(runs) > 1 and any(run["fabric"] == IDEAL for run in runs)


def interconnect(runs: Sequence[Run]) -> Sheet:
    heads = ["path\nconflicts", "requests\nwithout", "transactions\nwithout", "conflict\nwait per\nrequest"]
    return [[*heads, "busiest part\nof the fabric", "in use"], *map(_interconnect_row, runs)]


def _interconnect_row(run: Run) -> list[str]:
    conflicts = run["path_conflicts"]
    counted = sum(run["requests"].get(kind) or 0 for kind in ("reads", "writes", "trims", "flushes"))
    lost = conflicts["lost_us"]
    part, use = busiest(run) or (ABSENT, None)
    free = [share(conflicts[f"free_{kind}_share"]) for kind in ("request", "transaction")]
    return [run["fabric"], *free, time_us(lost / counted if counted and lost is not None else None), part, share(use)]


def busiest(run: Run) -> tuple[str, float] | None:
    layout = run.get("map") or {}
    parts = [(part["name"], part["share"]) for kind in ("wires", "controllers") for part in layout.get(kind) or ()]
    return max(parts, key=lambda part: part[1] or 0, default=None)


def blame(runs: Sequence[Run], kind: str) -> Sheet:
    """Causes in rows, fabrics in columns."""
    tables = [account.table(run, kind) for run in runs]
    sums = [sum(table.values()) if table else None for table in tables]
    causes = {cause: max(table.get(cause) or 0 for table in tables) for table in tables for cause in table}
    rows = [
        [cause_label(cause), *[time_us(table[cause]) if table.get(cause) else "" for table in tables]]
        for cause in sorted(causes, key=lambda cause: -causes[cause])
        if causes[cause]
    ]
    title, total = ("all requests", "mean latency") if kind == "all" else ("slowest 1 %", "mean latency")
    of = account.TITLES[account.main(runs[0])]
    # Many columns leave no room for the words in one line.
    of = of.replace(" by ", "\nby ") if len(runs) > _MANY else of
    head = [f"{of},\n{title}", *[run["fabric"] for run in runs]]
    return [head, *rows, [total, *map(time_us, sums)]]


def collection(runs: Sequence[Run]) -> list[Sheet]:
    if not any(map(maintenance.collections, runs)):
        return []
    heads = ["garbage\ncollection", "blocks", "pages\ncopied", "victims\nvalid", "write\nampl.", "erases,\nmost"]
    return [[[*heads, "of mean\nlatency", "of slow-\nest 1 %"], *map(_collection_row, runs)]]


def _collection_row(run: Run) -> list[str]:
    amplification = lookup(run, "flash.write_amplification")
    return [
        run["fabric"],
        scaled(maintenance.collections(run)),
        scaled(lookup(run, "flash.gc.pages_copied")),
        share(lookup(run, "flash.gc.valid_share_of_victims")),
        ABSENT if amplification is None else f"{amplification:.2f}",
        count(lookup(run, "flash.wear.erases_max")),
        *(share(sum(maintenance.delay_shares(run, kind).values())) for kind in ("all", "p99")),
    ]


def table(sheet: Sheet) -> Table:
    return _table(sheet)


def _table(sheet: Sheet, *, left: Sequence[int] = (), causes: bool = False) -> Table:
    if causes and _room(sheet) < len(sheet[0]) - 1:
        sheet = _narrowed(sheet)
    heads, *rows = sheet
    gap = 2 if _room(sheet) >= 2 * len(heads) else 1
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold cyan")
    for number, heading in enumerate(heads):
        justify: Any = "left" if number == 0 or number in left else "right"
        table.add_column(heading, justify=justify, vertical="bottom", no_wrap=True)
    for row in rows:
        conflict = causes and row[0] in map(cause_label, _CONFLICTS)
        table.add_row(*row, style="bold" if causes and row is rows[-1] else "yellow" if conflict else "")
    return table


def _divided(sheet: Sheet) -> list[Sheet]:
    columns = len(sheet[0]) - 1
    if columns <= _MOST:
        return [sheet]
    middle = (columns + 1) // 2
    return [[[row[0], *row[part]] for row in sheet] for part in (slice(1, middle + 1), slice(middle + 1, None))]


def _room(sheet: Sheet) -> int:
    columns = zip(*sheet, strict=True)
    return _WIDTH - sum(max(len(line) for cell in column for line in cell.split("\n")) for column in columns)


def _narrowed(sheet: Sheet) -> Sheet:
    """Names in short lines, times without the space before the unit."""
    heads, *rows = sheet
    names = ["\n".join(_pieces(name)) for name in heads[1:]]
    return [[heads[0], *names], *[[_broken(row[0]), *[cell.replace(" ", "") for cell in row[1:]]] for row in rows]]


def _broken(label: str) -> str:
    return label.replace(" (", "\n(") if len(label) > _LABEL else label


def _pieces(name: str) -> Iterator[str]:
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


def _one_line(heading: str) -> str:
    return heading.replace("\n", " ")
