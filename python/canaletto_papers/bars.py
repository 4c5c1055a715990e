"""Charts in the form of the papers."""

from collections.abc import Mapping, Sequence

import altair as alt
from canaletto._report import colours
from canaletto._report.charts import Spec, short, spec

from canaletto_papers.figure import Row

PUBLISHED = "#c1121f"


_ACROSS = 45


def fabric_colours(systems: Mapping[str, str]) -> dict[str, str]:
    return {system: colours.fabric(fabric) for system, fabric in systems.items()}


def grouped(rows: Sequence[Row], group: str, title: str, shades: Mapping[str, str], *, one: bool = True) -> Spec:
    """With a line per published number, and intervals where there are some."""
    order = list(dict.fromkeys(row[group] for row in rows))
    systems = [name for name in shades if any(row["system"] == name for row in rows)]
    is_long = sum(map(len, order)) > _ACROSS
    shared = alt.Chart(alt.InlineData([_drawn(row, group) for row in rows])).encode(
        x=alt.X(
            f"{group}:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelAngle=-40 if is_long else 0, labelOverlap=False, labelLimit=280, ticks=False),
        ),
        xOffset=alt.XOffset("system:N", sort=systems),
    )
    bars = shared.mark_bar().encode(
        y=alt.Y("ours:Q", title=title, axis=alt.Axis(tickCount=6)),
        color=alt.Color(
            "system:N",
            title=None,
            scale=alt.Scale(domain=systems, range=[shades[name] for name in systems]),
            legend=alt.Legend(orient="top"),
        ),
        tooltip=[f"{group}:N", "system:N", alt.Tooltip("ours:Q", format=".4~r"), "published:Q"],
    )
    spread = shared.mark_rule(color="#808080").encode(y="low:Q", y2="high:Q").transform_filter("isValid(datum.low)")
    ticks = shared.mark_tick(color=PUBLISHED, thickness=3, orient="horizontal").encode(y="published:Q")
    ticks = ticks.transform_filter("isValid(datum.published)")
    baseline = alt.Chart(alt.InlineData([{"at": 1}])).mark_rule(strokeDash=[3, 3]).encode(y="at:Q")
    layers = [bars, spread, ticks, *([baseline] if one else [])]
    return spec(alt.layer(*layers).properties(width="container", height=240))


def dots(rows: Sequence[Row], group: str, title: str, shades: Mapping[str, str]) -> Spec:
    """For many groups: a line each, dashed upright lines for published numbers."""
    order = list(dict.fromkeys(row[group] for row in rows))
    systems = [name for name in shades if any(row["system"] == name for row in rows)]
    x = alt.X("ours:Q", title=title, scale=alt.Scale(type="log", nice=False, padding=8))
    y = alt.Y(f"{group}:N", sort=order, title=None, axis=alt.Axis(labelLimit=460, labelOverlap=False))
    colour = alt.Color(
        "system:N",
        title=None,
        scale=alt.Scale(domain=systems, range=[shades[name] for name in systems]),
        legend=alt.Legend(orient="top", labelLimit=320),
    )
    shown = [{key: row[key] for key in (group, "system", "ours")} for row in rows if row["ours"] is not None]
    known = {row["system"]: row["published"] for row in rows if row["published"] is not None}
    marks = alt.Chart(alt.InlineData(shown)).mark_point(filled=True, size=45, opacity=0.9)
    printed = alt.Chart(alt.InlineData([{"system": name, "ours": each} for name, each in known.items()]))
    layers = [
        printed.mark_rule(strokeDash=[4, 3], strokeWidth=1.5).encode(x=x, color=colour),
        marks.encode(x=x, y=y, color=colour, tooltip=[f"{group}:N", "system:N", alt.Tooltip("ours:Q", format=".3~r")]),
    ]
    return spec(alt.layer(*layers).properties(width="container", height=17 * len(order)))


def _drawn(row: Row, group: str) -> Row:
    found = {
        group: row[group],
        "system": row["system"],
        "ours": row["ours"] if row["ours"] is None else short(row["ours"]),
    }
    if row.get("half_width"):
        found |= {"low": row["ours"] - row["half_width"], "high": row["ours"] + row["half_width"]}
    if row["published"] is not None:
        found["published"] = row["published"]
    return found
