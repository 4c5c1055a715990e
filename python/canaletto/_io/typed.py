"""Results from a file, held against the engine's schema."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from canaletto import _engine

Schema: TypeAlias = Mapping[str, Any]

_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    **{"object": ((dict,), "a table"), "array": ((list,), "a list"), "string": ((str,), "a text")},
    **{"boolean": ((bool,), "true or false"), "null": ((type(None),), "null")},
    **{"integer": ((int,), "a whole number"), "number": ((int, float), "a number")},
}
MOST_WHOLE = 2**64
MOST_NUMBER = 1e300


def misfits(result: Any) -> Iterator[str]:
    return _misfits(result, _schema(), "")


@cache
def _schema() -> Schema:
    found: Schema = json.loads(_engine.schema("result"))
    return found


def _misfits(found: Any, schema: Schema, key: str) -> Iterator[str]:
    schema = _schema()["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    if "anyOf" in schema:
        told = [next(_misfits(found, each, key), "") for each in schema["anyOf"]]
        yield from told[:1] if all(told) else ()
    elif "oneOf" in schema:
        names = [each["const"] for each in schema["oneOf"]]
        yield from () if found in names else [_told(key, found, f"one of {', '.join(names)}")]
    elif not any(_is_a(found, kind, schema) for kind in kinds):
        yield _told(key, found, " or ".join(_TYPES[kind][1] for kind in kinds))
    elif isinstance(found, dict):
        yield from _misfits_of_table(found, schema, key)
    elif isinstance(found, list):
        yield from _misfits_of_list(found, schema, key)


def _misfits_of_table(found: Mapping[str, Any], schema: Schema, key: str) -> Iterator[str]:
    before = f"{key}." if key else ""
    known, others, names = (schema.get(each) for each in ("properties", "additionalProperties", "propertyNames"))
    for name, item in found.items():
        inner = (known or {}).get(name, others)
        yield from _misfits(name, names, key) if names else ()
        yield from _misfits(item, inner, f"{before}{name}") if inner else ()
    for name in schema.get("required", ()):
        if name not in found:
            yield f"{before}{name}: absent, expected it"


def _misfits_of_list(found: list[Any], schema: Schema, key: str) -> Iterator[str]:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(found))
    if not least <= len(found) <= most:
        yield f"{key}: got {len(found)} values, expected {least}"
    each = schema.get("prefixItems", [schema["items"]] * len(found) if "items" in schema else [])
    for number, (item, inner) in enumerate(zip(found, each, strict=False)):
        yield from _misfits(item, inner, f"{key}.{number}")


def _is_a(found: Any, kind: str, schema: Schema) -> bool:
    most = {"integer": MOST_WHOLE, "number": MOST_NUMBER}.get(kind)
    return type(found) in _TYPES[kind][0] and (most is None or bool(schema.get("minimum", -most) <= found < most))


def _told(key: str, found: Any, expected: str) -> str:
    return f"{key}: got {f'{found!r}'[:60]}, expected {expected}"
