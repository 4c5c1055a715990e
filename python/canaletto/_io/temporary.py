"""Temporary folders that are removed with their objects."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path


class TemporaryFolder:
    """Removed once nothing holds this object, or at the end of its process.

    Copies share it. A pickled one takes its files along.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="canaletto-")) if path is None else path
        weakref.finalize(self, _remove, self.path, os.getpid())

    def __copy__(self) -> "TemporaryFolder":
        return self

    def __deepcopy__(self, _: object) -> "TemporaryFolder":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        files = [file for file in sorted(self.path.rglob("*")) if file.is_file()]
        return _unpacked, ({file.relative_to(self.path).as_posix(): file.read_bytes() for file in files},)


def _remove(path: Path, maker: int) -> None:
    # A process that was forked runs the finalizers of its parent, which goes on to need the folder.
    if os.getpid() == maker:
        shutil.rmtree(path, ignore_errors=True)


def _unpacked(files: Mapping[str, bytes]) -> TemporaryFolder:
    made = TemporaryFolder()
    for name, content in files.items():
        file = made.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return made
