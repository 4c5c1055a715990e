import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import accumulate
from typing import Any

import polars as pl
import pytest
import small_runs
from altair.utils import schemapi
from altair.vegalite.v6.schema.core import load_schema
from canaletto._io import units
from canaletto._report import animation, array, bars, causes, colours, comparison, document, page, summary
from canaletto._run import names
from canaletto._run.gains import gains

VOID = {"meta", "input", "br", "link", "img", "hr"}
TWO_MEGABYTES = 2_000_000


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.ids: list[str] = []
        self.scripts: dict[str, Any] = {}
        self.words = ""
        self.current: str | None = None
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attributes]
        found = dict(attributes)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        self.current = str(found["id"]) if found.get("type") == "application/json" else None
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.current = None

    def handle_data(self, text: str) -> None:
        if self.current:
            self.scripts[self.current] = json.loads(text)
        elif self.open[-1:] not in (["script"], ["style"]):
            self.words += text

    def charts(self) -> dict[str, Any]:
        return {name: spec for name, spec in self.scripts.items() if "-spec" in name}


@pytest.fixture(scope="module")
def whole() -> str:
    return comparison.html(
        small_runs.comparison(), ["canaletto", "compare", "a design", "--json"], small_runs.timelines()
    )


@pytest.fixture(scope="module")
def compared(whole: str) -> Page:
    return Page(whole)


SECTIONS = ("seen", "figures", "latency", "speedup", "causes", "conflicts", "energy", "map", "time", "configuration")


def test_a_page_is_one_file_that_loads_nothing(whole: str, compared: Page) -> None:
    assert len(whole.encode()) < TWO_MEGABYTES
    loading = [
        entry
        for entry in compared.attributes
        if entry[1] in ("src", "href", "srcset", "data", "action", "poster") and not str(entry[2]).startswith("#")
    ]
    assert loading == []
    assert not re.search(r"@import|url\(", re.sub(r"<script.*?</script>", "", whole, flags=re.DOTALL))
    assert "default-src 'none'" in whole


def test_ids_are_unique(compared: Page) -> None:
    assert len(compared.ids) == len(set(compared.ids))


def test_all_sections_are_there_in_order(compared: Page) -> None:
    assert [name for name in compared.ids if name in SECTIONS] == list(SECTIONS)


def test_single_runs_share_the_parts() -> None:
    timeline = small_runs.timelines(("venice",))["venice"]
    found = Page(page.html(small_runs.result("venice"), ["canaletto", "run", "x"], timeline))
    for name in ("latency", "causes", "energy", "map", "time", "seen", "configuration"):
        assert name in found.ids
    assert "canaletto run x" in found.words
    assert "speedup" not in found.ids


@pytest.mark.parametrize(
    ("field", "section"),
    [("energy_mj", "energy-stacks"), ("map", "map"), ("series", "time"), ("path_conflicts", "conflicts")],
)
def test_what_is_not_known_is_left_out(field: str, section: str) -> None:
    runs = ("bus", "venice")
    without = Page(comparison.html(small_runs.comparison(runs, without=(field,))))
    null = Page(comparison.html(small_runs.comparison(runs, **{field: None})))
    assert section in Page(comparison.html(small_runs.comparison(runs))).ids
    assert section not in without.ids
    assert section not in null.ids


def test_results_of_older_versions_have_a_page() -> None:
    fields = ("tail_us", "series", "map", "path_conflicts", "energy_mj", "average_power_mw")
    found = Page(page.html(small_runs.result("bus", without=fields)))
    assert "tail-spec" in found.scripts
    assert "seen" not in found.ids


def test_a_run_without_completions_has_a_page() -> None:
    empty = dict.fromkeys(("mean", "min", "p50", "p90", "p99", "p99_9", "p99_99", "max"))
    changes: dict[str, Any] = {
        "requests": {"generated": 5, "completed": 0, "reads": 0, "writes": 0, "bytes": 0},
        "latency_us": dict.fromkeys(("all", "read", "write"), empty),
        "blame_us": {"all": {}, "p99": {}},
        "tail_us": {"all": [], "read": [], "write": []},
        "iops": None,
        "bandwidth_mb_s": None,
        "execution_time_us": None,
        "series": None,
        "map": None,
        "path_conflicts": {"free_request_share": None, "free_transaction_share": None, "lost_us": 0.0},
    }
    assert "No request was completed" in Page(page.html(small_runs.result("bus", **changes))).words
    found = small_runs.comparison(("bus", "ideal"), **changes)
    assert "nothing to compare" in Page(comparison.html(found)).words


