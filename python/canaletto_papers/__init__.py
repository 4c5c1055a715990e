"""Published experiments, repeated: one file per figure, each with its method and its assumptions in its docstring.

`canaletto reproduce SOURCE` runs a source's figures and shows ours next to theirs.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from canaletto._engine import ConfigError

if TYPE_CHECKING:  # `canaletto --help` imports this package for its commands alone.
    from canaletto_papers.figure import Figure
    from canaletto_papers.verdicts import Finding

SOURCES = (
    "networked-ssd",
    "venice",
    "mqsim",
    "pc-ssd",
    "storage-next",
    "drives",
    "load",
    "hbf",
    "zns",
    "fdp",
    "compute",
)


def _package(source: str) -> ModuleType:
    return import_module(f"canaletto_papers.{source.replace('-', '_')}")


def names_of(source: str) -> Mapping[str, str]:
    return dict(getattr(_package(source), "NAMES", {})) if source in SOURCES else {}


def findings_of(source: str) -> "Sequence[Finding]":
    return getattr(_package(source), "FINDINGS", ()) if source in SOURCES else ()


def figures(source: str, wanted: Sequence[str] = ()) -> "list[Figure]":
    """In the paper's order."""
    if source not in SOURCES:
        raise ConfigError(f"{source}: no source of that name, expected one of {', '.join(SOURCES)}")
    there: list[Figure] = _package(source).FIGURES
    names = [figure.name for figure in there]
    for name in wanted:
        if name not in names:
            raise ConfigError(f"{name}: no figure of {source}, expected some of {', '.join(names)}")
    return [figure for figure in there if not wanted or figure.name in wanted]
