"""The command `load`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import typer
from canaletto._cli import console, planned
from canaletto._cli.drive import (
    Budget,
    DesignName,
    Fabrics,
    HotSpots,
    Seed,
    WorkloadName,
    drives_of,
    equalised,
    named_drives,
    resolve_workload,
)
from canaletto._cli.help import OUTPUT, RUN, Command, whole
from canaletto._cli.options import DriveOptions, spread
from canaletto._cli.planned import DryRun
from canaletto._cli.replay import Requests
from canaletto._cli.trace import Job, JsonFlag

app = typer.Typer()

Loads = Annotated[
    int, typer.Option(parser=whole(2, 1000), metavar="N", help="Number of loads to try.", rich_help_panel=RUN)
]
Out = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder for page and table. A later call continues there.")
]
Axis = Annotated[
    Literal["arrivals", "queue_depth"] | None,
    typer.Option(
        help="Increase the arrival rate or the queue depth. Default: what the workload sets.",
        rich_help_panel=RUN,
    ),
]


@app.command("load", cls=Command)
@spread
def _load(
    design: DesignName,
    workload: WorkloadName,
    *,
    fabrics: Fabrics = None,
    equal: Budget = None,
    drive: DriveOptions,
    requests: Requests = None,
    loads: Loads = 12,
    axis: Axis = None,
    hot_spots: HotSpots = False,
    job: Job = None,
    seed: Seed = 1,
    dry_run: DryRun = False,
    out: Out = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start again instead of reusing the runs in DIR.", rich_help_panel=OUTPUT)
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Draw latency against throughput for each interconnect.

    Examples:
      canaletto load performance-optimized --workload YCSB_B --requests 5000 --fabrics bus,venice --out curves
      canaletto load pcie4-tlc --workload YCSB_B --requests 5000 --axis queue_depth
    """
    from canaletto._engine import ConfigError
    from canaletto._io.progress import Bar
    from canaletto._run import config
    from canaletto._run.hot_spots import OWN, places

    from canaletto_extras.loading import curves, page

    keys, workload_keys = drive.settings()
    drives, parts = drives_of(design, keys, fabrics, equal, drive.parts())
    if equal is not None and any(each.fabric for each in parts):
        raise ConfigError(f"--equal {equal}: got a user-defined fabric, expected the engine's, whose links are counted")
    same = equalised(drives, equal)
    named, own = named_drives(drives, parts, same)
    work = resolve_workload(
        workload, workload_keys, config.WorkloadOptions(requests=requests, job=job, design=drives[0])
    )
    works = {OWN: work, **(places(work, "--hot-spots") if hot_spots else {})}
    if dry_run:
        # Three runs more for each drive: the idle drive, and root causes at two loads.
        planned.show(named, work, len(works) * (loads + 3), own, json=json)
        return
    if force and out is not None:
        curves.discard(out)
    with Bar.when_wanted() as bar, TemporaryDirectory(prefix="canaletto-") as passing:
        row = bar.tasks(["loads"])[0] if bar else None
        progress = (lambda done, total: row(done, total, 0)) if row else (lambda done, total: None)
        found = {
            place: curves.measure(
                named,
                each,
                Path(out or passing),
                loads=loads,
                seed=seed,
                report=progress,
                axis=axis,
                widths=None if same is None else same.widths(),
                parts=own,
            )
            for place, each in works.items()
        }
    about = curves.about(found, drives[0].name, work.name, None if same is None else same.counting)
    if out is not None:
        page.write(found, about, out)
        console.say(f"wrote {out} (open {out / page.PAGE})")
    if json:
        console.emit(about)
    else:
        _show(about)


def _show(about: dict[str, Any]) -> None:
    from canaletto._report import side_by_side, wires
    from canaletto._run.equal import Equal
    from rich.text import Text

    from canaletto_extras.loading import page

    counting = side_by_side.counting(Equal.from_dict(about["equal"])) if "equal" in about else []
    sheets = [*page.sheets(about["curves"]), *([page.by_place(about)] if "hot_spots" in about else [])]
    told = [line for sheet in sheets for line in (Text(), side_by_side.table(sheet))]
    source = Text(wires.about(about["curves"]), "dim")
    console.show(page.verdict(about["curves"]), *counting, *told, Text(), source)
