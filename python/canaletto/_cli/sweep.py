"""The command `sweep`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from canaletto._cli import console
from canaletto._cli.help import OUTPUT, RUN, Command, whole
from canaletto._cli.options import needed, spread
from canaletto._cli.trace import JsonFlag
from canaletto._io import plugins
from canaletto._io.units import number_of

if TYPE_CHECKING:
    from canaletto._sweeping.document import Document
    from canaletto._sweeping.executors import Executor
    from canaletto._sweeping.sweep import Sweep

CLUSTER = "Cluster"


def add_to(app: typer.Typer) -> None:
    app.command("sweep", cls=Command)(spread(_sweep))


Force = Annotated[
    bool, typer.Option("--force", help="Start again instead of reusing the points in DIR.", rich_help_panel=OUTPUT)
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no report page.", rich_help_panel=OUTPUT)]
Workers = Annotated[
    int | None,
    typer.Option(
        parser=whole(1, 4096),
        metavar="N",
        help="Simultaneous simulations. Default: one per processor.",
        rich_help_panel=RUN,
    ),
]


@dataclass(frozen=True)
class _ClusterOptions:
    on: Annotated[
        str,
        typer.Option(
            "--on",
            metavar="WHERE",
            help="Where to run: local, dask://HOST:PORT, or cluster (the file's [cluster]).",
            rich_help_panel=CLUSTER,
        ),
    ] = "local"
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Compute part I of N without writing the table.", rich_help_panel=CLUSTER),
    ] = None
    collect: Annotated[
        bool, typer.Option("--collect", help="Write the table when all shards are complete.", rich_help_panel=CLUSTER)
    ] = False
    slurm: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 100_000),
            metavar="N",
            help="Write DIR/slurm.sh, which submits an array of N jobs.",
            rich_help_panel=CLUSTER,
        ),
    ] = None


def _sweep(
    file: Annotated[Path, typer.Argument(metavar="SWEEP", help="A sweep's TOML file (docs/reference/sweep.md).")],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the table. A later call continues there.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Count points and estimate CPU-hours.", rich_help_panel=RUN),
    ] = False,
    workers: Workers = None,
    cluster: _ClusterOptions,
    point: Annotated[
        int | None,
        typer.Option(
            parser=whole(0), metavar="N", help="Repeat point N and freeze it in DIR/runs/N.", rich_help_panel=OUTPUT
        ),
    ] = None,
    force: Force = False,
    no_report: NoReport = False,
    json: JsonFlag = False,
) -> None:
    """Simulate every point of a grid. An interrupted sweep continues.

    Examples:
      canaletto sweep sweep.toml --dry-run
      canaletto sweep sweep.toml --out sweeps/first
      canaletto sweep sweep.toml --out sweeps/first --point 3
      canaletto sweep sweep.toml --out sweeps/first --on dask://head:8786
    """
    from canaletto._sweeping import document
    from canaletto._sweeping.sweep import Sweep

    _check_one(
        {
            "--dry-run": dry_run,
            "--shard": cluster.shard,
            "--collect": cluster.collect,
            "--slurm": cluster.slurm,
            "--point": point,
            "--force": force,
        }
    )
    asked = document.read(file)
    if dry_run:
        _show_dry_run(asked, out, json)
        return
    out = needed(out)
    if force:
        from canaletto._sweeping.folder import Folder

        Folder(out).discard()
    if cluster.slurm is not None:
        from canaletto._sweeping.slurm import write_script

        script = write_script(asked, file, out, cluster.slurm)
        console.say(f"wrote {script} (bash {script} submits it)")
    elif point is not None:
        from canaletto._sweeping.folder import Folder

        _freeze(Sweep(Folder(out).known(asked)), point)
    elif cluster.collect:
        from canaletto._sweeping.folder import Folder
        from canaletto._sweeping.sweep import collect as write_table

        found = Sweep(Folder(out).known(asked))
        write_table(found, page=not no_report)
        _tell(found, 0, no_report, json)
    else:
        _carry_out(asked, out, cluster.on, workers, cluster.shard, no_report, json)


def _check_one(given: dict[str, Any]) -> None:
    from canaletto._engine import ConfigError

    names = [name for name, value in given.items() if value not in (None, False)]
    if len(names) > 1:
        raise ConfigError(f"{names[0]} and {names[1]}: both given, expected one of them")


def _carry_out(
    asked: "Document", out: Path, on: str, workers: int | None, shard: str | None, no_report: bool, json: bool
) -> None:
    from canaletto._sweeping.folder import Folder
    from canaletto._sweeping.shard import Shard
    from canaletto._sweeping.sweep import go_on, reporting
    from canaletto._sweeping.tasks import resolve

    part = None if shard is None else Shard.parsed(shard)
    if on != "local":
        # Before any job is submitted for it.
        Folder(out).check(asked)
        resolve(asked)
    executor = _executor(asked, on, workers)
    command = ["canaletto", *sys.argv[1:]]
    try:
        with reporting() as report:
            found, done = go_on(asked, out, executor, report=report, command=command, shard=part, page=not no_report)
    except KeyboardInterrupt:
        console.say(f"interrupted; the same command continues with {out}")
        sys.exit(130)
    finally:
        executor.close()
    for note in done.notes:
        console.say(note)
    if part is not None:
        console.say(f"part {shard} of {out} is there, {number_of(done.computed, 'point')} of it computed now")
    else:
        _tell(found, done.computed, no_report, json)


def _executor(asked: "Document", on: str, workers: int | None) -> "Executor":
    from canaletto._engine import ConfigError

    if on == "local":
        from canaletto._sweeping.executors import LocalProcesses

        return LocalProcesses(workers)
    if workers is not None:
        raise ConfigError(f"--workers {workers}: given with --on {on}, expected it with local processes only")
    kind = on.partition("://")[0]
    if kind not in plugins.names("executor"):
        raise ConfigError(f"--on {on}: expected local, dask://HOST:PORT or cluster")
    executor: Executor = plugins.load("executor", kind)(asked, on, console.say)
    return executor


def _tell(found: "Sweep", computed: int, no_report: bool, json: bool) -> None:
    table = found.table
    stopped = table["error"].len() - table["error"].null_count()
    page = "" if no_report else f"; open {found.path / 'report.html'}"
    console.say(f"wrote {found.path} ({number_of(table.height, 'point')}, {computed} of them computed now{page})")
    if json:
        document = {"schema": 1, "points": table.height, "computed": computed, "stopped": stopped}
        console.emit({**document, "table": str(found.path / "table.parquet")})
    if stopped:
        first = table.filter(table["error"].is_not_null()).row(0, named=True)
        console.say(
            f"{number_of(stopped, 'point')} stopped, such as point {first['point']}: {first['error']} "
            "(column error of the table)"
        )
        raise typer.Exit(1)


def _show_dry_run(asked: "Document", out: Path | None, json: bool) -> None:
    from canaletto._run.parallel import processors
    from canaletto._sweeping.estimate import estimate
    from canaletto._sweeping.folder import Folder
    from canaletto._sweeping.tasks import resolve

    folder = None if out is None else Folder(out)
    if folder is not None:
        folder.check(asked)
    points, useless = resolve(asked)
    tasks = list({point.task.key: point.task for point in points}.values())
    missing = [task for task in tasks if folder is None or not folder.store.has(task.key)]
    found = estimate(missing)
    for note in useless:
        console.say(note)
    if json:
        console.emit(
            {
                "schema": 1,
                "points": len(points),
                "simulations": len(tasks),
                "computed": len(tasks) - len(missing),
                "cpu_hours": found.cpu_hours,
                "memory_mb": found.memory_mb,
                "processors": processors(),
                "axes": {axis.key: len(axis.values) for axis in asked.grid.all_axes},
            }
        )
        return
    from canaletto._report import tables

    console.show(*tables.planned(asked, len(points), len(tasks), len(missing), found, processors()))


def _freeze(found: "Sweep", point: int) -> None:
    run = found.run(point)
    place = found.path / "runs" / str(point)
    run.save(place)
    console.say(f"wrote {place} (open {place / 'report.html'})")
