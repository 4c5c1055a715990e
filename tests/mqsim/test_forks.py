import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Answer, Canaletto

FILES = ["-i", "ssdconfig.xml", "-w", "workload.xml"]

Change = tuple[str, str]
NONE: Change = ("", "")
Run = Callable[..., Answer]


@pytest.fixture
def run(shared: Path, tmp_path: Path, canaletto: Canaletto) -> Run:
    case = shared / "reference" / "mqsim" / "perf-randread-4k-qd1"

    def changed(
        *words: str, device: Change = NONE, workload: Change = NONE, also: Change = NONE, status: int = 0
    ) -> Answer:
        for name, changes in (("ssdconfig.xml", [device]), ("workload.xml", [workload, also])):
            text = (case / name).read_text().replace(">20000</Total_R", ">200</Total_R")
            for before, after in changes:
                assert before in text
                text = text.replace(before, after) if before else text
            (tmp_path / name).write_text(text, newline="")
        answer = canaletto("mqsim", *FILES, *words, "--json")
        assert answer.status == status, answer.err
        return answer

    return changed


def found(answer: Answer) -> dict[str, Any]:
    (scenario,) = json.loads(answer.out)["scenarios"]
    return {key: value for key, value in scenario.items() if key != "cost"}


UNKNOWN = ("</Device_Parameter_Set>", "<My_Extra_A>1</My_Extra_A>\n<My_Extra_B>2</My_Extra_B></Device_Parameter_Set>")
UNKNOWN_OF_FLOW = ("</IO_Flow_P", "<My_Extra_C>1</My_Extra_C></IO_Flow_P")


def test_unknown_tags_are_named_at_once(run: Run) -> None:
    err = run(device=UNKNOWN, workload=UNKNOWN_OF_FLOW, status=2).err
    assert len(err.splitlines()) == 2
    for word in ("<My_Extra_A>", "<My_Extra_B>", "<My_Extra_C>", "--ignore-unknown"):
        assert word in err


def test_unknown_tags_can_be_ignored_as_mqsim_does(run: Run) -> None:
    answer = run("--ignore-unknown", device=UNKNOWN, workload=UNKNOWN_OF_FLOW)
    assert found(answer) == found(run())
    warnings = " ".join(answer.json["warnings"])
    assert [f"canaletto: {warning}" for warning in answer.json["warnings"]] == answer.err.splitlines()[:-1]
    for word in ("<My_Extra_A>", "<My_Extra_B>", "<My_Extra_C>"):
        assert word in warnings
    assert run("--ignore-unknown").json["warnings"] == []


CHIPS = "<Chip_IDs>0,1,2,3,4,5,6,7"
SAME: dict[str, tuple[str, Change]] = {
    "a comma at the end": ("workload", (CHIPS, CHIPS + ",")),
    "blanks among numbers": ("workload", (CHIPS, "<Chip_IDs> 0, 1,2 ,3,4,5,6,7 ")),
    "words in capitals": ("workload", ("TURNED_OFF", "turned_off")),
    "a flag": ("workload", (">true<", ">TRUE<")),
    "ends of lines": ("device", ("\n", "\r\n")),
    "comments": ("workload", ("<IO_Scenario>", "<IO_Scenario><!-- <Bandwidth>1</Bandwidth> -->")),
    "a byte order mark": ("device", ("<?xml", "\ufeff<?xml")),
    "another encoding named": ("device", ("us-ascii", "UTF-8")),
}


@pytest.mark.parametrize("name", SAME)
def test_writing_makes_no_difference(name: str, run: Run) -> None:
    file, change = SAME[name]
    answer = run(**{file: change})
    assert found(answer) == found(run())
    assert answer.json["warnings"] == []


READ_AS = {
    "Channel_Transfer_Rate": ("200", "166.9", "166"),
    "IO_Queue_Depth": ("65535", "65552", "16"),
}
"""By tag of the device: what the file has, what is written instead, and what that is read as."""


