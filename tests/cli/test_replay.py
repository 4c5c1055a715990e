import json
from pathlib import Path
from typing import Any

import pytest

# A request every 3 µs, reads and writes of 4 KiB.
TRACE = "".join(f"{n * 3000} 0 {n % 50 * 8} 8 {n % 2}\n" for n in range(200))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    (tmp_path / "t.trace").write_text(TRACE)
    return tmp_path / "t.trace"


def stream(canaletto: Any, *words: object) -> Any:
    (found,) = canaletto.ok("run", "performance-optimized", "--workload", *words, "--json").json["replays"]
    return found


def test_recorded_times_are_the_default(canaletto: Any, trace: Path) -> None:
    found = stream(canaletto, trace)
    assert (found["pace"], found["requests"], found["inter_arrival_us"]) == ("recorded", 200, 3.0)
    assert found["traces"][0] == {
        "file": str(trace),
        "requests": 200,
        "passes": 1,
        **dict.fromkeys(("skipped", "not_sampled", "wrapped", "scaled"), 0),
        "recorded_inter_arrival_us": 3.0,
        "inter_arrival_us": 3.0,
        "speed": 1.0,
    }


@pytest.mark.parametrize(("option", "given", "gap_us"), [("--speed", "2.5", 1.2), ("--inter-arrival", "12us", 12.0)])
def test_times_are_scaled(option: str, given: str, gap_us: float, canaletto: Any, trace: Path) -> None:
    found = stream(canaletto, trace, option, given)
    assert found["inter_arrival_us"] == pytest.approx(gap_us, rel=1e-9)
    (of_trace,) = found["traces"]
    assert of_trace["speed"] == pytest.approx(3 / gap_us)
    # The last request arrives after 199 gaps.
    result = canaletto.ok("run", "performance-optimized", "--workload", trace, option, given, "--json").json
    assert result["last_completion_us"] > 199 * gap_us


def test_as_fast_as_possible_is_faster_than_recorded(canaletto: Any, trace: Path) -> None:
    run = ["run", "performance-optimized", "--workload", trace, "--json"]
    recorded, fastest = (canaletto.ok(*run, *more).json for more in ([], ["--as-fast-as-possible"]))
    assert fastest["replays"][0]["pace"] == "as-fast-as-possible"
    assert fastest["replays"][0]["inter_arrival_us"] is None
    assert fastest["requests"]["completed"] == 200
    assert fastest["execution_time_us"] < 0.8 * recorded["execution_time_us"]
    # All but those in the submission queue wait outside the drive.
    assert fastest["device_response_us"]["mean"] <= fastest["latency_us"]["all"]["mean"]


def test_parts_samples_and_repetitions_are_counted(canaletto: Any, trace: Path) -> None:
    found = stream(canaletto, trace, "--after", "30us", "--until", "330us", "--skip", 10, "--every", 3, "--repeat", 2)
    (part,) = found["traces"]
    assert (part["requests"], part["passes"], part["skipped"], part["not_sampled"]) == (60, 2, 40, 120)
    assert part["recorded_inter_arrival_us"] == part["inter_arrival_us"] == 9.0
    shares = [stream(canaletto, trace, "--sample", "0.5", "--seed", seed)["requests"] for seed in (1, 1, 2)]
    assert shares[0] == shares[1] != shares[2]
    # Five standard deviations of a binomial distribution.
    assert all(abs(share - 100) < 36 for share in shares)


def test_people_are_told_within_80_columns(canaletto: Any, trace: Path) -> None:
    words = ["--speed", "2", "--skip", "50", "--sample", "0.5", "--repeat", "3"]
    text = canaletto.ok("run", "performance-optimized", "--workload", trace, *words).out
    assert max(map(len, text.splitlines())) <= 80
    told = " ".join(text.split())
    for part in ("t.trace: at 2.00× the recorded speed", "150 requests skipped", "replayed 3 times"):
        assert part in told


def test_a_mix_is_one_stream(canaletto: Any, trace: Path) -> None:
    (trace.parent / "other.trace").write_text(TRACE.replace("3000", "3001"))
    (trace.parent / "w.toml").write_text(
        'name = "w"\n[[flow]]\nname = "both"\n[[flow.mix.trace]]\nfile = "t.trace"\n'
        '[[flow.mix.trace]]\nfile = "other.trace"\noffset = "1MiB"\nspeed = 2\n'
    )
    found = stream(canaletto, "w.toml")
    assert [part["requests"] for part in found["traces"]] == [200, 200]
    assert [part["inter_arrival_us"] for part in found["traces"]] == [3.0, 1.5]
    assert found["inter_arrival_us"] == pytest.approx(199 * 3 / 399)
    few = stream(canaletto, "w.toml", "--requests", "30", "--queue-depth", "4")
    assert (few["requests"], few["queue_depth"]) == (30, 4)
    told = " ".join(canaletto.ok("run", "performance-optimized", "--workload", "w.toml").out.split())
    assert "400 requests of 2 traces as flow both, 1.50 µs between requests" in told


