"""Files appear whole or not at all."""

import os
import re
import secrets
import select
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO

from canaletto._engine import ConfigError
from canaletto._io import forks
from canaletto._io.printable import say

if sys.platform != "win32":
    import fcntl


@contextmanager
def named(path: str | PathLike[str]) -> Iterator[None]:
    """A system's error without file gets this file's name."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from None


def check_free(path: str | PathLike[str], *, force: bool = False, made_later: Path | None = None) -> None:
    """Raises ConfigError if a file must not be written. The folder `made_later` counts as there."""
    target = Path(path)
    if made_later is not None:
        # Whatever they are spelt like: what counts is where they end up.
        place, later = (Path(os.path.realpath(each)) for each in (target, made_later))
        if place == later or place in later.parents:
            raise ConfigError(f"{target}: given for the timeline and for the run's folder; expected two names")
    if target.is_dir():
        raise ConfigError(f"{target}: is a folder, expected the name of a file, such as {target / 'run.pftrace'}")
    if os.path.lexists(target) and not force and not is_special(target):
        raise ConfigError(f"{target}: exists already; expected a new file, or --force to replace it")
    parent = target.absolute().parent
    if not parent.is_dir() and (made_later is None or made_later.absolute() != parent):
        raise ConfigError(f"{target}: there is no folder {parent}")


@contextmanager
def whole(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A file that takes its place at `path` if the block ends well and is removed otherwise.

    Devices and pipes are written to directly.
    """
    target = Path(path)
    if is_special(target):
        with named(target), open(target, "wb") as out:
            yield out
        return
    remove_leftovers(target)
    temporary = beside(target)
    try:
        with named(target), open(temporary, "xb") as out, _in_use(out.fileno()):
            yield out
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def placed(path: str | PathLike[str]) -> Iterator[Path]:
    """Like `whole`: the path to write to."""
    target = Path(path)
    if is_special(target):
        yield target
        return
    remove_leftovers(target)
    temporary = beside(target)
    try:
        with named(target):
            temporary.touch(exist_ok=False)
        with in_use(temporary):
            yield temporary
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def beside(target: Path) -> Path:
    """A free name in the folder of `target`.

    Known before anything is made under it: a signal may come at the very moment.
    """
    return target.absolute().parent / f".{target.name}.{secrets.token_hex(6)}"


_SETTLED_S = 60
"""Age of a leftover without lock: the lock follows upon the making."""


@contextmanager
def in_use(path: Path) -> Iterator[None]:
    """Marks what was made `beside` something as in use."""
    if sys.platform == "win32":  # No locks on folders: what is left is old, and that alone decides.
        yield
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        with _in_use(handle):
            yield
    finally:
        os.close(handle)


@contextmanager
def _in_use(handle: int) -> Iterator[None]:
    if sys.platform != "win32":
        with suppress(OSError):  # A file system without locks.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    yield


def remove_leftovers(target: Path) -> None:
    for left in leftovers(target):
        with suppress(OSError):
            shutil.rmtree(left) if left.is_dir() else left.unlink()


def leftovers(target: Path) -> list[Path]:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}")
    found = []
    with suppress(OSError):
        for entry in os.scandir(target.absolute().parent):
            if name.fullmatch(entry.name) and not entry.is_symlink():
                settled = time.time() - entry.stat().st_ctime > _SETTLED_S
                if settled and not _is_locked(entry.path):
                    found.append(Path(entry.path))
    return found


def _is_locked(path: str) -> bool:
    if sys.platform != "win32":
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
    return False


@contextmanager
def awaiting_writers(paths: Iterable[str | PathLike[str]]) -> Iterator[None]:
    """Waits until every named pipe among the files has a writer, and keeps the pipes open.

    Such a wait is deaf to Ctrl-C in the system; this one is not.
    """
    with ExitStack() as opened:
        for path in map(Path, paths):
            if sys.platform == "win32" or not path.is_fifo():
                continue
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            opened.callback(os.close, handle)
            waiting = select.poll()
            waiting.register(handle, select.POLLIN)
            if not waiting.poll(_SILENT_MS):
                say(f"{path}: a named pipe that nobody has written to yet; waiting (Ctrl-C ends it)")
            while not waiting.poll(_POLL_MS):
                pass
        yield


_POLL_MS, _SILENT_MS = 100, 1000


def system_error(error: Exception, path: str | PathLike[str]) -> OSError | None:
    """Polars wraps the system's errors."""
    code = re.search(r"\(os error (\d+)\)", str(error))
    return OSError(int(code[1]), os.strerror(int(code[1])), os.fspath(path)) if code else None


def os_error(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename is not None else reason


@contextmanager
def sound_parquet(path: str | PathLike[str]) -> Iterator[None]:
    """ConfigError for a damaged file. Polars' panics are no Exceptions."""
    forks.check_polars()
    try:
        yield
    except BaseException as error:
        import polars as pl

        if not isinstance(error, pl.exceptions.PolarsError | pl.exceptions.PanicException):
            raise
        raise ConfigError(f"{os.fspath(path)}: not Parquet: {error}") from None


def is_special(path: Path) -> bool:
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


def cache_folder() -> Path | None:
    """After the XDG base directory specification. None for a user without a home."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(given) if os.path.isabs(given) else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "canaletto"
