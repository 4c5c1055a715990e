"""Rows of requests: in memory while they are few, else in files."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from canaletto._io import forks, frames
from canaletto._io.files import named, sound_parquet, system_error
from canaletto._io.temporary import TemporaryFolder

if TYPE_CHECKING:
    import polars as pl


class Rows:
    def __init__(self, flows: list[str]) -> None:
        forks.check_polars()  # Before the run, not after it.
        self._flows = flows
        self._home: TemporaryFolder | None = None
        self._written = 0
        self._last: pl.DataFrame | None = None
        self._occurring: set[str] = set()

    def add(self, columns: frames.Columns) -> None:
        if self._home is None:
            self._home = TemporaryFolder()
        part = _part(self._home, self._written)
        with named(part), open(part, "wb") as file:
            frames.write_parquet(self._framed(columns), file)
        self._written += 1

    def end(self, columns: frames.Columns) -> "Rows":
        self._last = self._framed(columns)
        return self

    @property
    def _parts(self) -> list[Path]:
        return [] if self._home is None else [_part(self._home, number) for number in range(self._written)]

    def _framed(self, columns: frames.Columns) -> "pl.DataFrame":
        self._occurring |= frames.occurring(columns)
        return frames.requests(columns, self._flows)

    def scan(self) -> "pl.LazyFrame":
        import polars as pl

        forks.check_polars()

        assert self._last is not None, "the run is not over"
        chosen = [name for name in self._last.columns if not _may_miss(name) or name in self._occurring]
        return pl.concat([*map(pl.scan_parquet, self._parts), self._last.lazy()]).select(chosen)

    def frame(self) -> "pl.DataFrame":
        return self.scan().collect()

    def write(self, path: Path) -> None:
        import polars as pl

        if not self._parts:
            with named(path), open(path, "wb") as file:
                frames.write_parquet(self.frame(), file)
            return
        try:
            self.scan().sink_parquet(path)
        except pl.exceptions.PolarsError as error:
            raise system_error(error, path) or error from None


def _may_miss(column: str) -> bool:
    return frames.is_span(column) or column == frames.HANDLE


def _part(home: TemporaryFolder, number: int) -> Path:
    return home.path / f"{number}.parquet"


class Saved:
    def __init__(self, find: Callable[[], Path]) -> None:
        self._find = find

    @cached_property
    def _path(self) -> Path:
        return self._find()

    def scan(self) -> "pl.LazyFrame":
        import polars as pl

        with sound_parquet(self._path):
            query = pl.scan_parquet(self._path, glob=False)
            query.collect_schema()
        return query

    def frame(self) -> "pl.DataFrame":
        import polars as pl

        with sound_parquet(self._path):
            return pl.read_parquet(self._path, glob=False)

    def write(self, path: Path) -> None:
        with named(path):
            path.write_bytes(self._path.read_bytes())
