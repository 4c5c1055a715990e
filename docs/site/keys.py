"""Reference of the configuration keys, made of the engine's schema and of the presets."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from canaletto import _engine
from markup import cell, code, prose
from schemas import Schema, entries, resolved

_ABOUT = """# Keys of designs

A design is a TOML file: tables of keys, on top of a preset if `base` names one. `--set KEY=VALUE` sets a single key.
Every key is listed with what it means, what its value is (a unit where it has one), what is allowed, its default, and
the values of the presets with their sources: letters in brackets stand for the sources that the head of the preset's
file and [its page](../presets.md) name. `canaletto schema design` prints the same as JSON Schema.

"""


def pages(root: Path) -> dict[str, str]:
    design = json.loads(_engine.schema("design"))
    presets = dict(_preset(path) for path in sorted((root / "crates/canaletto-config/src/presets").glob("*.toml")))
    presets.pop("profiles", None)
    book = _Book(design, presets, _needs(root))
    single = {name: schema for name, schema in design["properties"].items() if not _is_table(schema, design)}
    tables = {name: schema for name, schema in design["properties"].items() if name not in single}
    rows = (f"| [`[{name}]`]({name}.md) | {cell(schema['description'])} |" for name, schema in tables.items())
    index = [_ABOUT, "| table | meaning |", "| --- | --- |", *rows, "", "## Keys outside tables", ""]
    for name, schema in single.items():
        index += _key(name, schema, book, name in design["required"])
    found = {"reference/design/index.md": "\n".join(index)}
    for name, schema in tables.items():
        head = [f"# \\[{name}\\]", "", prose(schema["description"]), ""]
        found[f"reference/design/{name}.md"] = "\n".join([*head, *_table(name, schema, book)])
    for kind, title, about in (("workload", "Keys of workloads", _WORKLOAD), ("pc", "Keys of PCs", _PC)):
        schema = json.loads(_engine.schema(kind))
        found[f"reference/{kind}.md"] = "\n".join([f"# {title}", "", about, "", *_table("", schema, _Book(schema))])
    return found


_WORKLOAD = """A workload is a TOML file with a `[[flow]]` for each stream of requests, either `[flow.synthetic]` or
`[[flow.trace]]` ([Workloads](../explanation/workloads.md) explains them). `--set workload.KEY=VALUE` sets a key in all
flows. `canaletto schema workload` prints the same as JSON Schema."""

_PC = """A PC with a fixed-latency drive, as `canaletto reproduce pc-ssd` runs it
([Attachments to a PC](../explanation/attachments.md)). `canaletto schema pc` prints the same as JSON Schema."""


@dataclass
class _Book:
    root: Schema
    presets: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)
    needs: Sequence[tuple[str, str]] = ()


def _table(path: str, schema: Schema, book: _Book) -> Iterator[str]:
    table = entries(resolved(schema, book.root), book.root)
    inner = []
    for name, each in table.get("properties", {}).items():
        whole = f"{path}.{name}" if path else name
        if _is_table(each, book.root):
            inner.append((whole, each))
        else:
            yield from _key(whole, each, book, name in table.get("required", ()))
    for whole, each in inner:
        yield from (f"## [{whole}]" if "." not in whole else f"## {whole}", "", prose(each.get("description", "")), "")
        yield from _table(whole, each, book)


def _needs(root: Path) -> list[tuple[str, str]]:
    """Keys, or tables with a dot at their end."""
    source = (root / "crates/canaletto-config/src/without_effect.rs").read_text()
    found = re.findall(r'need\(\s*&\[([^]]*)\],\s*"((?:[^"\\]|\\.)*)"', source)
    if len(found) != len(re.findall(r"^ +need\(", source, re.MULTILINE)):
        raise ValueError('without_effect.rs: a need that is not written as need(&[…], "…", …)')
    return [(key, needs.replace('\\"', '"')) for names, needs in found for key in re.findall(r'"([^"]+)"', names)]


def _key(path: str, schema: Schema, book: _Book, required: bool) -> Iterator[str]:
    kind = resolved(schema, book.root)
    yield from (f"### `{path}` {{ #{path} }}", "", prose(schema.get("description", "")), "")
    yield from (f"| value | {cell(_value(schema, book.root))} |", "| --- | --- |")
    default = schema.get("default")
    shown = "none, must be given" if required else "absent" if default is None else code(json.dumps(default))
    yield f"| default | {shown} |"
    for known, needs in book.needs:
        if _concerns(known, path):
            yield f"| has an effect with | {cell(needs)} |"
    for preset, values in book.presets.items():
        if path in values:
            value, source = values[path]
            yield f"| {preset} | {code(value)}{' – ' + cell(source) if source else ''} |"
    yield ""
    for choice in kind.get("oneOf", ()):
        if "const" in choice:
            yield f"- `{json.dumps(choice['const'])}`: {prose(choice.get('description', ''))}"
    yield ""


def _value(schema: Schema, root: Schema) -> str:
    schema = resolved(schema, root)
    parts = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if parts:
        return "; or ".join(_value(part, root) for part in parts)
    if any("const" in each for each in schema.get("oneOf", ())):
        return "one of the words below"
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return f"list of: {_value(schema['items'], root)}"
    if kind == "string":
        return str(schema["description"]) if "pattern" in schema else "text"
    if kind == "object":
        return "table"
    words = {"integer": "whole number", "number": "number", "boolean": "`true` or `false`"}[str(kind)]
    least, most = schema.get("minimum"), schema.get("maximum")
    if most is not None and kind != "boolean":
        return f"{words} from {least or 0:,} to {most:,}"
    return words if least is None else f"{words} of at least {least:,}"


def _is_table(schema: Schema, root: Schema) -> bool:
    return "properties" in entries(resolved(schema, root), root)


def in_short(kind: str, root: Path) -> Iterator[str]:
    schema = json.loads(_engine.schema(kind))
    yield from _rows("", schema, _Book(schema, needs=_needs(root) if kind == "design" else ()))


def _rows(path: str, schema: Schema, book: _Book) -> Iterator[str]:
    table = entries(resolved(schema, book.root), book.root)
    keys = {f"{path}.{name}" if path else name: each for name, each in table.get("properties", {}).items()}
    inner = {whole: each for whole, each in keys.items() if _is_table(each, book.root)}
    if len(inner) < len(keys):
        yield from (
            f"## {path or 'Outside tables'}",
            "",
            "| key | value | default | meaning |",
            "| --- | --- | --- | --- |",
        )
    for whole, each in keys.items():
        if whole not in inner:
            yield _row(whole, each, book, whole.rsplit(".", 1)[-1] in table.get("required", ()))
    for whole, each in inner.items():
        yield from ("", *_rows(whole, each, book))


def _row(path: str, schema: Schema, book: _Book, required: bool) -> str:
    choices = [json.dumps(each["const"]) for each in resolved(schema, book.root).get("oneOf", ()) if "const" in each]
    value = ", ".join(map(code, choices)) or cell(_UNITS.sub("", _value(schema, book.root)))
    default = (
        "must be given" if required else "–" if schema.get("default") is None else code(json.dumps(schema["default"]))
    )
    about = cell(schema.get("description", ""))
    needs = "".join(f" Has an effect with {cell(needs)}." for known, needs in book.needs if _concerns(known, path))
    return f"| `{path}` | {value} | {default} | {about}{needs} |"


_UNITS = re.compile(r', one of [^(]*\(for example "[^"]*"\)')


def _concerns(known: str, path: str) -> bool:
    return path == known or (known.endswith(".") and path.startswith(known))


_LINE = re.compile(r"""([\w-]+) *= *((?:"[^"]*"|\[[^]]*\]|\{[^}]*\}|[^#"\[{])+?) *(?:# *(.*))?$""")


def _preset(path: Path) -> tuple[str, dict[str, tuple[str, str]]]:
    """Value and source, which is the comment behind it."""
    text = path.read_text()
    found: dict[str, tuple[str, str]] = {}
    table = ""
    for line in text.splitlines():
        if header := re.match(r"\[+([\w.-]+)\]+", line):
            table = f"{header[1]}."
        elif pair := _LINE.match(line):
            found[table + pair[1]] = (pair[2], pair[3] or "")
    return str(tomllib.loads(text).get("name", path.stem)), found
