"""A run's report."""

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from canaletto._io.units import listing, scaled, share, time_us
from canaletto._report import background, configuration, sections, terminal
from canaletto._report.animation import Timeline
from canaletto._report.document import document, room

if TYPE_CHECKING:
    from canaletto._run.results import Result

SCRIPTS = ("page.js", "array.js", "map.js", "animation.js")


def html(
    result: "Result",
    command: list[str] | None = None,
    timeline: Timeline | None = None,
    request: int | None = None,
    say: Callable[[str], object] | None = None,
) -> str:
    """command: repeats the run. timeline: a window to play. request: shown by the window."""
    data = result.to_dict()
    title = listing(terminal.title(data))
    opening = sections.opening(title, terminal.sentence(data), [data], None, _figures(data))
    after = [
        sections.latency([result]),
        sections.causes([data]),
        sections.flows(data),
        sections.confidence(data),
        *background.html([result]),
        sections.energy([data]),
        sections.utilisation([data]),
        sections.over_time([data]),
        sections.facts(data),
        configuration.html([result], command),
    ]
    timelines = {data["fabric"]: timeline} if timeline is not None else None
    seen = sections.seen(timelines, room([opening, *after], SCRIPTS), request, say)
    return document(title, opening, [seen, *after], SCRIPTS, [data["fabric"]])


def _figures(data: dict[str, Any]) -> str:
    latency = data["latency_us"]["all"] or {}
    bandwidth = data["bandwidth_mb_s"]
    figures = {
        "IOPS": scaled(data["iops"]),
        "bandwidth": scaled(None if bandwidth is None else bandwidth * 1e6, "B/s"),
        "mean latency": time_us(latency.get("mean")),
        "p99 latency": time_us(latency.get("p99")),
        "p99.99 latency": time_us(latency.get("p99_99")),
        "requests without conflict": share((data.get("path_conflicts") or {}).get("free_request_share")),
    }
    items = "".join(f"<li><b>{escape(figure)}</b><span>{label}</span></li>" for label, figure in figures.items())
    return f'<ul class="figures">{items}</ul>'
