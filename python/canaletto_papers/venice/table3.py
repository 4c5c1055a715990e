"""Characteristics of the mixed workloads (Table 3).

Method: computed. Workloads that run next to each other at their own rates (Table 2) arrive, together, every 1 / (sum of
the rates); the table's mean is next to it. Fig. 12 divides all times between arrivals of a mix by the factor given
here.

Assumptions: a mix is its constituents at the same time. That alone does not give the paper's means: how it got from
41 us to 5 us in mix5, it does not say.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.venice.mixes import TABLE3, superposed


def runs(_: Scale) -> dict[Label, Run]:
    return {}


def table(_: Mapping[Label, Data]) -> list[Row]:
    return [
        {
            "mix": name,
            "of": " + ".join(constituents),
            "what": "mean time between arrivals, us",
            "ours": superposed(name),
            "published": published,
            "accelerated, times": superposed(name) / published,
        }
        for name, (constituents, published) in TABLE3.items()
    ]


def chart(_: list[Row]) -> None:
    """The paper prints a table."""


FIGURE = Figure("table3", "Table 3: characteristics of the mixed workloads", __doc__, runs, table, chart, is_given=True)
