import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from canaletto._run import laboratory
from canaletto_papers import figures
from canaletto_papers.figure import Label, Row, Scale
from canaletto_papers.mqsim import (
    back_end,
    files,
    files_back_end,
    files_queue_fetch,
    files_write_cache,
    interference,
    latency_steps,
    mapping_table,
    queue_fetch,
    recorded,
    sizes,
    steady_state,
    table_errors,
    write_cache,
)
from canaletto_papers.mqsim.drive import BOTH, FIRST, SECOND
from canaletto_papers.mqsim.files import FileRun
from canaletto_papers.reproduce import effort

QUICK = Scale(quick=True)

FOLDERS = {
    "backend-contention": files_back_end,
    "queue-fetch-size": files_queue_fetch,
    "datacache-contention": files_write_cache,
}


def carried_out(figure: Any, folder: Path) -> list[Row]:
    runs = figure.runs(QUICK)
    found = laboratory.carry_out(runs.values(), folder, lambda *_: None)
    rows: list[Row] = figure.table({label: found[run.key] for label, run in runs.items()})
    return rows


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def values(rows: list[Row], system: str, case: str | None = None) -> list[float]:
    chosen = [row for row in rows if row["system"] == system and row["what"] != "mean" and case in (None, row["case"])]
    return [float(row["ours"]) for row in chosen]


# MQSim's files, which are looked for next to the repository.


@pytest.fixture
def shipped(shared: Path) -> Path:
    return shared / "reference" / "mqsim-fast18"


def tree(text: str) -> Any:
    def walk(element: ElementTree.Element) -> Any:
        if len(element):
            return [(child.tag, walk(child)) for child in element]
        text = (element.text or "").strip()
        return float(text) if re.fullmatch(r"[0-9.]+", text) else text

    return walk(ElementTree.fromstring(text))


def mended(text: str) -> str:
    """Without a merge conflict and a bracket too many."""
    text = re.sub(r"<<<<<<< HEAD.*?=======\s*(.*?)>>>>>>> origin/master", r"\1", text, flags=re.DOTALL)
    return text.replace("</<", "</")


def device_of(name: str, shipped: Path, ending: str = "") -> Path:
    (path,) = shipped.glob(f"*/ssdconfig-{name}{ending}.xml")
    return path


@pytest.mark.parametrize(
    ("name", "ending", "changes"),
    [
        ("backend-contention", "", {}),
        ("queue-fetch-size", "=16", {"Queue_Fetch_Size": 16}),
        ("queue-fetch-size", "=1024", {"Queue_Fetch_Size": 1024}),
        ("datacache-contention", "", {"Enabled_Preconditioning": "true", "Caching_Mechanism": "SIMPLE"}),
    ],
)
def test_our_device_files_say_what_mqsim_s_say(name: str, ending: str, changes: dict[str, Any], shipped: Path) -> None:
    theirs = device_of(name, shipped, ending).read_text()
    assert tree(files.device(**changes)) == tree(theirs)


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize(("which", "flows"), [(BOTH, "flow-1-flow-2"), (FIRST, "flow-1"), (SECOND, "flow-2")])
def test_our_scenarios_say_what_mqsim_s_say(name: str, which: str, flows: str, shipped: Path) -> None:
    (path,) = shipped.glob(f"*/workload-{name}-{flows}.xml")
    theirs = [scenario for _, scenario in tree(mended(path.read_text()))]
    runs = {label: run for label, run in FOLDERS[name].runs(Scale()).items() if label[2] == which}
    case = next(iter(runs))[0]
    ours = [tree(run.workload)[0][1] for label, run in runs.items() if label[0] == case]
    # Read by nothing, and not in every flow; its Stop_Time is what this one is cut to.
    left_out = {"Intensity"} | ({"Stop_Time"} if name == "datacache-contention" else set())

    def told(scenarios: list[Any]) -> list[Any]:
        return [[[pair for pair in flow if pair[0] not in left_out] for _, flow in each] for each in scenarios]

    assert told(ours) == told(theirs)


def test_what_mqsim_gives_is_as_recorded(shipped: Path) -> None:
    found = json.loads((shipped / "results.json").read_text())

    def means(ending: str) -> list[tuple[float, ...]]:
        (scenarios,) = [each["scenarios"] for name, each in found.items() if name.endswith(ending)]
        return [tuple(flow["mean_device_response_ns"] for flow in each["flows"]) for each in scenarios]

    def rows(ending: str) -> list[tuple[float, ...]]:
        both, alone = means(f"{ending}-flow-1-flow-2.xml"), means(f"{ending}-flow-2.xml")
        return [(*first, *second) for first, second in zip(both, alone, strict=True)]

    assert rows("workload-backend-contention") == list(recorded.BACK_END.values())
    for size, known in recorded.QUEUE_FETCH.items():
        prefix = f"={size}.xml + workload-queue-fetch-size"
        assert rows(prefix) == list(known.values())
        assert set(means(f"{prefix}-flow-1.xml")) == {(recorded.QUEUE_FETCH_FLOW_1_ALONE,)}


