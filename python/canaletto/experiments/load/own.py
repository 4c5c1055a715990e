"""Latency against throughput of any design under any workload, open loop, from idle to saturated.

The arrivals of the workload are scaled to a number of loads, up to somewhat more than what the wires, the host link and
the arrays can carry of its reads and writes by the drive's own arithmetic. What the curves of the drive of Venice's
Table 1 are measured by, these are, too: the knee is where the mean latency is twice that of single requests.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import altair as alt

from canaletto._engine import ConfigError
from canaletto._io import files
from canaletto._report import colours, places
from canaletto._report.document import chart, document, section, table
from canaletto._report.sections import counting, sheet
from canaletto._report.summary import BOUNDS
from canaletto._report.units import ABSENT, scaled, share, time_us
from canaletto._run import config, simulate
from canaletto._run.config import Design, Workload, WorkloadOptions
from canaletto._run.equal import CROSSBAR, Equal
from canaletto._run.hot_spots import OWN, WORDS
from canaletto.experiments.bars import lines
from canaletto.experiments.figure import Data, Row, Run
from canaletto.experiments.laboratory import Report, carry_out
from canaletto.experiments.load import curves
from canaletto.experiments.load.drives import SHADES

BEYOND = 1.2
"""Highest load, as a multiple of what the drive can carry by its arithmetic: it errs where both directions are free."""

PAGE, TABLE, ABOUT = "report.html", "load.csv", "load.json"
KIND = "load"

Curves = Mapping[str, list[Row]]
"""The rows of each fabric, from idle to saturated."""


def measure(
    drives: Mapping[str, Design], workload: Workload, out: Path, *, loads: int, seed: int, report: Report
) -> Curves:
    """The curve of each drive, by its fabric's name.

    The folder `out` keeps the results, from which a later call continues.
    Raises ConfigError for what cannot be simulated or has no arrivals to scale, SimulationError for a run that stopped.
    """
    _check_open(workload)
    simulate.check_rereadable(workload, "every load")
    kept = out / "runs"
    kept.mkdir(parents=True, exist_ok=True)
    single = config.shaped(workload, WorkloadOptions(queue_depth=1))
    idle = {fabric: Run(drive, single, seed) for fabric, drive in drives.items()}
    first = carry_out(idle.values(), kept, lambda *_: None)
    loaded: dict[tuple[str, float], Run] = {}
    for fabric, drive in drives.items():
        limit = BEYOND * limit_iops(drive, workload, first[idle[fabric].key])
        for number in range(1, loads + 1):
            rate = limit * number / loads
            gap = config.shaped(workload, WorkloadOptions(inter_arrival=f"{1e12 / rate:.0f}ps"))
            loaded[fabric, rate] = Run(drive, gap, seed)
    found = carry_out(loaded.values(), kept, report)
    rows: dict[str, list[Row]] = {fabric: [_row(fabric, None, first[run.key])] for fabric, run in idle.items()}
    for (fabric, rate), run in loaded.items():
        rows[fabric].append(_row(fabric, rate, found[run.key]))
    return rows


def _check_open(workload: Workload) -> None:
    """Raises ConfigError for a flow in a closed loop: its rate follows from the drive, and is none that is offered."""
    for number, flow in enumerate(workload.to_dict()["flow"]):
        kind = next(kind for kind in ("synthetic", "trace", "mix") if kind in flow)
        for key in ("queue_depth", "as_fast_as_possible"):
            if flow[kind].get(key):
                expected = "inter_arrival" if kind == "synthetic" else "its requests at their times"
                raise ConfigError(
                    f"{workload.label}: flow.{number}.{kind}.{key}: got {json.dumps(flow[kind][key])} for flow "
                    f"{flow['name']}, expected {expected}: load scales the arrivals of every flow"
                )


def limit_iops(drive: Design, workload: Workload, single: Data) -> float:
    """Requests a second that a drive can carry of a workload's mix, by its arithmetic. single: a result of that mix."""
    requests = single["requests"]
    moved = requests["reads"] + requests["writes"]
    if not moved or not requests["bytes"]:
        raise ConfigError(f"{workload.label}: moves no data, expected reads or writes, whose rate is to be raised")
    found = simulate.inspect(drive, workload)
    size = requests["bytes"] / moved
    shares = {"read": requests["reads"] / moved, "write": requests["writes"] / moved}
    # What reads and writes both use serves a byte of the mix in the mean of their times.
    times: dict[str, float] = {}
    for kind, part in shares.items():
        for bound in found[f"{kind}_bounds"]:
            times[bound["resource"]] = times.get(bound["resource"], 0.0) + part / bound["limit_gb_s"]
    return float(1e9 / size / max(times.values()))


def _row(fabric: str, rate: float | None, data: Data) -> Row:
    """A point of a curve, with the columns that the curves of the experiments have."""
    size = data["bandwidth_mb_s"] / data["iops"] if data["iops"] else 0.0
    served = data["bandwidth_mb_s"] / 1e3
    return {
        "system": fabric,
        "load": curves.UNLOADED if rate is None else f"{rate:.6g}",
        "offered_iops": rate,
        "served_iops": None if rate is None else data["iops"],
        "offered_gb_s": 0.0 if rate is None else rate * size / 1e3,
        "served_gb_s": 0.0 if rate is None else served,
        "ours": data["latency_us"]["all"]["mean"],
        "p99_us": data["latency_us"]["all"]["p99"],
        "saturated": data["load"]["saturated"],
        "failed_share": data["requests"]["failed"] / max(1, data["requests"]["completed"]),
    }


def plain(found: Curves) -> list[dict[str, Any]]:
    """Curves for machines, with their knees."""
    return [_plain(fabric, rows) for fabric, rows in found.items()]


def _plain(fabric: str, rows: list[Row]) -> dict[str, Any]:
    knee = curves.knee(rows)
    idle, *loaded = rows
    return {
        "fabric": fabric,
        "idle_latency_us": idle["ours"],
        "knee": knee and {"bandwidth_mb_s": knee["served_gb_s"] * 1e3, "iops": _iops_at(knee, loaded)},
        "most_served_iops": max(row["served_iops"] for row in loaded),
        "failed_share": max(row["failed_share"] for row in rows),
        "points": [
            {
                "offered_iops": row["offered_iops"],
                "served_iops": row["served_iops"],
                "bandwidth_mb_s": row["served_gb_s"] * 1e3,
                "mean_latency_us": row["ours"],
                "p99_latency_us": row["p99_us"],
                "saturated": row["saturated"],
            }
            for row in loaded
        ],
    }


def _iops_at(knee: Row, loaded: Sequence[Row]) -> float | None:
    """The rate at the knee: its bandwidth in requests of the mean size."""
    size = next((row["served_gb_s"] / row["served_iops"] for row in loaded if row["served_iops"]), None)
    return knee["served_gb_s"] / size if size else None


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


def about(found: Mapping[str, Curves], design: str, workload: str, equal: Equal | None) -> dict[str, Any]:
    """All of it for machines. found: curves by place of load, first where the workload has it."""
    told = {place: plain(each) for place, each in found.items()}
    own = told.pop(OWN)
    counted = {} if equal is None else {"equal": equal.to_dict()}
    spots = {"hot_spots": told} if told else {}
    return {"schema": 1, "design": design, "workload": workload, **counted, "curves": own, **spots}


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
    knees = [knee for each in found.values() if (knee := curves.knee(each))]
    shades = {**SHADES, CROSSBAR: colours.fabric(CROSSBAR)}
    return chart(f"{name}-chart", title, lines(rows, x, y, shades, order="offered_gb_s", marks=knees))
