import runpy
from pathlib import Path
from typing import get_type_hints

import canaletto as cn
import pytest
from canaletto import result
from canaletto._report import causes, colours, explanation

ROOT = Path(__file__).resolve().parents[2]


def test_the_classes_are_fresh() -> None:
    made = runpy.run_path(str(ROOT / "tools/result_classes.py"))["source"]()
    assert made == (ROOT / "python/canaletto/result.py").read_text(), "`make results` writes them"


def test_every_cause_has_a_colour_and_words() -> None:
    assert set(colours.CAUSES) == set(result.CAUSES)
    assert set(causes.DOING) == set(result.CAUSES)
    assert set(explanation.PHRASES) == set(result.CAUSES)


def test_a_drive_has_requests_and_no_cost_and_a_run_the_other_way_round() -> None:
    of_runs, of_drives = (set(get_type_hints(kind)) for kind in (result.RunResult, result.DriveResult))
    assert (of_runs - of_drives, of_drives - of_runs) == ({"cost"}, {"requests"})
    found = cn.Drive("performance-optimized").results
    assert type(found) is result.DriveResult
    assert type(found.requests) is result.Requests
    assert type(found.latency_us) is result.Latency
    assert set(found) <= of_drives


def test_parts_have_their_classes() -> None:
    found = cn.run("performance-optimized", cn.workload("hm_0", requests=50), records=False)
    assert type(found.latency_us) is result.Latency
    assert type(found.latency_us.all) is result.Distribution
    assert [type(flow) for flow in found.flows] == [result.FlowReport]
    assert found.latency_us.all.p99 == found["latency_us"]["all"]["p99"]
    assert found.request_counts.completed == 50
    assert found.replays is None  # a field that only runs with traces have
    with pytest.raises(AttributeError, match="no field 'p9'; there are mean, min, p50"):
        found.latency_us.all.p9  # noqa: B018