@pytest.mark.parametrize("name", ["backend-contention", "queue-fetch-size"])
def test_ours_and_mqsim_s_files_give_the_same_results(
    name: str, shipped: Path, tmp_path: Path, canaletto: Any, kept: Path
) -> None:
    ending = "=16" if name == "queue-fetch-size" else ""
    (path,) = shipped.glob(f"*/workload-{name}-flow-1-flow-2.xml")
    (tmp_path / "w.xml").write_text(path.read_text().replace(">10000000000<", ">100000000<"))
    told = canaletto.ok("mqsim", "-i", device_of(name, shipped, ending), "-w", "w.xml", "--json").json
    runs = [(label, run) for label, run in FOLDERS[name].runs(QUICK).items() if label[2] == BOTH]
    found = laboratory.carry_out([run for _, run in runs], kept, lambda *_: None)
    for scenario, (_, run) in zip(told["scenarios"], runs, strict=False):
        ours = [flow["device_response_us"]["mean"] * 1000 for flow in found[run.key]["flows"]]
        assert [flow["device_response_ns"]["mean"] for flow in scenario["flows"]] == pytest.approx(ours, rel=1e-12)


def test_a_whole_scenario_comes_out_as_mqsim_has_it(kept: Path) -> None:
    # Ten seconds of simulated time: the mean as MQSim printed it, to a tenth of a nanosecond.
    run = files_back_end.runs(Scale())[files_back_end.CASE, "QD 2", FIRST]
    (flow,) = laboratory.carry_out([run], kept, lambda *_: None)[run.key]["flows"]
    assert flow["requests"]["completed"] == 217_260
    assert round(flow["device_response_us"]["mean"] * 1000, 1) == recorded.BACK_END_FLOW_1_ALONE


# Slowdowns and what the slides show of them.


def test_slowdowns_and_fairness_are_those_of_the_slides() -> None:
    found = interference.slowdowns((30.0, 20.0), (10.0, 16.0))
    assert found == {"Flow-1": 3.0, "Flow-2": 1.25, "fairness": pytest.approx(1.25 / 3)}


def test_several_flows_taken_for_one_have_the_mean_of_their_requests() -> None:
    flows = [{"requests": {"completed": n}, "latency_us": {"all": {"mean": mean}}} for n, mean in ((1, 9.0), (2, 3.0))]
    assert interference.mean_us(flows) == 5.0
    assert interference.mean_us([*flows, {"requests": {"completed": 0}, "latency_us": {"all": {"mean": None}}}]) == 5.0


def test_a_flow_alone_is_run_once_for_all_loads() -> None:
    runs = back_end.runs(QUICK)
    assert len({run.key for label, run in runs.items() if label[2] == FIRST}) == 1
    assert len({run.key for label, run in runs.items() if label[2] != FIRST}) == 2 * len(files.DEPTHS)


def test_a_deeper_flow_slows_the_other_at_the_back_end(kept: Path) -> None:
    rows = carried_out(back_end.FIGURE, kept)
    first, fair = values(rows, "Flow-1"), values(rows, "fairness")
    assert first == sorted(first)
    assert first[-1] > 5 > 1.3 > first[0] > 1
    assert fair == sorted(fair, reverse=True)
    assert max(values(rows, "Flow-2")) < 1.1


def test_a_small_fetch_size_is_fair(kept: Path) -> None:
    rows = carried_out(queue_fetch.FIGURE, kept)
    assert min(values(rows, "fairness", "fetch size 16")) > 0.85
    assert min(values(rows, "fairness", "fetch size 1024")) < 0.25
    # It bounds what is taken on: without that many outstanding it makes no difference.
    assert values(rows, "Flow-1", "fetch size 16")[:2] == values(rows, "Flow-1", "fetch size 1024")[:2]


def test_a_deeper_flow_takes_the_write_cache(kept: Path) -> None:
    rows = carried_out(write_cache.FIGURE, kept)
    first = [row for row in rows if row["system"] == "Flow-1"]
    assert all(row["merged_alone"] > 0.9 for row in first)
    assert all(row["merged_alone"] < 0.01 for row in rows if row["system"] == "Flow-2")
    merged = [row["merged"] for row in first]
    assert merged == sorted(merged, reverse=True)
    assert first[-1]["ours"] > 20 > first[0]["ours"] > 2


