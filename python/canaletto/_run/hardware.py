"""The hardware of Venice in `rtl/`, driven by the requests of a run: waveforms of what it does.

`rtl/` and Verilator belong to a checkout and are not part of the installed package.
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from canaletto._engine import ConfigError, SimulationError
from canaletto._io import files, folder
from canaletto._run.timeline import DEFAULT_WINDOW_PS, Timeline, Window, record

RTL = Path(__file__).parents[3] / "rtl"

CYCLE_PS = 1_000
"""Clock period, picoseconds: a link carries a byte a cycle, at 1 GB/s (Venice Table 1)."""

LARGEST_TRANSFER = 2**16 - 1
"""Cycles on the wires that a controller can count."""


def trace(run: str | PathLike[str], out: str | PathLike[str], window: Window | None, *, force: bool = False) -> str:
    """Writes a VCD of the hardware that serves the transfers of a window of a frozen run. Returns what was served.

    window: in simulated picoseconds; by default the first 200 us.

    Raises ConfigError if it is no frozen run of `venice`, if `rtl/` or Verilator is not there, if the file exists
    (unless `force` is given) or nothing is transferred in the window; SimulationError if the run or a tool fails.
    """
    files.check_free(out, force=force)
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
    lines = sorted(_requests(found, chosen))
    if not lines:
        raise ConfigError(f"{home}: nothing is transferred in the window, expected one with transfers")
    program = _program(tools.BUILD, [str(rows), str(columns), edge], variables)
    text = f"drive {keys['fabric']['venice']['retry']}\n" + "".join(f"{a} {b} {c} {d}\n" for a, b, c, d in lines)
    cycles = str((chosen[1] - chosen[0]) // CYCLE_PS)
    with files.placed(out) as target:
        return _said([program, target, "0", cycles], input=text).strip()


def _program(build: Path, shape: list[str], variables: dict[str, str]) -> Path:
    """The simulator of an array, built anew where the hardware has changed since."""
    built = build / f"trace-{'-'.join(shape)}"
    program = built / "cycles"
    made_of = [path for folder in ("venice", "compare") for path in (RTL / folder).iterdir()]
    if not program.exists() or any(path.stat().st_mtime > program.stat().st_mtime for path in made_of):
        _said([RTL / "compare" / "build", *shape, built, "vcd"], env=variables)
    return program


def _said(command: list[str | Path], **options: Any) -> str:
    """Standard output of a program. Raises SimulationError with the end of what it complains of if it fails."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, **options
    )
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["it says nothing"]
        name = Path(command[0]).name
        raise SimulationError(f"rtl trace: {name} failed with status {done.returncode}: {complaint[0]}")
    return done.stdout


def _tools() -> Any:
    """Module with which `make rtl` finds its tools."""
    if not (RTL / "tools.py").exists():
        raise ConfigError("rtl trace: rtl/ is not part of the installed package, expected a checkout of the repository")
    if str(RTL) not in sys.path:
        sys.path.append(str(RTL))
    return import_module("tools")


def _requests(timeline: Timeline, window: Window) -> Iterator[tuple[int, int, int, int]]:
    """Transfers that begin in the window: cycle, chip, cycles on the wires, and whether they are data that were read.

    A command and the data that follow it at the same chip are one transfer.
    """
    parts = timeline.parts
    chips = [part for part, each in enumerate(parts) if each["kind"] == "chip"]
    number = {part: place for place, part in enumerate(chips)}
    crossing = pl.col("part").is_in(chips) & pl.col("kind").cast(pl.String).is_in(["command", "data"])
    spans = timeline.spans.filter(crossing).sort("part", "start_ps").iter_rows(named=True)
    transfers: list[dict[str, Any]] = []
    for span in spans:
        last = transfers[-1] if transfers else None
        if last and (last["part"], last["page"], last["end_ps"]) == (span["part"], span["page"], span["start_ps"]):
            last["end_ps"] = span["end_ps"]
        else:
            transfers.append({**span, "is_read": span["kind"] == "data"})
    for each in transfers:
        if window[0] <= each["start_ps"] < window[1]:
            cycles = max(1, (each["end_ps"] - each["start_ps"]) // CYCLE_PS)
            start = (each["start_ps"] - window[0]) // CYCLE_PS
            yield start, number[each["part"]], min(cycles, LARGEST_TRANSFER), int(each["is_read"])
