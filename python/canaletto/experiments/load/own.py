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
from canaletto._report.document import chart, document, section, table
from canaletto._report.units import ABSENT, scaled, time_us
from canaletto._run import config, simulate
from canaletto._run.config import Design, Workload, WorkloadOptions
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
    drives: Sequence[Design], workload: Workload, out: Path, *, loads: int, seed: int, report: Report
) -> Curves:
    """The curve of each drive. The folder `out` keeps the results, from which a later call continues.

    Raises ConfigError for what cannot be simulated, SimulationError for a run that stopped.
    """
    simulate.check_rereadable(workload, "every load")
    kept = out / "runs"
    kept.mkdir(parents=True, exist_ok=True)
    single = config.shaped(workload, WorkloadOptions(queue_depth=1))
    idle = {drive.fabric: Run(drive, single, seed) for drive in drives}
    first = carry_out(idle.values(), kept, lambda *_: None)
    loaded: dict[tuple[str, float], Run] = {}
    for drive in drives:
        limit = BEYOND * limit_iops(drive, workload, first[idle[drive.fabric].key])
        for number in range(1, loads + 1):
            rate = limit * number / loads
            gap = config.shaped(workload, WorkloadOptions(inter_arrival=f"{1e12 / rate:.0f}ps"))
            loaded[drive.fabric, rate] = Run(drive, gap, seed)
    found = carry_out(loaded.values(), kept, report)
    rows: dict[str, list[Row]] = {fabric: [_row(fabric, None, first[run.key])] for fabric, run in idle.items()}
    for (fabric, rate), run in loaded.items():
        rows[fabric].append(_row(fabric, rate, found[run.key]))
    return rows


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
    for kind, share in shares.items():
        for bound in found[f"{kind}_bounds"]:
            times[bound["resource"]] = times.get(bound["resource"], 0.0) + share / bound["limit_gb_s"]
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
    """Who carries most before latency doubles, and who least."""
    known = [(each["knee"]["iops"], each["fabric"]) for each in told if each["knee"] and each["knee"]["iops"]]
    if not known:
        return "At none of these loads is latency twice that of the idle drive."
    (most, best), (least, worst) = max(known), min(known)
    others = f", {worst} only {scaled(least)}" if worst != best else ""
    return f"{best} carries {scaled(most)} IOPS before latency is twice that of the idle drive{others}."


def write(found: Curves, out: Path, design: str, workload: str) -> None:
    """Writes page, table and results into the folder."""
    told = plain(found)
    rows = [{"fabric": each["fabric"], **point} for each in told for point in each["points"]]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    about = {"schema": 1, "kind": KIND, "design": design, "workload": workload, "curves": told}
    contents = {
        TABLE: text.getvalue(),
        ABOUT: json.dumps(about, indent=1, allow_nan=False) + "\n",
        PAGE: _page(found, told, f"{design} under {workload}"),
    }
    for name, content in contents.items():
        with files.whole(out / name) as file:
            file.write(content.encode())


def _page(found: Curves, told: list[dict[str, Any]], title: str) -> str:
    rows = [row for each in found.values() for row in each]
    slow = max(each[0]["ours"] for each in found.values())
    x = alt.X("served_gb_s:Q", title="throughput (GB/s)")
    y = alt.Y("ours:Q", title="mean latency (µs)", scale=alt.Scale(type="log", domainMax=20 * slow, nice=False))
    knees = [knee for each in found.values() if (knee := curves.knee(each))]
    drawn = lines(rows, x, y, SHADES, order="offered_gb_s", marks=knees)
    cells = [
        [
            escape(each["fabric"]),
            time_us(each["idle_latency_us"]),
            scaled(each["knee"]["iops"]) if each["knee"] else ABSENT,
            scaled(each["most_served_iops"]),
        ]
        for each in told
    ]
    headings = ["fabric", "idle latency", "IOPS at the knee", "most IOPS"]
    parts = [
        section(
            "curves",
            "Latency against throughput",
            chart("curves-chart", "dots: knees, twice the latency of the idle drive", drawn),
            table(headings, cells),
            about="Beyond saturation there is no steady latency: it grows with the number of requests.",
        )
    ]
    opening = f'<header><h1>{escape(title)}</h1><p class="summary">{escape(verdict(told))}</p></header>'
    return document(title, opening, parts, ["page.js"])
