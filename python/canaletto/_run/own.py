"""Classes instead of the engine's fabric, GC policy and scheduler."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from inspect import getattr_static, isfunction, signature
from typing import Any, ClassVar

from canaletto._engine import ConfigError
from canaletto._io import plugins
from canaletto._run import names, own_files
from canaletto._run.config import Design
from canaletto._run.fabric import Array, Fabric
from canaletto._run.gc_policy import GcPolicy
from canaletto._run.own_files import file_of, hash_of, title
from canaletto._run.scheduler import Scheduler

BASES: dict[str, tuple[type[Any], str]] = {
    "fabric": (Fabric, "fabric.kind"),
    "gc_policy": (GcPolicy, "gc.policy"),
    "scheduler": (Scheduler, "scheduler.policy"),
}
"""Argument: base class, and the key that is "custom" then."""

OWN = "custom"


@dataclass(frozen=True)
class Parts:
    fabric: type[Fabric] | None = None
    gc_policy: type[GcPolicy] | None = None
    scheduler: type[Scheduler] | None = None
    array: ClassVar[type[Array]] = Array

    @property
    def given(self) -> dict[str, type[Any]]:
        return {name: given for name in BASES if (given := getattr(self, name)) is not None}

    def on(self, design: Design) -> Design:
        for name, given in self.given.items():
            base = BASES[name][0]
            if not (isinstance(given, type) and issubclass(given, base)):
                raise ConfigError(f"{name}: got {given!r}, expected a class derived from canaletto.{base.__name__}")
            _check_methods(name, given, base)
        return design.replace(**{BASES[name][1]: OWN for name in self.given}) if self.given else design

    @property
    def names(self) -> dict[str, str]:
        found = {f"{name}_class": title(given) for name, given in self.given.items()}
        files = {key: file_of(text) for key, text in found.items() if own_files.is_file(text)}
        return found | {f"{key}_sha256": hash_of(file) for key, file in files.items()}

    @property
    def fabric_name(self) -> str | None:
        return None if self.fabric is None else self.fabric.__name__


def _check_methods(part: str, given: type[Any], base: type[Any]) -> None:
    """Raises ConfigError for methods that the engine could not call."""
    for name, of_base in {"__init__": lambda self: None, **vars(base)}.items():
        if not isfunction(of_base) or (name.startswith("_") and name != "__init__"):
            continue
        if isinstance(getattr_static(given, name), staticmethod | classmethod):
            continue
        wanted = list(signature(of_base).parameters)
        method = getattr(given, name)
        try:
            signature(method).bind(*wanted)
        except TypeError:
            got = f"{name}{signature(method)}" if callable(method) else f"{name} = {method!r}"
            told = f"{name}({', '.join(wanted)})"
            raise ConfigError(f"{part}: got {given.__name__}.{got}, expected {told}") from None


def named(part: str, text: str, label: str) -> type[Any] | None:
    """The class of FILE.py:CLASS or a plug-in. None for names of the engine."""
    base = BASES[part][0]
    if own_files.is_file(text):
        return own_files.from_file(text, label, base)
    if text in names.fabrics() or text not in plugins.names(part):
        return None
    return own_files.from_plugin(plugins.load(part, text), f"{label}: plug-in {part}.{text}", text, base)


def of_record(options: Mapping[str, Any], where: str, what: str) -> Parts:
    """Classes of a recorded run.

    where: file of the options; what: what needs them. Raises ConfigError for a class of another process or a changed
    file.
    """
    found: dict[str, type[Any]] = {}
    for part in BASES:
        if (recorded := options.get(f"{part}_class")) is None:
            continue
        label = f"{where}: options.{part}_class"
        if own_files.is_file(str(recorded)):
            _check_unchanged(str(recorded), options.get(f"{part}_class_sha256"), label)
        name = str(recorded) if own_files.is_file(str(recorded)) else str(recorded).rpartition(".")[2]
        given = named(part, name, label)
        if given is None or title(given) != recorded:
            raise ConfigError(
                f"{label}: got {recorded!r}, expected a class of a file or of a plug-in: this run is {what} in Python, "
                "where its class is"
            )
        found[part] = given
    return Parts(**found)


def _check_unchanged(recorded: str, sha256: Any, label: str) -> None:
    try:
        now = hash_of(file_of(recorded))
    except OSError:
        now = None
    if now is None or now != sha256:
        state = "is missing" if now is None else "has changed since the run"
        raise ConfigError(f"{label}: {file_of(recorded)} {state}, expected the file that the run used")


def check_names(given: Any, label: str, why: str = "classes are no part of a configuration") -> None:
    """Raises ConfigError for a class where only parts of the engine are allowed.

    given: value of one of `KEYS`. label: its place, why: the reason, for messages.
    """
    plugged = isinstance(given, str) and any(given in plugins.names(part) for part in BASES)
    if isinstance(given, str) and (own_files.is_file(given) or plugged) and given not in names.fabrics():
        raise ConfigError(
            f"{label}: got {given}, expected a name of the engine's: {why}. run, compare and load accept classes: "
            "--fabric, --gc-policy, --scheduler"
        )


KEYS = ("fabric", *(key for _, key in BASES.values()))


def check_name(fabric: type[Any], known: Collection[str]) -> None:
    """Raises ConfigError for a name that cannot be a fabric's in results and folders."""
    name = fabric.__name__
    if not name.isidentifier():
        raise ConfigError(f"fabrics: got a class named {name!r}, expected letters, digits and underscores")
    if name in known:
        raise ConfigError(f"fabrics: got class {name}, expected a name that no fabric of the engine has")
