"""Parts of a drive of one's own: classes in place of the engine's fabric, GC policy and scheduler."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from canaletto._engine import ConfigError
from canaletto._run.config import Design
from canaletto._run.fabric import Array, Fabric
from canaletto._run.gc_policy import GcPolicy
from canaletto._run.own_files import title
from canaletto._run.scheduler import Scheduler

BASES: dict[str, tuple[type[Any], str]] = {
    "fabric": (Fabric, "fabric.kind"),
    "gc_policy": (GcPolicy, "gc.policy"),
    "scheduler": (Scheduler, "scheduler.policy"),
}
"""Parts that can be classes, by their names as arguments: what to derive from, and the key that is "custom" then."""

OWN = "custom"
"""Name of a part that is a class, in a design."""


@dataclass(frozen=True)
class Parts:
    """Classes in place of parts of the engine, as it takes them."""

    fabric: type[Fabric] | None = None
    gc_policy: type[GcPolicy] | None = None
    scheduler: type[Scheduler] | None = None
    array: ClassVar[type[Array]] = Array

    @property
    def given(self) -> dict[str, type[Any]]:
        """The classes that there are, by the names of their parts."""
        return {name: given for name in BASES if (given := getattr(self, name)) is not None}

    def on(self, design: Design) -> Design:
        """The drive with these parts. Raises ConfigError for what is none."""
        for name, given in self.given.items():
            base = BASES[name][0]
            if not (isinstance(given, type) and issubclass(given, base)):
                raise ConfigError(f"{name}: got {given!r}, expected a class derived from canaletto.{base.__name__}")
        return design.replace(**{BASES[name][1]: OWN for name in self.given}) if self.given else design

    @property
    def names(self) -> dict[str, str]:
        """The run's options that tell of them: `fabric_class` and the like, with module and name."""
        return {f"{name}_class": title(given) for name, given in self.given.items()}

    @property
    def fabric_name(self) -> str | None:
        """The name of the fabric's class, by which results call it."""
        return None if self.fabric is None else self.fabric.__name__


def check_known(options: Mapping[str, Any], where: str, what: str) -> None:
    """Raises ConfigError for a run with a part of one's own, whose class only the process knows that ran it.

    where: file of the options; what: what cannot be done.
    """
    for name in (f"{part}_class" for part in BASES):
        if name in options:
            raise ConfigError(
                f"{where}: options.{name}: got {options[name]!r}, expected none: a run with a part of one's own is "
                f"{what} in Python, where its class is"
            )


def check_name(fabric: type[Any], known: Collection[str]) -> None:
    """Raises ConfigError for a class whose name cannot be that of a fabric in results and folders."""
    name = fabric.__name__
    if not name.isidentifier():
        raise ConfigError(f"fabrics: got a class named {name!r}, expected letters, digits and underscores")
    if name in known:
        raise ConfigError(f"fabrics: got class {name}, expected another name than that of a fabric of the engine")
