"""How many measured lines of the zoned drive ours comes near.

Method: of the lines of `reads` and `writes`, those within 15 % (medians), 30 % (99th percentiles) or 20 % (rates) of
the measured value. `signs`: percentiles that other commands change by more than 5 % as measured, and that ours changes
in the same direction. `signs above noise`: of these, changes larger than those between repetitions. Reads alone were
measured three times, once for each kind of commands; the ratio of the largest to the smallest value of a percentile at
a depth is its noise.

Assumptions: as in `reads` and `writes`.
"""

from collections.abc import Iterator, Mapping, Sequence

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.zns import reads, writes

LIMITS = {"p50_us": 0.15, "p99_us": 0.30, "iops": 0.20}
PLURALS = {"append": "appends", "finish": "finishes", "reset": "resets", "write": "writes"}
CHANGE = 0.05


def runs(scale: Scale) -> dict[Label, Run]:
    parts = {"reads": reads.runs(scale), "writes": writes.runs(scale)}
    return {(part, *label): run for part, found in parts.items() for label, run in found.items()}


def table(found: Mapping[Label, Data]) -> list[Row]:
    of = {part: {label[1:]: data for label, data in found.items() if label[0] == part} for part in ("reads", "writes")}
    read, written = reads.table(of["reads"]), writes.table(of["writes"])
    rows = []
    for name, part, column in (("reads next to", read, "beside"), ("", written, "kind")):
        for kind in dict.fromkeys(str(row[column]) for row in part):
            for what, limit in LIMITS.items():
                lines = [row for row in part if row[column] == kind and row["what"] == what]
                if lines:
                    near = sum(abs(row["ours"] / row["published"] - 1) <= limit for row in lines)
                    label = f"{name} {PLURALS[kind]}".strip()
                    rows.append(_row(label, f"{what} within {limit:.0%}", near, len(lines)))
    signs = list(_signs(read))
    for what, asked in (("signs", signs), ("signs above noise", [sign for sign in signs if sign[1]])):
        rows.append(_row("reads next to others", what, sum(agrees for agrees, _ in asked), len(asked)))
    return rows


def _row(lines: str, what: str, near: int, of: int) -> Row:
    return {"lines": lines, "what": what, "of": of, "ours": near, "published": None}


def _signs(rows: Sequence[Row]) -> Iterator[tuple[bool, bool]]:
    """Whether ours agrees, and whether the measured change is above its noise."""
    alone = {(row["beside"], row["depth"], row["what"]): row for row in rows if row["reads_percent"] == 100}
    for row in rows:
        depth, what = row["depth"], row["what"]
        base = alone[row["beside"], depth, what]
        measured, ours = (row[which] / base[which] for which in ("published", "ours"))
        if row["reads_percent"] < 100 and abs(measured - 1) > CHANGE:
            repeated = [each["published"] for (_, *place), each in alone.items() if place == [depth, what]]
            noise = max(repeated) / min(repeated)
            yield (measured > 1) == (ours > 1) and ours != 1, max(measured, 1 / measured) > noise


def chart(rows: list[Row]) -> None:
    """The table is all."""


FIGURE = Figure("agreement", "Measured lines that come near", __doc__, runs, table, chart, is_counted=True)
