"""Parts that installed packages add, by entry points of the group `canaletto.plugins`.

Names are KIND.NAME. `command`: a Typer application. `fabric`, `gc_policy`, `scheduler`: a class. `preset`: a package
that holds NAME.toml. `executor`: makes an executor for `--on NAME`. `folder`: opens a folder with NAME.json. `page`:
makes the page of a sweep or a trace. A part is imported when it is used or listed.
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
    """Raises ConfigError if the package is broken."""
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
    """Broken parts are reported and left out."""
    for name in names(kind):
        try:
            yield name, load(kind, name)
        except ConfigError as error:
            say(str(error))
