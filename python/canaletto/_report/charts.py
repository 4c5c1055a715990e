"""Common parts of charts. Each is a Vega-Lite specification, for one run or many.

Colours are those of a light page (`colours.py`); everything else of the look belongs to the page, which follows light
and dark. Long lines are arrays that the chart itself flattens, so that a page stays small.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import altair as alt
from altair.utils import schemapi

from canaletto._report import colours

Spec: TypeAlias = dict[str, Any]
Data: TypeAlias = Mapping[str, Any]

LINES = alt.Legend(symbolType="stroke", symbolStrokeWidth=3, symbolSize=250)
"""The legend of lines."""

DOTS = alt.Legend(symbolType="circle", symbolStrokeWidth=0, symbolSize=80)
"""The legend of dots."""


unchecked = schemapi.debug_mode(False)
"""A decorator of functions that make charts: Altair does not check them, which takes longer than all else.
Tests do."""


def spec(chart: alt.TopLevelMixin) -> Spec:
    """A chart as plain data, without a look of its own."""
    found: Spec = chart.to_dict(validate=False)
    found.pop("config", None)
    found["autosize"] = {"type": "fit-x", "contains": "padding"}
    return found


def fabric_colour(fabrics: Sequence[str], *, legend: bool = True, dots: bool = False) -> alt.Color:
    """The encoding that gives each fabric its colour; the legend, if any, is of lines or of dots."""
    found = colours.fabrics(fabrics)
    scale = alt.Scale(domain=list(fabrics), range=[found[name] for name in fabrics])
    return alt.Color("fabric:N", title=None, scale=scale, legend=(DOTS if dots else LINES) if legend else None)


def fabric_axis(fabrics: Sequence[str]) -> alt.Y:
    """A row a fabric, in the order given."""
    return alt.Y("fabric:N", sort=list(fabrics), title=None, axis=alt.Axis(ticks=False, domain=False))


def room(largest: float, pixels: int) -> alt.Scale:
    """A scale from 0 that leaves so much room for text beside the largest bar, however narrow the chart."""
    largest = largest or 1
    return alt.Scale(domainMin=0, domainMax=alt.ExprRef(f"{largest} * width / max(width - {pixels}, 60)"), nice=False)


def short(value: float, digits: int = 4) -> float:
    """Few enough digits for a page."""
    return float(f"{value:.{digits}g}")
