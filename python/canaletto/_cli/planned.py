"""Dry runs of commands that simulate several drives."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from canaletto._cli import console
from canaletto._cli.help import RUN

if TYPE_CHECKING:
    from canaletto._run.config import Design, Workload

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show bounds, memory and time without running.", rich_help_panel=RUN)
]


def show(drives: "Mapping[str, Design]", work: "Workload", runs: int, own: Collection[str], *, json: bool) -> None:
    from canaletto._bounding.bound import of_run
    from canaletto._report import tables
    from canaletto._run import simulate
    from canaletto._sweeping.estimate import cpu_s

    rows = []
    for fabric, drive in drives.items():
        bound = None if fabric in own else of_run(drive, work)
        rows.append(
            {
                "fabric": fabric,
                "peak_iops": bound and bound.peak_iops,
                "peak_bandwidth_mb_s": bound and bound.bandwidth_mb_s,
                "limit": bound and bound.limit,
                "knee_iops": bound and bound.knee_iops,
                "memory_mb": simulate.inspect(drive, work)["memory_mb"],
                "cpu_s": None if fabric in own else cpu_s(drive, work, 1, 0),
            }
        )
    times = [row["cpu_s"] for row in rows]
    total = None if None in times else runs * sum(time for time in times if time is not None)
    simulations = runs * len(rows)
    if json:
        console.emit({"schema": 1, "drives": rows, "simulations": simulations, "cpu_s": total})
    else:
        console.show(*tables.several_planned(rows, simulations, total))
