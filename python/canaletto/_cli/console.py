"""Results on standard output, words on standard error.

Rich is loaded where something is drawn: importing it takes as long as a short command.
"""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from canaletto._io.printable import say as say

if TYPE_CHECKING:
    from rich.console import RenderableType


def show(*parts: "RenderableType") -> None:
    from rich.console import Console

    from canaletto._cli.trimmed import Trimmed

    console = Console(highlight=False)
    if not console.is_terminal:
        # Pipes and files have no width: nothing is cut or wrapped for one.
        console = Console(highlight=False, width=max(console.width, 80))
    for part in parts:
        # A table that does not fit continues in the terminal's next line: its figures are not cut.
        console.print(Trimmed(part), crop=False)


def emit(document: Mapping[str, Any] | list[Any]) -> None:
    sys.stdout.write(json.dumps(document, indent=1, allow_nan=False) + "\n")
