import json
import os
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto._report import page, terminal
from canaletto._run import slowdown
from canaletto_papers.flows import flow, workload

DRIVE = "performance-optimized"
SMALL = flow("small", {"requests": 400, "read_share": 1.0, "size": "4KiB", "queue_depth": 2})
LARGE = flow("large", {"requests": 300, "read_share": 0.7, "size": "64KiB", "inter_arrival": "12us"})


def without_the_other(number: int) -> Any:
    """Both flows, of which the other begins when this one has ended.

    A flow draws its requests by its number.
    """
    flows = [SMALL, LARGE]
    other = flows[1 - number]
    flows[1 - number] = {**other, "synthetic": {**other["synthetic"], "start": "1s"}}
    return workload("one", flows)


def mean_us(data: Any) -> float:
    return float(data["latency_us"]["all"]["mean"])


@pytest.fixture(scope="module")
def both() -> cn.Result:
    return cn.run(DRIVE, workload("both", [SMALL, LARGE]), slowdowns=True, records=False)


def test_a_slowdown_is_against_the_flow_without_the_others(both: cn.Result) -> None:
    for number in range(2):
        alone = mean_us(cn.run(DRIVE, without_the_other(number), records=False)["flows"][number])
        expected = mean_us(both["flows"][number]) / alone
        assert both["flows"][number]["slowdown"] == expected > 1
    slowdowns = [each["slowdown"] for each in both["flows"]]
    assert both["fairness"] == min(slowdowns) / max(slowdowns) < 1


def test_nothing_else_changes(both: cn.Result) -> None:
    plain = cn.run(DRIVE, workload("both", [SMALL, LARGE]), records=False).to_dict()
    assert plain["fairness"] is None
    told = both.to_dict()
    assert told["cost"]["events"] > plain["cost"]["events"]
    for data in (plain, told):
        del data["cost"], data["fairness"]
        for each in data["flows"]:
            del each["slowdown"]
    assert told == plain


def test_with_address_ranges_of_their_own_flows_keep_them_when_alone() -> None:
    keys = {"requests": 300, "read_share": 0.5, "size": "4KiB", "queue_depth": 4}
    # On channels of their own flows meet nowhere but at the host link.
    work = workload("apart", [flow("a", keys, channels=[0, 1]), flow("b", keys, channels=[2, 3])], partitioned=True)
    quick_link = cn.design(DRIVE, **{"link.lanes": 32, "link.lane_rate": "1000GB/s"})
    run = cn.run(quick_link, work, slowdowns=True, records=False)
    assert [each["slowdown"] for each in run["flows"]] == [pytest.approx(1.0, abs=2e-3)] * 2


def test_the_only_flow_is_alone_and_is_not_run_again() -> None:
    runs = [cn.run(DRIVE, workload("one", [SMALL]), slowdowns=each, records=False) for each in (True, False)]
    assert (runs[0]["flows"][0]["slowdown"], runs[0]["fairness"]) == (1.0, 1.0)
    assert runs[0]["cost"]["events"] == runs[1]["cost"]["events"]


def test_as_many_requests_of_a_flow_are_left_out_of_both_means() -> None:
    work = workload("both", [SMALL, LARGE])
    run = cn.run(DRIVE, work, slowdowns=True, warmup=350)
    counted = run.requests["flow"].value_counts(sort=True)
    left_out = {name: total - dict(counted.rows())[name] for name, total in (("small", 400), ("large", 300))}
    assert sum(left_out.values()) == 350
    for number, single in enumerate((SMALL, LARGE)):
        # The other flow begins later, so the first requests of all are those of this one.
        alone = cn.run(DRIVE, without_the_other(number), warmup=left_out[single["name"]], records=False)
        assert run["flows"][number]["slowdown"] == mean_us(run["flows"][number]) / mean_us(alone["flows"][number])


