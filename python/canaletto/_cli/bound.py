"""The command `bound`."""

from typing import Annotated, Literal

import typer

from canaletto._cli import console
from canaletto._cli.drive import DesignName, FabricName, Settings, assignments, resolve_drive, resolve_workload
from canaletto._cli.help import RUN, Command, complete_workload, share, whole
from canaletto._cli.trace import Job, JsonFlag


def add_to(app: typer.Typer) -> None:
    app.command("bound", cls=Command)(_bound)


def _bound(
    design: DesignName,
    workload: Annotated[
        str | None,
        typer.Option(
            "--workload",
            metavar="W",
            help="Profile or TOML file. Default: random reads of --size.",
            autocompletion=complete_workload,
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Size of each request, such as 512B.  [default: 4KiB]", rich_help_panel=RUN),
    ] = None,
    reads: Annotated[
        float | None,
        typer.Option(parser=share, metavar="X", help="Share of reads, such as 90%.  [default: 1]", rich_help_panel=RUN),
    ] = None,
    write_amplification: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Pages programmed per page written. Skips the run.",
            rich_help_panel=RUN,
        ),
    ] = None,
    queue_depth: Annotated[
        int | None,
        typer.Option(parser=whole(1), metavar="N", help="Largest number of outstanding requests.", rich_help_panel=RUN),
    ] = None,
    mix: Annotated[
        Literal["times", "rates"],
        typer.Option(
            help="Mixed loads: add times, or average rates (arXiv 2511.03944).",
            rich_help_panel=RUN,
        ),
    ] = "times",
    fabric: FabricName = None,
    job: Job = None,
    set_: Settings = None,
    json: JsonFlag = False,
) -> None:
    """Compute peak throughput, what limits it, and latency. Writes need a short run at saturation.

    Examples:
      canaletto bound pcie4-tlc --size 512B
      canaletto bound pcie4-tlc --reads 70% --set precondition.kind=steady
      canaletto bound performance-optimized --fabric sca --size 512B --reads 90% --set fabric.sequences=full
    """
    from canaletto._bounding import bound
    from canaletto._engine import ConfigError
    from canaletto._report import tables
    from canaletto._run import config

    keys, workload_keys = assignments(set_)
    if workload is None and workload_keys:
        raise ConfigError(f"{workload_keys[0].label}: given without --workload, whose key it is")
    drive = resolve_drive(design, keys, fabric)
    made = (
        None
        if workload is None
        else resolve_workload(workload, workload_keys, config.WorkloadOptions(job=job, design=drive))
    )
    found = bound.bound(
        drive,
        made,
        size=size,
        read_share=reads,
        write_amplification=write_amplification,
        queue_depth=queue_depth,
        mix=mix,
    )
    if json:
        console.emit({"schema": 1, **found.to_dict()})
    else:
        console.show(*tables.bound(found))
