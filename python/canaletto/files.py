"""Writing files so that they appear whole or not at all."""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO


@contextmanager
def named(path: str | PathLike[str]) -> Iterator[None]:
    """Gives errors of the system that name no file (a full disk) the name of this one."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from None


@contextmanager
def whole(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write, which takes its place at `path` if the block ends well and is removed otherwise.

    Devices and pipes are written to directly. Raises OSError if it cannot be written.
    """
    target = Path(path)
    if is_special(target):
        with named(target), open(target, "wb") as out:
            yield out
        return
    temporary = beside(target)
    try:
        with named(target), open(temporary, "xb") as out:
            yield out
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def placed(path: str | PathLike[str]) -> Iterator[Path]:
    """Like `whole`, for callers that open files by name: the path to write to."""
    target = Path(path)
    if is_special(target):
        yield target
        return
    temporary = beside(target)
    try:
        with named(target):
            temporary.touch(exist_ok=False)
        yield temporary
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def beside(target: Path) -> Path:
    """A name that nothing has, in the folder of `target`.

    It is known before anything is made under it: a signal may come in the very moment at which something is.
    """
    return target.absolute().parent / f".{target.name}.{secrets.token_hex(6)}"


def system_error(error: Exception, path: str | PathLike[str]) -> OSError | None:
    """The system's error inside one of Polars, which wraps them into its own."""
    code = re.search(r"\(os error (\d+)\)", str(error))
    return OSError(int(code[1]), os.strerror(int(code[1])), os.fspath(path)) if code else None


def is_special(path: Path) -> bool:
    """Whether `path` is there and no regular file: a device, a pipe."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)
