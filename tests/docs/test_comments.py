"""Do doc comments and pages begin as a reference does: with a noun phrase or a verb in the third person?

A comment that begins with "What …" or "Whose …" is half a question, which a list of keys or functions does not answer.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

NOT_YET = ("crates/canaletto/src/fabric/venice",)
"""Paths that are still to be rewritten. The list only ever becomes shorter."""

WORDS = r"(?:What|Whose|Those|Likewise|Has)\b"
BEGINS = {
    ".rs": re.compile(rf"(?<!\S)(///|//!) +{WORDS}"),
    ".py": re.compile(rf'^\s*r?"""\s*{WORDS}'),
    ".md": re.compile(rf"^(?:#+ )?{WORDS}"),
}


def offenders() -> Iterator[tuple[str, int, str]]:
    """(path, line, text) of each doc comment or paragraph that begins with one of these words."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in listed.splitlines():
        begins = BEGINS.get(Path(path).suffix)
        if begins is None or not (ROOT / path).is_file():
            continue
        before = ""
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
            # A page may open with the question that it answers.
            found = begins.search(line) and not (path.endswith(".md") and "?" in line)
            # A comment or a paragraph that continues may continue with any word.
            goes_on = before.strip() not in ("", "///", "//!") and (
                path.endswith(".md") or (path.endswith(".rs") and before.strip().startswith(("///", "//!")))
            )
            if found and not goes_on:
                yield path, number, line.strip()
            before = line


def test_comments_begin_with_a_noun_or_a_verb() -> None:
    found = [f"{path}:{number}: {line}" for path, number, line in offenders() if not path.startswith(NOT_YET)]
    assert not found, "\n".join(found)


def test_the_list_of_exceptions_only_names_what_is_left() -> None:
    left = [path for path, _, _ in offenders()]
    done = [prefix for prefix in NOT_YET if not any(path.startswith(prefix) for path in left)]
    assert done == [], f"take these out of NOT_YET: {done}"
