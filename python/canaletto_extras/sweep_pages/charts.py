"""Charts of many points."""

from collections.abc import Sequence
from typing import Any, Literal

import altair as alt
import polars as pl
from canaletto._report import colours
from canaletto._report.charts import LINES, Spec, fabric_colour, short, spec

from canaletto_extras.sweep_pages.points import Measure, Points, cell

INK = "#2b6cb0"

FRONT = "#c1121f"

MOST_LINES = 500
"""More lines are no longer told apart, and make a page large."""

MOST_DOTS = 4_000


def effect(means: Sequence[tuple[str, float]], axis: str, title: str, *, is_number: bool) -> Spec:
    is_fabric = axis == "fabric"
    rows = [{"value": value, "mean": short(mean), **({"fabric": value} if is_fabric else {})} for value, mean in means]
    base = alt.Chart(alt.InlineData(rows), height=180, width="container").encode(
        x=alt.X("value:N", sort=[value for value, _ in means], title=axis, axis=alt.Axis(labelAngle=0, labelLimit=90)),
        y=alt.Y("mean:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5)),
        tooltip=[alt.Tooltip("value:N", title=axis), alt.Tooltip("mean:Q", title=title)],
    )
    if is_fabric:
        return spec(base.mark_bar(size=24).encode(color=fabric_colour([value for value, _ in means], legend=False)))
    if not is_number:
        return spec(base.mark_bar(color=INK, size=24))
    return spec(base.mark_line(color=INK, strokeWidth=1.8) + base.mark_point(color=INK, filled=True, size=50))


def curves(points: Points, measure: Measure, x: str, lines: str | None) -> Spec:
    means = points.curves(x, lines, measure)
    rows = [{**row, "value": short(row["value"])} for row in means.iter_rows(named=True)]
    values = means["x"].unique().sort().to_list()
    # Loads are tried in steps that double: on a linear axis most of them would be in a corner.
    is_log = len(values) > 2 and values[0] > 0 and values[-1] / values[0] >= LOG_FROM
    names = [name for name in points.levels[lines][1] if name in set(means["line"])] if lines else [""]
    shades = colours.fabrics(names) if lines == "fabric" else dict(zip(names, _shades(len(names)), strict=True))
    base = alt.Chart(alt.InlineData(rows), height=300, width="container").encode(
        x=alt.X(
            "x:Q",
            title=x,
            scale=alt.Scale(type="log" if is_log else "linear", zero=False, nice=False, padding=12),
            axis=alt.Axis(values=values, format="~g", tickCount=99) if len(values) <= MOST_TICKS else alt.Axis(),
        ),
        y=alt.Y("value:Q", title=measure.title, scale=alt.Scale(zero=True)),
        color=alt.Color(
            "line:N",
            title=lines if lines != "fabric" else None,
            scale=alt.Scale(domain=names, range=[shades[name] for name in names]),
            legend=LINES if lines else None,
        ),
        tooltip=[alt.Tooltip("line:N", title=lines or x), alt.Tooltip("x:Q", title=x), alt.Tooltip("value:Q")],
    )
    return spec(base.mark_line(strokeWidth=1.8) + base.mark_point(filled=True, size=50))


LOG_FROM = 8.0
"""Least ratio of a logarithmic axis."""

MOST_TICKS = 12


def _shades(number: int) -> list[str]:
    if number <= len(colours.OWN):
        return list(colours.OWN[:number])
    steps = colours.SEQUENTIAL[:-1]
    return [steps[place * (len(steps) - 1) // (number - 1)] for place in range(number)]


def heat(points: Points, measure: Measure, x: str, y: str) -> Spec:
    (columns, x_order), (rows, y_order) = points.levels[x], points.levels[y]
    means = (
        pl.DataFrame({"x": columns, "y": rows, "value": points.rows[measure.column]})
        .group_by("x", "y", maintain_order=True)
        .agg(pl.col("value").mean())
        .drop_nulls()
    )
    data = [{**row, "value": short(row["value"])} for row in means.iter_rows(named=True)]
    scale = alt.Scale(range=list(colours.SEQUENTIAL))
    chart = alt.Chart(alt.InlineData(data), height=max(40 * len(y_order), 120), width="container")
    return spec(
        chart.mark_rect().encode(
            x=alt.X("x:N", sort=x_order, title=x, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("y:N", sort=y_order, title=y),
            color=alt.Color("value:Q", title=measure.title, scale=scale, legend=alt.Legend(orient="top")),
            tooltip=[alt.Tooltip("x:N", title=x), alt.Tooltip("y:N", title=y), alt.Tooltip("value:Q")],
        )
    )


def scatter(points: Points, x: Measure, y: Measure, front: pl.DataFrame) -> Spec:
    has_fabrics = "fabric" in points.axes
    columns = ["point", x.column, y.column, *(["fabric"] if has_fabrics else [])]
    rows = points.rows.drop_nulls([x.column, y.column])
    step = -(-rows.height // MOST_DOTS)
    keys = {x.column: "x", y.column: "y"}
    shown = pl.concat([rows[::step], front.select(rows.columns)]).unique("point", maintain_order=True)
    best = pl.col("point").is_in(front["point"].to_list()).alias("front")
    dots = shown.select(*columns, best).rename(keys)
    axes = {
        "x": alt.X("x:Q", title=x.title, scale=alt.Scale(zero=False, nice=True)),
        "y": alt.Y("y:Q", title=y.title, scale=alt.Scale(zero=False, nice=True)),
    }
    colour = _colour(points, dots=True)
    base = alt.Chart(alt.InlineData(_rows(dots)), height=300, width="container")
    marks = base.mark_circle(size=36, opacity=0.8).encode(
        **axes, color=colour, tooltip=[alt.Tooltip(f"{name}:N") for name in dots.columns[:-1]]
    )
    # Between two points of the front there is nothing: steps, not slopes.
    interpolate: Literal["step-after", "step-before"] = (
        "step-after" if y.more_is_better == x.more_is_better else "step-before"
    )
    edge = (
        alt.Chart(alt.InlineData(_rows(front.select(columns).rename(keys))))
        .mark_line(color=FRONT, strokeWidth=1.5, interpolate=interpolate)
        .encode(**axes)
    )
    rings = base.mark_point(color=FRONT, size=110, strokeWidth=1.5, filled=False).encode(**axes)
    return spec(edge + marks + rings.transform_filter("datum.front"))


def parallel(points: Points) -> Spec:
    rows = points.rows[:: -(-points.rows.height // MOST_LINES)]
    names = [*points.axes, *(measure.column for measure in points.measures)]
    places = {f"d{number}": _places(points, rows, name) for number, name in enumerate(names)}
    has_fabrics = "fabric" in points.axes
    data = pl.DataFrame({"point": rows["point"], **places, **({"fabric": rows["fabric"]} if has_fabrics else {})})
    titles = [*points.axes, *(measure.name for measure in points.measures)]
    label = "{" + ",".join(f"d{number}:{title!r}" for number, title in enumerate(titles)) + "}[datum.value]"
    colour = _colour(points)
    chosen = alt.selection_point(fields=["point"], on="pointerover", empty=False)
    x = alt.X(
        "key:N", sort=list(places), title=None, axis=alt.Axis(labelExpr=label, labelAngle=-45, labelOverlap=False)
    )
    y = alt.Y("at:Q", title=None, axis=None, scale=alt.Scale(domain=[-0.04, 1.04], nice=False))
    lines = (
        alt.Chart(alt.InlineData(_rows(data)), height=340, width="container")
        .transform_fold(list(places), as_=["key", "at"])
        .mark_line(strokeWidth=1.2)
        .encode(
            x=x,
            y=y,
            color=colour,
            detail="point:N",
            opacity=alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.35)),
            tooltip=["point:N"],
        )
        .add_params(chosen)
    )
    marks = [mark for number, name in enumerate(names) for mark in _marks(points, f"d{number}", name)]
    scale = alt.Chart(alt.InlineData(marks)).encode(x=x, y=y)
    # Twice: a pale edge keeps text readable across lines.
    # No text reaches the next axis, however narrow the chart.
    limit = alt.ExprRef(f"max(width / {len(names)} - 6, 16)")
    size = alt.ExprRef("width < 480 ? 8.5 : 11")
    pale = scale.mark_text(
        align="left", dx=5, limit=limit, fontSize=size, color=colours.PAPER, stroke=colours.PAPER, strokeWidth=4
    )
    dark = scale.mark_text(align="left", dx=5, limit=limit, fontSize=size)
    texts = [each.encode(text="text:N") for each in (pale, dark)]
    return spec(alt.layer(lines, scale.mark_tick(size=9, thickness=1.5, orient="horizontal"), *texts))


def _marks(points: Points, key: str, name: str) -> list[dict[str, object]]:
    values = points.rows[name].drop_nulls()
    told = next((measure.told for measure in points.measures if measure.column == name), cell)
    if values.dtype.is_numeric():
        ends = dict(zip((0.0, 1.0), (values.min(), values.max()), strict=True))
        return [{"key": key, "at": at, "text": told(value)} for at, value in ends.items()]  # type: ignore[arg-type]
    order = points.rows[name].unique(maintain_order=True).to_list()
    step = -(-len(order) // MOST_TICKS)
    return [
        {"key": key, "at": round(place / max(len(order) - 1, 1), 4), "text": cell(value)}
        for place, value in list(enumerate(order))[::step]
    ]


def _colour(points: Points, *, dots: bool = False) -> alt.Color | Any:
    if "fabric" not in points.axes:
        return alt.value(INK)
    return fabric_colour(points.rows["fabric"].unique(maintain_order=True).to_list(), dots=dots)


def _places(points: Points, rows: pl.DataFrame, name: str) -> list[float | None]:
    if rows[name].dtype.is_numeric():
        least, most = points.rows[name].min(), points.rows[name].max()
        width = (most - least) or 1  # type: ignore[operator]
        return [None if value is None else round((value - least) / width, 4) for value in rows[name]]
    order = {value: place for place, value in enumerate(points.rows[name].unique(maintain_order=True))}
    return [round(order[value] / max(len(order) - 1, 1), 4) for value in rows[name]]


def _rows(frame: pl.DataFrame) -> list[dict[str, object]]:
    return [
        {key: short(value) if isinstance(value, float) else value for key, value in row.items()}
        for row in frame.iter_rows(named=True)
    ]
