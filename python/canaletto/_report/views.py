"""Ways to show results, for what lies below: see `_run/shown.py`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from canaletto._run.results import Result

if TYPE_CHECKING:
    from canaletto._run.compare import Comparison
    from canaletto._run.timeline import Window


def text(found: "Result | Comparison") -> str:
    """A screen of text."""
    if isinstance(found, Result):
        from canaletto._report import terminal

        return terminal.text(found.to_dict())
    from canaletto._report import side_by_side

    return side_by_side.text(found.shown, found.gains, found.equal, found.hot_spots)


def cell(found: "Result | Comparison") -> str:
    """A notebook's cell, as HTML."""
    if isinstance(found, Result):
        from canaletto._report import notebook

        return notebook.html(found.to_dict())
    from canaletto._report import side_by_side

    return side_by_side.html(found.shown, found.gains, found.equal, found.hot_spots)


def verdict(found: "Comparison") -> str:
    """The verdict on a comparison."""
    from canaletto._report import summary

    return summary.verdict(found.shown, found.gains)


def page(
    found: "Result | Comparison",
    command: list[str] | None,
    window: "Window | None",
    say: Callable[[str], object] | None,
) -> str:
    """The report of a run or a comparison. See `folder.write`."""
    from canaletto._run import timeline

    first = found if isinstance(found, Result) else found.runs[0]
    shown, request = (window, None) if window is not None else timeline.telling(first)
    told = say if window is not None else None
    if isinstance(found, Result):
        from canaletto._report import page as single

        return single.html(found, command, timeline.of_result(found, shown, timeline.PAGE_LIMIT), request, told)
    from canaletto._report import comparison

    return comparison.html(found, command, found.timelines(shown, limit=timeline.PAGE_LIMIT), request, told)
