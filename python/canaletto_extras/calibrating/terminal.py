"""Tables that `canaletto calibrate` prints."""

from collections.abc import Iterator, Mapping
from typing import Any

from canaletto._io.units import ABSENT, change
from canaletto._report.terminal import plain_table
from rich.console import RenderableType
from rich.text import Text


def tables(report: Mapping[str, Any]) -> Iterator[RenderableType]:
    table = plain_table("parameter", "range", "before", "calibrated", "uncertainty", right=(2, 3, 4))
    for each in report["parameters"]:
        uncertain = each["uncertainty_of_range"]
        spread = ABSENT if uncertain is None else f"{uncertain:.1%} of the range"
        value = f"{each['value']}{' (end of the range)' if each['at_bound'] else ''}"
        before = ABSENT if each["before"] is None else str(each["before"])
        table.add_row(", ".join(each["keys"]), f"{each['low']} to {each['high']}", before, value, spread)
    yield table
    names = list(dict.fromkeys(name for point in report["points"] for name in point["error"]))
    table = plain_table("ours over measured", "half", *names, right=tuple(range(2, len(names) + 2)))
    for point in report["points"]:
        cells = [change(point["error"][name]) if name in point["error"] else ABSENT for name in names]
        table.add_row(point["job"], point["half"], *cells)
    yield table
    table = plain_table("error, root mean square", "before", "after", right=(1, 2))
    for half, after in report["error"]["after"].items():
        if after is not None:
            table.add_row(half, f"{report['error']['before'][half]:.1%}", f"{after:.1%}")
    yield table
    yield from map(Text, report["notes"])