@pytest.mark.parametrize("tag", READ_AS)
def test_numbers_are_read_as_mqsim_reads_them(tag: str, run: Run) -> None:
    before, written, meant = (f"<{tag}>{value}<" for value in READ_AS[tag])
    deep = (">1</Average_No_of_Reqs", ">64</Average_No_of_Reqs")
    answer = run(device=(before, written), workload=deep)
    assert found(answer) == found(run(device=(before, meant), workload=deep)) != found(run(workload=deep))
    (warning,) = answer.json["warnings"]
    for word in (f"<{tag}>", *READ_AS[tag][1:]):
        assert word in warning


def test_intensity_stands_for_bandwidth(run: Run) -> None:
    timed = ("QUEUE_DEPTH", "BANDWIDTH")
    assert found(run(workload=timed)) != found(run())
    assert found(run(workload=timed, also=("Bandwidth>", "Intensity>"))) == found(run(workload=timed))


def test_rates_above_1000_are_told_and_can_be_simulated(run: Run) -> None:
    stated = ("<Channel_Transfer_Rate>200<", "<Channel_Transfer_Rate>1200<")
    as_mqsim = run(device=stated)
    (warning,) = as_mqsim.json["warnings"]
    assert "1200" in warning
    assert "fabric.beat_time" in warning
    physical = run("--set", "fabric.beat_time=exact", device=stated)
    assert physical.json["warnings"] == []
    times = [found(each)["flows"][0]["device_response_ns"]["min"] for each in (as_mqsim, physical)]
    assert times[0] < times[1]
    assert found(as_mqsim)["class"] == "exact"
    assert found(physical)["class"] == "close"
    assert "set" in " ".join(found(physical)["why"])


def test_the_class_is_printed(run: Run, canaletto: Canaletto) -> None:
    run()
    assert "exact" in canaletto.ok("mqsim", *FILES).out
    changed = canaletto.ok("mqsim", *FILES, "--set", "fabric.beat_time=exact").out
    assert "close" in changed
    canaletto.refuses("mqsim", *FILES, "--set", "fabric.no_such=1", says=("fabric.no_such",))


@pytest.fixture
def replay(shared: Path, tmp_path: Path, canaletto: Canaletto) -> Callable[..., dict[str, Any]]:
    case = shared / "cases" / "mqsim-tables" / "s01"

    def run_trace(lines: list[str], path: str = "t.trace", named: str = "t.trace") -> dict[str, Any]:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("\n".join(lines) + "\n")
        (tmp_path / "files").mkdir(exist_ok=True)
        for name in ("ssdconfig.xml", "workload.xml"):
            (tmp_path / "files" / name).write_text((case / name).read_text().replace("traces/t<", f"{named}<"))
        files = ["-i", "files/ssdconfig.xml", "-w", "files/workload.xml"]
        answer = canaletto.ok("mqsim", *files, "--json", "--completions", "done.csv", "--force")
        flow = answer.json["scenarios"][0]["flows"][0]
        return {**flow, "completions": (tmp_path / "done.csv").read_text()}

    return run_trace


def test_types_and_times_of_traces(replay: Callable[..., dict[str, Any]]) -> None:
    plain = ["1000 0 0 8 1", "2000 0 800 8 0", "3000 0 1600 8 1"]
    forked = ["1000.9 0 0 8 2", "2000.5 0 800 8 0", "3e3 0 1600 8 7"]
    expected = replay(plain)
    assert [expected["reads"], expected["writes"]] == [2, 1]
    assert expected["name"] == "Host.IO_Flow.Trace.t.trace"
    assert replay(forked[:2])["completions"] == replay(plain[:2])["completions"]
    assert replay(["3000 2 1600 512 7"])["reads"] == 1


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("files/t.trace", "./t.trace"),
        ("files/t.trace", "t.trace"),
        ("traces/t.trace", "traces/t.trace"),
        ("traces/t.trace", "./traces/t.trace"),
        ("traces/t.trace", "traces\\t.trace"),
        ("files/t.trace", ".\\t.trace"),
    ],
)
def test_traces_are_found(path: str, named: str, replay: Callable[..., dict[str, Any]]) -> None:
    assert replay(["1000 0 0 8 1"], path, named)["completed"] == 1
