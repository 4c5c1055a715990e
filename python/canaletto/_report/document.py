"""An HTML document with its styles, scripts and data."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from canaletto import _engine
from canaletto._io.units import words
from canaletto._report import colours, vega

# Whatever is in the data, the browser loads nothing. Vega compiles its expressions, hence unsafe-eval.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data: blob:"


MAX_BYTES = 1_900_000
"""Timelines get what the rest leaves."""


def room(sections: Iterable[str], scripts: Sequence[str]) -> int:
    texts = [*sections, *map(asset, scripts), asset("page.css"), vega.script()]
    return MAX_BYTES - sum(len(text.encode()) for text in texts)


def document(
    title: str, opening: str, sections: Iterable[str], scripts: Sequence[str], fabrics: Iterable[str] = ()
) -> str:
    found = [section for section in sections if section]
    body = "\n".join([opening, _contents(found), *found])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{colours.css(fabrics)}{asset('page.css')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n"
        f"<footer>canaletto {escape(_engine.version())}</footer>\n"
        f"{embedded('dark-colours', colours.DARK)}\n"
        f"<script>{vega.script()}</script>\n"
        + "".join(f"<script>\n{asset(script)}</script>\n" for script in scripts)
        + "</body>\n</html>\n"
    )


def section(name: str, heading: str, *parts: str, about: str = "") -> str:
    body = "\n".join(part for part in parts if part)
    body = body and note(about) + body
    return f'<section id="{name}">\n<h2>{escape(heading)}</h2>\n{body}\n</section>' if body else ""


_SECTION = re.compile(r'<section id="([^"]+)">\n<h2>(.*?)</h2>')


def _contents(sections: Iterable[str]) -> str:
    found = [match for text in sections for match in _SECTION.findall(text)]
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading in found)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>' if len(found) > 2 else ""


def note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>' if text else ""


def chart(name: str, title: str, spec: Mapping[str, Any] | None, **others: Mapping[str, Any] | None) -> str:
    """Drawn when the page opens; nothing without a specification.

    others: further charts, each behind a button of that name.
    """
    if spec is None:
        return ""
    views = {"": spec} | {other: found for other, found in others.items() if found is not None}
    buttons = "".join(
        f'<button type="button" data-view="{other}" aria-pressed="false">{words(other)}</button>'
        for other in views
        if other
    )
    buttons += "".join(f'<button type="button" data-save="{kind}">{kind.upper()}</button>' for kind in _SAVES)
    return (
        f'<figure class="chart" id="{name}"><figcaption><b>{escape(title)}</b><span class="save">{buttons}</span>'
        f'</figcaption><div class="plot" role="group" aria-label="{escape(title)}"></div></figure>'
        + "".join(
            embedded(f"{name}-spec{'-' if view else ''}{view}", {**found, "description": described(title, found)})
            for view, found in views.items()
        )
    )


_MANY = 12
"""More values are in the CSV file and the page's tables."""


def described(title: str, spec: Mapping[str, Any]) -> str:
    rows = [row for values in spec.get("datasets", {}).values() for row in values]
    told = [f"{row.get('measure') or row.get('fabric', '')} {row['text']}".strip() for row in rows if row.get("text")]
    told = told or list(dict.fromkeys(str(row["fabric"]) for row in rows if row.get("fabric")))
    more = f", and {len(told) - _MANY} more" if len(told) > _MANY else ""
    return f"{title}: {', '.join(told[:_MANY])}{more}" if told else title


def map_figure(name: str, title: str) -> str:
    """`map.js` fills it from the data `name`-data."""
    saves = "".join(f'<button type="button" data-save-maps="{kind}">{kind.upper()}</button>' for kind in ("svg", "csv"))
    return (
        f'<figure class="chart" id="{name}"><figcaption><b>{escape(title)}</b><span class="save">{saves}</span>'
        '</figcaption><div class="scale"></div><div class="maps"></div></figure>'
    )


def grid(*parts: str) -> str:
    found = [part for part in parts if part]
    return f'<div class="grid">{"".join(found)}</div>' if found else ""


def fabric(name: str) -> str:
    own = "" if name in colours.FABRICS else f", {colours.fabric(name)}"
    colour = f"var(--fabric-{name}{own})"
    return f'<span class="swatch" style="background:{colour}"></span>{escape(name)}'


_FEW = 4


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML; the first column names the rows.

    On a small screen each row of a wide table is a block with its headings.
    """
    head = "".join(f'<th scope="col">{heading}</th>' for heading in headings)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    kind = "wide many" if len(headings) > _FEW else "wide"
    return f'<div class="{kind}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def embedded(name: str, data: Any) -> str:
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")  # No name ends the element.
    return f'<script type="application/json" id="{name}">{text}</script>'


def details(summary: str, text: str) -> str:
    return (
        f"<details><summary>{summary}</summary>"
        f'<div class="copied"><button type="button" data-copy>Copy</button><pre>{escape(text)}</pre></div></details>'
    )


def asset(name: str) -> str:
    return files("canaletto._report").joinpath("assets", name).read_text(encoding="utf-8")


_SAVES = ("svg", "png", "csv")
