import dataclasses
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from canaletto._run import config, laboratory, simulate
from canaletto_papers import SOURCES, figures, markdown
from canaletto_papers.drives import latencies
from canaletto_papers.figure import Figure, Grid, Label, Row, Run, Scale, Settings
from canaletto_papers.flows import flow, workload
from canaletto_papers.load import curves
from canaletto_papers.networked_ssd import fig17, serving, synthetic
from canaletto_papers.pc_ssd import match
from canaletto_papers.reproduce import effort
from canaletto_papers.venice import bound, causes, fig9, fig10, fig11, fig13, findings, table1, table2
from canaletto_papers.venice.evaluation import (
    AVERAGE,
    CLOSED,
    MOST,
    OPEN,
    OWN,
    PERFORMANCE,
    SKEWED,
    SYSTEMS,
    TABLE2,
    UNIFORM,
    compared,
    drive,
    execution_time,
    shown,
    traffic,
)
from canaletto_papers.venice.mixes import SCALED, TABLE3, UNSCALED, mixed, superposed
from canaletto_papers.verdicts import (
    ABSENT,
    CHANGED,
    CONTRADICTS,
    GIVEN,
    REPRODUCED,
    UNEXPLAINED,
    Finding,
    in_short,
    judged,
    with_notes,
)

QUICK = Scale(quick=True)


@cache
def quick(runs: Callable[[Scale], dict[Label, Any]]) -> dict[Label, Any]:
    return runs(QUICK)


def synthetics(work: Any) -> list[dict[str, Any]]:
    return [made["synthetic"] for made in work.to_dict()["flow"]]


def rate_per_us(flows: list[dict[str, Any]]) -> float:
    units = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "ps": 1e-6}
    return sum(1 / table1.number(made["inter_arrival"], units) for made in flows)


@pytest.mark.parametrize("source", SOURCES)
def test_every_figure_says_its_method_and_assumptions(source: str) -> None:
    for figure in figures(source):
        _, *paragraphs = figure.about.strip().split("\n\n")
        assert any(text.startswith("Method: ") for text in paragraphs), figure.name
        assert any(text.startswith("Assumptions: ") for text in paragraphs), figure.name


@pytest.fixture(scope="module")
def some_result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    shape = {"requests": 200, "read_share": 0.5, "size": "8KiB", "queue_depth": 8}
    design = drive(PERFORMANCE, "Venice").replace(**{"cache.capacity": "1MiB", "mapping.cache_capacity": "1KiB"})
    run = Run(design, workload("both", [flow("probe", shape), flow("second", shape)]))
    found = laboratory.carry_out([run], tmp_path_factory.mktemp("runs"), lambda *_: None)[run.key]
    collected = {**found["flash"], "gc": {**found["flash"]["gc"], "epochs": 3}}
    return {**found, "flash": collected, "utilisation": [*found["utilisation"], {"part": "channel 0", "share": 0.5}]}


# Thousands of computations, and traces that may not be there: tested for themselves.
OWN_TESTS = {
    *(("hbf", name) for name in ("hotspot", "h3", "sandisk")),
    *(("zns", name) for name in ("reads", "writes", "agreement")),
    ("fdp", "cache"),
    *(("compute", name) for name in ("bitwise", "filters", "collection")),
    *(("pc-ssd", name) for name in ("table-match", "table-joint", "table-joint-values")),
    ("venice", "traces"),
}


@pytest.mark.parametrize(
    ("source", "name"),
    [(source, each.name) for source in SOURCES for each in figures(source) if (source, each.name) not in OWN_TESTS],
)
def test_every_figure_makes_a_table_and_draws_it(source: str, name: str, some_result: Any) -> None:
    (figure,) = figures(source, [name])
    rows = figure.table(dict.fromkeys(quick(figure.runs), some_result))
    for row in rows:
        assert row.keys() == rows[0].keys()
        assert row["ours"] is None or isinstance(row["ours"], float | int)
    # Equal runs: no system is ahead of another.
    improved = [row["ours"] for row in rows if row.get("workload") == AVERAGE and "%" not in row["system"]]
    assert name == "fig13" or improved == [pytest.approx(1.0)] * len(improved)
    charts = figure.charts(rows)
    assert all(spec["$schema"] for spec in charts.values())
    assert bool(charts) is not name.startswith(("table", "load-errors"))


