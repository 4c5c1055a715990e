"""Lists prose that a reader must read twice: long sentences, words that point back, phrases with a plainer form.

`python tools/prose.py [FILE …]` reads tracked files, or the named ones: Markdown outside code, tables and
docs/generated; Rust comments and messages; Python docstrings and long strings. A finding is a place to look at: change
the sentence, not the list. Exit status 1 above `MOST`, `MOST_INSIDE` or `MOST_WORDS`.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST = 6
"""Findings that `make lint` accepts in what users read, each of which was looked at."""

MOST_INSIDE = 45
"""Findings that it accepts in the rest, which only developers read. The number only ever falls."""

MOST_WORDS = {"Markdown": 60_000, "code": 125_800}
"""Words of all Markdown but docs/generated, and of prose in Rust and Python. These numbers only ever fall."""

INSIDE = (
    "crates/canaletto/",
    "crates/canaletto-py/",
    "python/canaletto_papers/",
    "tests/",
    "benches/",
    "rtl/",
    "tools/",
)
"""Files of Python in docs/ and in folders named tests also belong to it."""

# Generated from comments of the Rust types, which are counted there.
GENERATED = "python/canaletto/result.py"

LONGEST = 32
"""Words outside parentheses. Items of a list with semicolons count one by one."""

_THINGS = "requests?|instructions?|events?|bytes|pages?|files?|lines?|hops?|points?|commands?|transfers?"
_EACH = "CPU|request|second|page|plane|chip|die|read|write|hop|format|fabric|figure|table|run|channel|link|block|group"
PHRASES = {
    r"^(What|Whose|Those|Likewise|Has|Whoever|Whatever)\b(?![^.]*\?)": "begin with a noun or a verb",
    r"\b(that|those) of\b": "name the thing",
    r"\bone's own\b": "user-defined, or your own",
    r"\bof (its|their) own\b": "its own, separate, or leave it out",
    r"\b(may|can|could|cannot|is to|are to) be had\b": "is available",
    r"\b(is|are|was|were) to be\b": "must, or will",
    rf"\b({_THINGS}) an? ({_EACH})\b": "per",
    r"\bso many\b(?!.*\b(that|as)\b)": "that many, or n",
    r"\bfor want of\b": "because there is no",
    r"\b(whoever|whosoever|wherefore|therein|thereof|likewise|beside)\b": "a plainer word",
    r"\bno more than that\b|\band nothing else\b|\bis all (there|that)\b": "say it directly",
    r"\b(goes|went) on(?= (\w+ing|until|while|without|where|after|as|when|if|from|at)\b|[.,;:]|$)": "continues",
    r"\bcomes? to (its|their) end\b": "ends",
    r"\bleft alone\b": "unchanged",
    r"\bin place of\b": "instead of",
    r"\btell(s|ing)? (of|by|apart)\b|\b(is|are) told\b": "reports, or distinguishes",
    r"\bknows? (no|nothing|of)\b": "does not support, or has no",
    r", too,": "also",
}


class Finding(NamedTuple):
    line: int
    found: str
    advice: str
    sentence: str


def sentences(text: str) -> list[str]:
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|vs|Fig|Sec|cf|al|No|approx|etc)\.", r"\1", text)
    return [part.strip() for part in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*\[(])", " ".join(text.split())) if part.strip()]


def length(sentence: str) -> int:
    """Words outside parentheses: of the longest item if the sentence is a list with semicolons."""
    bare = re.sub(r"\([^()]*\)", "", sentence)
    items = bare.split(";")
    return max(len(item.split()) for item in (items if len(items) > 2 else [bare]))


def findings(line: int, text: str) -> Iterator[Finding]:
    for sentence in sentences(text):
        for phrase, advice in PHRASES.items():
            if found := re.search(phrase, sentence):
                yield Finding(line, found[0], advice, sentence)
        if length(sentence) > LONGEST:
            yield Finding(line, f"{length(sentence)} words", f"at most {LONGEST}", sentence)


def markdown(text: str) -> Iterator[tuple[int, str]]:
    block: list[str] = []
    start, code = 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        code ^= fence
        left_out = code or fence or not line.strip() or line.lstrip().startswith(("|", "#", "![", "<", "---"))
        item = re.match(r"\s*([-*+]|\d+\.)\s+(?=\S)", line)
        if block and (left_out or item):
            yield start, " ".join(block)
            block = []
        if not left_out:
            start = start if block else number
            block.append(line[item.end() :] if item else line)


def rust(text: str) -> Iterator[tuple[int, str]]:
    block: list[str] = []
    start, drawn = 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        comment = re.match(r"\s*//[/!]\s?(.*)", line)
        drawn = drawn != bool(comment and comment[1].lstrip().startswith("```"))
        item = comment and re.match(r"\s*([-*]|\d+\.)\s+(?=\S)", comment[1])
        said = comment and not drawn and comment[1].strip() and not _NO_PROSE.match(comment[1])
        if block and (not said or item):
            yield start, " ".join(block)
            block = []
        if comment and said:
            start = start if block else number
            block.append(comment[1][item.end() :] if item else comment[1])
        if not comment:
            yield from ((number, each) for each in re.findall(r'"((?:[^"\\]|\\.){25,300})"', line) if is_prose(each))


_NO_PROSE = re.compile(r"\s*(\||#|```)|.*[│─┌└├┐┘┬╦═▶◀]")


def is_prose(text: str) -> bool:
    """A string that is not code, markup or a format."""
    if "://" in text or text.lstrip()[:1] in "[{<(#.$%-" or text.rstrip()[-1:] in ";{":
        return False
    if re.search(r"^[\w.]+ = ", text, re.MULTILINE):
        return False
    return len(re.findall(r"(?<![\w/.-])[A-Za-z]{2,}(?![\w/=-])", text)) >= 5


def python(text: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(text)
    bodies = (getattr(node, "body", None) for node in ast.walk(tree))
    texts = [
        statement.value
        for body in bodies
        if isinstance(body, list)
        for statement in body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    ]
    for each in texts:
        for part in re.split(r"\n\s*\n|\n(?=\s*[-*] )", str(each.value)):
            if not re.search(r"^\s*(>>>|\$ |canaletto )|-----|\S {3,}\S", part, re.MULTILINE):
                yield each.lineno, part
    documented = {id(each) for each in texts}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in documented:
            continue
        if is_prose(node.value) and len(node.value) < 600:
            yield node.lineno, node.value


READERS = {".md": markdown, ".rs": rust, ".py": python}


def main() -> int:
    parser = argparse.ArgumentParser(description="List prose that a reader must read twice.")
    parser.add_argument("--summary", action="store_true", help="print counts per file, and words per kind of text")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    listed = ["git", "ls-files", *(f"*{suffix}" for suffix in READERS)]
    names = options.files or subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
    counts, words, in_all = Counter[str](), Counter[str](), Counter[str]()
    for name in names:
        path = Path(name)
        if path.suffix not in READERS or not path.is_file() or name.startswith(("docs/generated/", GENERATED)):
            continue
        whole = path.read_text(encoding="utf-8")
        in_all["Markdown"] += len(whole.split()) if path.suffix == ".md" else 0
        for line, text in READERS[path.suffix](whole):
            words[path.suffix] += len(text.split())
            for found in findings(line, text):
                counts[name] += 1
                if not options.summary:
                    print(f"{name}:{found.line}: {found.found!r}, better {found.advice}: {found.sentence[:110]}")
    if options.summary:
        print(*(f"{count:5}  {name}" for name, count in counts.most_common(40)), sep="\n")
        print(*(f"{count:,} words in {suffix}" for suffix, count in words.items()), sep=", ")
    in_all["code"] = words[".rs"] + words[".py"]
    inside = sum(count for name, count in counts.items() if is_inside(name))
    outside = counts.total() - inside
    print(f"{outside} places to look at where users read, {MOST} accepted; {inside} elsewhere, {MOST_INSIDE} accepted")
    longer = [kind for kind, most in MOST_WORDS.items() if in_all[kind] > most]
    for kind in longer:
        print(f"{in_all[kind]:,} words of {kind}, {MOST_WORDS[kind]:,} accepted")
    return int(outside > MOST or inside > MOST_INSIDE or bool(longer))


def is_inside(name: str) -> bool:
    return name.startswith(INSIDE) or "/tests" in name or (name.startswith("docs/") and name.endswith(".py"))


if __name__ == "__main__":
    sys.exit(main())