def test_a_more_random_flow_takes_the_mapping_table(kept: Path) -> None:
    rows = carried_out(mapping_table.FIGURE, kept)
    first = [row for row in rows if row["system"] == "Flow-1"]
    hits = [round(row["hits"], 3) for row in first]
    assert hits == sorted(hits, reverse=True)
    assert hits[0] > 0.9 > 0.01 > hits[-1]
    assert first[-1]["miss_us"] > 5 * first[0]["miss_us"]
    assert first[-1]["ours"] > 1.5 * first[0]["ours"]


def test_a_fresh_drive_becomes_what_a_preconditioned_one_is(kept: Path) -> None:
    rows = carried_out(steady_state.FIGURE, kept)
    found = {name: [row["ours"] for row in rows if row["system"] == name] for name in steady_state.SHADES}
    fresh, steady = found[steady_state.FRESH], found[steady_state.STEADY]
    assert len(fresh) == len(steady) == steady_state.MINUTES * 60 / steady_state.STRETCH_S
    assert max(fresh[:5]) < 0.85 * min(steady)
    late = len(fresh) // 2
    assert sum(fresh[late:]) == pytest.approx(sum(steady[late:]), rel=0.02)


def test_stretches_are_means_over_what_arrived() -> None:
    series = {"interval_us": 10e6, "latency_us": [1.0, 4.0, None, 5.0], "arrivals": [2, 1, 0, 7]}
    assert steady_state.stretches({"series": series}) == [(pytest.approx(1 / 6), 2.0), (pytest.approx(0.5), 5.0)]


def test_latency_grows_with_the_size(kept: Path) -> None:
    rows = carried_out(sizes.FIGURE, kept)
    found = {kind: [row["ours"] for row in rows if row["system"] == kind] for kind in sizes.KINDS}
    assert found["reads"] == sorted(found["reads"])
    assert found["writes"] == sorted(found["writes"])
    # The array reads in 75 us and programs in 750 us; a cached write waits for neither.
    assert 75 < found["reads"][0] < 100
    assert found["writes"][0] < 10 < 750 < found["writes, no cache"][0]


def test_mqsim_s_cache_files_run_preconditioned_with_the_other_mechanism(kept: Path) -> None:
    rows = carried_out(files_write_cache.FIGURE, kept)
    first = values(rows, "Flow-1")
    assert first[0] < 1.3
    assert first[-1] > 10


# The table of errors.


def test_no_number_of_ours_stands_in_a_real_drive_s_row(kept: Path) -> None:
    rows = carried_out(table_errors.FIGURE, kept)
    for row in rows:
        assert (row["ours"] is None) == bool(row["not repeated because"])
        if row["against"] in table_errors.DRIVES or row["published"] is not None:
            assert row["ours"] is None
    ours = [row for row in rows if row["ours"] is not None]
    assert {(row["simulator"], row["against"]) for row in ours} == {("canaletto", "MQSim 7ec40e3")}
    # A hundredth of the time, and the means of a closed loop are within its start.
    assert all(0 < row["ours"] < 15 for row in ours)


def test_the_largest_difference_is_of_responses_only() -> None:
    rows = [
        {"what": "mean response alone, us", "ours": 99.0, "published": 100.0},
        {"what": "mean response beside the other, us", "ours": 103.0, "published": 100.0},
        {"what": "slowdown", "ours": 2.0, "published": 1.0},
    ]
    assert table_errors.largest_percent(rows) == pytest.approx(3.0)


def test_effort_tells_runs_that_end_by_time() -> None:
    runs: dict[Label, Any] = {**back_end.runs(QUICK), **files_back_end.runs(QUICK)}
    assert effort(runs.values(), quick=False) == "29 runs of 20.0 ms to 100 ms simulated, 1 seed"
    mixed = {**sizes.runs(QUICK), ("one",): FileRun(files.device(), "", 0.5)}
    assert effort(mixed.values(), quick=False) == "27 runs of 50 requests and 1 run of 500 ms simulated, 1 seed"
    assert [figure.name for figure in figures("mqsim")][:3] == [
        "files-back-end",
        "files-queue-fetch",
        "files-write-cache",
    ]


def test_steps_sum_to_the_latency_and_the_array_is_most_of_flash_only(kept: Path) -> None:
    rows = carried_out(latency_steps.FIGURE, kept)
    steps = {
        memory: {row["step"]: row["ours"] for row in rows if row["system"] == memory} for memory in latency_steps.DRIVES
    }
    share = {memory: found["array_read"] / sum(found.values()) for memory, found in steps.items()}
    assert share["MLC flash"] > 0.8
    assert share["Z-NAND"] < 0.3
    assert share["3D XPoint"] < 0.1
    runs = latency_steps.FIGURE.runs(QUICK)
    found = laboratory.carry_out(runs.values(), kept, lambda *_: None)
    for (memory,), run in runs.items():
        assert sum(steps[memory].values()) == pytest.approx(found[run.key]["latency_us"]["all"]["mean"])
    assert len(latency_steps.FIGURE.charts(rows)) == 2