def test_figures_share_the_runs_of_the_matrix() -> None:
    named = {figure.name: {run.key for run in quick(figure.runs).values()} for figure in figures("venice")}
    for name in ("fig4", "fig10", "fig13", "fig14", "table2", "bound"):
        assert named[name] <= named["fig9"], name
    assert len(named["fig9"] & named["fig15"]) == len(shown(QUICK)) * 4 * 5


def test_what_is_only_described_otherwise_is_one_run() -> None:
    design = drive(PERFORMANCE, "Venice")

    def key(name: str, kind: str) -> str:
        return Run(design, traffic(name, kind, OPEN, 1000)).key

    # Table 2's means are the same whatever a profile says next to them.
    again = workload("web_1", [flow("web_1", synthetics(traffic("web_1", UNIFORM, OPEN, 1000))[0])])
    assert Run(design, again).key == key("web_1", UNIFORM)
    assert len({key("hm_0", OWN), key("hm_0", UNIFORM), key("web_1", SKEWED), key("web_1", OWN)}) == 4


def test_a_trace_that_has_changed_is_another_run_wherever_it_is(tmp_path: Path) -> None:
    trace = "".join(f"{1000 * n} 0 {8 * n} 8 1\n" for n in range(10))
    for name, text in {"a": trace, "b": trace, "c": trace.replace("9000", "9001")}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.trace").write_text(text)

    def key(name: str) -> str:
        return Run(drive(PERFORMANCE, "Venice"), config.workload(tmp_path / name / "t.trace")).key

    assert key("a") == key("b") != key("c")


@pytest.mark.parametrize("name", ["hm_0", "ssd-00"])
def test_every_kind_of_traffic_has_the_published_means(name: str) -> None:
    reads, kilobytes, microseconds = TABLE2[name]
    for kind in (OWN, UNIFORM, SKEWED):
        made = synthetics(traffic(name, kind, OPEN, 1000))
        assert sum(each["requests"] for each in made) == 1000
        assert rate_per_us(made) == pytest.approx(1 / microseconds)
        if kind != OWN:
            assert {each["read_share"] for each in made} == {reads / 100}
            assert {each["size"] for each in made} == {synthetics(traffic(name, UNIFORM, OPEN, 1000))[0]["size"]}
        closed = synthetics(traffic(name, kind, CLOSED, 1000))
        assert sum(each["queue_depth"] for each in closed) == 64
    data, _ = simulate.run_once(
        drive(PERFORMANCE, "Baseline"), traffic(name, UNIFORM, OPEN, 2000), 1, 0, False, lambda *_: None
    )
    measured = table2.measured(data)
    assert measured[0] == pytest.approx(reads, abs=4)
    assert measured[1] == pytest.approx(kilobytes, rel=0.05)
    assert measured[2] == pytest.approx(microseconds, rel=0.1)


def test_skewed_traffic_goes_to_one_row_with_its_share() -> None:
    hot, others = traffic("hm_0", SKEWED, OPEN, 1000, 4).to_dict()["flow"]
    assert (hot["channels"], others["channels"]) == ([0], [1, 2, 3])
    assert hot["synthetic"]["requests"] == others["synthetic"]["requests"] == 500
    used = {
        part["part"]: part["share"]
        for part in simulate.run_once(
            drive(PERFORMANCE, "Baseline"), traffic("YCSB_B", SKEWED, CLOSED, 400), 1, 0, False, lambda *_: None
        )[0]["utilisation"]
        if part["part"].startswith("channel")
    }
    busiest, *rest = sorted(used.values(), reverse=True)
    assert len(rest) == 7
    assert busiest > 3 * max(rest)


