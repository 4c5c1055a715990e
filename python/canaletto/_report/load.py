"""The page and the table of load curves: latency against throughput, with the knee of each interconnect."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import altair as alt

from canaletto._io import files
from canaletto._io.units import ABSENT, scaled, share, time_us
from canaletto._report import colours, places
from canaletto._report.charts import lines
from canaletto._report.document import chart, document, section, table
from canaletto._report.sections import counting, sheet
from canaletto._report.summary import BOUNDS
from canaletto._run.equal import CROSSBAR, Equal
from canaletto._run.hot_spots import OWN, WORDS
from canaletto._run.load import Curves, knee

PAGE, TABLE, ABOUT = "report.html", "load.csv", "load.json"
KIND = "load"


def verdict(told: Sequence[Mapping[str, Any]]) -> str:
    """Who carries most before latency doubles, and who least; bounds only where no other ran."""
    real = [each for each in told if each["fabric"] not in BOUNDS] or told
    known = [(each["knee"]["iops"], each["fabric"]) for each in real if each["knee"] and each["knee"]["iops"]]
    if not known:
        return "At none of these loads is latency twice that of the idle drive."
    failed = {each["fabric"]: share(each["failed_share"]) for each in real}
    if len(set(failed.values())) > 1:
        told_of = ", ".join(f"{failing} on {fabric}" for fabric, failing in failed.items())
        return f"None is said to carry most: requests that fail are answered at once, and not as many fail: {told_of}."
    (most, best), (least, worst) = max(known), min(known)
    others = f", {worst} only {scaled(least)}" if worst != best else ""
    return f"{best} carries {scaled(most)} IOPS before latency is twice that of the idle drive{others}."


def write(found: Mapping[str, Curves], told: Mapping[str, Any], out: Path) -> None:
    """Writes page, table and results into the folder. told: what `about` says of the curves."""
    contents = {
        TABLE: _csv(told),
        ABOUT: json.dumps({**told, "kind": KIND}, indent=1, allow_nan=False) + "\n",
        PAGE: _page(found, told),
    }
    for name, content in contents.items():
        with files.whole(out / name) as file:
            file.write(content.encode())


def _csv(told: Mapping[str, Any]) -> str:
    """A row a point; with hot spots, a column that names the place."""
    spots = told.get("hot_spots", {})
    rows = [
        {**({"place": place} if spots else {}), "fabric": each["fabric"], **point}
        for place, found in {OWN: told["curves"], **spots}.items()
        for each in found
        for point in each["points"]
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _page(found: Mapping[str, Curves], told: Mapping[str, Any]) -> str:
    cells = [
        [
            escape(each["fabric"]),
            time_us(each["idle_latency_us"]),
            scaled(each["knee"]["iops"]) if each["knee"] else ABSENT,
            scaled(each["most_served_iops"]),
        ]
        for each in told["curves"]
    ]
    headings = ["fabric", "idle latency", "IOPS at the knee", "most IOPS"]
    spots = [_chart(place, WORDS[place], found[place]) for place in told.get("hot_spots", {})]
    title = "dots: knees, twice the latency of the idle drive"
    parts = [
        section(
            "curves",
            "Latency against throughput",
            _chart("curves", title, found[OWN]),
            table(headings, cells),
            about="Beyond saturation there is no steady latency: it grows with the number of requests.",
        ),
        *([section("places", "Hot spots", sheet(places.curves(told)), *spots, about=places.ABOUT)] if spots else []),
        *([counting(Equal.from_dict(told["equal"]))] if "equal" in told else []),
    ]
    title = f"{told['design']} under {told['workload']}"
    opening = f'<header><h1>{escape(title)}</h1><p class="summary">{escape(verdict(told["curves"]))}</p></header>'
    return document(title, opening, parts, ["page.js"])


def _chart(name: str, title: str, found: Curves) -> str:
    rows = [row for each in found.values() for row in each]
    slow = max(each[0]["ours"] for each in found.values())
    x = alt.X("served_gb_s:Q", title="throughput (GB/s)")
    y = alt.Y("ours:Q", title="mean latency (µs)", scale=alt.Scale(type="log", domainMax=20 * slow, nice=False))
    knees = [at for each in found.values() if (at := knee(each))]
    shades = {**colours.FABRICS, CROSSBAR: colours.fabric(CROSSBAR)}
    return chart(f"{name}-chart", title, lines(rows, x, y, shades, order="offered_gb_s", marks=knees))
