"""Makes the table and the chart of docs/explanation/validation.md from the tables of docs/generated/drives.

`.venv/bin/python docs/validation.py --write`.
"""

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import altair as alt
import tables
import vl_convert
from canaletto_papers.drives.load import PRESETS, measured
from canaletto_papers.drives.load_errors import CALIBRATED, is_saturated
from canaletto_papers.drives.table_data_sheets import CACHED, RANDOM_READ

PAGE = tables.DOCS / "explanation/validation.md"
MADE = tables.DOCS / "generated/drives"
Row = Mapping[str, str]
Group = tuple[str, str, str, Callable[[Row], bool]]

QUANTITIES = ("served, k/s", "read p50", "read p99", "write p50")


def number(cell: str) -> float:
    return float(cell.replace(",", ""))


def rate(row: Row) -> int:
    return int(row["offered"].removesuffix("k/s")) * 1000


def is_sheet(row: Row) -> bool:
    """Enterprise drives are calibrated from theirs."""
    return "data sheet" in row["source"] and not row["drive"].endswith(", calibrated")


def as_makers_read(row: Row) -> bool:
    """Makers read what they have just written, with one bit per cell where a drive has such a cache."""
    is_cached = row["drive"] in CACHED and row["what"] == RANDOM_READ
    return "data sheet" in row["source"] and not (is_cached and row["source"] == "data sheet")


def saturated(row: Row) -> bool:
    return is_saturated(rate(row), measured()[row["drive"]][rate(row)])


def _load(row: Row) -> bool:
    return row["drive"] in PRESETS and row["what"] in QUANTITIES


GROUPS: tuple[Group, ...] = (
    ("client drives, reads, at most 8 outstanding", "yes", "table-reads", lambda row: row["by"] == "SPDK"),
    ("980 PRO, reads, 16 to 256 outstanding", "in part", "table-deep", lambda row: "980" in row["drive"]),
    ("ZN540, reads, 16 to 256 outstanding", "in part", "table-deep", lambda row: "ZN540" in row["drive"]),
    (
        "ZN540, sequential writes: IOPS and mean",
        "in part",
        "table-writes",
        lambda row: row["what"] in ("IOPS", "mean, us"),
    ),
    ("enterprise drives, 10,000 and 20,000/s", "yes", "load", lambda row: _load(row) and rate(row) <= CALIBRATED),
    (
        "enterprise drives, more, below saturation",
        "no",
        "load",
        lambda row: _load(row) and rate(row) > CALIBRATED and not saturated(row),
    ),
    (
        "enterprise drives at saturation: rate, median write",
        "no",
        "load",
        lambda row: row["what"] in ("served, k/s", "write p50") and rate(row) > CALIBRATED and saturated(row),
    ),
    ("data sheets of drives that were not calibrated from theirs", "no", "table-data-sheets", is_sheet),
    ("data sheets, all drives", "in part", "table-data-sheets", as_makers_read),
    ("write amplification, 7450 MAX", "no", "amplification", lambda row: True),
)
"""Name, whether it was fitted, table, rows."""


def rows(table: str) -> Iterator[Row]:
    lines = [line for line in (MADE / f"drives-{table}.md").read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    for each in cells[2:]:
        yield dict(zip(cells[0], each, strict=True))


def errors(group: Group) -> list[float]:
    """Absolute relative errors, in percent, in ascending order."""
    _, _, table, belongs = group
    known = [row for row in rows(table) if "–" not in (row["ours"], row["published"]) and belongs(row)]
    return sorted(abs(number(row["ours"]) / number(row["published"]) - 1) * 100 for row in known)


def quantile(found: list[float], part: float) -> float:
    return found[min(math.ceil(part * len(found)), len(found)) - 1]


def in_short() -> Iterator[str]:
    yield "| numbers | fitted | how many | half within | 90 % within | farthest | within 15 % |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for group in GROUPS:
        found = errors(group)
        cuts = [quantile(found, part) for part in (0.5, 0.9, 1.0)]
        told = " | ".join(f"{cut:.2g} %" if cut < 10 else f"{cut:.0f} %" for cut in cuts)
        near = sum(error <= 15 for error in found) / len(found)
        yield f"| {group[0]} | {group[1]} | {len(found)} | {told} | {near:.0%} |"


def chart(path: Path) -> None:
    drawn = []
    half = 0.0
    for fitted, name in (("yes", "calibrated"), ("no", "predicted")):
        found = sorted(error for group in GROUPS if group[1] == fitted for error in errors(group))
        half = quantile(found, 0.5)
        drawn += [
            {"error": max(error, 0.1), "share": (n + 1) / len(found) * 100, "system": name}
            for n, error in enumerate(found)
        ]
    x = alt.X("error:Q", title="error, %", scale=alt.Scale(type="log", domain=[0.1, 300]))
    y = alt.Y("share:Q", title="numbers within it, %")
    colour = alt.Color("system:N", title=None)
    lines = alt.Chart(alt.InlineData(drawn)).mark_line(interpolate="step-after").encode(x=x, y=y, color=colour)
    made = lines.properties(
        width=420, height=200, title=f"Half of the predicted numbers are within {half:.0f} %"
    ).to_dict()
    path.write_text(str(vl_convert.vegalite_to_svg(made | {"background": "white"})) + "\n", encoding="utf-8")


TABLES: dict[str, tables.Table] = {"validation-errors": (PAGE, in_short)}


if __name__ == "__main__":
    tables.main(__doc__, TABLES)
    if "--write" in sys.argv:
        chart(tables.DOCS / "assets/validation.svg")
