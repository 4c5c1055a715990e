"""Standard output and standard error of the command line: results on one, words on the other."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from canaletto.printable import printable


@dataclass
class Trimmed:
    """A part without blanks at the ends of its lines, with which tables fill their width."""

    part: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """The part's lines."""
        for line in Segment.split_lines(console.render(self.part, options)):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                *words, (text, style, control) = line
                yield from (Segment(printable(word.text), word.style, word.control) for word in words)
                yield Segment(printable(text.rstrip()), style, control)
            yield Segment.line()


def show(*parts: RenderableType) -> None:
    """Prints for people."""
    console = Console(highlight=False)
    if not console.is_terminal:
        # Pipes and files have no width: nothing is cut or wrapped for one.
        console = Console(highlight=False, width=max(console.width, 80))
    for part in parts:
        console.print(Trimmed(part))


def emit(document: Mapping[str, Any] | list[Any]) -> None:
    """Prints for machines: one JSON document. Refuses NaN and infinity, which JSON does not have."""
    sys.stdout.write(json.dumps(document, indent=1, allow_nan=False) + "\n")


def say(message: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"canaletto: {printable(' '.join(message.split()))}\n")


def plain_table(*headings: str, right: tuple[int, ...] = ()) -> Table:
    """An unboxed table; the columns with these numbers are of figures."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold cyan")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number in right else "left", overflow="fold")
    return table