def test_charts_are_what_vega_lite_takes(compared: Page) -> None:
    alone = Page(page.html(small_runs.result("venice"), ["canaletto", "run", "x"]))
    for name, spec in [*compared.charts().items(), *alone.charts().items()]:
        schemapi.validate_jsonschema(spec, load_schema())
        with pytest.raises(Exception, match="Failed validating"):
            schemapi.validate_jsonschema({**spec, "height": {"of": name}}, load_schema())


def test_every_axis_has_a_title_with_its_unit(compared: Page) -> None:
    charts = compared.charts()
    assert len(charts) == 17
    for name, spec in charts.items():
        layers = [spec, *spec.get("layer", [])]
        titles = [
            layer["encoding"][axis]["title"]
            for layer in layers
            for axis in ("x", "y")
            if layer.get("encoding", {}).get(axis, {}).get("type") == "quantitative"
            and "title" in layer["encoding"][axis]
        ]
        assert titles, name
        for title in titles:
            assert re.search(r"\((ns|µs|ms|s|%|mJ|J|W|times; more is better)\)$|, mean$", title), (name, title)


def test_fabrics_and_causes_have_their_colours(compared: Page) -> None:
    scales = 0
    for spec in compared.charts().values():
        for layer in [spec, *spec.get("layer", [])]:
            scale = layer.get("encoding", {}).get("color", {}).get("scale")
            if scale is None:
                continue
            scales += 1
            table = {
                **colours.FABRICS,
                **colours.ENERGIES,
                **{units.cause_label(cause): colour for cause, colour in colours.CAUSES.items()},
            }
            assert scale["range"] == [table[name] for name in scale["domain"]]
    assert scales == 17
    assert compared.scripts["timeline-data"]["causes"]["path_conflict"] == colours.CAUSES["path_conflict"]


def test_every_fabric_has_a_colour() -> None:
    assert set(colours.FABRICS) == set(names.fabrics())


def test_colours_can_be_told_apart() -> None:
    for table in (colours.FABRICS, colours.CAUSES):
        assert len(set(table.values())) == len(table)
        assert all(re.fullmatch("#[0-9a-fA-F]{6}", colour) for colour in table.values())
    assert set(colours.FABRICS) == set(small_runs.FABRICS)
    assert colours.in_order(["new", "data_transfer", "host_link"]) == ["host_link", "data_transfer", "new"]


def test_stacks_sum_to_the_latency(compared: Page) -> None:
    run = small_runs.result("mesh").to_dict()
    values, *_ = compared.charts()["causes-mean-spec"]["datasets"].values()
    assert sum(row["value"] for row in values if row["fabric"] == "mesh") == pytest.approx(
        run["latency_us"]["all"]["mean"], rel=1e-3
    )
    shares, *_ = compared.charts()["causes-mean-spec-as_shares"]["datasets"].values()
    assert sum(row["value"] for row in shares if row["fabric"] == "mesh") == pytest.approx(100, rel=1e-3)


@pytest.mark.parametrize(
    ("sums", "limit"),
    [((1.0, 2.0, 3.0), None), ((1.0, 2.0, 9.0), 2.7), ((1.0, 100.0, 110.0), 1.35), ((5.0,), None), ((0.0, 5.0), None)],
)
def test_outliers_are_shortened(sums: tuple[float, ...], limit: float | None) -> None:
    assert bars.outlier_limit(sums) == (None if limit is None else pytest.approx(limit))