@pytest.mark.parametrize("name", TABLE3)
def test_mixes_arrive_at_the_published_mean_when_scaled(name: str) -> None:
    constituents, published = TABLE3[name]
    scaled, unscaled = (synthetics(mixed(name, load, 10_000)) for load in (SCALED, UNSCALED))
    assert rate_per_us(scaled) == pytest.approx(1 / published, rel=1e-4)
    assert rate_per_us(unscaled) == pytest.approx(1 / superposed(name), rel=1e-4)
    assert len(scaled) == len(constituents)
    # All flows are active for as long.
    units = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "ps": 1e-6}
    lengths = [each["requests"] * table1.number(each["inter_arrival"], units) for each in scaled]
    assert max(lengths) < 1.01 * min(lengths)


def test_mix5_alone_arrives_far_less_often_than_published() -> None:
    assert superposed("mix5") == pytest.approx(41.4, abs=0.1)


def results(times: dict[tuple[str, str, str], float]) -> dict[tuple[str, ...], dict[str, float]]:
    return {
        (PERFORMANCE, OWN, OPEN, *label): {"execution_time_us": time, "iops": 1e6 / time}
        for label, time in times.items()
    }


TIMES = {
    ("a", "Baseline", "1"): 100.0,
    ("a", "Baseline", "2"): 110.0,
    ("a", "Venice", "1"): 50.0,
    ("a", "Venice", "2"): 50.0,
    ("b", "Baseline", "1"): 80.0,
    ("b", "Baseline", "2"): 80.0,
    ("b", "Venice", "1"): 80.0,
    ("b", "Venice", "2"): 100.0,
}


def test_averages_are_means_of_ratios_with_intervals_over_seeds() -> None:
    published = {(PERFORMANCE, "Venice", AVERAGE): 2.65, (PERFORMANCE, "Venice", MOST): 7.1}
    rows = compared(results(TIMES), execution_time, published)
    venice = {row["workload"]: row for row in rows if row["system"] == "Venice"}
    assert venice["a"]["ours"] == pytest.approx((2.0 + 2.2) / 2)
    assert venice["b"]["ours"] == pytest.approx((1.0 + 0.8) / 2)
    assert venice[AVERAGE]["ours"] == pytest.approx(1.5)
    # Both seeds average 1.5: no spread.
    assert venice[AVERAGE]["half_width"] == pytest.approx(0.0)
    assert venice[MOST]["ours"] == pytest.approx(2.1)
    assert (venice[AVERAGE]["published"], venice[MOST]["published"], venice["a"]["published"]) == (2.65, 7.1, None)
    once = compared(results({key: time for key, time in TIMES.items() if key[2] == "1"}), execution_time, published)
    assert {row["half_width"] for row in once} == {None}


def fabricated(time: dict[str, float]) -> dict[tuple[str, ...], dict[str, float]]:
    return results({("a", system, "1"): time.get(system, 100.0) for system in SYSTEMS})


def test_venice_over_others_and_throughput_follow_from_the_same_runs() -> None:
    found = fabricated({"Venice": 40.0, "NoSSD": 80.0, "ideal": 20.0})
    over = {row["system"]: row for row in fig9.table(found) if row["workload"] == AVERAGE}
    assert over["Venice"]["ours"] == pytest.approx(2.5)
    assert over["Venice over NoSSD"]["ours"] == pytest.approx(2.0)
    assert over["Venice over ideal"]["ours"] == pytest.approx(0.5)
    assert over["Venice over ideal"]["published"] == pytest.approx(0.6625)
    throughput = {row["system"]: row for row in fig10.table(found) if row["workload"] == AVERAGE}
    assert throughput["Venice"]["ours"] == pytest.approx(0.5)
    assert throughput["Venice over NoSSD"]["ours"] == pytest.approx(2.0)
    assert throughput["Venice over NoSSD"]["published"] == 2.02


