"""Lines that Rich draws, without blanks at their ends."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table

from canaletto._io.printable import printable


@dataclass
class Trimmed:
    """Tables fill their width with blanks."""

    part: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for part in _leaves(self.part):
            yield from self._lines(console, options.update_width(_width(part, console, options)), part)

    def _lines(self, console: Console, options: ConsoleOptions, part: RenderableType) -> Iterator[Segment]:
        for line in Segment.split_lines(console.render(part, options)):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                *words, (text, style, control) = line
                yield from (Segment(printable(word.text), word.style, word.control) for word in words)
                yield Segment(printable(text.rstrip()), style, control)
            yield Segment.line()


def _leaves(part: RenderableType) -> Iterator[RenderableType]:
    if isinstance(part, Group):
        for inner in part.renderables:
            yield from _leaves(inner)
    else:
        yield part


def _width(part: RenderableType, console: Console, options: ConsoleOptions) -> int:
    """The console's width, or more for figures that it would cut."""
    is_rigid = isinstance(part, Padding) or (isinstance(part, Table) and all(each.no_wrap for each in part.columns))
    if not is_rigid:
        return options.max_width
    return max(options.max_width, Measurement.get(console, options.update_width(_ENOUGH), part).maximum)


_ENOUGH = 1000
