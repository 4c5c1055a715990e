"""The tutorial, a notebook that is executed when the site is built."""

from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter


def page(notebook: Path) -> str:
    """The notebook with what its cells show. Raises CellExecutionError if one fails."""
    found = nbformat.read(notebook, as_version=4)
    with TemporaryDirectory() as folder:
        NotebookClient(found, timeout=120, resources={"metadata": {"path": folder}}).execute()
    text, _ = MarkdownExporter().from_notebook_node(found)
    return f"---\nhide: [navigation]\n---\n{text}"
