"""Runs and comparisons for layers below `Result` and `Comparison`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from canaletto._run.config import Design, Workload
from canaletto._run.equal import Equal
from canaletto._run.own import Parts

if TYPE_CHECKING:
    import polars as pl

    from canaletto._io.rows import Rows, Saved


class Ran(Protocol):
    """A run: see `Result`."""

    @property
    def configuration(self) -> tuple[Design, Workload]: ...
    @property
    def parts(self) -> Parts | None: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def has_requests(self) -> bool: ...
    @property
    def rows(self) -> "Rows | Saved": ...
    def scan_requests(self) -> "pl.LazyFrame": ...
    def to_dict(self) -> dict[str, Any]: ...


class Compared(Protocol):
    """A comparison: see `Comparison`."""

    @property
    def runs(self) -> Sequence[Ran]: ...
    @property
    def fabrics(self) -> Sequence[str]: ...
    @property
    def equal(self) -> Equal | None: ...
    @property
    def crossbar(self) -> Ran | None: ...
    @property
    def hot_spots(self) -> Mapping[str, Any]: ...
    def to_dict(self) -> dict[str, Any]: ...
