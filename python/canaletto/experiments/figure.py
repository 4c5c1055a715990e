"""What a figure is made of: the runs it needs, the table they make, and the chart in the form of the paper."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias

from canaletto import _engine
from canaletto.config import Design, Workload
from canaletto.report.charts import Spec

Label: TypeAlias = tuple[str, ...]
"""Names a run among those of its figure."""

Data: TypeAlias = Mapping[str, Any]
"""A run's result, as `canaletto run --json` prints it."""

Row: TypeAlias = dict[str, Any]
"""A line of a figure's table. `ours` is what was measured, `published` what the paper says of it, if anything."""


@dataclass(frozen=True)
class Scale:
    """How much is run: everything, or so little that it is only an indication."""

    quick: bool = False

    def of(self, full: int, quick: int) -> int:
        """One number or the other."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Run:
    """One simulation. Equal ones are run once, whichever figures want them."""

    design: Design
    workload: Workload
    seed: int = 1

    @cached_property
    def key(self) -> str:
        """What it is, as a name for its result: any change of configuration or engine makes another."""
        parts = (_build(), self.design.to_toml(), _traffic(self.workload), str(self.seed))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    @property
    def requests(self) -> int:
        """The requests it makes; how long it may take compared with others."""
        return _requests(self.workload)


def _traffic(workload: Workload) -> str:
    """A workload without what only describes it: two that say the same with other origins share their runs."""
    keys = workload.to_dict()
    flows = [{**flow, "synthetic": _undescribed(flow.get("synthetic"))} for flow in keys["flow"]]
    return json.dumps({**keys, "about": "", "flow": flows}, sort_keys=True)


def _undescribed(synthetic: dict[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (synthetic or {}).items() if key != "origin"}


@dataclass(frozen=True)
class Figure:
    """One published figure or table."""

    name: str
    title: str
    about: str
    """The module's docstring: a title, then method and assumptions in paragraphs."""
    runs: Callable[[Scale], dict[Label, Run]]
    table: Callable[[Mapping[Label, Data]], list[Row]]
    chart: Callable[[list[Row]], Spec | dict[str, Spec] | None]
    """A chart, several by their captions, or none for what the paper prints as a table."""

    def charts(self, rows: list[Row]) -> dict[str, Spec]:
        """Its charts by their captions."""
        drawn = self.chart(rows)
        if drawn is None:
            return {}
        return drawn if "$schema" not in drawn else {CAPTION: drawn}


CAPTION = "bars: ours; red: what was published"
"""What a chart without a caption of its own is."""


@cache
def _build() -> str:
    """The engine's build."""
    return hashlib.sha256(Path(_engine.__file__).read_bytes()).hexdigest()


@cache
def _requests(workload: Workload) -> int:
    """The requests that a workload makes; those of a trace are not counted."""
    flows = workload.to_dict()["flow"]
    return sum(flow.get("synthetic", {}).get("requests", 100_000) for flow in flows)
