"""A run's report: one page, complete in itself, readable without a network and without scripts."""

import json
from html import escape
from typing import TYPE_CHECKING, Any

import vl_convert

from canaletto import _engine
from canaletto.report import charts, notebook, terminal
from canaletto.report.units import listing, scaled, time_us

if TYPE_CHECKING:
    from canaletto.results import Result

_STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1c2733; --faint: #5c6b7a; --line: #d9e0e7; --paper: #ffffff; --accent: #0b7285;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4eaf0; --faint: #94a3b3; --line: #2e3a47; --paper: #12181f; --accent: #4dc3d6; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin-top: 2.5rem; }
p.faint, footer { color: var(--faint); }
.figures { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 1.5rem 0; padding: 0; list-style: none; }
.figures b { display: block; font-size: 1.6rem; color: var(--accent); line-height: 1.2; }
.figures span { color: var(--faint); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child { text-align: left; } thead th { color: var(--faint); font-weight: 500; } tbody th { font-weight: 500; }
.chart { width: 100%; margin-top: 1rem; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid var(--line); border-radius: .4rem; font-size: .85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.5rem; }
dt { color: var(--faint); } dd { margin: 0; }
"""

_SCRIPT = """
const dark = matchMedia("(prefers-color-scheme: dark)");
function draw() {
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const [ink, faint, line] = ["--ink", "--faint", "--line"].map(colour);
  const config = {
    background: "transparent", font: "system-ui, sans-serif", view: { stroke: null },
    axis: {
      labelColor: faint, titleColor: faint, gridColor: line, domainColor: line, tickColor: line, labelLimit: 240,
    },
    legend: { labelColor: ink, orient: "top" },
    range: { category: dark.matches ? ["#4dc3d6", "#f0a35e", "#b794f4"] : ["#0b7285", "#d9730d", "#7048c6"] },
  };
  for (const script of document.querySelectorAll("script[data-chart]")) {
    const spec = JSON.parse(script.textContent);
    vegaEmbed(document.getElementById(script.dataset.chart), spec, { config, actions: false, renderer: "svg" });
  }
}
draw();
dark.addEventListener("change", draw);
"""


def html(result: "Result") -> str:
    """The whole page."""
    data = result.to_dict()
    design, workload = result.configuration
    title = escape(listing(terminal.title(data)))
    body = [
        f"<h1>{title}</h1>",
        f'<p class="faint">{escape(terminal.sentence(data))}</p>',
        _figures(data),
        "<h2>Latency</h2>",
        f'<div class="wide">{notebook.latency_table(data)}</div>',
        _chart("tail", charts.tail(result), "Share of requests slower than each latency"),
        "<h2>Where the time went</h2>",
        f'<div class="wide">{notebook.blame_table(data)}</div>',
        _chart("blame", charts.blame(data), "Time of a request by cause"),
        "<h2>Beside that</h2>",
        _facts(data),
        "<h2>Configuration</h2>",
        _details("design", design.to_toml()),
        _details("workload", workload.to_toml()),
        f"<footer>canaletto {escape(_engine.version())}</footer>",
        f"<script>{vl_convert.javascript_bundle('window.vegaEmbed = vegaEmbed;')}</script>",
        f"<script>{_SCRIPT}</script>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _figures(data: dict[str, Any]) -> str:
    latency = data["latency_us"]["all"] or {}
    bandwidth = data["bandwidth_mb_s"]
    figures = {
        "IOPS": scaled(data["iops"]),
        "bandwidth": scaled(None if bandwidth is None else bandwidth * 1e6, "B/s"),
        "mean latency": time_us(latency.get("mean")),
        "p99 latency": time_us(latency.get("p99")),
        "p99.99 latency": time_us(latency.get("p99_99")),
    }
    items = "".join(f"<li><b>{escape(figure)}</b><span>{label}</span></li>" for label, figure in figures.items())
    return f'<ul class="figures">{items}</ul>'


def _facts(data: dict[str, Any]) -> str:
    items = [f"<dt>{escape(label)}</dt><dd>{escape(fact)}</dd>" for label, fact in terminal.facts(data)]
    return f"<dl>{''.join(items)}</dl>"


def _chart(name: str, spec: dict[str, Any] | None, label: str) -> str:
    if spec is None:
        return ""
    text = json.dumps(spec, allow_nan=False).replace("<", "\\u003c")  # A name cannot end the script element.
    return (
        f'<div class="chart" id="chart-{name}" role="img" aria-label="{label}"></div>'
        f'<script type="application/json" data-chart="chart-{name}">{text}</script>'
    )


def _details(name: str, toml: str) -> str:
    return f"<details><summary>{name}</summary><pre>{escape(toml)}</pre></details>"
