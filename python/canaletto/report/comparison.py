"""A comparison's report: one page, complete in itself."""

from html import escape
from typing import TYPE_CHECKING

from canaletto.report import side_by_side

if TYPE_CHECKING:
    from canaletto.compare import Comparison


def html(comparison: "Comparison", command: list[str] | None = None) -> str:
    """The whole page. command: the words that made it."""
    title = escape(side_by_side.title(comparison.runs))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>:root {{ color-scheme: light dark; }}</style>\n</head>\n<body>\n"
        f"<pre>{escape(side_by_side.text(comparison.runs))}</pre>\n</body>\n</html>\n"
    )
