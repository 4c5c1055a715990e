"""The command `load`: latency against throughput of one's own design."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from canaletto._cli import console
from canaletto._cli.drive import (
    Budget,
    DesignName,
    Fabrics,
    HotSpots,
    Seed,
    Settings,
    WorkloadName,
    assignments,
    drives_of,
    equalised,
    resolve_workload,
)
from canaletto._cli.help import OUTPUT, RUN, Command, whole
from canaletto._cli.replay import Requests
from canaletto._cli.trace import Job, JsonFlag


def add_to(app: typer.Typer) -> None:
    """Adds the command to those of the program."""
    app.command("load", cls=Command)(_load)


def _load(
    design: DesignName,
    workload: WorkloadName,
    fabrics: Fabrics = None,
    equal: Budget = None,
    set_: Settings = None,
    requests: Requests = None,
    loads: Annotated[
        int, typer.Option(parser=whole(2, 1000), metavar="N", help="Number of loads to try.", rich_help_panel=RUN)
    ] = 12,
    hot_spots: HotSpots = False,
    job: Job = None,
    seed: Seed = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for page and table. A later call continues there."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start again instead of reusing the runs in DIR.", rich_help_panel=OUTPUT)
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Draw latency against throughput for each interconnect, from idle to saturated.

    Examples:
      canaletto load performance-optimized --workload YCSB_B --requests 5000 --fabrics bus,venice --out curves
    """
    from canaletto._engine import ConfigError
    from canaletto._io.progress import Bar
    from canaletto._report import load as report
    from canaletto._report import places, side_by_side, tables
    from canaletto._run import config, load
    from canaletto._run.hot_spots import OWN
    from canaletto._run.hot_spots import places as hot_spots_of

    keys, workload_keys = assignments(set_)
    drives, parts = drives_of(design, keys, fabrics, equal)
    if any(each.given for each in parts):
        raise ConfigError(
            f"--fabrics {fabrics}: got a user-defined fabric, expected names of fabrics; `compare` accepts it"
        )
    if force and out is not None:
        load.discard(out)
    same = equalised(drives, equal)
    named = {drive.fabric: drive for drive in drives} if same is None else same.named()
    work = resolve_workload(
        workload, workload_keys, config.WorkloadOptions(requests=requests, job=job, design=drives[0])
    )
    works = {OWN: work, **(hot_spots_of(work, "--hot-spots") if hot_spots else {})}
    with Bar.when_wanted() as bar, TemporaryDirectory(prefix="canaletto-") as passing:
        row = bar.tasks(["loads"])[0] if bar else None
        progress = (lambda done, total: row(done, total, 0)) if row else (lambda done, total: None)
        found = {
            place: load.measure(named, each, Path(out or passing), loads=loads, seed=seed, report=progress)
            for place, each in works.items()
        }
    about = load.about(found, drives[0].name, work.name, None if same is None else same.counting)
    if out is not None:
        report.write(found, about, out)
        console.say(f"wrote {out} (open {out / report.PAGE})")
    if json:
        console.emit(about)
    else:
        counting = [] if same is None else side_by_side.counting(same.counting)
        further = [side_by_side.table(places.curves(about))] if hot_spots else []
        console.show(report.verdict(about["curves"]), *counting, tables.loads(about["curves"]), *further)
