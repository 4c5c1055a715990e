"""A result in a notebook cell."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from canaletto._io.units import cause_label, listing, part_of_whole, time_us
from canaletto._report import bars, maintenance, summary, terminal
from canaletto._report.charts import Spec


def html(data: Mapping[str, Any]) -> str:
    told = summary.single(data)
    drawn = picture(bars.causes([data], "all"), f"Latency by cause, mean request. {told}")
    return (
        f"<div><p><b>{escape(listing(terminal.title(data)))}</b><br>{escape(terminal.sentence(data))}</p>"
        f"{failures([data])}<p>{escape(told)}</p>{drawn}{latency_table(data)}{blame_table(data)}{_maintenance(data)}</div>"
    )


def cell(parts: Iterable[RenderableType]) -> str:
    return f"<div>{''.join(map(_part, parts))}</div>"


def _part(part: RenderableType) -> str:
    if isinstance(part, Table):
        headings = [str(column.header) for column in part.columns] if part.show_header else []
        return table(
            headings, [list(map(str, row)) for row in zip(*(column.cells for column in part.columns), strict=True)]
        )
    said = str(part).strip()
    return f"<p>{escape(said)}</p>" if said else ""


_WIDTH = 680


def picture(spec: Spec | None, about: str) -> str:
    """An image needs no script and keeps its names to itself; nothing without chart."""
    if spec is None:
        return ""
    import vl_convert

    look = {"font": "Helvetica, Arial, sans-serif", "view": {"stroke": None}, "legend": {"orient": "top", "columns": 4}}
    svg = vl_convert.vegalite_to_svg({**spec, "width": _WIDTH, "config": look})
    data = b64encode(svg.encode()).decode()
    return f'<p><img src="data:image/svg+xml;base64,{data}" alt="{escape(about)}" style="max-width: 100%"></p>'


def failures(runs: Sequence[Mapping[str, Any]]) -> str:
    found = terminal.failed(runs)
    return f"<p><b>{escape(found)}</b></p>" if found else ""


def latency_table(data: Mapping[str, Any]) -> str:
    rows = [
        [kind, *[time_us(row.get(key)) for key in terminal.PERCENTILES]]
        for kind in terminal.KINDS
        if (row := data["latency_us"].get(kind)) and row.get("mean") is not None
    ]
    return table(["latency", *terminal.PERCENTILES.values()], rows)


def blame_table(data: Mapping[str, Any]) -> str:
    rows = [
        [cause_label(cause), _nonzero(mean), part_of_whole(mean_share), _nonzero(p99), part_of_whole(p99_share)]
        for cause, (mean, mean_share), (p99, p99_share) in terminal.cause_rows(data)
    ]
    return table(["latency by cause", "mean", "", "slowest 1 %", ""], rows)


def _maintenance(data: Mapping[str, Any]) -> str:
    rows = [[label, fact] for label, fact in maintenance.facts(data)]
    return table(["background activity", ""], rows) if rows else ""


def _nonzero(microseconds: float) -> str:
    return time_us(microseconds) if microseconds else ""


def table(headings: list[str], rows: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
