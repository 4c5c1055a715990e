"""Origin of results."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("altair", "dask-jobqueue", "distributed", "numpy", "optuna", "polars", "vl-convert-python")


@cache
def origin() -> dict[str, Any]:
    return {
        "commit": _commit(Path(__file__).resolve()),
        "platform": {
            "system": platform.system(),
            "release": platform.release(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        },
        "packages": {name: found for name in _PACKAGES if (found := _version(name)) is not None},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit(file: Path) -> str | None:
    git = file.parents[3] / ".git"
    try:
        if git.is_file():  # A further working tree of a repository, which says where its own state is.
            git = git.parent / git.read_text().removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref:"):
            return head
        name = head.removeprefix("ref:").strip()
        shared = git / (git / "commondir").read_text().strip() if (git / "commondir").exists() else git
        for place in (git, shared):
            if (place / name).is_file():
                return (place / name).read_text().strip()
        packed = (shared / "packed-refs").read_text().splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {name}")), None)
    except (OSError, UnicodeDecodeError):
        return None
