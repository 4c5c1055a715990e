"""Records on disk: whole, checked, and shared among folders.

A record is written under another name, brought to the disk, and renamed. Its name is the hash of what was computed, so
simultaneous writers write the same. A torn record counts as absent.

Records are also kept in the user's cache folder: a point is computed once for all sweeps.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from canaletto._io import files
from canaletto._sweeping import work

Found = tuple[dict[str, Any], dict[str, Any]]
_SETTLED_S = 3600


class Store:
    """`shared`: where further records are looked for and kept; None for nowhere."""

    def __init__(self, home: Path, shared: Path | None) -> None:
        self._home = home
        self._shared = shared

    def get(self, key: str) -> Found | None:
        found = _read(_path(self._home, key), key)
        if found is None and self._shared is not None:
            found = self._lent(key)
            if found is not None:
                _copy(_path(self._shared, key), _path(self._home, key), key)
        return found

    def put(self, key: str, content: bytes) -> None:
        path = _path(self._home, key)
        _write(path, content)
        if self._shared is not None:
            # A cache: sweeps continue without it, on a full disk or where nobody may write.
            with suppress(OSError):
                _copy(path, _path(self._shared, key), key)

    def has(self, key: str) -> bool:
        return _read(_path(self._home, key), key) is not None or self._lent(key) is not None

    def _lent(self, key: str) -> Found | None:
        """An unreadable record counts as absent: the folder is shared."""
        with suppress(OSError):
            return None if self._shared is None else _read(_path(self._shared, key), key)
        return None


def shared_folder() -> Path | None:
    if given := os.environ.get("CANALETTO_POINTS"):
        return Path(given)
    cache = files.cache_folder()
    return cache and cache / "points"


def _path(home: Path, key: str) -> Path:
    """Folders of many thousand files are slow."""
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
    """On another disk a copy, unless there is a whole one of that name."""
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
