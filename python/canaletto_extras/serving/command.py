"""The command `serve`."""

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from canaletto._cli import console
from canaletto._cli.drive import DesignName, FabricName, Seed, Settings, assignments, resolve_drive
from canaletto._cli.help import OUTPUT, RUN, Command
from canaletto._cli.options import spread
from canaletto._cli.trace import JsonFlag

if TYPE_CHECKING:
    from canaletto._run.config import Design

    from canaletto_extras.serving.server import Options

CLIENTS = "Clients"


app = typer.Typer()


@dataclass(frozen=True)
class _ClientOptions:
    socket: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Listen at a new Unix socket.", rich_help_panel=CLIENTS),
    ] = None
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS:PORT", help="Listen at a TCP port, such as 127.0.0.1:10809.", rich_help_panel=CLIENTS
        ),
    ] = None
    remote: Annotated[
        bool,
        typer.Option(
            "--remote", help="Allow --listen at an address that other machines reach.", rich_help_panel=CLIENTS
        ),
    ] = False
    command: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="COMMAND",
            help="Run a shell command with the drive at $uri, then stop.",
            rich_help_panel=CLIENTS,
        ),
    ] = None
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep data in a sparse file instead of in memory.", rich_help_panel=CLIENTS),
    ] = None


@dataclass(frozen=True)
class _ClockOptions:
    clock: Annotated[
        Literal["real", "scaled", "free"],
        typer.Option(
            help="Simulated time: real time, scaled by --factor, or as fast as possible (free).",
            rich_help_panel=RUN,
        ),
    ] = "real"
    factor: Annotated[
        float | None,
        typer.Option(metavar="X", help="Simulated seconds per second of real time.", rich_help_panel=RUN),
    ] = None
    lose_power_at: Annotated[
        str | None,
        typer.Option(
            metavar="T", help="Cut the power at a simulated time: data not flushed are lost.", rich_help_panel=RUN
        ),
    ] = None


@app.command("serve", cls=Command)
@spread
def _serve(
    design: DesignName,
    *,
    clients: _ClientOptions,
    fabric: FabricName = None,
    set_: Settings = None,
    time: _ClockOptions,
    seed: Seed = 1,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="New file for a trace of the clients' commands.", rich_help_panel=OUTPUT),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="New folder for a frozen run of the clients' commands.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the trace and what is in DIR.", rich_help_panel=OUTPUT)
    ] = False,
    no_report: Annotated[
        bool,
        typer.Option("--no-report", help="Write no report page, which saves time.", rich_help_panel=OUTPUT),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Serve a simulated drive over NBD. Data are stored; requests take the simulated time.

    Examples:
      canaletto serve pcie4-tlc --socket drive.sock --data drive.img
      canaletto serve pcie4-tlc --clock free --out runs/copy --run 'qemu-img convert -n -O raw disk.img $uri'
    """
    from canaletto._engine import ConfigError, SimulationError

    from canaletto_extras.serving.server import Options

    if no_report and out is None:
        raise ConfigError("--no-report: given without --out DIR, which it is for")
    keys, of_workload = assignments(set_)
    if of_workload:
        raise ConfigError(f"{of_workload[0].label}: a key of a workload, which is up to the clients here")
    drive = resolve_drive(design, keys, fabric)
    options = Options(**vars(clients), **vars(time), seed=seed)
    options.check()
    statistics = _served(drive, options, trace, out, force=force, report=not no_report)
    if json:
        console.emit(statistics)
    else:
        from canaletto_extras.serving import terminal

        console.show(*terminal.served(statistics))
    if statistics["command_status"]:
        raise SimulationError(f"--run {clients.command}: ended with status {statistics['command_status']}")


def _served(
    drive: "Design", options: "Options", trace: Path | None, out: Path | None, *, force: bool, report: bool
) -> dict[str, object]:
    from canaletto._io import files
    from canaletto._run import config, folder, running

    from canaletto_extras.serving import server

    # A frozen run names its trace by path and hash, and holds no copy: the trace stays where it was written.
    kept = trace if trace is not None or out is None else out.with_name(f"{out.name}.csv.zst")
    with ExitStack() as ends:
        home = ends.enter_context(folder.place(out, force=force)) if out is not None else None
        if kept is None:
            return server.serve(drive, options, None, console.say)
        files.check_free(kept, force=force)
        with files.placed(kept) as path:
            statistics = server.serve(drive, options, (path, kept.name), console.say)
        console.say(f"wrote {kept}")
        if out is not None and home is not None:
            server.check_used(statistics, out)
            work = config.resolve_workload(str(kept), [], config.WorkloadOptions())
            result = running.run(drive, work, seed=options.seed)
            command = ["canaletto", *sys.argv[1:]]
            folder.write(result, home, folder.hash_traces(work), command, report=report)
    if out is not None:
        console.say(f"wrote {out} (open {out / 'report.html'})" if report else f"wrote {out}")
    return statistics
