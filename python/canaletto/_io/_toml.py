"""Writing TOML. The standard library only reads it."""

import json
import operator
from collections.abc import Iterator, Mapping
from typing import Any


def dumps(document: Mapping[str, Any]) -> str:
    """Plain values first, then tables, then arrays of tables. `None` values are left out."""
    return "\n".join(_table(document, ())) + "\n"


def value(given: Any) -> str:
    given = plain(given)
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int | float):
        return repr(given)
    if isinstance(given, str):
        # JSON's strings are TOML's basic strings, except that TOML also forbids DEL.
        return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(given, list | tuple):
        return f"[{', '.join(value(item) for item in given)}]"
    if isinstance(given, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {value(v)}" for k, v in given.items() if v is not None) + "}"
    raise TypeError(f"got {given!r}, expected a value that TOML can express: a number, a text, true, false or a list")


def bare(given: Any) -> str:
    """As `--set` takes it: text without quotes."""
    given = plain(given)
    return given if isinstance(given, str) else value(given)


def plain(given: Any) -> Any:
    """Python's own type of a number or text of NumPy or an enumeration."""
    if isinstance(given, bool):
        return given
    if isinstance(given, float):
        return float(given)
    if isinstance(given, str):
        return str.__str__(given)
    try:
        return operator.index(given)
    except TypeError:
        return given


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    inner = {key: item for key, item in table.items() if isinstance(item, Mapping) or _is_table_array(item)}
    for key, item in table.items():
        if item is not None and key not in inner:
            yield f"{_key(key)} = {value(item)}"
    for key, item in inner.items():
        name = ".".join(map(_key, (*path, key)))
        for header, body in [(f"[{name}]", item)] if isinstance(item, Mapping) else [(f"[[{name}]]", i) for i in item]:
            yield ""
            yield header
            yield from _table(body, (*path, key))


def _is_table_array(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(i, Mapping) for i in item)


def _key(key: str) -> str:
    bare = key and all(c.isascii() and (c.isalnum() or c in "-_") for c in key)
    return key if bare else value(key)
