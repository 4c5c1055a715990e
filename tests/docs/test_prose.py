import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "prose.py"))
PAGES = [
    page.relative_to(ROOT)
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if not {"generated", "presets"} & set(page.relative_to(ROOT).parts) and page != ROOT / "docs/index.md"
]

DOUBTFUL = {
    "Longer than that of the bus.": "that of",
    "Those that wait are counted.": "Those",
    "It serves ten requests a second.": "requests a second",
    "A queue of its own serves it.": "of its own",
    "The run goes on until it ends.": "goes on",
    "Reads are served, too, while it lasts.": ", too,",
    "The class is used in place of the engine's.": "in place of",
}
LONG = "The " + "very " * 32 + "long sentence ends."


@pytest.mark.parametrize("sentence", DOUBTFUL)
def test_doubtful_phrases_are_found(sentence: str) -> None:
    assert [each.found for each in TOOL["findings"](1, sentence)] == [DOUBTFUL[sentence]]


def test_long_sentences_are_found_but_not_lists_or_parentheses() -> None:
    assert [each.found for each in TOOL["findings"](1, LONG)] == ["36 words"]
    assert list(TOOL["findings"](1, f"A bus ({LONG[:-1]}) is one.")) == []
    assert list(TOOL["findings"](1, "One two three four five six seven eight nine ten eleven twelve; " * 4)) == []


@pytest.mark.parametrize(
    "text", ["The bus goes on the left.", "It serves so many that it is full.", "`that of` is code."]
)
def test_plain_sentences_pass(text: str) -> None:
    assert list(TOOL["findings"](1, text)) == []


def test_prose_is_found_where_it_stands() -> None:
    page = "# That of a heading\n\nOne line\nand more.\n\n- an item\n\n```\nthat of code\n```\n| that of | a table |\n"
    assert list(TOOL["markdown"](page)) == [(3, "One line and more."), (6, "an item")]
    source = '/// A doc comment\n/// of two lines.\nfn f() { panic!("a message of more than five words here") }\n'
    assert [line for line, _ in TOOL["rust"](source)] == [1, 3]
    module = '"""One.\n\nTwo.\n\n>>> code\n"""\nraise ValueError("a message of more than five words here")\n'
    assert [text.strip() for _, text in TOOL["python"](module)] == [
        "One.",
        "Two.",
        "a message of more than five words here",
    ]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_begins_with_the_question_that_it_answers(page: Path) -> None:
    first = next(part for part in re.split(r"\n\s*\n", (ROOT / page).read_text()) if not re.match(r"[#!<`]|---", part))
    assert "?" in first