def test_causes_compare_each_change_with_the_baseline_under_the_same_change() -> None:
    runs = quick(causes.runs)
    assert {label[1] for label in runs} == set(causes.CHANGES)
    assert not [label for label in runs if label[1] == "all hold" and label[4] in ("NoSSD", "pnSSD (+split)")]
    found = {
        label: {"execution_time_us": 50.0 if label[1] == "QD 8" and label[4] == "Venice" else 100.0} for label in runs
    }
    rows = {(row["change"], row["system"]): row for row in causes.table(found) if row["workload"] == AVERAGE}
    assert (rows["none", "Venice"]["ours"], rows["QD 8", "Venice"]["ours"]) == (1.0, 2.0)
    assert rows["QD 8", "Venice over NoSSD"]["ours"] == 2.0
    assert rows["QD 256", "Venice"]["ours"] == 1.0
    assert rows["all hold", "Venice"]["against"] == causes.AGAINST_HELD
    assert rows["QD 8", "Venice"]["against"] is None


def test_some_systems_hold_their_paths_where_a_change_says_so() -> None:
    change = "buses hold, others release, open loop, 30 times as fast"
    runs = {label[4]: run for label, run in quick(causes.runs).items() if label[:2] == (PERFORMANCE, change)}
    held = {system: run.design.to_dict()["fabric"]["hold_path"] for system, run in runs.items()}
    assert {system for system, how in held.items() if how == "always"} == {"Baseline", "pSSD", "pnSSD"}
    assert {how for system, how in held.items() if system in ("NoSSD", "Venice", "ideal")} == {"never"}


def test_the_bound_is_that_of_waiting_halved() -> None:
    assert [bound.bound(gain) for gain in (1.0, 4.0)] == [1.0, 1.6]
    # Half of the time is waiting: ideal takes half, twice as wide three quarters.
    assert bound.bound(2.0) == pytest.approx(1 / 0.75)
    rows = {row["workload"]: row for row in bound.published()}
    least, most = rows[bound.LEAST]["bound"], rows[bound.MOST_OF_MEANS]["bound"]
    assert (least, most) == (pytest.approx(1.235, abs=1e-3), pytest.approx(1.6))
    assert least < rows[bound.LEAST]["ours"] < most, "the published mean of pSSD is possible, near the lower end"
    assert rows[bound.HOW_MANY]["bound"] == pytest.approx(5.3, abs=0.05)


def made_up(name: str, settings: Settings | None, **keys: Any) -> Figure:
    return Figure(name, name, "", lambda _: {}, lambda _: [], lambda _: None, settings, **keys)


def row_of(setting: str, what: str, ours: float | None, published: float, against: str | None = None) -> Row:
    return {"setting": setting, "against": against, "what": what, "ours": ours, "published": published}


def verdicts_of(tried: list[Row], findings: tuple[Finding, ...] = ()) -> dict[str, tuple[str, str]]:
    stated = [row_of("stated", what, ours, 2.0) for what, ours in (("a", 2.1), ("b", 1.2), ("c", 1.2), ("d", None))]
    shown = made_up("fig1", Settings(("setting",), ("stated",), against="against"))
    others = made_up("causes", Settings(("setting",), of="fig1", against="against"))
    found = judged([shown, others], {"fig1": stated, "causes": tried}, findings)
    return {each.what: (each.verdict, each.because) for each in found}


def test_numbers_are_judged_by_one_rule() -> None:
    alone = verdicts_of([])
    assert alone == {"a": (REPRODUCED, ""), "b": (UNEXPLAINED, ""), "c": (UNEXPLAINED, ""), "d": (ABSENT, "")}
    helpful = [row_of("deep", what, 2.0, 2.0) for what in "abc"]
    assert verdicts_of(helpful)["b"] == (CHANGED, "causes: deep")
    # A setting that gives one of three numbers is picked for it; so is one that was tried on one alone.
    odd = [row_of("odd", what, ours, 2.0) for what, ours in (("a", 9.0), ("b", 2.0), ("c", 9.0))]
    assert verdicts_of(odd)["b"] == (UNEXPLAINED, "")
    assert verdicts_of([row_of("alone", "b", 2.0, 2.0)])["b"] == (UNEXPLAINED, "")
    against = [row_of("held", what, 2.0, 2.0, "Fig. 3 speaks against it") for what in "abc"]
    assert verdicts_of(against)["b"] == (CHANGED, "causes: held; Fig. 3 speaks against it")
    assert verdicts_of([*against, *helpful])["b"] == (CHANGED, "causes: deep")


