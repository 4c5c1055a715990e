"""Configuration on a page."""

import shlex
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from canaletto._io.units import ABSENT
from canaletto._report.document import details, fabric, note, section, table

if TYPE_CHECKING:
    from canaletto._run.results import Result


def html(runs: Sequence["Result"], command: Sequence[str] | None) -> str:
    return section("configuration", "Configuration", _command(command), _differences(runs), *_texts(runs))


def _command(command: Sequence[str] | None) -> str:
    if not command:
        return ""
    text = escape(shlex.join(command))
    return (
        '<p>This command repeats it:</p><div class="copied"><button type="button" data-copy>Copy</button>'
        f"<pre>{text}</pre></div>"
    )


def _differences(runs: Sequence["Result"]) -> str:
    from canaletto._run.repeat import differences

    if len(runs) < 2:
        return ""
    documents = [
        {
            "design": run.configuration[0].to_dict(),
            "workload": run.configuration[1].to_dict(),
            **{name: given for name, given in run.options.items() if name.endswith("_class")},
        }
        for run in runs
    ]
    names = [run.to_dict()["fabric"] for run in runs]
    rows: dict[str, list[str]] = {}
    for place, document in enumerate(documents):
        for line in differences(documents[0], document):
            row = rows.setdefault(line.name, [_value(line.a)] * len(runs))
            row[place] = _value(line.b)
    if not rows:
        return note("All runs have the same configuration.")
    found = table(["difference", *map(fabric, names)], [[escape(name), *row] for name, row in rows.items()])
    return found + note("Everything else is the same on every fabric.")


def _value(value: Any) -> str:
    return ABSENT if value is None else escape(str(value))


def _texts(runs: Sequence["Result"]) -> list[str]:
    found: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        for kind, configuration in zip(("design", "workload"), run.configuration, strict=True):
            found.setdefault((kind, configuration.to_toml()), []).append(run.to_dict()["fabric"])
    parts = []
    for (kind, text), fabrics in sorted(found.items(), key=lambda item: item[0][0]):
        of = "" if len(fabrics) == len(runs) else f" ({', '.join(map(fabric, fabrics))})"
        parts.append(details(f"{kind}.toml{of}", text))
    return parts
