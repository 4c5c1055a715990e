"""Attachments, sizes, published ratios; each time is computed once."""

from collections.abc import Mapping
from functools import cache

import altair as alt
from canaletto import attachments
from canaletto._report.charts import Spec, lines
from canaletto.attachments import Times

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale

SYSTEMS = {"SBSP": "sbsp", "NBSP": "nbsp", "SBDP": "sbdp", "NBDP": "nbdp"}
BASELINE = "SBSP"

SHADES = {"SBSP": "#000000", "NBSP": "#E69F00", "SBDP": "#56B4E9", "NBDP": "#009E73"}

SIZES = tuple(512 << power for power in range(9))
"""512 B to 128 KiB."""

READ_MISS, READ_HIT, WRITE, PAGE_FAULT, DOWNLOAD = attachments.SCENARIOS

TITLES = {
    READ_MISS: "DMA read miss",
    READ_HIT: "DMA read hit",
    WRITE: "DMA write",
    PAGE_FAULT: "page fault",
    DOWNLOAD: "network download",
}

PUBLISHED = {
    READ_MISS: (1.31, 1.60, 2.29),
    READ_HIT: (8.70, 2.13, 28.56),
    WRITE: (1.59, 1.83, 2.75),
    PAGE_FAULT: (1.37, 1.74, 2.37),
    DOWNLOAD: (1.31, 2.08, 2.19),
    "real trace 1": (1.50, 1.74, 2.60),
    "real trace 2": (1.54, 1.79, 2.67),
    "real trace 3": (1.38, 1.65, 2.40),
    "real trace 4": (1.50, 1.75, 2.60),
}
"""Ratios to SBSP of NBSP, SBDP and NBDP (slides, "Max. Performance Improve Ratio")."""

Keys = tuple[tuple[str, str], ...]


@cache
def times(kind: str, scenario: str, size: int, keys: Keys = ()) -> Times:
    return attachments.simulate(kind, scenario, size, **dict(keys))


def published(scenario: str, system: str) -> float | None:
    return None if system == BASELINE else PUBLISHED[scenario][list(SYSTEMS).index(system) - 1]


def gain(system: str, scenario: str, size: int, keys: Keys = (), *, inside: bool = True) -> float:
    def span(kind: str) -> float:
        found = times(kind, scenario, size, keys)
        return found.total_us if inside else found.without_inside_us

    return span(SYSTEMS[BASELINE]) / span(SYSTEMS[system])


def best(system: str, scenario: str, keys: Keys = (), *, inside: bool = True) -> tuple[float, int]:
    found = [(gain(system, scenario, size, keys, inside=inside), size) for size in SIZES]
    return max(found, key=lambda each: (each[0], -each[1]))


def nothing(_: Scale) -> dict[Label, Run]:
    return {}


def scenario_figure(name: str, title: str, about: str | None, scenario: str) -> Figure:
    def table(_: Mapping[Label, Data]) -> list[Row]:
        return [
            {
                "system": system,
                "size_bytes": size,
                "total_us": times(kind, scenario, size).total_us,
                "without_inside_us": times(kind, scenario, size).without_inside_us,
                "gain_without_inside": gain(system, scenario, size, inside=False),
                **{f"{step}_us": span for step, span in times(kind, scenario, size).steps_us.items()},
                "ours": gain(system, scenario, size),
                "published": None,
            }
            for system, kind in SYSTEMS.items()
            for size in SIZES
        ]

    return Figure(name, title, about or "", nothing, table, by_size)


def by_size(rows: list[Row]) -> dict[str, Spec]:
    scale = alt.Scale(type="log", base=2, nice=False)
    axis = alt.Axis(values=list(SIZES), labelExpr="datum.value < 1024 ? '512 B' : datum.value / 1024 + ' KiB'")
    x = alt.X("size_bytes:Q", title="size", scale=scale, axis=axis)

    def drawn(field: str) -> Spec:
        y = alt.Y(f"{field}:Q", title="time (us)", scale=alt.Scale(type="log", nice=False))
        return lines(rows, x, y, SHADES, order="size_bytes")

    return {"total time": drawn("total_us"), "excluding the drive's inside": drawn("without_inside_us")}
