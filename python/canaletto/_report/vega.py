"""The scripts of a page's charts: Vega, Vega-Lite and Vega-Embed.

Making the text takes two CPU-seconds, so it is kept in the user's cache folder.
"""

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from canaletto._io.files import cache_folder, whole

_SNIPPET = "window.vegaEmbed = vegaEmbed;"


@cache
def script() -> str:
    file = _file()
    kept = _read(file) if file is not None else None
    if kept is not None:
        return kept
    import vl_convert

    made = vl_convert.javascript_bundle(_SNIPPET)
    if file is not None:
        _keep(file, made)
    return made


def _file() -> Path | None:
    folder = cache_folder()
    return folder and folder / f"vega-{version('vl-convert-python')}.js"


def _read(file: Path) -> str | None:
    try:
        digest, _, text = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    return text.decode() if digest == _digest(text) else None


def _keep(file: Path, text: str) -> None:
    content = text.encode()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole(file) as out:
            out.write(_digest(content) + b"\n" + content)
    except OSError:
        pass


def _digest(text: bytes) -> bytes:
    """A hash of what follows and of what was asked for."""
    return b"// " + sha256(_SNIPPET.encode() + text).hexdigest().encode()
