"""JSON Schemas of the engine, followed to what stands behind their references."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]


def resolved(schema: Schema, root: Schema) -> Schema:
    parts = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if len(parts) == 1:
        return resolved(parts[0], root)
    if "$ref" not in schema:
        return schema
    return resolved(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)


def entries(schema: Schema, root: Schema) -> Schema:
    return resolved(schema["items"], root) if isinstance(schema.get("items"), dict) else schema
