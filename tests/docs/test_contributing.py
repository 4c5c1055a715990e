"""Lists of CONTRIBUTING.md: short, and true where following one takes no compiler."""

import re
import shutil
from pathlib import Path
from typing import Any

import canaletto_papers
import pytest

ROOT = Path(__file__).parents[2]
SECTIONS = dict(
    re.findall(
        r"^## (A new [^\n]+)\n(.*?)(?=^## |\Z)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL
    )
)
FIGURE = '''"""Scratch: one read.

Method: one read of 4 KiB.

Assumptions: none.
"""

from canaletto._run import config
from canaletto_papers.figure import Figure, Run
from canaletto_papers.flows import flow, workload


def runs(scale):
    shape = {"requests": 1, "read_share": 1.0, "size": "4KiB", "queue_depth": 1}
    return {("read",): Run(config.design("performance-optimized"), workload("read", [flow("read", shape)]))}


def table(found):
    (data,) = found.values()
    return [{"what": "latency, us", "ours": data["latency_us"]["all"]["mean"], "published": None}]


FIGURE = Figure("table-scratch", "Scratch", __doc__, runs, table, lambda rows: None)
'''


@pytest.mark.parametrize("name", SECTIONS)
def test_a_list_has_at_most_six_steps(name: str) -> None:
    assert 2 <= len(re.findall(r"^\d+\. ", SECTIONS[name], re.MULTILINE)) <= 6


def test_a_figure_is_one_file_and_one_line(canaletto: Any, tmp_path: Path) -> None:
    copy = tmp_path / "python" / "canaletto_papers"
    shutil.copytree(Path(canaletto_papers.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "load" / "scratch.py").write_text(FIGURE)
    home = copy / "load" / "__init__.py"
    before = home.read_text()
    home.write_text(before.replace("    sizes\n", "    sizes\n    scratch\n"))
    assert len(home.read_text().splitlines()) == len(before.splitlines()) + 1
    words = ("reproduce", "load", "table-scratch", "--quick", "--json")
    (row,) = canaletto.ok(*words, PYTHONPATH=str(copy.parent)).json["figures"]["table-scratch"]
    # Array time, command and data of one page, and the host's link.
    assert 3.0 < row["ours"] < 20.0
