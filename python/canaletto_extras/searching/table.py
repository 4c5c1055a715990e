"""One row a point that was tried."""

import tomllib
from collections.abc import Sequence

import polars as pl
from canaletto._sweeping import table
from canaletto._sweeping.store import Store

from canaletto_extras.searching import measures
from canaletto_extras.searching.document import Search
from canaletto_extras.searching.study import Trial


def frame(
    asked: Search, plan: pl.DataFrame, trials: Sequence[Trial], best: Sequence[Trial], store: Store
) -> pl.DataFrame:
    """The trials, in the order in which they were tried, with the results of those that were run.

    front: the place on the Pareto front, from 0; null for points that are not on it.
    """
    places = {trial.point.number: place for place, trial in enumerate(best)}
    designs = [tomllib.loads(trial.point.task.design) for trial in trials]
    judged = pl.DataFrame(
        {
            "point": pl.Series([trial.point.number for trial in trials], dtype=pl.Int64),
            "feasible": pl.Series([trial.is_feasible for trial in trials], dtype=pl.Boolean),
            "pruned": pl.Series([trial.is_pruned for trial in trials], dtype=pl.Boolean),
            "front": pl.Series([places.get(trial.point.number) for trial in trials], dtype=pl.Int64),
            "pins": pl.Series(map(measures.pins, designs), dtype=pl.Int64),
            "area_vs_channels": pl.Series(map(measures.area, designs), dtype=pl.Float64),
        }
    )
    values = plan.drop(*table.PLAN_ONLY).join(judged, on="point", maintain_order="left")
    results = table.frame(plan, store.get)
    return values.join(
        results.drop(set(plan.columns) & set(results.columns) - {"point"}),
        on="point",
        how="left",
        maintain_order="left",
    )
