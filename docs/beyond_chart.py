from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import altair as alt
import vl_convert
from beyond_runs import LATE
from canaletto._report import colours

FILE = Path(__file__).with_name("assets") / "beyond.svg"
KINDS = ("reads", "mixed")


def chart(rows: Mapping[str, Mapping[str, float | None]], places: Iterable[str]) -> Iterator[str]:
    data = [
        {"kind": kind, "place": place, "fabric": fabric, "share": share}
        for kind in KINDS
        for place in places
        for fabric, share in rows[f"{kind}, {place}"].items()
        if fabric != "ideal"
    ]
    FILE.write_text(svg(data, list(places)) + "\n", encoding="utf-8")
    yield f"![Percent of the crossbar's GB/s, by place of the load](../assets/{FILE.name})"


def svg(data: list[dict[str, object]], places: list[str]) -> str:
    fabrics = list(dict.fromkeys(str(each["fabric"]) for each in data))
    tones = [colours.fabric("omnibus" if name == LATE else name) for name in fabrics]
    fills = ["white" if name == LATE else tone for name, tone in zip(fabrics, tones, strict=True)]
    dots = (
        alt.Chart()
        .mark_point(size=80, strokeWidth=2, opacity=1)
        .encode(
            x=alt.X(
                "share:Q",
                title="GB/s at a common mean, % of the crossbar's",
                scale=alt.Scale(domain=[0, 105], nice=False),
            ),
            y=alt.Y("place:N", sort=places, title=None, axis=alt.Axis(grid=True, ticks=False, labelLimit=200)),
            yOffset=alt.YOffset("fabric:N", sort=fabrics),
            stroke=alt.Stroke("fabric:N", title=None, scale=alt.Scale(domain=fabrics, range=tones)),
            fill=alt.Fill("fabric:N", title=None, scale=alt.Scale(domain=fabrics, range=fills)),
        )
        .properties(width=300, height=alt.Step(8))
    )
    facets = dots.facet(column=alt.Column("kind:N", sort=list(KINDS), title=None), data=alt.Data(values=data))
    look = {"background": "white", "font": "Helvetica Neue, Helvetica, Arial, sans-serif"}
    return str(vl_convert.vegalite_to_svg(facets.to_dict() | {"config": look, "background": "white"}))
