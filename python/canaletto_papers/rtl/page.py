"""A page that plays what the hardware did, next to the run."""

from html import escape

from canaletto._report import sections
from canaletto._report.animation import Timeline
from canaletto._report.document import document, note, room
from canaletto._report.page import SCRIPTS

_ABOUT = (
    "“rtl” is the hardware: scouts, reservations and circuits as its registers held them, one cycle a nanosecond. "
    "“venice” is the run, whose transfers the hardware was given, each when its first scout departs. "
    "The hardware has no flash arrays and no requests: those are the run's."
)


def html(run: Timeline, hardware: Timeline, title: str) -> str:
    opening = f"<h1>{escape(title)}</h1>\n{note(_ABOUT)}"
    # The run comes first: it is its requests that are listed.
    timelines = {"venice": run, "rtl": hardware}
    seen = sections.seen(timelines, room([opening], SCRIPTS), first=list(timelines))
    return document(title, opening, [seen], SCRIPTS)
