"""Draws the three charts of docs/explanation/reproduction.md from its tables: `python docs/reproduction_charts.py`."""

import re
from collections.abc import Iterator
from pathlib import Path

import altair as alt
import vl_convert
from canaletto._report import colours
from canaletto_papers.venice.evaluation import COST, PERFORMANCE, SYSTEMS
from canaletto_papers.venice.prior_holds import CHOSEN

ASSETS = Path(__file__).with_name("assets")
TABLES = Path(__file__).parent / "generated" / "reproduction"
LOOK = {"background": "white", "font": "Helvetica Neue, Helvetica, Arial, sans-serif"}
OURS, PUBLISHED = "ours", "published"
SPEEDUP = "mean speedup over the baseline (logarithmic)"

FAIR = {
    "open loop": "all release, Table 2's rates",
    "none": "all release, 64 requests",
    "all hold": "all hold, 64 requests",
}
PAYS = {
    "open loop": "balanced, Table 2's rates",
    "none": "balanced, 64 requests",
    "1/2 on one row": "half of the load on one row",
    "7/8 on one row": "7/8 of the load on one row",
    "all hold, 1/2 on one row": "half on one row, all hold",
}

Dot = dict[str, object]


def grids(name: str) -> Iterator[tuple[str, str, str, str, float]]:
    title = "", ""
    columns: list[str] = []
    for text in (TABLES / f"venice-{name}.md").read_text(encoding="utf-8").splitlines():
        first, *cells = [re.sub(r" \[[0-9, ]+\]$", "", cell.strip()) for cell in text.strip("| ").split("|")]
        if found := re.fullmatch(r"\w+ \((.*?), (.*)\)", first):
            title, columns = (found[1], found[2]), cells
        elif text.startswith("| ") and not first.startswith("---"):
            for column, cell in zip(columns, cells, strict=True):
                if cell != "–":
                    yield *title, first, column, float(cell.replace(",", ""))


def drawn(dots: list[Dot], shades: dict[str, str], title: str) -> str:
    lines = list(dict.fromkeys(str(dot["line"]) for dot in dots))
    marks = (
        alt.Chart()
        .mark_point(size=70, filled=True, opacity=0.9)
        .encode(
            x=alt.X("value:Q", title=title, scale=alt.Scale(type="log", nice=False, padding=8)),
            y=alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(grid=True, ticks=False, labelLimit=320)),
            color=alt.Color("of:N", title=None, scale=alt.Scale(domain=list(shades), range=list(shades.values()))),
        )
        .properties(width=260, height=alt.Step(26))
    )
    by_drive = alt.Facet("drive:N", sort=[PERFORMANCE, COST], title=None)
    # One below the other: a page of 390 px has no room for two.
    facets = marks.facet(by_drive, columns=1, data=alt.Data(values=dots)).resolve_scale(y="independent")
    return str(vl_convert.vegalite_to_svg(facets.to_dict() | {"config": LOOK, "background": "white"}))


def of_systems(lines: dict[str, str], systems: list[str], drives: tuple[str, ...]) -> str:
    shades = {system: colours.fabric(SYSTEMS[system]) for system in systems}
    cells = [cell for cell in grids("causes") if cell[1] == "average" and cell[0] in drives]
    dots: list[Dot] = [
        {"line": words, "of": system, "drive": drive, "value": value}
        for line, words in lines.items()
        for drive, _, of, system, value in cells
        if of == line and system in systems
    ]
    return drawn(dots, shades, SPEEDUP)


def next_to_published() -> str:
    columns = {
        drive: {f"arrivals {rate:g} times as fast": OURS, PUBLISHED: PUBLISHED} for drive, rate in CHOSEN.items()
    }
    dots: list[Dot] = [
        {"line": what, "of": columns[drive][setting], "drive": drive, "value": value}
        for drive, figure, what, setting, value in grids("prior-holds")
        if figure == "Fig. 9" and setting in columns[drive]
    ]
    return drawn(dots, {OURS: "#2a6f97", PUBLISHED: "#c1121f"}, "speedup in execution time (logarithmic)")


def main() -> None:
    charts = {
        "venice-fair": of_systems(FAIR, ["pSSD", "pnSSD", "NoSSD", "Venice", "ideal"], (PERFORMANCE, COST)),
        "venice-as-evaluated": next_to_published(),
        "venice-pays": of_systems(PAYS, ["Venice", "ideal"], (PERFORMANCE,)),
    }
    for name, svg in charts.items():
        (ASSETS / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
