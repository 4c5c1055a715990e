"""Reference of results and causes, made of the engine's schema of results."""

import json
from collections.abc import Iterator

from canaletto import _engine
from canaletto._io.units import cause_label
from canaletto._report import colours
from markup import cell, dotted
from schemas import Schema, entries, resolved

_RESULTS = """# Results

`canaletto run --json` prints these fields; `Result` has them as attributes (`r.latency_us.all.p99`), typed by the
classes of `canaletto.result`. `canaletto schema result` prints the same as JSON Schema. Names end with their unit. What
does not apply is null (`None`). Times of requests are simulated; those under `cost` are of the machine.

| field | value | meaning |
| --- | --- | --- |
"""

_CAUSES = """# Causes

Every picosecond of a request's latency is charged to exactly one of these causes, in the order in which a request meets
them. `blame_us` charges a wait to what was waited for, `root_cause_us` passes it on to what its holder did
([Root causes and blame](../explanation/causes.md)).

| cause | in words | meaning |
| --- | --- | --- |
"""


def page() -> str:
    schema = json.loads(_engine.schema("result"))
    rows = (f"| {dotted(name)} | {kind} | {cell(about)} |" for name, kind, about in _rows(schema, "", schema))
    return _RESULTS + "\n".join(rows) + "\n"


def causes() -> str:
    listed = json.loads(_engine.schema("result"))["$defs"]["Cause"]["oneOf"]
    rows = (
        f"| {_swatch(each['const'])} `{each['const']}` | {cause_label(each['const'])} | {cell(each['description'])} |"
        for each in listed
    )
    return _CAUSES + "\n".join(rows) + "\n"


def _swatch(cause: str) -> str:
    return f'<span class="swatch" style="background:{colours.cause(cause)}"></span>'


def _rows(struct: Schema, path: str, root: Schema) -> Iterator[tuple[str, str, str]]:
    """`[]` stands for the entries of a list."""
    for field, schema in struct["properties"].items():
        inner, is_list = _inner(schema, root)
        name = path + field
        about = schema.get("description", "")
        if "properties" not in inner:
            yield name, _words(schema), about
        elif "p99_99" in inner["properties"]:
            yield name, ", ".join(inner["properties"]), about
        elif path == "flows[]." and field in root["properties"]:
            yield name, "fields", f"{about} Fields as of the whole run."
        else:
            yield name, "list" if is_list else "fields", about
            yield from _rows(inner, f"{name}[]." if is_list else f"{name}.", root)


def _inner(schema: Schema, root: Schema) -> tuple[Schema, bool]:
    """Behind references, options and lists, and whether it is a list."""
    found = resolved(schema, root)
    inner = entries(found, root)
    return inner, inner is not found


def _words(schema: Schema) -> str:
    kinds = schema.get("type") or [each.get("type", "object") for each in schema.get("anyOf", ())] or "object"
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = {"integer": "number", "number": "number", "string": "text", "boolean": "true or false", "array": "list"}
    found = words.get(kinds[0], "number by name")
    return f"{found}, or null" if "null" in kinds else found
