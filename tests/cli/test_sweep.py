"""Does `canaletto sweep` compute each point once, whatever ends it, and say what is wrong with a file?"""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

SMALL = """design = "performance-optimized"
workload = "hm_0"
requests = 50

[grid]
fabric = ["bus", "venice"]
seed = [1, 2, 3]
"flash.read" = ["3us", "6us"]
"""


@pytest.fixture(autouse=True)
def no_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache folder of the test's own: what other tests computed is not there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def same_everywhere(path: Path) -> pl.DataFrame:
    """A table without what the machine decides."""
    table = pl.read_parquet(path / "table.parquet")
    return table.drop([name for name in table.columns if name.startswith("machine_")])


def test_the_smallest_file_end_to_end(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SMALL)
    assert canaletto.ok("sweep", "sweep.toml", "--out", "a").err == (
        "canaletto: wrote a (12 points, 12 of them computed now; open a/report.html)\n"
    )
    table = pl.read_parquet(tmp_path / "a" / "table.parquet")
    assert table.height == 12
    assert table.select("point", "fabric", "seed", "flash.read_us").row(11) == (11, "venice", 3, 6.0)
    assert table["machine_cpu_s"].min() > 0
    assert table["error"].null_count() == 12
    # Again, and in another folder: nothing is computed.
    for out in ("a", "b"):
        assert "12 points, 0 of them computed now" in canaletto.ok("sweep", "sweep.toml", "--out", out).err
        assert pl.read_parquet(tmp_path / out / "table.parquet").equals(table)


def test_kills_at_random_moments_lose_and_count_nothing(tmp_path: Path) -> None:
    """Four here; `tests/cli/kill_sweep.py 200` does more."""
    from kill_sweep import kill_until_done

    kill_until_done(tmp_path, kills=4, seed=7)
