"""The hardware of Venice in `rtl/`, driven by the requests of a run: waveforms of what it does, and its animation.

`rtl/` and Verilator belong to a checkout and are not part of the installed package.
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import groupby
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from canaletto import files, folder, hardware_steps
from canaletto._engine import ConfigError, SimulationError
from canaletto.hardware_steps import CYCLE_PS, Transfer
from canaletto.timeline import DEFAULT_WINDOW_PS, Timeline, Window, record

RTL = Path(__file__).parents[2] / "rtl"

LARGEST_TRANSFER = 2**16 - 1
"""Cycles on the wires that a controller can count."""


@dataclass(frozen=True)
class Served:
    """A window as the hardware served it: what is said about it, and the timelines of the run and of the hardware."""

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
    """Writes a VCD of the hardware that serves the transfers of a window of a frozen run. Returns what was served.

    window: in simulated picoseconds; by default the first 200 us. animation: name of a page (HTML) that plays what the
    hardware did beside the run.

    Raises ConfigError if it is no frozen run of `venice`, if `rtl/` or Verilator is not there, if a file exists
    (unless `force` is given) or nothing is transferred in the window; SimulationError if the run or a tool fails.
    """
    for path in (out, animation):
        if path is not None:
            files.check_free(path, force=force)
    with files.placed(out) as target:
        served = serve(run, window, target)
        if animation is not None:
            from canaletto.report import hardware as page

            with files.whole(animation) as html:
                html.write(page.html(served.run, served.hardware, f"Hardware · {served.run.title}").encode())
    return served.said


def serve(run: str | PathLike[str], window: Window | None, waves: Path | None = None) -> Served:
    """Has the hardware serve the transfers of a window of a frozen run. waves: where a VCD goes, if one is wanted.

    Raises what `trace` raises.
    """
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
    transfers = _transfers(found, chosen)
    if not transfers:
        raise ConfigError(f"{home}: nothing is transferred in the window, expected one with transfers")
    program = _program(tools.BUILD, [str(rows), str(columns), edge], variables)
    text = f"drive {keys['fabric']['venice']['retry']}\n"
    text += "".join(f"{each.start} {each.chip} {each.cycles} {each.is_read:d}\n" for each in transfers)
    cycles = str((chosen[1] - chosen[0]) // CYCLE_PS)
    with TemporaryDirectory() as scratch:
        lines = Path(scratch) / "lines"
        vcd = [waves, "0", cycles] if waves is not None else []
        said = _said([program, *vcd, f"+record={lines}"], input=text).strip()
        with lines.open() as file:
            return Served(said, found, hardware_steps.timeline(file, transfers, found))


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


@dataclass(frozen=True)
class _Sent:
    """A transfer of the run: when a controller took it, which one, and when its first scout departed."""

    taken: int
    departs: int
    controller: int
    transfer: Transfer


def _transfers(timeline: Timeline, window: Window) -> list[Transfer]:
    """Transfers whose first scout departs in the window, in the order in which controllers took them."""
    chips = [each for each in timeline.parts if each["kind"] == "chip"]
    controllers = [each["from"] for each in timeline.parts if each["kind"] == "controller_link"]

    def far(sent: _Sent, controller: int) -> tuple[int, int]:
        """Links from a controller to a transfer's chip: the nearest controller takes it, of these the lowest."""
        chip, (row, column) = chips[sent.transfer.chip], controllers[controller]
        return abs(chip["row"] - row) + abs(chip["column"] - column), controller

    found = [each for each in _sent(timeline) if window[0] <= each.departs < window[1]]
    ordered: list[_Sent] = []
    for _, group in groupby(sorted(found, key=lambda each: each.taken), key=lambda each: each.taken):
        # Those taken at the same moment: one whose controller was not the nearest came after that one's transfer.
        rest = list(group)
        while rest:
            free = [x for x in rest if all(far(x, x.controller) <= far(x, y.controller) for y in rest)] or rest
            ordered.append(free[0])
            rest.remove(free[0])
    return _one_a_cycle(ordered, window[0])


def _one_a_cycle(sent: list[_Sent], start_ps: int) -> list[Transfer]:
    """Transfers with the cycles in which the hardware is given them: from when they were taken until they depart.

    Where several were taken at once, that is too late for some; then those before are earlier than in the run.
    """
    latest: list[int] = []
    for each in reversed(sent):
        departs = (each.departs - start_ps) // CYCLE_PS
        latest.insert(0, min(departs, latest[0] - 1) if latest else departs)
    given: list[Transfer] = []
    for each, last in zip(sent, latest, strict=True):
        first = -((start_ps - each.taken) // CYCLE_PS)
        after = given[-1].start + 1 if given else 0
        given.append(replace(each.transfer, start=max(0, min(max(first, after), last))))
    return given


def _sent(timeline: Timeline) -> Iterator[_Sent]:
    """Transfers of every page in turn. A command and the data that follow it at the same chip are one."""
    parts = timeline.parts
    number = {part: place for place, part in enumerate(p for p, each in enumerate(parts) if each["kind"] == "chip")}
    own = [part for part, each in enumerate(parts) if each["kind"] == "controller_link"]
    kind = pl.col("kind").cast(pl.String)
    crossing = pl.col("part").is_in(list(number)) & kind.is_in(["command", "data"])
    departing = pl.col("part").is_in(own) & (kind == "scout")
    taken = _moments(timeline)
    spans = timeline.spans.filter(crossing | departing).sort("page", "start_ps", maintain_order=True)
    for page, rows in groupby(spans.iter_rows(named=True), key=lambda row: row["page"]):
        scout: dict[str, Any] | None = None
        together: list[dict[str, Any]] = []
        for row in [*rows, None]:
            if together and (
                row is None or (row["part"], row["start_ps"]) != (together[-1]["part"], together[-1]["end_ps"])
            ):
                first = scout or together[0]
                departs = first["start_ps"]
                moment = next((each for each in taken.get(page, ()) if each <= departs < each + 2 * CYCLE_PS), departs)
                controller = own.index(first["part"]) if scout else 0
                yield _Sent(moment, departs, controller, _transfer(together, number))
                scout, together = None, []
            if row is None:
                break
            if row["part"] in number:
                together.append(row)
            else:
                scout = scout or row


def _transfer(spans: list[dict[str, Any]], number: dict[int, int]) -> Transfer:
    """A transfer of these spans at a chip."""
    first = spans[0]
    lasts = {
        kind: sum(each["end_ps"] - each["start_ps"] for each in spans if each["kind"] == kind)
        for kind in ("command", "data")
    }
    commands, data = (ps // CYCLE_PS for ps in (lasts["command"], lasts["data"]))
    cycles = max(1, min(commands + data, LARGEST_TRANSFER))
    told = {name: first[name] for name in ("request", "page", "work")}
    return Transfer(0, number[first["part"]], cycles, min(commands, cycles), first["kind"] == "data", **told)


def _moments(timeline: Timeline) -> dict[int, list[int]]:
    """When controllers took the transfers of each page: beginnings of its reservations, at most a slot before a departure."""
    steps = timeline.steps.filter(
        (pl.col("cause").cast(pl.String) == "path_reservation") & pl.col("page").is_not_null()
    )
    return dict(steps.group_by("page").agg(pl.col("start_ps")).iter_rows())
