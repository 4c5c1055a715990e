"""The scripts that draw a page's charts: Vega, Vega-Lite and Vega-Embed, in one text.

Putting them together takes two seconds of a processor, so the text is kept in the user's cache folder, a file for each
version of the library that makes it. Where nothing can be kept, it is made each time.
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
    """The file that holds the scripts. None for a user without a home."""
    folder = cache_folder()
    return folder and folder / f"vega-{version('vl-convert-python')}.js"


def _read(file: Path) -> str | None:
    """The scripts that a file holds. None if it is absent, cannot be read, or is not as it was written."""
    try:
        digest, _, text = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    return text.decode() if digest == _digest(text) else None


def _keep(file: Path, text: str) -> None:
    """Writes the file as a whole, so that processes side by side see nothing or all of it. Failing is no harm."""
    content = text.encode()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole(file) as out:
            out.write(_digest(content) + b"\n" + content)
    except OSError:
        pass


def _digest(text: bytes) -> bytes:
    """First line of the file: a comment with a hash of what follows and of what was asked for."""
    return b"// " + sha256(_SNIPPET.encode() + text).hexdigest().encode()
