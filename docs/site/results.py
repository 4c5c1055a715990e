"""Reference of results and causes, made of the doc comments of the engine's report types."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from canaletto.report import colours
from canaletto.report.units import cause_label
from markup import cell, dotted

_MEASURE = Path(__file__).resolve().parents[2] / "crates/canaletto/src/measure"

_STRUCT = re.compile(
    r"#\[derive\([^)]*Serialize[^)]*\)\](?:\s*#\[[^\n]*\])*\s*pub struct (\w+)(?:<[^>]*>)? \{\n(.*?)\n\}", re.DOTALL
)
_FIELD = re.compile(r"((?: {4}///[^\n]*\n)*)((?: {4}#\[[^\n]*\]\n)*) {4}pub (?:r#)?(\w+): ([^\n]+),$", re.MULTILINE)
_CAUSE = re.compile(r"((?: {4}///[^\n]*\n)+) {4}\w+ = \"(\w+)\"")

_RESULTS = """# Results

`canaletto run --json` prints these fields; `Result` has them as attributes (`r.latency_us.all.p99`). Names end with
their unit. What does not apply is null (`None`). Times of requests are simulated; those under `cost`
are of the machine.

"""

_CAUSES = """# Causes

Every picosecond of a request's latency is charged to exactly one of these causes, in the order in which a request meets
them. `blame_us` charges a wait to what was waited for, `root_cause_us` passes it on to what its holder did
([Root causes and blame](../causes.md)).

| cause | in words | meaning |
| --- | --- | --- |
"""


@dataclass
class _Field:
    name: str
    kind: str
    about: str
    is_flat: bool


def page() -> str:
    """The page of all fields of a result."""
    structs = _structs()
    rows = (f"| {dotted(name)} | {kind} | {cell(about)} |" for name, kind, about in _rows("Report", "", structs))
    return "\n".join([_RESULTS, "| field | value | meaning |", "| --- | --- | --- |", *rows, *_COST])


_COST = [
    "| `cost.wall_s`, `cost.cpu_s` | number | Time of the run, and of processors, in seconds. |",
    "| `cost.events` | number | Events simulated. |",
    "| `cost.requests_per_cpu_s` | number | Requests simulated in a second of a processor. |",
    "| `cost.peak_rss_mb` | number | Largest memory of the process, in 10^6 bytes. |",
]
"""Fields that the engine's caller adds."""


def causes() -> str:
    """The page of all causes."""
    text = (_MEASURE / "blame.rs").read_text()
    rows = (
        f"| {_swatch(key)} `{key}` | {cause_label(key)} | {cell(_comment(doc))} |" for doc, key in _CAUSE.findall(text)
    )
    return _CAUSES + "\n".join(rows) + "\n"


def _swatch(cause: str) -> str:
    return f'<span class="swatch" style="background:{colours.cause(cause)}"></span>'


def _structs() -> dict[str, list[_Field]]:
    sources = "\n".join(path.read_text() for path in sorted(_MEASURE.rglob("*.rs")))
    return {name: list(_fields(body)) for name, body in _STRUCT.findall(sources)}


def _fields(body: str) -> Iterator[_Field]:
    for doc, attributes, name, kind in _FIELD.findall(body + "\n"):
        if "serde(skip)" not in attributes:
            yield _Field(name, kind, _comment(doc), "serde(flatten)" in attributes)


def _comment(doc: str) -> str:
    text = " ".join(line.strip().removeprefix("///").strip() for line in doc.splitlines())
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)


def _rows(struct: str, path: str, structs: dict[str, list[_Field]]) -> Iterator[tuple[str, str, str]]:
    """Name, kind of value and meaning of each field; `[]` stands for the entries of a list."""
    for field in structs[struct]:
        inner, is_list = _inner(field.kind)
        name = path + field.name
        if inner not in structs:
            yield name, _words(field.kind), field.about
        elif field.is_flat:
            if struct == "FlowReport":
                yield f"{path}…", "fields", "Measures of the flow, as those of the whole run."
            else:
                yield from _rows(inner, path, structs)
        elif inner == "Distribution":
            yield name, "mean, min, p50, p90, p99, p99_9, p99_99, max", field.about
        else:
            yield name, "list" if is_list else "fields", field.about
            yield from _rows(inner, f"{name}[]." if is_list else f"{name}.", structs)


def _inner(kind: str) -> tuple[str, bool]:
    """The type within options, lists and boxes, and whether it is a list."""
    is_list = False
    while found := re.fullmatch(r"(Option|Vec|Box)<(.+)>", kind):
        is_list |= found[1] == "Vec"
        kind = found[2]
    return kind, is_list


def _words(kind: str) -> str:
    if kind.startswith("Vec"):
        return "list"
    if kind.startswith("BTreeMap") or kind == "BlameTable":
        return "number by name"
    if "BTreeMap" in kind:
        return "number by name, or null"
    word = "text" if "str" in kind.lower() else "true or false" if "bool" in kind else "number"
    return f"{word}, or null" if kind.startswith("Option") else word