def test_a_flow_of_which_nothing_counts_has_no_slowdown() -> None:
    short = flow("short", {"requests": 3, "read_share": 1.0, "size": "4KiB", "queue_depth": 1})
    run = cn.run(DRIVE, workload("two", [short, SMALL]), slowdowns=True, warmup=300, records=False)
    assert run["flows"][0]["slowdown"] is None
    assert (run["flows"][1]["slowdown"] is not None, run["fairness"]) == (True, 1.0)
    assert (slowdown.fairness([None, None]), slowdown.fairness([])) == (None, None)


def test_every_seed_has_its_own_and_intervals_cover_fairness() -> None:
    work = workload("both", [SMALL, LARGE])
    run = cn.run(DRIVE, work, seeds=2, slowdowns=True, records=False)
    each = [cn.run(DRIVE, work, seed=seed, slowdowns=True, records=False) for seed in (1, 2)]
    assert run["flows"][0]["slowdown"] == each[0]["flows"][0]["slowdown"]
    fairness = [one["fairness"] for one in each]
    assert fairness[0] != fairness[1]
    assert run["confidence"]["fairness"]["mean"] == pytest.approx(sum(fairness) / 2)
    assert run["cost"]["events"] == sum(one["cost"]["events"] for one in each)


def test_table_page_and_frozen_runs_tell_it(both: cn.Result, tmp_path: Path, canaletto: Any) -> None:
    data = both.to_dict()
    text, html = terminal.text(data), page.html(both)
    assert max(map(len, text.splitlines())) <= 80
    for each in data["flows"]:
        assert f"{each['slowdown']:.2f}×" in text
        assert f"{each['slowdown']:.2f}×" in html
    assert f"{data['fairness']:.3f}" in text
    assert f"{data['fairness']:.3f}" in html
    both.save(tmp_path / "with")
    cn.run(DRIVE, workload("both", [SMALL, LARGE]), records=False).save(tmp_path / "without")
    assert canaletto.ok("rerun", "with", "--json").json["identical"] is True
    found = canaletto.ok("diff", "with", "without", "--json").json
    names = {line["name"]: (line["a"], line["b"]) for line in found["results"]}
    assert names["fairness"] == (data["fairness"], None)
    assert names["slowdown.large"] == (data["flows"][1]["slowdown"], None)
    assert [line["name"] for line in found["configuration"]] == ["options.slowdowns"]
    assert "slowdown of large" in canaletto.ok("diff", "with", "without").out


def test_the_command_adds_it(canaletto: Any) -> None:
    words = ("run", DRIVE, "--workload", "mix1", "--requests", "300", "--json")
    plain, told = (canaletto.ok(*words, *more).json for more in ((), ("--slowdowns",)))
    assert [each["slowdown"] for each in plain["flows"]] == [None, None]
    assert all(each["slowdown"] >= 0.9 for each in told["flows"])
    assert 0 < told["fairness"] <= 1


def test_what_cannot_be_run_again_is_refused(tmp_path: Path, canaletto: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    trace = {"name": "pipe", "trace": {"file": "pipe", "format": "mqsim"}}
    (tmp_path / "w.toml").write_text(workload("both", [SMALL, trace]).to_toml())
    canaletto.refuses("run", DRIVE, "--workload", "w.toml", "--slowdowns", says=("pipe: not a regular file",))
    cn.run(DRIVE, workload("one", [SMALL]), slowdowns=True, records=False).save(tmp_path / "frozen")
    record = json.loads((tmp_path / "frozen" / "run.json").read_text())
    record["options"]["slowdowns"] = 3
    (tmp_path / "frozen" / "run.json").write_text(json.dumps(record))
    canaletto.refuses("rerun", "frozen", says=("run.json: is not what the run wrote",))


def test_an_error_of_a_flow_alone_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(design: Any, work: Any, *_: Any, alone: int, **__: Any) -> Any:
        raise cn.SimulationError(f"stuck in {alone}")

    data = cn.run(DRIVE, workload("both", [SMALL, LARGE]), records=False)
    design, work = data.configuration
    monkeypatch.setattr("canaletto._run.simulate.run_once", fails)
    with pytest.raises(cn.SimulationError, match=r"alone, flow (small: stuck in 0|large: stuck in 1)"):
        slowdown.add(data.to_dict(), design, work, 1, [None, None], None)
