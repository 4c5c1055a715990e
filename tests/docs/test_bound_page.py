import sys
from pathlib import Path
from random import Random

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_most_peaks_of_writes_are_within_15_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine of ten drives are, so at least 23 of 30 are with a probability of 0.99."""
    monkeypatch.syspath_prepend(str(DOCS))
    for name in ("bound", "tables"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import bound

    random = Random(60)
    ratios = [bound.written(random, bound.FABRICS[number % len(bound.FABRICS)]).ratio for number in range(30)]
    assert sum(map(bound.within, ratios)) >= 23
    assert min(ratios) > 0.5
    assert max(ratios) < 2