def judged_alone(ours: float, published: float, **keys: Any) -> Any:
    (found,) = judged([made_up("fig1", None, **keys)], {"fig1": [row_of("stated", "a", ours, published)]}, ())
    return found


@pytest.mark.parametrize(
    ("ours", "published", "neutral", "verdict"),
    [
        (1.24, 1.27, 1.0, REPRODUCED),
        (1.20, 1.27, 1.0, UNEXPLAINED),  # Within 6 % of the ratio, 26 % short of its effect.
        (1.02, 0.98, 1.0, UNEXPLAINED),  # The other sign.
        (0.965, 0.96, 1.0, REPRODUCED),
        (0.978, 0.96, 1.0, UNEXPLAINED),
        (79.0, 76.4, 100.0, REPRODUCED),
        (90.0, 76.4, 100.0, UNEXPLAINED),
        (9.0, 10.0, 0.0, REPRODUCED),
    ],
)
def test_a_number_counts_by_its_effect(ours: float, published: float, neutral: float, verdict: str) -> None:
    assert judged_alone(ours, published, neutral=neutral).verdict == verdict


def test_a_bound_is_kept_by_what_is_no_more() -> None:
    bound = {"is_bound": True, "neutral": 0.0}
    found = [judged_alone(ours, 2.2, **bound).verdict for ours in (0.01, 2.2, 3.0)]
    assert found == [REPRODUCED, REPRODUCED, UNEXPLAINED]


def test_inputs_are_not_counted_as_reproduced() -> None:
    given = judged_alone(0.241, 0.241, is_given=True)
    assert given.verdict == GIVEN
    assert in_short([given]) == "1 line of inputs and arithmetic, not counted"
    assert judged_alone(0.3, 0.241, is_given=True).verdict == UNEXPLAINED


def test_what_follows_from_printed_shares_is_not_counted_either() -> None:
    figure = next(each for each in figures("pc-ssd") if each.name == "breakdown")
    found = [each for each in judged([figure], {"breakdown": figure.table({})}, ()) if not each.is_order]
    arithmetic = [each.what for each in found if each.verdict == GIVEN]
    assert (len(found), len(arithmetic)) == (23, 9)
    assert all(what.endswith(("NBSP, bridge, DRAM, DRAM interface", "direct, direct path")) for what in arithmetic)
    assert "network download, NBDP, bridge, DRAM, direct, direct path" not in arithmetic, "it is printed alone"


def test_the_order_of_systems_is_judged() -> None:
    published = {"p": 1.27, "n": 1.35, "x": 2.65, "x over p": 2.1}

    def order(**ours: float) -> Any:
        named = {name.replace("_", " "): value for name, value in ours.items()}
        rows = [{"system": name, "ours": value, "published": published[name]} for name, value in named.items()]
        found = [each for each in judged([made_up("fig1", None)], {"fig1": rows}, ()) if each.is_order]
        return [(each.ours, each.published, each.verdict) for each in found]

    assert order(p=1.1, n=1.2, x=1.3) == [(3.0, 3.0, REPRODUCED)]
    assert order(p=1.2, n=1.1, x=1.3) == [(2.0, 3.0, UNEXPLAINED)]
    assert order(p=1.1, n=1.101, x=1.3) == [(2.0, 3.0, UNEXPLAINED)], "a tie is no order"
    assert order(p=1.1, x_over_p=2.0) == [], "ratios over different systems have none"