def test_a_shortened_stack_says_so_and_keeps_its_values() -> None:
    runs = [_run("bus", {"array_read": 300.0, "path_conflict": 700.0}), _run("venice", {"array_read": 10.0})]
    spec = bars.causes(runs, "all")
    assert spec is not None
    parts, _, ends = spec["datasets"].values()
    bus = [row for row in parts if row["fabric"] == "bus"]
    assert sum(row["value"] for row in bus) == pytest.approx(1000)
    assert [row["length"] / sum(row["length"] for row in bus) for row in bus] == pytest.approx([0.3, 0.7], rel=1e-3)
    assert sum(row["length"] for row in bus) == pytest.approx(13.5)
    assert [row["text"] for row in ends] == ["1,000 (not to scale)", "10.0"]
    whole = bars.causes(runs, "all", to_scale=True)
    assert whole is not None
    parts, ends = whole["datasets"].values()
    assert all(row["length"] == row["value"] for row in parts)
    assert bars.causes(runs[1:], "all", to_scale=True) is None


def test_charts_say_what_they_show(compared: Page) -> None:
    for name, spec in compared.charts().items():
        assert spec["description"], name
    assert re.search(r"bus \d.*venice \d", compared.charts()["causes-mean-spec"]["description"])
    assert document.described("A chart", {}) == "A chart"


def test_fabrics_without_data_are_named() -> None:
    runs = small_runs.comparison(("bus", "venice"))
    runs.runs[1] = small_runs.result("venice", energy_mj=None, average_power_mw=None, series=None)
    text = Page(comparison.html(runs)).words
    assert text.count("Not shown, because there are no data: venice.") == 2


def test_the_contents_lead_to_every_section(compared: Page) -> None:
    links = [value for tag, name, value in compared.attributes if (tag, name) == ("a", "href")]
    assert links == [f"#{name}" for name in compared.ids if name in (*SECTIONS, "garbage-collection", "wear", "caches")]


def test_dynamic_energy_stands_by_itself(compared: Page) -> None:
    parts, _ = compared.charts()["energy-dynamic-spec"]["datasets"].values()
    assert {row["part"] for row in parts} == {"array", "fabric"}
    parts, _ = compared.charts()["energy-stacks-spec"]["datasets"].values()
    assert "static" in {row["part"] for row in parts}


def test_names_cannot_break_out() -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    changes = {"design": evil, "workload": evil}
    text = page.html(small_runs.result("bus", **changes), ["canaletto", evil])
    assert evil not in text
    assert Page(text).words.count(evil) >= 2
    text = comparison.html(small_runs.comparison(("bus", "ideal"), **changes), ["canaletto", evil])
    assert evil not in text
    flows = [{"name": evil, "requests": {"completed": 1}, "iops": 1.0, "latency_us": {"all": {}}}] * 2
    assert evil not in page.html(small_runs.result("bus", flows=flows))


def test_differences_and_command_are_shown(compared: Page) -> None:
    assert "canaletto compare 'a design' --json" in compared.words
    assert "design.fabric.kind" in compared.words
    assert "blocks_per_plane" in compared.words


# What the sentence says.


def _run(fabric: str, blame: dict[str, float], execution: float = 100.0, p99: float = 50.0) -> dict[str, Any]:
    return {
        "fabric": fabric,
        "iops": 1.0,
        "execution_time_us": execution,
        "latency_us": {"all": {"mean": sum(blame.values()), "p99": p99}},
        "blame_us": {"all": blame, "p99": blame},
        "path_conflicts": {"free_request_share": 0.5},
    }


def test_the_summary_says_who_wins_and_why() -> None:
    bus = _run("bus", {"array_read": 3.0, "path_conflict": 17.0})
    venice = _run("venice", {"array_read": 3.0, "path_conflict": 1.0, "path_reservation": 1.0}, p99=10.0)
    ideal = _run("ideal", {"array_read": 3.0}, p99=5.0)
    runs = [bus, venice, ideal]
    text = summary.comparison(runs)
    assert text.startswith(summary.verdict(runs))
    assert "venice serves this 4.00× as fast as bus (mean latency; conflict-free: 6.67×)" in text
    assert "The run takes as long" in text
    assert "bus loses 85.0 % of its latency to path conflicts, venice 20.0 %" in text
    assert "In exchange it spends 1.00 µs more reserving paths." in text
    assert "Requests without a path conflict: 50.0 % on bus and 50.0 % on venice." in text


