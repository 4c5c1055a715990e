"""The hardware of Venice, driven by the requests of a run.

`rtl/` and Verilator belong to a checkout.
"""

import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from canaletto._engine import ConfigError, SimulationError
from canaletto._io import files
from canaletto._run import folder
from canaletto._run.timeline import DEFAULT_WINDOW_PS, Timeline, Window, record

from canaletto_papers.rtl import steps
from canaletto_papers.rtl.transfers import CYCLE_PS, transfers

RTL = Path(__file__).parents[3] / "rtl"


@dataclass(frozen=True)
class Served:
    said: str
    run: Timeline
    hardware: Timeline


def trace(
    run: str | PathLike[str],
    out: str | PathLike[str],
    window: Window | None,
    animation: str | PathLike[str] | None = None,
    *,
    force: bool = False,
) -> str:
    """A VCD of a window of a frozen run. Returns what was served.

    window: in simulated picoseconds; by default the first 200 us. animation: name of a page (HTML).

    Raises ConfigError or SimulationError.
    """
    for path in (out, animation):
        if path is not None:
            files.check_free(path, force=force)
    if animation is not None and Path(out).absolute() == Path(animation).absolute():
        raise ConfigError(f"{out}: given for the waveforms and for the animation; expected two names")
    with files.placed(out) as target:
        served = serve(run, window, target)
        if animation is not None:
            from canaletto_papers.rtl import page

            with files.whole(animation) as html:
                html.write(page.html(served.run, served.hardware, f"Hardware · {served.run.title}").encode())
    return served.said


def serve(
    run: str | PathLike[str], window: Window | None, waves: Path | None = None, program: Path | None = None
) -> Served:
    """waves: where a VCD goes. program: simulator of the run's array; otherwise it is built."""
    tools, home = _tools(), Path(run)
    design, workload = folder.configuration(home)
    if design.fabric != "venice":
        raise ConfigError(f"{home}: a run with fabric {design.fabric}, expected venice")
    folder.check_traces(home, workload)
    keys = design.to_dict()
    rows, columns = keys["geometry"]["channels"], keys["geometry"]["chips_per_channel"]
    edge = keys["fabric"]["network"]["controllers"]
    if edge not in ("west", "alternating") or rows < 2:
        raise ConfigError(f"{home}: got {rows} x {columns} chips, controllers {edge}; rtl/ has west and alternating")
    try:
        variables = tools.environment()
    except tools.MissingError as missing:
        raise ConfigError(f"rtl trace: needs {missing}") from None
    options = folder.record(home)["options"]
    chosen = window or (0, DEFAULT_WINDOW_PS)
    found = record(design, workload, seed=options["seed"], warmup=options["warmup"], windows=[chosen])
    wanted = transfers(found, chosen)
    if not wanted:
        raise ConfigError(f"{home}: nothing is transferred in the window, expected one with transfers")
    program = program or _program(tools.BUILD, [str(rows), str(columns), edge], variables)
    text = f"drive {keys['fabric']['venice']['retry']}\n"
    text += "".join(f"{each.start} {each.chip} {each.cycles} {each.is_read:d}\n" for each in wanted)
    cycles = str((chosen[1] - chosen[0]) // CYCLE_PS)
    with TemporaryDirectory() as scratch:
        lines = Path(scratch) / "lines"
        vcd: list[str | Path] = [waves, "0", cycles] if waves is not None else []
        said = _said([program, *vcd, f"+record={lines}"], input=text).strip()
        with lines.open() as file:
            return Served(said, found, steps.timeline(file, wanted, found))


def _program(build: Path, shape: list[str], variables: dict[str, str]) -> Path:
    built = build / f"trace-{'-'.join(shape)}"
    program = built / "cycles"
    made_of = [path for folder in ("venice", "compare") for path in (RTL / folder).iterdir() if path.is_file()]
    if not program.exists() or any(path.stat().st_mtime > program.stat().st_mtime for path in made_of):
        _said([RTL / "compare" / "build", *shape, built, "vcd"], env=variables)
    return program


def _said(command: list[str | Path], **options: Any) -> str:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, **options
    )
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it says nothing"]
        name = Path(command[0]).name
        raise SimulationError(f"rtl trace: {name} failed with status {done.returncode}: {complaint[0]}")
    return done.stdout


def _tools() -> Any:
    if not (RTL / "tools.py").exists():
        raise ConfigError("rtl trace: rtl/ is not part of the installed package, expected a checkout of the repository")
    if str(RTL) not in sys.path:
        sys.path.append(str(RTL))
    return import_module("tools")
