from collections.abc import Mapping
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto._run.laboratory import carry_out
from canaletto_papers.figure import Scale
from canaletto_papers.networked_ssd import fig20
from canaletto_papers.venice.evaluation import CLOSED, MOST, OWN, PERFORMANCE, SKEWED, compared, execution_time, matrix

ROOT = Path(__file__).resolve().parents[2]
TEXT = " ".join((ROOT / "paper" / "artifact.md").read_text(encoding="utf-8").split())
FABRICS = ("bus", "packetized", "omnibus", "mesh", "venice", "ideal")


def hot_row(share: float) -> cn.Comparison:
    keys: dict[str, Any] = {"channel_skew.share": share}
    work = cn.workload(ROOT / "examples" / "hot-row.toml", requests=20_000, **keys)
    return cn.compare("performance-optimized", work, FABRICS, records=False, progress=False)


def listed(values: Mapping[str, float | None], form: str, unit: str = "") -> str:
    first, *others = (f"{value:{form}} ({fabric})" for fabric, value in values.items())
    return ", ".join([first.replace(" (", f"{unit} (", 1), *others])


def test_the_hot_row() -> None:
    found = hot_row(0.8)
    blame = {fabric: found[fabric].to_dict()["root_cause_us"]["all"] for fabric in FABRICS}
    means = {fabric: sum(causes.values()) for fabric, causes in blame.items()}
    assert listed(means, ".1f") in TEXT
    conflicts = {name: blame[name].get("path_conflict", 0.0) for name in ("bus", "omnibus", "venice", "ideal")}
    assert listed(conflicts, ".1f", " µs") in TEXT
    assert f"bus loses {100 * conflicts['bus'] / means['bus']:.1f} % of its latency to path conflicts" in TEXT


@pytest.mark.parametrize(("share", "begin"), [(1.0, "at a share of 1.0, "), (0.125, "at 0.125, ")])
def test_gains_follow_the_imbalance(share: float, begin: str) -> None:
    found = hot_row(share)
    gains = {fabric: found.speedup[fabric].mean_latency for fabric in ("omnibus", "venice", "ideal")}
    assert begin + listed(gains, ".2f") in TEXT


def test_short_runs_of_figures(tmp_path: Path) -> None:
    scale = Scale(quick=True)
    runs = matrix(scale, [PERFORMANCE], ("Baseline", "Venice"))
    runs = {label: run for label, run in runs.items() if label[2] == CLOSED and label[1] in (OWN, SKEWED)}
    data = carry_out(runs.values(), tmp_path, lambda *_: None)
    found = compared(
        {label: data[run.key] for label, run in runs.items()}, execution_time, {(PERFORMANCE, "Venice", MOST): 1.0}
    )
    gains = {(row["traffic"], row["workload"]): row["ours"] for row in found if row["system"] == "Venice"}
    assert f"Venice {gains[OWN, 'average']:.3f} on average" in TEXT
    assert f"{gains[SKEWED, 'average']:.2f} on average and {gains[SKEWED, MOST]:.2f} at most" in TEXT
    tails = fig20.FIGURE.runs(scale)
    data = carry_out(tails.values(), tmp_path, lambda *_: None)
    rows = fig20.FIGURE.table({label: data[run.key] for label, run in tails.items()})
    ours = next(row["ours"] for row in rows if row["published"])
    assert f"p99 {ours:.3g} (published" in TEXT