def test_the_summary_says_when_nothing_differs() -> None:
    runs = [_run(fabric, {"array_read": 3.0, "path_conflict": 0.001}) for fabric in ("bus", "venice", "ideal")]
    text = summary.comparison(runs)
    assert text.startswith("No fabric is more than 1 % faster than bus (mean latency): path conflicts cost bus 0.03 %")
    assert "slow" not in text.replace("slowest 1 %", "")


def test_the_summary_says_when_the_first_is_not_beaten() -> None:
    bus, mesh = _run("bus", {"array_read": 3.0}), _run("mesh", {"array_read": 3.0, "data_transfer": 3.0}, p99=60.0)
    text = summary.comparison([bus, mesh])
    assert "No fabric is more than 1 % faster than bus" in text
    assert "mesh is slowest, at 0.50×. The largest difference is data transfer, 3.00 µs on mesh and 0 on bus" in text


def test_the_summary_tells_of_a_better_tail() -> None:
    runs = [_run("bus", {"array_read": 3.0}), _run("venice", {"array_read": 3.0}, p99=20.0)]
    text = summary.comparison(runs)
    assert "No fabric is more than 1 % faster than bus" in text
    assert "In the tail venice is ahead: its slowest 1 % take 20.0 µs or longer, 50.0 µs on bus." in text


@pytest.mark.parametrize(("tails", "is_told"), [((20.0, 21.0, 22.0), True), ((20.0, 60.0, 50.0), False)])
def test_a_better_tail_is_one_over_all_seeds(tails: tuple[float, ...], is_told: bool) -> None:
    of_seeds = [[_run("bus", {"array_read": 3.0}), _run("venice", {"array_read": 3.0}, p99=each)] for each in tails]
    assert ("In the tail venice is ahead" in summary.comparison(of_seeds[0], gains(of_seeds))) is is_told


def test_every_cause_has_words_and_a_colour() -> None:
    assert set(causes.DOING) == set(colours.CAUSES)


# Maps.


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 9), (9, 1), (4, 16), (40, 3), (30, 30)])
@pytest.mark.parametrize("fabric", ["bus", "omnibus", "mesh", "venice", "ideal"])
def test_maps_of_any_shape(fabric: str, rows: int, columns: int) -> None:
    given = small_runs.result(fabric, rows=rows, columns=columns, load=40).to_dict()
    found = array.maps([given])
    assert found is not None
    (drawn,) = found["maps"]
    assert max(drawn["rows"], drawn["columns"]) <= array.MAX_SIDE
    assert len(drawn["chips"]) == drawn["rows"] * drawn["columns"]
    assert len(json.dumps(found)) < 150_000
    for _, row, column, to_row, to_column, share, _ in drawn["wires"]:
        assert 0 <= row < drawn["rows"]
        assert 0 <= to_row < drawn["rows"]
        assert -1 <= column <= drawn["columns"]
        assert -1 <= to_column <= drawn["columns"]
        assert 0 <= share <= 1
    if rows <= array.MAX_SIDE and columns <= array.MAX_SIDE:
        assert len(drawn["wires"]) == len(given["map"]["wires"])
        assert [chip[2] for chip in drawn["chips"]] == pytest.approx(
            [chip["array"] for chip in given["map"]["chips"]], rel=1e-2
        )


def test_all_maps_have_one_scale() -> None:
    found = array.maps([run.to_dict() for run in small_runs.comparison().runs])
    assert found is not None
    assert len(found["maps"]) == len(small_runs.FABRICS)
    # Another report has the same: a colour means the same on both.
    other = array.maps([small_runs.result("bus", load=60).to_dict()])
    assert other is not None
    assert (
        (found["top"], found["power"], found["ticks"])
        == (other["top"], other["power"], other["ticks"])
        == (
            1,
            0.5,
            [0, 0.02, 0.1, 0.25, 0.5, 1],
        )
    )


# Timelines.


