"""Pages of the site that are made from the package when the site is built, and a check of what was built."""

import re
from pathlib import Path

import commands
import keys
import motion
import package
import results
import tutorial
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
COURSE = ROOT / "python/canaletto_extras/course/notebooks"

_PROJECT = {"architecture.md": "ARCHITECTURE.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
_GENERATED = re.compile(r"^\[[^\]]*\]\((?:\.\./)*(generated/[\w./-]+\.md)\)$", re.MULTILINE)
_LOADED = re.compile(r"""<(?:script|img|iframe|link(?=[^>]*stylesheet))[^>]*(?:src|href)=["']?(?:https?:)?//[^>]*>""")


FIRST_FOUND = ("reference/commands.md", "reference/glossary.md", "reference/traces.md")
"""Definitions, which a search shows before their uses."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    designs = (place for place in sorted(keys.pages(ROOT)) if place.startswith("reference/design/"))
    tables = [{f"[{Path(place).stem}]": place} for place in designs if not place.endswith("index.md")]
    made = {
        "Keys of designs": ["reference/design/index.md", *tables],
        "Python": [place if place.endswith("index.md") else {name: place} for place, name in package.titles().items()],
    }
    for section in config.nav or []:
        for entry in section.get("Reference", []):
            if isinstance(entry, dict):
                entry.update({title: made[title] for title in entry if title in made})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    pages = {
        "reference/commands.md": commands.page(),
        **package.pages(),
        "reference/results.md": results.page(),
        "reference/causes.md": results.causes(),
        "tutorial/index.md": tutorial.page(ROOT / "docs" / "tutorial" / "tutorial.ipynb"),
        **tutorial.lessons(COURSE),
        **keys.pages(ROOT),
        **{f"project/{page}": _from_root((ROOT / source).read_text()) for page, source in _PROJECT.items()},
    }
    for place, text in (pages | motion.files(ROOT)).items():
        files.append(File.generated(config, place, content=text))
    return files


def _from_root(text: str) -> str:
    text = re.sub(r"\]\(docs/", "](../", text)
    project = {source: page for page, source in _PROJECT.items()}

    def link(found: re.Match[str]) -> str:
        label, target = found.groups()
        if target in project:
            return f"[{label}]({project[target]})"
        return found[0] if target.startswith(("../", "http", "#")) else label

    return re.sub(r"\[([^\]]+)\]\(([^)]+)\)", link, text)


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """A line that is a link into `generated/` is replaced by that file.

    Pages have their titles where sources name the file.
    """
    if page.file.src_uri == "explanation/index.md":
        text = (ROOT / "README.md").read_text()
        part = text[text.index("## Other") : text.index("## Documentation")]
        markdown += "\n" + part.replace("](docs/explanation/", "](").replace("](docs/", "](../")

    if page.file.src_uri in FIRST_FOUND:
        page.meta["search"] = {"boost": 3}
    if page.file.src_uri == "course/index.md":
        markdown = markdown.replace(f"](../../{COURSE.relative_to(ROOT)}/", "](").replace(".ipynb)", ".md)")
    for kind, place in (("design", "design/index"), ("workload", "workload"), ("pc", "pc")):
        markdown = markdown.replace(f"](../generated/keys/{kind}.md)", f"]({place}.md)")
    markdown = _GENERATED.sub(lambda found: _table(ROOT / "docs" / found[1]), markdown)

    def link(found: re.Match[str]) -> str:
        named = ROOT / "docs" / page.file.src_uri
        target = named.parent / found[1]
        return f"[{target.read_text().splitlines()[0].removeprefix('# ')}]({found[1]}" if target.exists() else found[0]

    return re.sub(r"\[(?:docs/)?(?:[\w-]+/)*[\w-]+\.md\]\(([\w./-]+\.md)", link, markdown)


WIDE = 7
"""With more columns a table needs the width of the contents."""


def on_page_content(html: str, page: Page, **_: object) -> str:
    columns = (row.count("<th") for row in re.findall(r"<thead>(.*?)</thead>", html, re.DOTALL))
    if max(columns, default=0) < WIDE:
        return html
    page.meta["hide"] = [*page.meta.get("hide", ()), "toc"]
    entries = (f'<li><a href="#{entry.id}">{entry.title}</a></li>' for top in page.toc for entry in top.children)
    contents = f'<details class="contents"><summary>On this page</summary><ul>{"".join(entries)}</ul></details>'
    return html.replace("</h1>", f"</h1>{contents}", 1)


def _table(file: Path) -> str:
    return file.read_text().partition("-->\n")[2]


def on_post_build(config: MkDocsConfig) -> None:
    missing = Path(__file__).with_name("missing.html").read_text(encoding="utf-8")
    (Path(config.site_dir) / "404.html").write_text(missing, encoding="utf-8")
    for page in Path(config.site_dir).rglob("*.html"):
        found = _LOADED.search(page.read_text())
        if found:
            raise PluginError(f"{page}: {found[0]} loads from elsewhere")
