"""See `_run/shown.py`."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from canaletto._run.results import Result

if TYPE_CHECKING:
    from rich.console import RenderableType

    from canaletto._run.compare import Comparison
    from canaletto._run.timeline import Window


def text(found: Any) -> str:
    from canaletto._report import side_by_side, terminal
    from canaletto._run.compare import Comparison

    if isinstance(found, Result):
        return terminal.text(found.to_dict())
    if isinstance(found, Comparison):
        return side_by_side.text(found.shown, found.gains, found.equal, found.hot_spots)
    return "\n".join(terminal.plain(part, 80) for part in _parts(found))


def cell(found: Any) -> str:
    from canaletto._report import notebook, side_by_side
    from canaletto._run.compare import Comparison

    if isinstance(found, Result):
        return notebook.html(found.to_dict())
    if isinstance(found, Comparison):
        return side_by_side.html(found.shown, found.gains, found.equal, found.hot_spots)
    return notebook.cell(_parts(found))


def _parts(found: Any) -> "Iterable[RenderableType]":
    from canaletto._bounding.bound import Bound
    from canaletto._report import explanation, tables
    from canaletto._run.drive import Drive
    from canaletto._run.explain import Explained, Explanation
    from canaletto._run.timeline import Timeline

    if isinstance(found, Explanation):
        found = Explained([found], [], 0)
    shown: dict[type, Callable[[Any], Iterable[RenderableType]]] = {
        Bound: tables.bound,
        Drive: tables.drive,
        Explained: explanation.render,
        Timeline: tables.timeline,
    }
    for kind, parts in shown.items():
        if isinstance(found, kind):
            return parts(found)
    own: Iterable[RenderableType] = found._parts()
    return own


def verdict(found: "Comparison") -> str:
    from canaletto._report import summary

    return summary.verdict(found.shown, found.gains)


def notes(found: "Comparison") -> list[str]:
    from canaletto._report import wires
    from canaletto._run import caveats

    caveat = wires.caveat(found.shown, found.gains)
    return [*caveats.of_all(found.shown), *([caveat] if caveat else [])]


def page(
    found: "Result | Comparison",
    command: list[str] | None,
    window: "Window | None",
    say: Callable[[str], object] | None,
) -> str:
    from canaletto._run import timeline

    first = found if isinstance(found, Result) else found.runs[0]
    shown, request = (window, None) if window is not None else timeline.telling(first)
    told = say if window is not None else None
    if isinstance(found, Result):
        from canaletto._report import page as single

        return single.html(found, command, timeline.of_result(found, shown, timeline.PAGE_LIMIT), request, told)
    from canaletto._report import comparison

    return comparison.html(found, command, found.timelines(shown, limit=timeline.PAGE_LIMIT), request, told)
