import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
LINK = re.compile(r"\]\((?:\.\./)*(generated/[^)]+)\)")


def test_tables_are_included() -> None:
    pages = [page for page in DOCS.rglob("*.md") if DOCS / "generated" not in page.parents]
    linked = {target for page in pages for target in LINK.findall(page.read_text(encoding="utf-8"))}
    there = {str(table.relative_to(DOCS)) for table in (DOCS / "generated").rglob("*.md")}
    assert linked == there


def test_tables_name_the_command_that_makes_them() -> None:
    for table in (DOCS / "generated").rglob("*.md"):
        assert table.read_text(encoding="utf-8").startswith("<!-- Made by `"), table


def test_the_reference_of_the_keys_is_fresh() -> None:
    """`python docs/key_reference.py --write` writes it anew."""
    made = subprocess.run(
        [sys.executable, DOCS / "key_reference.py"], capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout
    for kind in ("design", "workload", "pc"):
        kept = (DOCS / "generated/keys" / f"{kind}.md").read_text(encoding="utf-8")
        assert kept.partition("-->\n\n")[2] in made, f"docs/generated/keys/{kind}.md is stale"
