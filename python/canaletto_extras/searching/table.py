"""One row a point that was tried."""

import tomllib
from collections.abc import Mapping, Sequence

import polars as pl
from canaletto._sweeping import table
from canaletto._sweeping.store import Store

from canaletto_extras.searching import measures
from canaletto_extras.searching.document import Search
from canaletto_extras.searching.repeats import Repeated
from canaletto_extras.searching.study import Trial


def frame(
    asked: Search,
    plan: pl.DataFrame,
    trials: Sequence[Trial],
    best: Sequence[Trial],
    store: Store,
    again: Mapping[int, Repeated],
) -> pl.DataFrame:
    """In the order of trials.

    front: the place on the Pareto front, from 0; null for others. `alike`: points of the front within noise.
    """
    places = {trial.point.number: place for place, trial in enumerate(best)}
    known = [measures.of_design(tomllib.loads(trial.point.task.design)) for trial in trials]
    numbers = [trial.point.number for trial in trials]
    repeated = [again.get(number) for number in numbers]
    judged = pl.DataFrame(
        {
            "point": pl.Series(numbers, dtype=pl.Int64),
            "feasible": pl.Series([trial.is_feasible for trial in trials], dtype=pl.Boolean),
            "pruned": pl.Series([trial.is_pruned for trial in trials], dtype=pl.Boolean),
            "front": pl.Series([places.get(trial.point.number) for trial in trials], dtype=pl.Int64),
            **{
                measures.MEASURES[name].column: pl.Series([each[name] for each in known], dtype=pl.Float64)
                for name in measures.DESIGN_ONLY
            },
            "seeds": pl.Series([each and each.seeds for each in repeated], dtype=pl.Int64),
            **{
                f"{objective.column}_{kind}": pl.Series(
                    [each and getattr(each, f"{kind}s")[at] for each in repeated], dtype=pl.Float64
                )
                for at, objective in enumerate(asked.objectives)
                for kind in ("mean", "half_width")
            },
            "alike": pl.Series([each and list(each.alike) for each in repeated], dtype=pl.List(pl.Int64)),
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