def test_a_change_is_shown_with_its_value_and_a_short_run_says_would() -> None:
    stated = [row_of("stated", what, 1.0, 2.0) for what in "ab"]
    tried = [row_of("deep", what, 1.9, 2.0) for what in "ab"]
    shown = made_up("fig1", Settings(("setting",), ("stated",)))
    found = judged([shown, made_up("causes", Settings(("setting",), of="fig1"))], {"fig1": stated, "causes": tried}, ())
    words, notes = with_notes(found)
    assert words[0] == f"{CHANGED}: 1.9 (0.95 of it) [1]"
    assert notes == ["[1] causes: deep"]
    assert in_short(found) == f"2 published numbers: 2 {CHANGED}"
    assert in_short(found, "--quick: 3 runs") == f"--quick: 3 runs: 2 published numbers: 2 would be {CHANGED}"


def test_findings_must_be_shown_by_the_tables_at_hand() -> None:
    said = Finding(("fig1",), lambda row: row["what"] == "b", lambda tables: "Fig. 2: no" if "fig1" in tables else None)
    assert verdicts_of([], (said,))["b"] == (CONTRADICTS, "Fig. 2: no")
    assert verdicts_of([], (said,))["c"] == (UNEXPLAINED, "")
    never = Finding(("fig1",), lambda _: True, lambda _: None)
    assert verdicts_of([], (never,))["b"] == (UNEXPLAINED, "")


def test_inputs_are_counted_and_numbers_of_several_figures_listed_once() -> None:
    rows = [row_of("stated", what, 2.0, 2.0) for what in "ab"] + [row_of("stated", "c", 1.0, 2.0)]
    (counted,) = judged([made_up("table1", None, is_counted=True)], {"table1": rows}, ())
    assert (counted.ours, counted.published, counted.verdict) == (2.0, 3.0, UNEXPLAINED)
    assert counted.because.endswith("c")
    (absent,) = judged([made_up("t", None, is_counted=True)], {"t": [row_of("stated", "a", None, 2.0)]}, ())
    assert (absent.ours, absent.verdict) == (0.0, ABSENT)
    both = judged([made_up("fig4", None), made_up("fig9", None)], {"fig4": rows[:1], "fig9": rows}, ())
    assert [each.figure for each in both] == ["fig4, fig9", "fig9", "fig9"]


def test_the_mixes_are_a_finding_that_the_table_shows() -> None:
    (_, superposed) = findings.FINDINGS
    mixes = superposed.shown({"table3": figures("venice", ["table3"])[0].table({})})
    assert mixes is not None
    assert "mix6" in mixes


def test_grids_have_the_published_numbers_first() -> None:
    rows = [row_of("none", what, ours, 2.0) for what, ours in (("a", 1.0), ("b", 3.0))]
    columns, lines = Grid("setting", "what", {}).cells(rows)
    assert columns == ["a", "b"]
    assert lines == [("published", [2.0, 2.0]), ("none", [1.0, 3.0])]


def test_a_key_is_turned_until_the_ratio_is_the_published_one(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"setting": match.AS_IT_IS, "operation": "DMA write", "system": "NBSP", "ours": 1.02, "published": 1.59}
    monkeypatch.setattr(match, "ratios", lambda _: [row, {**row, "ours": 1.5}])
    monkeypatch.setattr(match, "SCALED", ("attachment.ata.rate", "driver.command"))
    monkeypatch.setattr(match, "CHOICES", {})
    (found,) = match.table({})
    assert (found["key"], found["given"]) == ("attachment.ata.rate", "with a source")
    assert found["ours"] == pytest.approx(1.59, rel=match.CLOSE)
    keys = (("attachment.ata.rate", found["value"]),)
    assert match.ratio_of("DMA write", "NBSP", keys) == pytest.approx(1.59, rel=match.CLOSE)
    monkeypatch.setattr(match, "SCALED", ("driver.command",))
    (nothing,) = match.table({})
    assert nothing["key"] == f"{match.NO_KEY}: driver.command"


