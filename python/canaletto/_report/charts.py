"""Common parts of charts, as Vega-Lite specifications.

Colours are for a light page (`colours.py`). Long lines are arrays that the chart flattens, so that a page stays small.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import altair as alt
from altair.utils import schemapi

from canaletto._report import colours

Spec: TypeAlias = dict[str, Any]
Data: TypeAlias = Mapping[str, Any]

LINES = alt.Legend(symbolType="stroke", symbolStrokeWidth=3, symbolSize=250)

DOTS = alt.Legend(symbolType="circle", symbolStrokeWidth=0, symbolSize=80)


unchecked = schemapi.debug_mode(False)
"""Altair's checks take longer than all else. Tests do them."""


def spec(chart: alt.TopLevelMixin) -> Spec:
    found: Spec = chart.to_dict(validate=False)
    found.pop("config", None)
    found["autosize"] = {"type": "fit-x", "contains": "padding"}
    return found


def fabric_colour(fabrics: Sequence[str], *, legend: bool = True, dots: bool = False) -> alt.Color:
    found = colours.fabrics(fabrics)
    scale = alt.Scale(domain=list(fabrics), range=[found[name] for name in fabrics])
    return alt.Color("fabric:N", title=None, scale=scale, legend=(DOTS if dots else LINES) if legend else None)


def fabric_axis(fabrics: Sequence[str]) -> alt.Y:
    return alt.Y("fabric:N", sort=list(fabrics), title=None, axis=alt.Axis(ticks=False, domain=False))


def room(largest: float, pixels: int) -> alt.Scale:
    largest = largest or 1
    return alt.Scale(domainMin=0, domainMax=alt.ExprRef(f"{largest} * width / max(width - {pixels}, 60)"), nice=False)


def short(value: float, digits: int = 4) -> float:
    return float(f"{value:.{digits}g}")


def lines(
    rows: Sequence[Data],
    x: alt.X,
    y: alt.Y,
    shades: Mapping[str, str],
    *,
    order: str,
    marks: Sequence[Data] = (),
    height: int = 300,
) -> Spec:
    systems = [name for name in shades if any(row["system"] == name for row in rows)]
    fields = {str(axis.shorthand).partition(":")[0] for axis in (x, y)} | {"system", order}
    colour = alt.Color(
        "system:N",
        title=None,
        scale=alt.Scale(domain=systems, range=[shades[name] for name in systems]),
        legend=LINES,
    )

    def layer(shown: Sequence[Data], mark: Callable[[alt.Chart], alt.Chart]) -> alt.Chart:
        chart = alt.Chart(alt.InlineData([{key: row[key] for key in fields} for row in shown]))
        return mark(chart).encode(
            x=x, y=y, color=colour, order=f"{order}:Q", tooltip=[f"{key}:N" for key in sorted(fields)]
        )

    layers = [
        layer(
            [*rows, *(mark for mark in marks if mark not in rows)],
            lambda chart: chart.mark_line(strokeWidth=1.8, clip=True),
        )
    ]
    if marks:
        layers.append(layer(marks, lambda chart: chart.mark_point(size=90, strokeWidth=2, filled=True, clip=True)))
    return spec(alt.layer(*layers).properties(width="container", height=height))
