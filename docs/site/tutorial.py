"""The tutorial and the lessons of the course: notebooks that are executed when the site is built."""

from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter


def page(notebook: Path) -> str:
    """Raises CellExecutionError if a cell fails."""
    found = nbformat.read(notebook, as_version=4)
    with TemporaryDirectory() as folder:
        NotebookClient(found, timeout=120, resources={"metadata": {"path": folder}}).execute()
    text, _ = MarkdownExporter().from_notebook_node(found)
    return f"---\nhide: [navigation]\n---\n{text}"


def lessons(folder: Path) -> dict[str, str]:
    found = {}
    for notebook in sorted(folder.glob("*.ipynb")):
        text = page(notebook).replace(".ipynb)", ".md)").replace("](../../../../docs/", "](../")
        title, _, rest = text.partition("\n\n")
        found[f"course/{notebook.stem}.md"] = f"{title}\n\n[The notebook]({notebook.name}){{ download }}\n\n{rest}"
        found[f"course/{notebook.name}"] = notebook.read_text()
    return found