def test_traces_are_left_out_with_a_word_where_there_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (figure,) = figures("venice", ["traces"])
    monkeypatch.delenv("CANALETTO_SHARED", raising=False)
    (row,) = figure.table(figure.runs(QUICK))
    assert row["trace"].startswith("none: ")
    (tmp_path / "traces" / "mqsim").mkdir(parents=True)
    (tmp_path / "traces" / "mqsim" / "tpcc-small.trace").write_text(
        "".join(f"{n * 100} 0 {n * 8} 8 1\n" for n in range(50))
    )
    monkeypatch.setenv("CANALETTO_SHARED", str(tmp_path))
    runs = figure.runs(QUICK)
    assert {label[0] for label in runs} == {"TPC-C"}
    found = laboratory.carry_out(runs.values(), tmp_path, lambda *_: None)
    rows = figure.table({label: found[run.key] for label, run in runs.items()})
    assert all(row["ours"] > 0 for row in rows)


def test_a_percentile_is_the_latency_that_its_share_does_not_exceed() -> None:
    tail = [(1.0, 5.0), (0.1, 20.0), (0.02, 40.0), (0.01, 60.0), (0.001, 90.0)]
    assert fig11.percentile(tail, 90) == 20.0
    assert fig11.percentile(tail, 98.5) == 60.0
    assert fig11.percentile(tail, 99.99) == 90.0


def test_knees_are_where_latency_is_twice_that_of_the_idle_drive() -> None:
    latencies = [(0.0, 10.0), (1.0, 12.0), (2.0, 16.0), (3.0, 24.0), (4.0, 90.0)]
    points = [
        {"situation": "s", "system": "bus", "load": str(at), "offered_gb_s": at, "served_gb_s": at, "ours": latency}
        for at, latency in latencies
    ]
    found = curves.knee(points)
    assert found is not None
    assert (found["served_gb_s"], found["ours"]) == (pytest.approx(2.5), 20.0)
    assert curves.knee(points[:3]) is None


def test_load_curves_reach_what_the_drive_can_carry() -> None:
    assert curves.limit_gb_s("bus", curves.UNLIMITED) == pytest.approx(9.6)
    assert curves.limit_gb_s("bus", curves.SKEWED) == pytest.approx(2.4)
    (read,) = synthetics(curves.reads(100, 2.0))
    assert read["inter_arrival"] == "2.048us"
    assert rate_per_us(synthetics(curves.reads(100, 2.0, hot=True))) == pytest.approx(1 / 2.048)


def test_splitting_is_ahead_up_to_a_number_of_requests() -> None:
    ahead_until = 16
    rows = [
        {"concurrent": depth, "system": system, "ours": 2.0 if system != "pSSD" and depth <= ahead_until else 1.5}
        for depth in synthetic.DEPTHS
        for system in ("pSSD", "pnSSD (+split)")
    ]
    assert fig17.split_ahead_below(rows) == 32.0
    assert fig17.split_ahead_below([{**row, "ours": 1.0} for row in rows]) is None


def test_improvements_are_averaged_over_workloads() -> None:
    values = {(OWN, OPEN, name, "pSSD"): 5.0 for name in "ab"}
    better = {(OWN, OPEN, "a", "pSSD"): 1.0, (OWN, OPEN, "b", "pSSD"): 3.0}
    rows = serving.improvements(values, better, {("pSSD", AVERAGE): 1.69, ("pSSD", MOST): 6.0})
    assert [(row["workload"], row["ours"], row["published"]) for row in rows[-2:]] == [
        (AVERAGE, 2.0, 1.69),
        (MOST, 3.0, 6.0),
    ]


def test_results_are_kept_without_what_no_figure_reads(tmp_path: Path) -> None:
    read = flow("reads", {"requests": 50, "read_share": 1.0, "size": "4KiB", "queue_depth": 1})
    run = Run(drive(PERFORMANCE, "Venice"), workload("reads", [read]))
    seen: list[tuple[int, int]] = []
    found = laboratory.carry_out([run, run], tmp_path, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 1), (1, 1)]
    (kept,) = tmp_path.iterdir()
    assert json.loads(kept.read_text())["result"] == found[run.key]
    data, _ = simulate.run_once(run.design, run.workload, 1, 0, False, lambda *_: None)
    assert found[run.key]["latency_us"] == data["latency_us"]
    assert found[run.key]["tail_us"] == [list(point) for point in data["tail_us"]["all"]]
    assert kept.stat().st_size < len(json.dumps(data)) / 2