def test_timelines_are_unpacked_as_they_were() -> None:
    given = small_runs.timelines(("venice",))["venice"]
    packed = animation.pack({"venice": given})
    assert packed is not None
    (found,) = packed["fabrics"]
    spans, start = found["spans"], 0
    rows = []
    kept = given.spans.filter(pl.col("end_ps") >= packed["start"]).sort("start_ps", maintain_order=True)
    for kind, part, after, duration, request in zip(
        *(spans[key] for key in ("kind", "part", "start", "duration", "request")), strict=True
    ):
        start += after
        rows.append(
            (
                spans["kinds"][kind],
                found["parts"][part],
                start + packed["start"],
                spans["durations"][duration],
                request + spans["first"],
            )
        )
    parts = given.header["parts"]
    assert len(rows) == kept.height
    for row, before in zip(rows, kept.iter_rows(named=True), strict=True):
        assert row[0] == before["kind"]
        assert row[1][0] == parts[before["part"]]["kind"]
        assert (row[2], row[3], row[4]) == (
            before["start_ps"],
            before["end_ps"] - before["start_ps"],
            before["request"],
        )


def test_scouts_go_out_from_the_controller_and_read_data_come_back() -> None:
    packed = animation.pack(small_runs.timelines(("venice",)))
    assert packed is not None
    (found,) = packed["fabrics"]
    spans, back = found["spans"], set(accumulate(found["spans"]["back"]))
    seen = set()
    for place, (kind, part) in enumerate(zip(spans["kind"], spans["part"], strict=True)):
        name, wire = spans["kinds"][kind], found["parts"][part]
        if wire[0] == "controller_link" and name in ("scout", "command"):
            assert place not in back
            seen.add(name)
        if wire[0] == "controller_link" and name == "data":
            op = {request[0]: request[1] for request in found["requests"]}[spans["request"][place] + spans["first"]]
            assert (place in back) == (op == "read")
            seen.add(name)
    assert seen == {"scout", "command", "data"}


def test_a_request_s_steps_sum_to_its_latency() -> None:
    packed = animation.pack(small_runs.timelines(("bus", "omnibus"), 0, 10_000))
    assert packed is not None
    for fabric in packed["fabrics"]:
        assert fabric["requests"]
        for *_, arrival, complete, steps in fabric["requests"]:
            assert sum(steps[2::4]) == complete - arrival


def test_too_much_is_cut_and_said() -> None:
    given = small_runs.timelines(start_us=0, end_us=1000)
    packed = animation.pack(given, limit=60_000)
    assert packed is not None
    assert len(json.dumps(packed, separators=(",", ":"))) <= 60_000
    assert 0 < packed["end"] < packed["recorded"] == packed["whole"]
    assert {fabric["fabric"] for fabric in packed["fabrics"]} == set(small_runs.FABRICS)


def test_garbage_collection_and_unfinished_requests_are_packed() -> None:
    given = small_runs.timelines(("bus",))["bus"]
    spans = given.spans.with_columns(request=pl.lit(None, pl.UInt32))
    requests = given.requests.with_columns(complete_ps=pl.lit(None, pl.UInt64))
    header = given.header | {"truncated": True, "until_ps": given.header["until_ps"] - 5_000_000}
    packed = animation.pack({"bus": replace(given, header=header, spans=spans, requests=requests)})
    assert packed is not None
    assert set(packed["fabrics"][0]["spans"]["request"]) == {0}
    assert {request[6] for request in packed["fabrics"][0]["requests"]} == {None}


def test_large_pages_stay_small() -> None:
    shape = {"rows": 16, "columns": 16, "load": 60}
    runs = small_runs.comparison(small_runs.FABRICS[:8], **shape)
    for run in runs.runs:
        data = run._data
        width, line = 1.234567, [123.456789 + place for place in range(512)]
        assert isinstance(data, dict)
        data["series"] = {"interval_us": width} | dict.fromkeys(
            ("arrivals", "completed", "outstanding", "latency_us", "path_conflict_us"), line
        )
        points = [[10 ** (-place / 40), 7.123456 + place] for place in range(300)]
        data["tail_us"] = dict.fromkeys(("all", "read", "write"), points)
    timelines = {fabric: small_runs.timeline(fabric, 0, 1000, **shape) for fabric in small_runs.FABRICS[:8]}
    text = comparison.html(runs, None, timelines)
    assert len(text.encode()) < TWO_MEGABYTES
    assert "seen" in Page(text).ids


def test_nothing_recorded_is_nothing_shown() -> None:
    given = small_runs.timelines(("bus",))["bus"]
    assert animation.pack({"bus": replace(given, spans=given.spans.clear())}) is None
    assert animation.pack({}) is None