def test_a_frozen_mix_keeps_its_traces_and_repeats(canaletto: Any, trace: Path) -> None:
    (trace.parent / "w.toml").write_text(
        'name = "w"\n[[flow]]\nname = "both"\n' + '[[flow.mix.trace]]\nfile = "t.trace"\n' * 2
    )
    words = ["--inter-arrival", "2us", "--sample", "0.5", "--repeat", "2", "--out", "r"]
    canaletto.ok("run", "performance-optimized", "--workload", "w.toml", *words)
    assert [each["file"] for each in json.loads((trace.parent / "r" / "run.json").read_text())["traces"]] == [
        str(trace),
        str(trace),
    ]
    assert canaletto.ok("rerun", "r", "--json").json["identical"]
    assert "between requests" in (trace.parent / "r" / "report.html").read_text()


def test_synthetic_flows_are_scaled_together(canaletto: Any) -> None:
    run = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "500", "--json"]
    result = canaletto.ok(*run, "--inter-arrival", "5us").json
    scaling = result["time_scaling"]
    assert scaling["inter_arrival_us"] == 5.0
    assert scaling["speed"] == pytest.approx(scaling["given_inter_arrival_us"] / 5)
    plain = canaletto.ok(*run).json
    assert "time_scaling" not in plain
    assert result["execution_time_us"] < plain["execution_time_us"]


def test_compare_replays_alike(canaletto: Any, trace: Path) -> None:
    words = ["--fabrics", "bus,ideal", "--speed", "4", "--skip", "100", "--json"]
    runs = canaletto.ok("compare", "performance-optimized", "--workload", trace, *words).json["runs"]
    assert [run["replays"][0]["traces"][0]["speed"] for run in runs] == [4.0, 4.0]


WRONG = {
    "speed of 0": (["--speed", "0"], ["speed: got 0.0", "above 0"]),
    "negative speed": (["--speed", "-1"], ["speed: got -1.0", "above 0"]),
    "speed that is no number": (["--speed", "nan"], ["speed: got nan"]),
    "endless speed": (["--speed", "inf"], ["speed: got inf"]),
    "no unit": (["--inter-arrival", "5"], ["inter_arrival", 'got "5"', "with its unit"]),
    "no time at all": (["--inter-arrival", "0us"], ["inter_arrival: got 0"]),
    "no queue": (["--queue-depth", "0"], ["'--queue-depth': got 0, expected a whole number of at least 1"]),
    "no such use of devices": (["--devices", "some"], ["'--devices': 'some' is not one of 'ignore', 'offset'"]),
    "closed loop with times": (["--queue-depth", "4", "--inter-arrival", "5us"], ["queue_depth and inter_arrival"]),
    "closed loop with speed": (["--queue-depth", "4", "--speed", "2"], ["queue_depth and speed"]),
    "two speeds": (["--speed", "2", "--inter-arrival", "5us"], ["speed and inter_arrival"]),
    "two paces": (["--as-fast-as-possible", "--speed", "2"], ["as_fast_as_possible and speed"]),
    "sample of nothing": (["--sample", "0"], ["sample: got 0.0"]),
    "sample of too much": (["--sample", "1.5"], ["--sample", "got 1.5"]),
    "every none": (["--every", "0"], ["--every"]),
    "two samples": (["--every", "2", "--sample", "0.5"], ["sample", "given together with every"]),
    "no repetition": (["--repeat", "0"], ["--repeat"]),
    "negative skip": (["--skip", "-1"], ["--skip"]),
    "skipping everything": (["--skip", "200"], ["t.trace: none of its 200 requests is replayed"]),
    "start after end": (
        ["--after", "2s", "--until", "1s"],
        ['t.trace: flow.0.trace.after: got "2s" with until = "1s"'],
    ),
    "start after the last": (["--after", "1s"], ["none of its 200 requests is replayed"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused(case: str, canaletto: Any, trace: Path) -> None:
    words, says = WRONG[case]
    canaletto.refuses("run", "performance-optimized", "--workload", trace, *words, says=tuple(says))


def test_a_workload_without_traces_or_times_says_so(canaletto: Any) -> None:
    run = ["run", "performance-optimized", "--workload", "hm_0"]
    canaletto.refuses(*run, "--speed", "2", says=("hm_0: got speed = 2.0", "replays a trace"))
    canaletto.refuses(*run, "--inter-arrival", "5", says=('hm_0: inter_arrival: got "5", expected a time',))
    closed = ["--set", "workload.inter_arrival=5us", "--queue-depth", "4"]
    assert "time_scaling" not in canaletto.ok(*run, "--requests", "50", *closed, "--json").json


def test_a_pipe_cannot_be_read_twice(trace: Path) -> None:
    import subprocess

    from conftest import COMMAND

    script = f"{COMMAND} run performance-optimized --workload <(cat {trace}) --inter-arrival 5us"
    piped = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert piped.returncode == 2
    assert "not a regular file" in piped.stderr
