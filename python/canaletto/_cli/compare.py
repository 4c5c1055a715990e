"""The command `compare`."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from canaletto._cli import console, planned
from canaletto._cli.drive import (
    Budget,
    DesignNames,
    Fabrics,
    HotSpots,
    WorkloadName,
    drives_of,
    equalised,
    named_drives,
    resolve_drive,
    resolve_workload,
)
from canaletto._cli.help import OUTPUT, Command
from canaletto._cli.options import (
    CheckWires,
    DriveOptions,
    FolderOptions,
    Json,
    SeedOptions,
    parsed_window,
    spread,
)
from canaletto._cli.planned import DryRun
from canaletto._cli.replay import ReplayOptions

if TYPE_CHECKING:
    from canaletto._run.compare import Comparison
    from canaletto._run.config import Design, Setting
    from canaletto._run.own import Parts

ReportWindow = Annotated[
    str | None,
    typer.Option(
        "--window",
        metavar="FROM:TO",
        help="Window of the report's animation, such as 1.5ms:1.6ms.",
        rich_help_panel=OUTPUT,
    ),
]


def add_to(app: typer.Typer) -> None:
    app.command("compare", cls=Command)(spread(_compare))


def _compare(
    design: DesignNames,
    workload: WorkloadName,
    *,
    fabrics: Fabrics = None,
    equal: Budget = None,
    drive: DriveOptions,
    seeds: SeedOptions,
    hot_spots: HotSpots = False,
    check_wires: CheckWires = False,
    dry_run: DryRun = False,
    folder: FolderOptions,
    json: Json = None,
    window: ReportWindow = None,
    replay: ReplayOptions,
) -> None:
    """Compare a drive with several interconnects, or several drives.

    Examples:
      canaletto compare performance-optimized --workload hm_0 --fabrics bus,packetized,ideal --out runs/fabrics
      canaletto compare performance-optimized --workload YCSB_B --requests 2e4 --seeds 5
      canaletto compare performance-optimized --workload YCSB_B --requests 2e4 --equal pins=16
      canaletto compare pcie5-tlc-cm7 hbf-384 --workload vector-search
    """
    from canaletto._engine import ConfigError
    from canaletto._run import folder as folders
    from canaletto._run.compare import run_all
    from canaletto._run.hot_spots import places

    folder.check(window)
    if window is not None and folder.out is None:
        raise ConfigError(f"--window {window}: given without --out DIR, whose report it is for")
    moments = parsed_window(window)
    keys, workload_keys = drive.settings()
    drives, parts = _drives(design, keys, fabrics, equal, drive.parts())
    work = resolve_workload(workload, workload_keys, replay.asked(drives[0]))
    same = equalised(drives, equal)
    spots = places(work, "--hot-spots") if hot_spots else {}
    if dry_run:
        named, own = named_drives(drives, parts, same)
        planned.show(named, work, seeds.seeds * (1 + len(spots)), own, json=json is not None)
        return
    left_out = seeds.left_out(drives[0] if same is None else same.designs[0], work, parts[0])
    compared = partial(
        run_all,
        drives,
        work,
        parts=parts,
        equal=same,
        hot_spots=spots,
        seed=seeds.seed,
        seeds=seeds.seeds,
        warmup=left_out,
        check_wires=check_wires,
    )
    if folder.out is None:
        comparison = compared(records=False)
    else:
        with folders.place(folder.out, force=folder.force) as home:
            traces = folders.hash_traces(work)
            comparison = compared()
            told = (["canaletto", *sys.argv[1:]], moments, console.say)
            folders.write_comparison(comparison, home, traces, *told, report=not folder.no_report)
        folder.say_written()
    _show(comparison, json)


def _drives(
    designs: list[str], keys: "list[Setting]", fabrics: str | None, equal: str | None, shared: "Parts"
) -> "tuple[list[Design], list[Parts]]":
    from canaletto._engine import ConfigError
    from canaletto._run import compare, config

    if len(designs) > 1:
        drives = [resolve_drive(name, keys, None) for name in designs]
        compare.check_drives(drives, {"--fabrics": fabrics, "--equal": equal})
        return drives, [shared] * len(drives)
    for key in keys:
        if key.text.startswith(f"{config.FABRIC}="):
            raise ConfigError(f"{key.label}: a comparison has several; expected --fabrics")
    return drives_of(designs[0], keys, fabrics, equal, shared)


def _show(comparison: "Comparison", json: str | None) -> None:
    if json is not None:
        found = comparison.to_dict()
        console.emit(found if json == "full" else _lean(found))
    else:
        from canaletto._report import side_by_side

        console.show(side_by_side.render(comparison.shown, comparison.gains, comparison.equal, comparison.hot_spots))


def _lean(comparison: dict[str, Any]) -> dict[str, Any]:
    from canaletto._run.results import lean

    found = {**comparison, "runs": [lean(run) for run in comparison["runs"]]}
    if "crossbar" in comparison:
        found["crossbar"] = lean(comparison["crossbar"])
    if "hot_spots" in comparison:
        found["hot_spots"] = {place: _lean(each) for place, each in comparison["hot_spots"].items()}
    return found
