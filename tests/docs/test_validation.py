import runpy
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_errors_are_those_of_the_measured_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """`.venv/bin/python docs/validation.py --write` mends it."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(DOCS)])
    made = runpy.run_path(str(DOCS / "validation.py"))
    kept = (DOCS / "generated/validation/errors.md").read_text(encoding="utf-8")
    assert "\n".join(made["in_short"]()) in kept
    predicted = sorted(error for group in made["GROUPS"] if group[1] == "no" for error in made["errors"](group))
    page = (DOCS / "explanation/validation.md").read_text(encoding="utf-8")
    half, most = (made["quantile"](predicted, part) for part in (0.5, 0.75))
    assert f"Of {len(predicted)} numbers that were predicted, half are within {half:.0f} %" in page
    assert f"three quarters within {most:.0f} %" in page
