"""Main job of `make demo`: the same reads on each interconnect, once with a hot row and once spread evenly."""

import sys
from pathlib import Path

import canaletto as cn
from rich.console import Console
from rich.table import Table

OUT = Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo")
FABRICS = ("bus", "sca", "packetized", "omnibus", "mesh", "venice", "scheduled-mesh", "clusters", "ideal")
WIDTH = 26


def first_sentence(verdict: str) -> str:
    """Who wins, without the reason."""
    return verdict.split(". ")[0].split("): ")[0].rstrip(".") + ("." if ". " in verdict else ").")


hot = cn.workload(Path(__file__).with_name("hot-row.toml"))
even = hot.replace(**{"flow.0.synthetic.channel_skew.share": "12.5%"})

console = Console(highlight=False)
console.print("[bold]A hot row:[/] 4 KiB reads, 32 at a time, four fifths on one of eight channels.")
console.print(f"The drive of the Venice paper (performance-optimized) with {len(FABRICS)} interconnects.\n")

comparison = cn.compare("performance-optimized", hot, FABRICS)
console.print(f"[bold green]{comparison.verdict}[/]\n")

chart = Table("", "mean latency", "", "conflict-free requests", box=None, pad_edge=False, header_style="bold cyan")
slowest = max(run.latency_us.all.mean for run in comparison.runs)
for run in comparison.runs:
    mean = run.latency_us.all.mean
    free = run.path_conflicts.free_request_share
    chart.add_row(run.fabric, f"{mean:,.1f} µs", "█" * max(1, round(WIDTH * mean / slowest)), f"{free:.1%}")
console.print(chart)
console.print("[dim]ideal is conflict-free: wires like the bus's, but a set of its own for each chip.[/]\n")

spread = cn.compare("performance-optimized", even, FABRICS, records=False)
real = cn.compare("performance-optimized", cn.workload("hm_0", requests=20_000), FABRICS, records=False)
console.print("[bold]It is not always so.[/]")
console.print(f"The same reads spread evenly: {first_sentence(spread.verdict)}")
console.print(f"A profile of a real volume (hm_0): {first_sentence(real.verdict)}\n")

comparison.save(OUT, force=True)
console.print(f"Why, request by request, and the chips at work: [bold]{(OUT / 'report.html').resolve()}[/]")
