"""Draws the three charts of docs/explanation/reproduction.md: `python docs/reproduction_charts.py OUT`.

OUT is the folder of `canaletto reproduce venice prior-holds prior-holds-variations --out OUT`.
"""

import csv
import sys
from pathlib import Path

import altair as alt
import vl_convert
from canaletto._report import colours
from canaletto_papers.venice.evaluation import SYSTEMS
from canaletto_papers.venice.prior_holds import CHOSEN

ASSETS = Path(__file__).with_name("assets")
FAIR = ("no system holds", "all systems hold")
PAYS = ("no system holds", "half of the requests on one row, no system holds", "all systems hold", "as it is")
WORDS = {"as it is": "prior designs hold, Venice releases"}
LOOK = {"background": "white", "font": "Helvetica Neue, Helvetica, Arial, sans-serif"}
OURS, PUBLISHED = "ours", "published"

Row = dict[str, str]


def read(out: Path, name: str) -> list[Row]:
    """Rows of a figure's file."""
    with (out / f"venice-{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def drawn(rows: list[dict[str, object]], shades: dict[str, str], title: str) -> str:
    """A line a name with a dot a colour, a panel a drive."""
    lines = list(dict.fromkeys(str(row["line"]) for row in rows))
    dots = (
        alt.Chart()
        .mark_point(size=70, filled=True, opacity=0.9)
        .encode(
            x=alt.X("ours:Q", title=title, scale=alt.Scale(type="log", nice=False)),
            y=alt.Y("line:N", sort=lines, title=None, axis=alt.Axis(grid=True, ticks=False, labelLimit=320)),
            color=alt.Color("of:N", title=None, scale=alt.Scale(domain=list(shades), range=list(shades.values()))),
        )
        .properties(width=280, height=alt.Step(26))
    )
    facets = dots.facet(column=alt.Column("drive:N", sort=list(CHOSEN), title=None), data=alt.Data(values=rows))
    return str(vl_convert.vegalite_to_svg(facets.to_dict() | {"config": LOOK, "background": "white"}))


def of_systems(rows: list[Row], changes: tuple[str, ...], systems: list[str]) -> str:
    """Speedups of systems under some changes."""
    shades = {system: colours.fabric(SYSTEMS[system]) for system in systems}
    names = {f"{system}, average": system for system in systems}
    shown: list[dict[str, object]] = [
        {
            "line": WORDS.get(change, change),
            "of": names[row["what"]],
            "drive": row["drive"],
            "ours": float(row["ours"]),
        }
        for change in changes
        for row in rows
        if row["change"] == change and row["what"] in names
    ]
    return drawn(shown, shades, "speedup over the baseline, mean of workloads (logarithmic)")


def next_to_published(rows: list[Row]) -> str:
    """Numbers of Fig. 9, ours and published, where prior designs hold their paths."""
    settings = {ssd: f"arrivals {rate:g} times as fast" for ssd, rate in CHOSEN.items()}
    here = [row for row in rows if row["figure"] == "fig9" and row["setting"] == settings[row["drive"]]]
    shown: list[dict[str, object]] = [
        {"line": row["what"], "of": of, "drive": row["drive"], "ours": float(row[of])}
        for row in here
        for of in (OURS, PUBLISHED)
    ]
    return drawn(shown, {OURS: "#2a6f97", PUBLISHED: "#c1121f"}, "speedup in execution time (logarithmic)")


def main() -> None:
    """Writes the charts."""
    if len(sys.argv) != 2:
        sys.exit(
            "usage: python docs/reproduction_charts.py OUT (the folder of `canaletto reproduce venice … --out OUT`)"
        )
    out = Path(sys.argv[1])
    variations = read(out, "prior-holds-variations")
    charts = {
        "venice-fair": of_systems(variations, FAIR, ["pSSD", "pnSSD", "Venice", "ideal"]),
        "venice-as-evaluated": next_to_published(read(out, "prior-holds")),
        "venice-pays": of_systems(variations, PAYS, ["Venice", "ideal"]),
    }
    for name, svg in charts.items():
        (ASSETS / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
