"""Copies of the lessons, for a student's folder."""

import re
from collections.abc import Iterator
from importlib.resources import files as packaged
from pathlib import Path

from canaletto._io import files

_ELSEWHERE = re.compile(r"\[([^][]+)\]\(\.\./[^)]*\)")
"""A link to a page of the documentation, which a copy is not next to."""


def copy(folder: Path, *, solutions: bool = False, force: bool = False) -> list[Path]:
    """Writes the lessons' notebooks to a folder, which is made, and their solutions to `solutions` within it."""
    copies = [(folder / name, text) for name, text in _texts(solutions)]
    for home in {path.parent for path, _ in copies}:
        home.mkdir(parents=True, exist_ok=True)
    for path, _ in copies:
        files.check_free(path, force=force)
    for path, text in copies:
        with files.whole(path) as out:
            out.write(text.encode())
    return [path for path, _ in copies]


def _texts(solutions: bool) -> Iterator[tuple[str, str]]:
    home = packaged("canaletto_extras.course").joinpath("notebooks")
    for place in (".", "solutions") if solutions else (".",):
        for found in sorted(home.joinpath(place).iterdir(), key=lambda each: each.name):
            if found.name.endswith((".ipynb", ".py")):
                text = found.read_text(encoding="utf-8")
                yield f"{place}/{found.name}", _ELSEWHERE.sub(r"\1", text)
