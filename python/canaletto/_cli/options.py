"""Groups of options that `run` and `compare` share."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from canaletto._cli import console
from canaletto._cli.drive import GcPolicyName, SchedulerName, Seed, Settings, assignments, own_parts, policies
from canaletto._cli.help import DRIVE, OUTPUT, RUN, share, whole
from canaletto._io.units import number_of

if TYPE_CHECKING:
    from canaletto._run.config import Design, Setting, Workload
    from canaletto._run.own import Parts
    from canaletto._run.timeline import Window


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command with each option of its groups.

    A group is a dataclass; Typer sees its fields instead of the parameter.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        kind = parameter.annotation
        if isinstance(kind, type) and is_dataclass(kind):
            groups[name] = kind
            hints = get_type_hints(kind, include_extras=True)
            found = [(each.name, each.default, hints[each.name]) for each in fields(kind)]
        else:
            found = [(name, parameter.default, kind)]
        parameters += [
            inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=d, annotation=k) for n, d, k in found
        ]

    @wraps(command)
    def call(**given: Any) -> None:
        made = {
            name: kind(**{each.name: given.pop(each.name) for each in fields(kind)}) for name, kind in groups.items()
        }
        command(**given, **made)

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


Precondition = Annotated[
    Literal["none", "steady", "replay"] | None,
    typer.Option(
        metavar="STATE",
        help="State before the run: none, steady (computed), replay (simulated).",
        rich_help_panel=DRIVE,
    ),
]
Occupancy = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="X",
        help="Share of addresses that hold data before the run, such as 70%.",
        rich_help_panel=DRIVE,
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        parser=whole(1, 10_000),
        metavar="N",
        help="Repeat with N seeds, for 95 % confidence intervals.",
        rich_help_panel=RUN,
    ),
]
Warmup = Annotated[
    str,
    typer.Option(
        metavar="N",
        help="Leave the first N requests out of statistics; auto: by MSER-5.",
        rich_help_panel=RUN,
    ),
]
CheckWires = Annotated[
    bool,
    typer.Option("--check-wires", help="Check every transfer against the rules of the wires.", rich_help_panel=RUN),
]
Json = Annotated[
    Literal["full", "summary"] | None,
    typer.Option(
        "--json",
        metavar="[=summary]",
        help="Print JSON. --json=summary omits distributions, series and maps.",
    ),
]


@dataclass(frozen=True)
class DriveOptions:
    gc_policy: GcPolicyName = None
    scheduler: SchedulerName = None
    set_: Settings = None
    precondition: Precondition = None
    occupancy: Occupancy = None

    def settings(self) -> "tuple[list[Setting], list[Setting]]":
        from canaletto._run.config import Setting

        keys, workload_keys = assignments(self.set_)
        given = {"kind": ("--precondition", self.precondition), "occupancy": ("--occupancy", self.occupancy)}
        state = [
            Setting(f"{option} {value}", "", f"precondition.{key}={value}")
            for key, (option, value) in given.items()
            if value is not None
        ]
        return [*keys, *policies(self.gc_policy, self.scheduler), *state], workload_keys

    def parts(self, fabric: str | None = None) -> "Parts":
        return own_parts(fabric, self.gc_policy, self.scheduler)


@dataclass(frozen=True)
class SeedOptions:
    """Seeds and what statistics leave out."""

    seed: Seed = 1
    seeds: Seeds = 1
    warmup: Warmup = "0"

    def left_out(self, design: "Design", workload: "Workload", parts: "Parts") -> int:
        """Found in its own run if that is asked for."""
        from canaletto._engine import ConfigError
        from canaletto._run import simulate

        if self.warmup == "auto":
            found = simulate.found_warmup(design, workload, self.seed, parts)
            console.say(f"warm-up: the first {number_of(found, 'request')} left out (MSER-5)")
            return found
        try:
            return whole(0, 2**64 - 1)(self.warmup)
        except ValueError:
            raise ConfigError(f"--warmup: got {self.warmup}, expected auto or a number of requests") from None


@dataclass(frozen=True)
class FolderOptions:
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="New folder for inputs, results and report page."),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace what is in DIR.", rich_help_panel=OUTPUT)] = False
    no_report: Annotated[
        bool,
        typer.Option("--no-report", help="Write no report page, which saves time.", rich_help_panel=OUTPUT),
    ] = False

    def check(self, window: str | None) -> None:
        from canaletto._engine import ConfigError

        if self.no_report and self.out is None:
            raise ConfigError("--no-report: given without --out DIR, which it is for")
        if self.no_report and window is not None:
            raise ConfigError(f"--window {window}: given with --no-report, expected one of them")

    def say_written(self) -> None:
        if self.out is not None:
            page = "" if self.no_report else f" (open {self.out / 'report.html'})"
            console.say(f"wrote {self.out}{page}")


def needed(out: Path | None) -> Path:
    from canaletto._engine import ConfigError

    if out is None:
        raise ConfigError("--out: not given, expected a folder; --dry-run needs none")
    return out


def parsed_window(window: str | None) -> "Window | None":
    if window is None:
        return None
    from canaletto._run import timeline

    return timeline.parse_window(window)
