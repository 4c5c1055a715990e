"""Options of the drive and its work, which several commands take."""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from canaletto._cli import console
from canaletto._cli.help import (
    DRIVE,
    RUN,
    complete_budget,
    complete_design,
    complete_fabric,
    complete_fabrics,
    complete_setting,
    complete_workload,
    whole,
)

if TYPE_CHECKING:
    from canaletto._run.config import Design, Setting, Workload, WorkloadOptions
    from canaletto._run.equal import Equalised
    from canaletto._run.own import Parts

DesignName = Annotated[
    str, typer.Argument(metavar="DESIGN", help="A preset's name or a TOML file.", autocompletion=complete_design)
]
DesignNames = Annotated[
    list[str],
    typer.Argument(
        metavar="DESIGN…",
        help="A preset's name or a TOML file; several drives have their own fabrics.",
        autocompletion=complete_design,
    ),
]
WorkloadName = Annotated[
    str,
    typer.Option(
        "--workload",
        metavar="W",
        help="Profile, TOML file, fio job file or trace.",
        autocompletion=complete_workload,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a key of the design or, as workload.KEY, of the workload.",
        autocompletion=complete_setting,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        parser=whole(0, 2**64 - 1),
        metavar="N",
        help="Seed: equal inputs and seeds give equal results.",
    ),
]

FabricName = Annotated[
    str | None,
    typer.Option(
        "--fabric",
        "--fabrics",
        metavar="F",
        help="Fabric instead of the design's, or (`run` only) FILE.py:CLASS.",
        autocompletion=complete_fabric,
    ),
]
Fabrics = Annotated[
    str | None,
    typer.Option(
        "--fabrics",
        "--fabric",
        metavar="A,B,…",
        help="Fabrics, baseline first, or classes: FILE.py:CLASS.",
        autocompletion=complete_fabrics,
    ),
]
GcPolicyName = Annotated[
    str | None,
    typer.Option(
        "--gc-policy",
        metavar="P",
        help="Garbage-collection policy instead of the design's, or FILE.py:CLASS.",
        rich_help_panel=DRIVE,
    ),
]
SchedulerName = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="S",
        help="Transaction scheduler instead of the design's, or FILE.py:CLASS.",
        rich_help_panel=DRIVE,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--equal",
        metavar="WHAT",
        help="Give all fabrics equal pins, chip-pins, wires or area, such as pins=16.",
        autocompletion=complete_budget,
        rich_help_panel=DRIVE,
    ),
]
HotSpots = Annotated[
    bool,
    typer.Option(
        "--hot-spots",
        help="Repeat with a hot channel, a hot chip and each fabric's worst line.",
        rich_help_panel=RUN,
    ),
]

_WORKLOAD = "workload."


def assignments(given: list[str] | None) -> "tuple[list[Setting], list[Setting]]":
    settings = [_assignment(text) for text in given or []]
    return (
        [setting for setting in settings if not setting.prefix],
        [setting for setting in settings if setting.prefix],
    )


def resolve_drive(design: str, keys: "list[Setting]", fabric: str | None) -> "Design":
    from canaletto._run import config

    if fabric is not None and "," in fabric:
        from canaletto._engine import ConfigError

        raise ConfigError(f"--fabric {fabric}: got several, expected one; `compare` and `load` take several")
    if fabric is not None:
        _check_name(fabric, f"--fabric {fabric}")
    drive = (
        config.resolve_design(design, keys) if fabric is None else on_fabric(design, keys, fabric, f"--fabric {fabric}")
    )
    say_notes([drive])
    return drive


def say_notes(drives: "list[Design]") -> None:
    from canaletto._run import caveats

    for note in dict.fromkeys(note for drive in drives for note in drive.notes):
        about = [drive.fabric for drive in drives if note in drive.notes]
        if caveats.is_told(note, about, len(drives)):
            console.say(caveats.on(note, about, len(drives)))


def _check_name(given: str, label: str) -> None:
    from canaletto._run.own import check_names

    check_names(given, label)


