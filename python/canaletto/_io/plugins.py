"""Parts that installed packages add, by entry points of the group `canaletto.plugins`.

An entry point is named KIND.NAME. `command.NAME` is a Typer application with that command; `fabric.NAME`,
`gc_policy.NAME` and `scheduler.NAME` are classes of that name; `preset.NAME` is a package that holds NAME.toml.
`executor.NAME` makes an executor of sweeps for `--on NAME`, `folder.NAME` opens a folder with NAME.json, and
`page.NAME` is the function that makes the page of a sweep or a trace.
Looking for names reads the metadata of installed packages; a part is imported when it is used or listed.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from canaletto._engine import ConfigError
from canaletto._io.printable import say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "canaletto.plugins"


@cache
def _found() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # Its import takes longer than all of a short command.

    return {each.name: each for each in entry_points(group=GROUP)}


def names(kind: str) -> list[str]:
    return sorted(name.removeprefix(f"{kind}.") for name in _found() if name.startswith(f"{kind}."))


def load(kind: str, name: str) -> Any:
    """The object of a part, or the text of a preset. Raises ConfigError if its package is broken."""
    entry = _found()[f"{kind}.{name}"]
    try:
        if kind == "preset":
            from importlib.resources import files

            return files(entry.module).joinpath(f"{name}.toml").read_text(encoding="utf-8")
        return entry.load()
    except Exception as error:
        package = "" if entry.dist is None else f" of package {entry.dist.name}"
        raise ConfigError(f"plug-in {entry.name}{package}: {type(error).__name__}: {error}") from None


def each(kind: str) -> Iterator[tuple[str, Any]]:
    """Name and object of every part of a kind; broken ones are reported and left out."""
    for name in names(kind):
        try:
            yield name, load(kind, name)
        except ConfigError as error:
            say(str(error))
