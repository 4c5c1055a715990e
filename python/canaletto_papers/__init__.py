"""Published experiments, repeated: one file a figure, each with its method and its assumptions in its docstring.

`canaletto reproduce SOURCE` runs a source's figures and shows ours beside theirs.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module

from canaletto._engine import ConfigError

from canaletto_papers.figure import Figure
from canaletto_papers.verdicts import Finding

SOURCES = {
    "networked-ssd": "networked_ssd",
    "venice": "venice",
    "mqsim": "mqsim",
    "pc-ssd": "pc_ssd",
    "storage-next": "storage_next",
    "drives": "drives",
    "load": "load",
}
"""Sources by the names of the command line, and the packages that hold their figures."""


def names_of(source: str) -> Mapping[str, str]:
    """Our fabrics by the names of a source's systems, where it has some of its own."""
    package = SOURCES.get(source)
    found = getattr(import_module(f"canaletto_papers.{package}"), "NAMES", {}) if package else {}
    return dict(found)


def findings_of(source: str) -> Sequence[Finding]:
    """Numbers of a source that do not go together, where there are any."""
    package = SOURCES.get(source)
    return getattr(import_module(f"canaletto_papers.{package}"), "FINDINGS", ()) if package else ()


def figures(source: str, wanted: Sequence[str] = ()) -> list[Figure]:
    """A source's figures, or those of them that are wanted, in the paper's order.

    Raises ConfigError for a source or a figure that there is not.
    """
    if source not in SOURCES:
        raise ConfigError(f"{source}: no source of that name, expected one of {', '.join(SOURCES)}")
    there: list[Figure] = import_module(f"canaletto_papers.{SOURCES[source]}").FIGURES
    names = [figure.name for figure in there]
    for name in wanted:
        if name not in names:
            raise ConfigError(f"{name}: no figure of {source}, expected some of {', '.join(names)}")
    return [figure for figure in there if not wanted or figure.name in wanted]