def test_tables_in_markdown_keep_their_columns_and_say_how_much_was_run() -> None:
    figure = dataclasses.replace(fig13.FIGURE, grids={})
    rows = [
        {"system": "Venice", "ours": 99.997, "published": 99.98},
        {"published": 100.0, "ours": None, "system": "ideal"},
    ]
    made = markdown.pages([figure], {"fig13": rows}, [], "--quick, indicative only: 1 run", quick=True)
    table, said = made["fig13"].split("\n\n")
    assert table.splitlines()[2:] == ["| Venice | 99.99 | 99.98 |", "| ideal | – | 100 |"]
    assert said == made["extent"] == "--quick, indicative only: 1 run.\n"
    made = markdown.pages([figure], {"fig13": rows}, [], "1 run", quick=False)
    assert "1 run" not in made["fig13"]


def test_effort_counts_different_runs_and_their_seeds() -> None:
    read = {"read_share": 1.0, "size": "4KiB", "queue_depth": 1}
    made = [workload("reads", [flow("reads", {**read, "requests": count})]) for count in (50, 1200)]
    runs = [Run(drive(PERFORMANCE, "Venice"), work, seed) for work in made for seed in (1, 2)]
    assert effort([*runs, runs[0]], False) == "4 runs of 50 to 1,200 requests, 2 seeds"
    assert effort(runs[:1], True) == "--quick, indicative only: 1 run of 50 requests, 1 seed"
    assert effort([], False) == "computed, nothing is run"


def test_distances_of_distributions_are_the_textbooks() -> None:
    measured = [float(value) for value in range(100, 200)]
    shifted = [value + 5 for value in measured]
    assert latencies.wasserstein(shifted, measured) == pytest.approx(5.0)
    assert latencies.kolmogorov_smirnov(shifted, measured) == pytest.approx(0.05)
    assert latencies.share_within(shifted, measured) == 1.0
    assert latencies.share_within([value * 1.2 for value in measured], measured) == 0.0
    assert latencies.kolmogorov_smirnov(measured, measured) == latencies.wasserstein(measured, measured) == 0.0


def test_measured_drives_are_compared_with_runs_of_the_same_job() -> None:
    (figure,) = figures("drives", ["table-reads"])
    runs = figure.runs(QUICK)
    chosen = {label: run for label, run in runs.items() if label[1:3] == ("SPDK", "4KiB") and label[3] in "18"}
    assert len(chosen) == 4
    for label, run in chosen.items():
        made = synthetics(run.workload)[0]
        assert (made["size"], made["queue_depth"], made["read_share"]) == ("4KiB", int(label[3]), 1.0)
    rows = figure.table({label: run.simulate(lambda *_: None) for label, run in chosen.items()})
    apart = {(row["drive"], row["depth"], row["what"]): row["error_percent"] for row in rows}
    assert max(abs(value) for value in apart.values()) < 6, apart


def test_distributions_keep_the_quantiles_of_their_runs(tmp_path: Path) -> None:
    (figure,) = figures("drives", ["latencies"])
    label, run = next(iter(figure.runs(QUICK).items()))
    kept = laboratory.carry_out([run], tmp_path, lambda *_: None)[run.key]
    quantiles = kept["quantiles_us"]
    assert len(quantiles) == 200
    assert quantiles == sorted(quantiles)
    assert quantiles[99] <= kept["latency_us"]["all"]["p50"] * 1.01
    (share, *_) = [row for row in figure.table({label: kept}) if row["kind"] == latencies.DISTANCE]
    assert share["ours"] > 0.9
    assert Run(run.design, run.workload, run.seed).key != run.key
