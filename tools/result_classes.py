"""Writes `python/canaletto/result.py`: the results of a run as classes, made of the engine's schema.

`make results` runs this; `tests/docs/test_results.py` asks whether it was run.
"""

import json
import keyword
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent, indent, wrap
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "crates" / "canaletto" / "src" / "measure" / "result.json"
TARGET = ROOT / "python" / "canaletto" / "result.py"

SHARED = "Report"
OWN = {
    "RunResult": ("cost", ""),
    "DriveResult": ("requests", "Results of a drive that a program steps, so far, which have no cost."),
}
"""The classes of whole results, each with its further field, and its description if it is not the schema's. A drive has
not been run, and `Result` gives the name `requests` to the frame of all requests."""

HEAD = '''
"""Results of a run: the fields of `canaletto run --json`, with their types, units and meaning.

Made of the engine's schema (`canaletto schema result`) by `make results`, not by hand.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from canaletto._io.fields import Fields
'''

PLAIN = {"number": "float", "integer": "int", "string": "str", "boolean": "bool"}


def source() -> str:
    schema = json.loads(SCHEMA.read_text())
    definitions: dict[str, Schema] = dict(schema["$defs"])
    literals = {name: found for name, found in definitions.items() if "oneOf" in found}
    classes = {name: found for name, found in definitions.items() if "oneOf" not in found}
    classes |= wholes(schema)
    parts = [HEAD, names_of([*classes, *literals, "CAUSES"])]
    parts += [literal(name, found) for name, found in literals.items()]
    parts.append(meanings(literals["Cause"]))
    for name in in_order(classes):
        parts.append(class_of(name, classes[name], set(classes), SHARED if name in OWN else "Fields"))
    return formatted("\n\n".join(dedent(part).strip("\n") for part in parts))


def wholes(schema: Schema) -> dict[str, Schema]:
    own = {field for field, _ in OWN.values()}
    fields = schema["properties"]
    shared = {key: field for key, field in fields.items() if key not in own}
    found = {SHARED: {**schema, "description": "Fields that all results share.", "properties": shared}}
    for name, (key, about) in OWN.items():
        found[name] = {**schema, "description": about or schema["description"], "properties": {key: fields[key]}}
    return found


def names_of(names: list[str]) -> str:
    return f"__all__ = {sorted(names, key=lambda name: (not name.isupper(), name))!r}"


def literal(name: str, schema: Schema) -> str:
    choices = ", ".join(repr(choice["const"]) for choice in schema["oneOf"])
    return f"{name}: TypeAlias = Literal[{choices}]\n{docstring(schema)}"


def meanings(causes: Schema) -> str:
    rows = "".join(f"    {cause['const']!r}: {joined(cause['description'])!r},\n" for cause in causes["oneOf"])
    about = '"""Meaning of each cause, in the order in which a request meets them."""'
    return f"CAUSES: Mapping[Cause, str] = {{\n{rows}}}\n{about}"


def class_of(name: str, schema: Schema, classes: set[str], base: str) -> str:
    lines = [f"class {name}({base}):", indent(docstring(schema), "    "), ""]
    kinds = {}
    for key, field in schema["properties"].items():
        for used in references(field):
            if used in classes:
                kinds[key] = used
        if not keyword.iskeyword(key):
            optional = key not in schema.get("required", ())
            lines += [f"    {key}: {annotation(field, optional=optional)}", indent(docstring(field), "    ")]
    if kinds:
        inherited = [] if base == "Fields" else [f"**{base}._kinds"]
        table = ", ".join([*inherited, *(f"{key!r}: {used}" for key, used in kinds.items())])
        lines += ["", f"    _kinds: ClassVar[Mapping[str, type[Fields]]] = {{{table}}}"]
    return "\n".join(lines)


def annotation(field: Schema, *, optional: bool = False) -> str:
    found = " | ".join(dict.fromkeys([*types_of(field), *["None"] * optional]))
    return found.removeprefix("None | ") + " | None" if found.startswith("None | ") else found


def types_of(field: Schema) -> list[str]:
    if "$ref" in field:
        return [field["$ref"].rpartition("/")[2]]
    if "anyOf" in field:
        return [name for one in field["anyOf"] for name in types_of(one)]
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    return [plain(kind, field) for kind in kinds]


def plain(kind: str, field: Schema) -> str:
    if kind == "null":
        return "None"
    if kind == "array":
        items = field.get("prefixItems") or [field["items"]]
        return f"list[{' | '.join(dict.fromkeys(annotation(item) for item in items))}]"
    if kind == "object":
        keys = annotation(field["propertyNames"]) if "propertyNames" in field else "str"
        return f"Mapping[{keys}, {annotation(field['additionalProperties'])}]"
    return PLAIN[kind]


def references(field: Any) -> Iterator[str]:
    if isinstance(field, list):
        for each in field:
            yield from references(each)
    elif isinstance(field, dict):
        for key, found in field.items():
            if key == "$ref":
                yield found.rpartition("/")[2]
            elif key != "propertyNames":
                yield from references(found)


def in_order(classes: Mapping[str, Schema]) -> list[str]:
    done: list[str] = []

    def add(name: str) -> None:
        for used in references(classes[name]["properties"]):
            if used in classes and used not in done:
                add(used)
        if name not in done:
            done.append(name)

    for name in classes:
        add(name)
    return done


def docstring(schema: Schema) -> str:
    text = joined(schema["description"])
    if len(text) <= 110:
        return f'"""{text}"""'
    summary, _, more = text.partition(". ")
    if not more:
        return '"""{}\n"""'.format("\n".join(wrap(text, 110)))
    return '"""{}.\n\n{}\n"""'.format(summary.removesuffix("."), "\n".join(wrap(more, 110)))


def joined(text: str) -> str:
    return " ".join(text.split())


def formatted(text: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    command = [ruff, "format", "--stdin-filename", TARGET, "-"]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    TARGET.write_text(source())
