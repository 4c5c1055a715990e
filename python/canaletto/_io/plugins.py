"""Parts that installed packages add, by entry points of the group `canaletto.plugins`.

An entry point is named KIND.NAME: `command.NAME` is a Typer application with that command, `fabric.NAME`,
`gc_policy.NAME` and `scheduler.NAME` are classes, and `preset.NAME` is a package that holds NAME.toml. Looking for
names reads the metadata of installed packages; a part is imported when it is used.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from typing import Any

from canaletto._engine import ConfigError

GROUP = "canaletto.plugins"


@cache
def _found() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=GROUP)}


def names(kind: str) -> list[str]:
    """Names of all parts of a kind, such as `fabric`."""
    return sorted(name.removeprefix(f"{kind}.") for name in _found() if name.startswith(f"{kind}."))


def load(kind: str, name: str) -> Any:
    """The object of a part. Raises ConfigError if its package cannot be imported."""
    entry = _found()[f"{kind}.{name}"]
    try:
        return entry.load()
    except Exception as error:
        raise ConfigError(_broken(entry, error)) from None


def preset(name: str) -> str | None:
    """The text of a preset; none if no package has it. Raises ConfigError if it cannot be read."""
    entry = _found().get(f"preset.{name}")
    if entry is None:
        return None
    try:
        return files(entry.module).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    except Exception as error:
        raise ConfigError(_broken(entry, error)) from None


def _broken(entry: EntryPoint, error: Exception) -> str:
    package = "" if entry.dist is None else f" of package {entry.dist.name}"
    return f"plug-in {entry.name}{package}: cannot be loaded: {type(error).__name__}: {error}"
