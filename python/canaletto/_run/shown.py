"""How results are shown."""

from collections.abc import Callable
from typing import Any, Protocol


class Views(Protocol):
    """Functions that `_report` offers to the layers below it."""

    def text(self, found: Any) -> str:
        """A screen of text."""

    def cell(self, found: Any) -> str:
        """A notebook's cell, as HTML."""

    def verdict(self, found: Any) -> str:
        """The verdict on a comparison."""

    def notes(self, found: Any) -> list[str]:
        """Sentences next to the verdict on a comparison."""

    def page(
        self,
        found: Any,
        command: list[str] | None,
        window: tuple[int, int] | None,
        say: Callable[[str], object] | None,
    ) -> str:
        """The report of a result or a comparison. See `folder.write`."""


def _unknown() -> Views:
    raise RuntimeError("canaletto is still being imported")


made_by: Callable[[], Views] = _unknown
"""Loading takes longer than importing the package."""


def __getattr__(name: str) -> Views:
    if name != "views":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return made_by()


class Shown:
    """Base of classes that are shown as a screen of text, and in a notebook as a cell."""

    def __repr__(self) -> str:
        return made_by().text(self)

    def _repr_html_(self) -> str:
        return made_by().cell(self)