def on_fabric(design: str, keys: "list[Setting]", fabric: str, label: str) -> "Design":
    """`label` names the option in messages."""
    from canaletto._run import config

    return config.resolve_design(design, [*keys, config.Setting(label, "", f"{config.FABRIC}={fabric}")])


def own_part(part: str, given: str | None, option: str) -> "type[Any] | None":
    """None for a name of the engine's."""
    from canaletto._run.own import named

    return None if given is None else named(part, given, option)


def own_parts(fabric: str | None, gc_policy: str | None, scheduler: str | None) -> "Parts":
    from canaletto._run.own import Parts

    return Parts(
        own_part("fabric", fabric, "--fabric"),
        own_part("gc_policy", gc_policy, "--gc-policy"),
        own_part("scheduler", scheduler, "--scheduler"),
    )


def policies(gc_policy: str | None, scheduler: str | None) -> "list[Setting]":
    from canaletto._run.config import Setting
    from canaletto._run.own import BASES, OWN

    given = {"gc_policy": ("--gc-policy", gc_policy), "scheduler": ("--scheduler", scheduler)}
    return [
        Setting(f"{option} {text}", "", f"{BASES[part][1]}={OWN if own_part(part, text, option) else text}")
        for part, (option, text) in given.items()
        if text is not None
    ]


def drives_of(
    design: str, keys: "list[Setting]", fabrics: str | None, equal: str | None = None, parts: "Parts | None" = None
) -> "tuple[list[Design], list[Parts]]":
    """The drive with each fabric of `--fabrics`, or the usual ones. Prints notes.

    With each are its user-defined parts: its class, if it is one, and the classes in `parts`.
    """
    from canaletto._run.compare import chosen_fabrics, on_fabrics, parts_of
    from canaletto._run.equal import usual_fabrics
    from canaletto._run.own import Parts

    shared = parts or Parts()
    usual = None if equal is None else usual_fabrics()
    given = usual if fabrics is None else [name.strip() for name in fabrics.split(",")] if fabrics.strip() else []
    chosen = chosen_fabrics(None if given is None else [own_part("fabric", n, "--fabrics") or n for n in given])
    drives = on_fabrics(lambda name: on_fabric(design, keys, name, f"--fabrics {fabrics or name}"), chosen)
    say_notes(drives)
    return drives, parts_of(chosen, shared.gc_policy, shared.scheduler)


def equalised(drives: "list[Design]", equal: str | None) -> "Equalised | None":
    if equal is None:
        return None
    from canaletto._run import equal as budgets

    return budgets.equalised(drives, equal, "--equal")


def named_drives(
    drives: "list[Design]", parts: "list[Parts]", same: "Equalised | None"
) -> "tuple[dict[str, Design], dict[str, Parts]]":
    from canaletto._run.compare import called

    names = called(drives, [own.fabric_name or each.fabric for own, each in zip(parts, drives, strict=True)])
    named = dict(zip(names, drives, strict=True)) if same is None else same.named()
    return named, {name: own for name, own in zip(names, parts, strict=True) if own.given}


def resolve_workload(label: str, keys: "list[Setting]", asked: "WorkloadOptions") -> "Workload":
    from canaletto._run import config

    made = config.resolve_workload(label, keys, asked)
    if made.notes:
        console.say(f"{label}: {'; '.join(made.notes)}")
    return made


def _assignment(text: str) -> "Setting":
    from canaletto._run.config import Setting

    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        from canaletto._engine import ConfigError

        raise ConfigError(f"--set {shlex.quote(text)}: expected KEY=VALUE, for example flash.read=10us")
    if key.strip() in ("fabric", "fabric.kind", "gc.policy", "scheduler.policy"):
        _check_name(value.strip(), f"--set {text}")
    prefix = _WORKLOAD if key.strip().startswith(_WORKLOAD) else ""
    return Setting(f"--set {text}", prefix, f"{key.strip().removeprefix(prefix)}={value.strip()}")
