"""Report of a trace: one page, complete in itself."""

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from canaletto._io.units import binary, count, factor, listing, number_of, share, time_us
from canaletto._report.document import chart, document, note, section, table
from canaletto._report.tables import trace_facts
from canaletto._report.terminal import trace_lines
from canaletto._run import caveats

from canaletto_extras.trace_pages import charts


def html(found: Mapping[str, Any]) -> str:
    title = os.path.basename(found["file"])
    parts = [
        section(
            "sizes",
            "Request sizes",
            chart("sizes", "Share of requests up to each size", charts.sizes(found)),
            _common(found),
        ),
        section(
            "pace",
            "Arrivals",
            chart("gaps", "Share of requests that arrive within each time after the one before", charts.gaps(found)),
            about=_pace(found),
        ),
        section(
            "addresses",
            "Addresses over time",
            chart(
                "addresses",
                "Requests by time and address",
                charts.addresses(found, "all"),
                reads=charts.addresses(found, "read"),
                writes=charts.addresses(found, "write"),
            ),
            about=f"{share(found['sequential_share'])} of the requests begin where one of the 64 before them ended."
            + (" The addresses of all devices lie over one another." if found["devices"] > 1 else ""),
        ),
        section(
            "reuse",
            "Reuse",
            chart("reuse", "Share of page accesses that come back to a page within each distance", charts.reuse(found)),
            _hot(found),
            about=_reuse(found),
        ),
        _channels(found),
        section("facts", "Summary", f"<dl>{_facts(found)}</dl>"),
    ]
    return document(title, _opening(title, found) + _figures(found), parts, ("page.js",))


def _opening(title: str, found: Mapping[str, Any]) -> str:
    bounded = [found["bounded"]] if found.get("bounded") else []
    warnings = "".join(
        note(text) for text in (*bounded, *trace_lines(found["lines"]), *caveats.of_trace(found["lines"]))
    )
    faint = listing([number_of(found["requests"], "request"), time_us(found["span_us"]), found["format"]])
    return f'<header><h1>{escape(title)}</h1><p class="faint">{escape(faint)}</p></header>{warnings}'


def _facts(found: Mapping[str, Any]) -> str:
    return "".join(f"<dt>{escape(label)}</dt><dd>{escape(fact)}</dd>" for label, fact in trace_facts(found))


def _figures(found: Mapping[str, Any]) -> str:
    channels = found.get("channels")
    figures = {
        "reads": share(found["read_share"]),
        "mean size": binary(found["size_bytes"]["mean"]),
        "between arrivals": time_us(found["mean_inter_arrival_us"]),
        "footprint": binary(found["footprint_bytes"]),
        "sequential": share(found["sequential_share"]),
        "page accesses repeated": share(found["reuse"]["share"]),
    }
    if channels is not None:
        figures["busiest channel"] = factor(channels["imbalance"])
    items = "".join(f"<li><b>{escape(figure)}</b><span>{label}</span></li>" for label, figure in figures.items())
    return f'<ul class="figures">{items}</ul>'


def _common(found: Mapping[str, Any], most: int = 6) -> str:
    totals: dict[int, list[int]] = {}
    for kind, counts in enumerate(found["sizes"]):
        for size, number in counts:
            totals.setdefault(size, [0, 0])[kind] += number
    requests = found["reads"] + found["writes"]
    ordered = sorted(totals.items(), key=lambda each: (-sum(each[1]), each[0]))[:most]
    rows = [[binary(size), share(sum(each) / requests), count(each[0]), count(each[1])] for size, each in ordered]
    return table(["size", "of all requests", "reads", "writes"], rows) if rows else ""


def _pace(found: Mapping[str, Any]) -> str:
    gap = found["inter_arrival_us"]
    if gap["p50"] is None:
        return ""
    text = f"{share(gap['zero_share'])} of the requests arrive together with the one before them."
    if gap["variation"] is not None:
        text += (
            f" Times between arrivals deviate from their mean by {gap['variation']:.1f} times the mean; "
            "1 is random (Poisson), more are bursts."
        )
    return text


def _reuse(found: Mapping[str, Any]) -> str:
    reuse = found["reuse"]
    text = (
        f"{count(reuse['page_accesses'])} accesses to {binary(found['footprint_bytes'])} in pages of 4 KiB. "
        "Distance counts page accesses from one to the next of the same page; the line ends at the share of accesses "
        "to pages accessed before."
    )
    if reuse["one_page_of"] > 1:
        text += f" Estimated from one page of {reuse['one_page_of']}."
    return text


def _hot(found: Mapping[str, Any]) -> str:
    reuse = found["reuse"]
    rows: Sequence[Sequence[str]] = [
        [f"{part} %", share(reuse[f"hottest_{part}_percent"])] for part in (1, 10, 20) if reuse["page_accesses"]
    ]
    return table(["hottest pages", "of all page accesses"], rows) if rows else ""


def _channels(found: Mapping[str, Any]) -> str:
    channels = found.get("channels")
    if channels is None:
        return ""
    bursts = channels["imbalance_of_bursts"]
    text = (
        f"Where {channels['design']} would put the trace's pages of {channels['page_bytes'] >> 10} KiB by their "
        f"addresses. The busiest channel takes {factor(channels['imbalance'])} the mean"
    )
    text += "." if bursts is None else f", and {factor(bursts)} within stretches of 64 pages per channel."
    return section(
        "channels", "Channels", chart("channels", "Pages on each channel", charts.channels(channels)), about=text
    )
