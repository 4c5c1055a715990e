"""Records on disk: whole, checked, and shared among folders.

A record is written under another name, brought to the disk, and renamed: whatever is killed at whatever moment, it is
there as a whole or not at all. Its name is the hash of what was computed, so that those who write at the same time
write the same. A torn or foreign record all the same (a damaged disk, a file of somebody's) is as good as absent.

Records are also kept in the user's cache folder, of all sweeps: a point is computed once, whatever folder it is for.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from canaletto._io import files
from canaletto._sweeping import work

Found = tuple[dict[str, Any], dict[str, Any]]
"""A result, and what it cost."""

_SETTLED_S = 3600
"""Age from which a file that was never renamed is what a killed call left."""


class Store:
    """The records of a folder. `shared`: where further ones are looked for and kept; None for nowhere."""

    def __init__(self, home: Path, shared: Path | None) -> None:
        self._home = home
        self._shared = shared

    def get(self, key: str) -> Found | None:
        """The record of a key, if there is one anywhere; from then on it is in the folder."""
        found = _read(_path(self._home, key), key)
        if found is None and self._shared is not None:
            found = self._lent(key)
            if found is not None:
                _copy(_path(self._shared, key), _path(self._home, key), key)
        return found

    def put(self, key: str, content: bytes) -> None:
        """Keeps a record. Raises OSError if the disk takes no more."""
        path = _path(self._home, key)
        _write(path, content)
        if self._shared is not None:
            # A cache: sweeps continue without it, on a full disk or where nobody may write.
            with suppress(OSError):
                _copy(path, _path(self._shared, key), key)

    def has(self, key: str) -> bool:
        return _read(_path(self._home, key), key) is not None or self._lent(key) is not None

    def _lent(self, key: str) -> Found | None:
        """The shared record of a key. One that cannot be read is as good as absent: the folder is others', too."""
        with suppress(OSError):
            return None if self._shared is None else _read(_path(self._shared, key), key)
        return None


def shared_folder() -> Path | None:
    """The folder of all sweeps' records: a lab's, or in the user's cache. None for a user without a home."""
    if given := os.environ.get("CANALETTO_POINTS"):
        return Path(given)
    cache = files.cache_folder()
    return cache and cache / "points"


def _path(home: Path, key: str) -> Path:
    """The place of a record. A folder of many thousand files is slow, hence those between."""
    return home / key[:2] / f"{key}.json"


def _read(path: Path, key: str) -> Found | None:
    try:
        return work.opened(key, path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = files.beside(path)
    try:
        with files.named(path), open(temporary, "xb") as out:
            out.write(content)
            out.flush()
            # Before it is renamed: else a loss of power might leave the name without the content.
            os.fsync(out.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _copy(source: Path, target: Path, key: str) -> None:
    """Gives a record another name, on another disk a copy, unless there is a whole one of that name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        if _read(target, key) is None:
            _write(target, source.read_bytes())


def remove_leftovers(home: Path) -> None:
    with suppress(OSError):
        for left in home.glob("*/.*"):
            if time.time() - left.stat().st_mtime > _SETTLED_S:
                left.unlink(missing_ok=True)
