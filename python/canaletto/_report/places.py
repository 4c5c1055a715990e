"""Figures of fabrics by place of load."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from canaletto._io.units import scaled, time_us
from canaletto._run.confidence import lookup
from canaletto._run.hot_spots import SHARES

ABOUT = (
    "Half of the load on the FTL's first channel, a quarter on a chip, half on the worst line of each fabric: chips "
    "with the fewest ways to the controllers."
)

HEADINGS = {
    "channel": "half on a\nchannel",
    "chip": "a quarter\non a chip",
    "worst-line": "half on the\nworst line",
}

_FIGURES: Mapping[str, tuple[str, Callable[[float | None], str]]] = {
    "mean latency": ("latency_us.all.mean", time_us),
    "p99 latency": ("latency_us.all.p99", time_us),
    "IOPS": ("iops", scaled),
}


def sheets(
    runs: Sequence[Mapping[str, Any]], places: Mapping[str, Sequence[Mapping[str, Any]]]
) -> list[list[list[str]]]:
    if not places:
        return []
    columns = [runs, *(places[place] for place in SHARES)]
    return [
        [
            [title, "as it is", *(HEADINGS[place] for place in SHARES)],
            *(
                [str(row[0]["fabric"]), *(words(lookup(run, path)) for run in row)]
                for row in zip(*columns, strict=True)
            ),
        ]
        for title, (path, words) in _FIGURES.items()
    ]
