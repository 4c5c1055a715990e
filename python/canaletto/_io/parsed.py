"""JSON and TOML of others; endless nesting and numbers are refused."""

import json
import re
import tomllib
from typing import Any

MOST_NESTED = 100
"""None of ours has a tenth of it, and Python fails at some hundred."""
MOST_PARTS = 1000
"""tomllib's time grows with the square of a key's parts."""
MOST_DIGITS = 4000
"""Python reads few more."""


def from_json(text: str) -> Any:
    try:
        return _shallow(json.loads(text))
    except RecursionError:
        raise _too_deep() from None


def within(text: str, key: str) -> dict[str, Any]:
    """The last table in a text that has a key. Raises ValueError without one."""
    decoder, found = json.JSONDecoder(), None
    at = text.find("{")
    try:
        while at >= 0:
            try:
                document, end = decoder.raw_decode(text, at)
            except json.JSONDecodeError:
                # Text with a brace in it; a document begins a line.
                end = text.find("\n", at)
                end = len(text) if end < 0 else end
            else:
                found = document if key in document else found
            at = text.find("{", end)
    except RecursionError:
        raise _too_deep() from None
    if found is None:
        raise ValueError(f"no table with {key}")
    shallow: dict[str, Any] = _shallow(found)
    return shallow


def from_toml(text: str) -> dict[str, Any]:
    """Raises ValueError, with the line if known."""
    for number, line in enumerate(text.splitlines(), 1):
        place = f"(at line {number}, column 1)"
        for word in re.split(r"[,=\[\]{}#]", line.replace(" ", "").replace("\t", "")):
            if word.count(".") >= MOST_PARTS:
                raise ValueError(f"got a key of {word.count('.') + 1} parts, expected a few {place}")
            if len(word) > MOST_DIGITS and word.lstrip("+-").replace("_", "").isdigit():
                raise ValueError(f"got a number of {len(word)} digits, expected fewer {place}")
    try:
        found: dict[str, Any] = _shallow(tomllib.loads(text))
    except RecursionError:
        raise _too_deep() from None
    return found


def _shallow(document: Any) -> Any:
    level = [document]
    for _ in range(MOST_NESTED):
        inner = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [item for items in inner for item in items]
    if level:
        raise _too_deep()
    return document


def _too_deep() -> ValueError:
    return ValueError(f"nested more than {MOST_NESTED} deep")
