"""Lists of CONTRIBUTING.md. Lists that need a compiler are followed every night."""

import os
import re
import shutil
import subprocess
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


ENGINE, CONFIG = "crates/canaletto/src", "crates/canaletto-config/src"

# Files that a list names for a new part to run, except for its own: the text there, and the same with the part.
TOUCHED = {
    "A new fabric": {
        f"{ENGINE}/fabric/mod.rs": ("pub mod sca;\n", "pub mod sca;\npub mod scratch;\n"),
        f"{CONFIG}/kinds.rs": (
            "Packetized {\n",
            'Scratch { scratch::Scratch, FACTS, Buses, Cycles, "scratch", "A bus again." }\nPacketized {\n',
        ),
        f"{ENGINE}/measure/wire_check/shape.rs": ("FabricKind::Bus ", "FabricKind::Bus | FabricKind::Scratch "),
        f"{ENGINE}/measure/wire_check/lengths.rs": ("FabricKind::Bus", "FabricKind::Bus | FabricKind::Scratch"),
    },
    "A new GC policy": {
        f"{ENGINE}/ftl/reclaim/gc/policy/mod.rs": ("mod random_plus;\n", "mod random_plus;\nmod scratch;\n"),
        f"{CONFIG}/kinds.rs": (
            'Fifo { fifo, "fifo"',
            'Scratch { scratch, "scratch", "FIFO again." }\nFifo { fifo, "fifo"',
        ),
    },
    "A new scheduler": {
        f"{ENGINE}/scheduler/orders/mod.rs": ("pub mod first_come;\n", "pub mod first_come;\npub mod scratch;\n"),
        f"{CONFIG}/kinds.rs": (
            "FirstCome { first_come,",
            'Scratch { scratch, "scratch", "First come again." }\nFirstCome { first_come,',
        ),
    },
}
# The new file of each list, and the one that it is made of, with what is named otherwise.
MADE = {
    "A new fabric": ("fabric/bus.rs", "pub type Bus ", "pub type Scratch "),
    "A new GC policy": ("ftl/reclaim/gc/policy/fifo.rs", "Fifo", "Scratch"),
    "A new scheduler": ("scheduler/orders/first_come.rs", "FirstCome", "Scratch"),
}


@pytest.mark.parametrize("name", TOUCHED)
def test_a_list_names_what_is_touched(name: str) -> None:
    for path, (before, _) in TOUCHED[name].items():
        assert before in (ROOT / path).read_text()
        assert Path(path).name in SECTIONS[name]
    model, before, _ = MADE[name]
    assert before in (ROOT / ENGINE / model).read_text()
    assert str(Path(model).parent / "NAME.rs") in SECTIONS[name]


@pytest.mark.skipif("CANALETTO_CONTRIBUTING" not in os.environ, reason="compiles the engine: every night")
def test_parts_added_as_the_lists_say_compile(tmp_path: Path) -> None:
    for each in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "crates", "benches"):
        found = ROOT / each
        (shutil.copytree if found.is_dir() else shutil.copy)(found, tmp_path / each)
    for name, touched in TOUCHED.items():
        model, before, after = MADE[name]
        made = tmp_path / ENGINE / Path(model).with_name("scratch.rs")
        made.write_text((ROOT / ENGINE / model).read_text().replace(before, after))
        for path, (old, new) in touched.items():
            file = tmp_path / path
            file.write_text(file.read_text().replace(old, new))
    command = ["cargo", "check", "--quiet", "--locked", "--package", "canaletto"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
