"""The report of a comparison."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

from canaletto._io.units import count, listing, scaled
from canaletto._report import background, configuration, sections, summary, terminal, wires
from canaletto._report.animation import Timeline
from canaletto._report.document import document, note, room, section
from canaletto._report.page import SCRIPTS
from canaletto._run.equal import Equal
from canaletto._run.gains import Gains

if TYPE_CHECKING:
    from canaletto._run.results import Result


class Comparison(Protocol):
    @property
    def shown(self) -> Sequence["Result"]: ...
    @property
    def gains(self) -> Gains: ...
    @property
    def equal(self) -> Equal | None: ...
    @property
    def hot_spots(self) -> Mapping[str, "Comparison"]: ...


def html(
    comparison: Comparison,
    command: list[str] | None = None,
    timelines: Mapping[str, Timeline] | None = None,
    request: int | None = None,
    say: Callable[[str], object] | None = None,
) -> str:
    """command: repeats the comparison. timelines: a window, by fabric. request: shown by the window."""
    runs = list(comparison.shown)
    data = [run.to_dict() for run in runs]
    design, workload, _, seed = terminal.title(data[0])
    kind = summary.kind(data)
    title = listing([*([design] if kind == "fabric" else []), workload, f"{len(runs)} {kind}s", seed])
    requests = data[0]["requests"]
    # After a warm-up each fabric counts other requests.
    moved = "" if runs[0].options["warmup"] else f" ({scaled(requests['bytes'], 'B')})"
    work = f"the same {count(requests['generated'])} requests{moved} on every {kind}"
    caveat = wires.caveat(data, comparison.gains)
    warned = f'<p class="caveat">{escape(caveat)}</p>' if caveat else ""
    counted = sections.sheet(wires.sheet(data)) + note(wires.about(data))
    # The table is wider than half a screen.
    opening = sections.opening(title, work, data, comparison.gains, warned) + counted
    after = [
        *([sections.counting(comparison.equal)] if comparison.equal else []),
        section("figures", "Key figures", sections.key_figures(data)),
        sections.by_place(data, {place: each.shown for place, each in comparison.hot_spots.items()}),
        sections.latency(runs),
        sections.speedup(data, comparison.gains),
        sections.causes(data),
        sections.conflicts(data),
        *background.html(runs),
        sections.energy(data),
        sections.utilisation(data),
        sections.over_time(data),
        configuration.html(runs, command),
    ]
    first = summary.contenders(data, comparison.gains)
    seen = sections.seen(timelines, room([opening, *after], SCRIPTS), request, say, first)
    return document(title, opening, [seen, *after], SCRIPTS, [run["fabric"] for run in data])
