"""The command `mqsim`."""

from pathlib import Path
from typing import Annotated

import typer

from canaletto._cli import console
from canaletto._cli.help import Command
from canaletto._cli.trace import JsonFlag


def add_to(app: typer.Typer) -> None:
    app.command("mqsim", cls=Command)(_mqsim)


def _mqsim(
    device: Annotated[Path, typer.Option("-i", metavar="SSDCONFIG", help="MQSim's device file, XML.")],
    workload: Annotated[Path, typer.Option("-w", metavar="WORKLOAD", help="MQSim's workload file, XML.")],
    completions: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Write all completions in order, with times in ns.")
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", help="List tags that have no effect in MQSim or here, with reasons.")
    ] = False,
    ignore_unknown: Annotated[
        bool, typer.Option("--ignore-unknown", help="Ignore unknown tags, as MQSim does.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Set a key of the imported design. Can be repeated."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --completions.")] = False,
    json: JsonFlag = False,
) -> None:
    """Run MQSim's files. Results are marked exact (to the nanosecond) or close, with the reason.

    Examples:
      canaletto mqsim -i ssdconfig.xml -w workload.xml --completions completions.csv
      canaletto mqsim -i ssdconfig.xml -w workload.xml --ignore-unknown --set fabric.beat_time=exact
    """
    from canaletto._io.progress import Bar
    from canaletto._io.units import listing
    from canaletto._run import mqsim

    if completions is not None:
        mqsim.check_writable(completions, force=force)
    with Bar.when_wanted() as bar:
        report = bar.task(listing([device.name, workload.name])) if bar else None
        replay = mqsim.replay(
            device,
            workload,
            settings=settings or [],
            ignore_unknown=ignore_unknown,
            records=completions is not None,
            progress=report,
        )
    for warning in replay.warnings:
        console.say(warning)
    if notes:
        for note in replay.notes:
            console.say(note)
    elif replay.notes:
        console.say(f"{len(replay.notes)} tags have no effect, in MQSim as here (--notes lists them)")
    if completions is not None:
        for path in mqsim.write_completions(completions, replay, force=force):
            console.say(f"wrote {path}")
    if json:
        console.emit(replay.to_dict())
        return
    from canaletto._report import tables

    console.show(*tables.mqsim(replay))
