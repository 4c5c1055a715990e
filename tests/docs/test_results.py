"""The classes of results are those of the engine's schema."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_classes_are_fresh() -> None:
    made = runpy.run_path(str(ROOT / "tools/result_classes.py"))["source"]()
    assert made == (ROOT / "python/canaletto/result.py").read_text(), "`make results` writes them"
