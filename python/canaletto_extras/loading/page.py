"""Page and tables of load curves."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import altair as alt
from canaletto._io import files
from canaletto._io.units import ABSENT, axis_unit, scaled, share, thousandths, time_us
from canaletto._report import account, bars, colours, places, wires
from canaletto._report.charts import lines
from canaletto._report.document import chart, document, grid, section
from canaletto._report.sections import counting, sheet
from canaletto._report.summary import BOUNDS
from canaletto._run.equal import CROSSBAR, Equal
from canaletto._run.hot_spots import OWN, SHARES, WORDS

from canaletto_extras.loading.curves import AT, Curves, knee

PAGE, TABLE, ABOUT = "report.html", "load.csv", "load.json"
KIND = "load"

_LATENCIES = {
    "ours": ("Mean latency", ""),
    "p99_us": ("p99 latency", "1,000"),
    "p99_99_us": ("p99.99 latency", "100,000"),
}


def verdict(told: Sequence[Mapping[str, Any]]) -> str:
    """Bounds are named only where no other ran."""
    real = [each for each in told if each["fabric"] not in BOUNDS] or told
    known = [(each["knee"]["iops"], each["fabric"]) for each in real if each["knee"] and each["knee"]["iops"]]
    if not known:
        return "At none of these loads is latency twice the idle drive's."
    failed = {each["fabric"]: share(each["failed_share"]) for each in real}
    if len(set(failed.values())) > 1:
        told_of = ", ".join(f"{failing} on {fabric}" for fabric, failing in failed.items())
        return f"No fabric is said to carry most, because numbers of failed requests differ: {told_of}."
    (most, best), (least, worst) = max(known), min(known)
    others = f", {worst} only {scaled(least)}" if worst != best else ""
    return f"{best} carries {scaled(most)} IOPS before latency is twice the idle drive's{others}."


def sheets(told: Sequence[Mapping[str, Any]]) -> list[list[list[str]]]:
    heads = ["fabric", "idle\nlatency", "IOPS at\nthe knee", "most\nIOPS"]
    rows = [
        [
            each["fabric"],
            time_us(each["idle_latency_us"]),
            scaled(each["knee"]["iops"]) if each["knee"] else ABSENT,
            scaled(each["most_served_iops"]),
        ]
        for each in told
    ]
    head, *counted = wires.sheet(told)
    energies = [thousandths(each["energy_mj_per_request"], "J") for each in told]
    parts = [[*row, energy] for row, energy in zip(counted, energies, strict=True)]
    return [[heads, *rows], [[*head, "drive's energy\nper request"], *parts]]


def by_place(about: Mapping[str, Any]) -> list[list[str]]:
    heads = ["IOPS at\nthe knee", "as it is", *(places.HEADINGS[place] for place in SHARES)]
    rows = zip(about["curves"], *(about["hot_spots"][place] for place in SHARES), strict=True)
    return [heads, *([row[0]["fabric"], *(scaled((each["knee"] or {}).get("iops")) for each in row)] for row in rows)]


def write(found: Mapping[str, Curves], told: Mapping[str, Any], out: Path) -> None:
    contents = {
        TABLE: _csv(told),
        ABOUT: json.dumps({**told, "kind": KIND}, indent=1, allow_nan=False) + "\n",
        PAGE: _page(found, told),
    }
    for name, content in contents.items():
        with files.whole(out / name) as file:
            file.write(content.encode())


def _csv(told: Mapping[str, Any]) -> str:
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
    own = found[OWN]
    knees, parts_of = sheets(told["curves"])
    spots = [
        _chart(place, f"{WORDS[place]}: mean latency", found[place], "ours") for place in told.get("hot_spots", {})
    ]
    about = "Dots are knees: mean latency twice the idle drive's. Beyond saturation no latency is steady."
    parts = [
        section(
            "curves",
            "Latency against throughput",
            grid(*_latencies(own)),
            sheet(knees),
            about=" ".join([about, *_absent(own)]),
        ),
        section(
            "causes",
            "Latency by root cause at three loads",
            grid(*_causes(own)),
            about="Next to each fabric stand the IOPS that it serves there.",
        ),
        section(
            "parts",
            "Pins, wires, area and energy",
            sheet(parts_of),
            about=f"{wires.about(told['curves'])} Energies are {AT['knee']}.",
        ),
        *([section("places", "Hot spots", sheet(by_place(told)), *spots, about=places.ABOUT)] if spots else []),
        *([counting(Equal.from_dict(told["equal"]))] if "equal" in told else []),
    ]
    title = f"{told['design']} under {told['workload']}"
    opening = f'<header><h1>{escape(title)}</h1><p class="summary">{escape(verdict(told["curves"]))}</p></header>'
    return document(title, opening, parts, ["page.js"])


def _latencies(found: Curves) -> Iterator[str]:
    for column, (name, _) in _LATENCIES.items():
        yield _chart("curves" if column == "ours" else column, name, found, column)


def _absent(found: Curves) -> Iterator[str]:
    for column, (name, requests) in _LATENCIES.items():
        if all(row[column] is None for each in found.values() for row in each.rows):
            yield f"A {name} needs {requests} requests per load."


def _chart(name: str, title: str, found: Curves, column: str) -> str:
    rows = [row for each in found.values() for row in each.rows if row[column] is not None]
    if not rows:
        return ""
    slow = max(row[column] for row in rows if not row["load"] or row["load"] == 1)
    x = alt.X("served_gb_s:Q", title="throughput (GB/s)")
    label = f"{_LATENCIES[column][0].lower()} (µs)"
    y = alt.Y(f"{column}:Q", title=label, scale=alt.Scale(type="log", domainMax=20 * slow, nice=False))
    knees = [at for each in found.values() if (at := knee(each.rows)) and at[column] is not None]
    shades = {**colours.FABRICS, CROSSBAR: colours.fabric(CROSSBAR)}
    return chart(f"{name}-chart", title, lines(rows, x, y, shades, order="load", marks=knees))


def _causes(found: Curves) -> Iterator[str]:
    for name, title in AT.items():
        at = {fabric: each.at[name][1] for fabric, each in found.items() if name in each.at}
        tables = {f"{fabric} at {scaled(data['iops'])}": account.table(data, "all") for fabric, data in at.items()}
        limit = bars.outlier_limit([sum(table.values()) for table in tables.values()])
        drawn = bars.stacks(tables, colours.CAUSES, axis_unit, "latency of the mean request", longest=limit)
        yield chart(f"causes-{name}", title.capitalize(), drawn)
