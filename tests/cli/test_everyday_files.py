import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from canaletto import traces
from canaletto._io import fio
from canaletto_extras.calibrating import fio_results, latency_log
from conftest import Canaletto

COUNT = 40
DRIVE = "performance-optimized"


def rows(kinds: str) -> list[tuple[float, str, int, int]]:
    return [(number / 1000, kinds[number % len(kinds)], number * 4096, 4096) for number in range(COUNT)]


def arrivals(path: Path, **read: Any) -> pl.DataFrame:
    return traces.frame(path, read=read)


def expected(kinds: str) -> list[tuple[int, int, int, str]]:
    names = {"R": "read", "W": "write"}
    return [(round(time * 1e9), offset, size, names[kind]) for time, kind, offset, size in rows(kinds)]


def told(frame: pl.DataFrame) -> list[tuple[int, int, int, str]]:
    columns = frame.with_columns(pl.col("arrival_ns") - pl.col("arrival_ns").min(), pl.col("kind").cast(pl.String))
    return columns.select("arrival_ns", "offset_bytes", "bytes", "kind").rows()


Text = Callable[[Any], str]
TIMES: dict[str, Text] = {
    "plain": lambda s: f"{s:.6f}",
    "exponent": lambda s: f"{s:.3e}",
    "capital": lambda s: f"{s:.3E}",
    "iso": lambda s: f"2024-05-06T07:08:09.{round(s * 1e6):06d}",
    "utc": lambda s: f"2024-05-06 07:08:09.{round(s * 1e6):06d}Z",
    "zone": lambda s: f"2024-05-06T07:08:09.{round(s * 1e6):06d}+02:00",
}
KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "letters": ("", {"R": "R", "W": "W"}),
    "words": ("", {"R": "Read", "W": "Write"}),
    "short": ("", {"R": "RD", "W": "WR"}),
    "kernel": ("", {"R": "RA", "W": "WS"}),
    "digits": (":read=0", {"R": "0", "W": "1"}),
    "other digits": (":read=1", {"R": "1", "W": "0"}),
    "scsi": (":read=28|88:write=2A", {"R": "28", "W": "2a"}),
    "own": (":write=put:read=get", {"R": "GET", "W": "put"}),
}


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("time", TIMES)
def test_columns_of_any_program_are_read(time: str, kinds: str, tmp_path: Path) -> None:
    rng = random.Random(f"{time} {kinds}")
    separator, comma = rng.choice([(",", False), (";", True), (";", False), ("\t", True), ("|", False)])
    number = rng.choice([hex, str, lambda n: f"{n:.9e}"])
    order = rng.sample(["ts", "rw", "offset", "len"], 4)
    map_, words = KINDS[kinds]
    lines = ["made by a tool", "# of someone, somewhere"][: rng.randrange(3)]
    lines.append(separator.join(order))
    for seconds, kind, offset, size in rows("WR"):
        at = TIMES[time](seconds)
        cells = {
            "ts": at.replace(".", ",") if comma else at,
            "rw": words[kind],
            "offset": number(offset),
            "len": number(size),
        }
        lines.append(separator.join(cells[name] for name in order))
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    unit = "" if "-" in TIMES[time](0.0)[:5] else ":s"
    found = arrivals(tmp_path / "t.csv", columns=f"time=ts{unit},offset=offset,size=len,kind=rw{map_}")
    assert told(found) == expected("WR")


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("header", [True, False])
def test_one_kind_stands_for_all(kind: str, header: bool, canaletto: Canaletto) -> None:
    lines = ["LBA,IO_SIZE,TIME"] if header else []
    lines += [f"{offset // 512},{size // 512},{time}" for time, _, offset, size in rows("R")]
    (canaletto.folder / "t.csv").write_text("\n".join(lines))
    names = ("TIME", "LBA", "IO_SIZE") if header else ("#3", "#1", "#2")
    columns = "time={}:s,offset={}:sectors,size={}:sectors,kind=".format(*names) + kind
    assert told(arrivals(canaletto.folder / "t.csv", columns=columns)) == expected(kind[0].upper())
    found = canaletto.ok("run", DRIVE, "--workload", "t.csv", "--columns", columns, "--json").json
    assert found["requests"][f"{kind}s"] == COUNT
    canaletto.ok("trace", "convert", "t.csv", "own.csv", "--to", "csv", "--columns", columns)
    assert told(arrivals(canaletto.folder / "own.csv")) == expected(kind[0].upper())


def test_columns_that_are_missing_are_named_with_those_there_are(canaletto: Canaletto) -> None:
    (canaletto.folder / "t.csv").write_text("a title\nlba,rw,t,n\n" + "8,R,0.001,8\n" * 20)
    info = ("trace", "info", "t.csv", "--columns")
    said = canaletto.refuses(*info, "time=when:s,offset=lba,size=bytes,kind=rw")
    assert 'no column "when", "bytes"; the columns are lba, rw, t, n' in said
    canaletto.refuses(*info, "time=#9:s,offset=#1,size=#2,kind=#3", says=("no column #9", "the columns are"))


def test_an_unknown_format_shows_its_line_and_an_example_that_works(canaletto: Canaletto) -> None:
    for header, line in (("ts,rw,offset,len", "0.{:03d},R,{},4096"), ("LBA;SIZE;TIME", "{1};8;0,{0:03d}")):
        lines = [header, *(line.format(number, number * 4096) for number in range(COUNT))]
        (canaletto.folder / "t.csv").write_text("\n".join(lines))
        said = canaletto.refuses(
            "trace", "info", "t.csv", says=("no format that is known", f'"{header}"', "--columns ")
        )
        found = canaletto.ok("trace", "info", "t.csv", "--columns", said.rpartition("--columns ")[2], "--json").json
        assert (found["requests"], found["reads"]) == (COUNT, COUNT)


SCALES = {"s": 10**9, "ms": 10**6, "us": 1000, "100ns": 100, "ns": 1}


@pytest.mark.parametrize(
    ("line", "own", "meant"),
    [
        ("1,{time},28,4096,{lba}", "us", "s"),
        ("1,{time},28,4096,{lba}", "us", "ms"),
        ("{time},hm,0,Read,{offset},4096,9", "100ns", "s"),
        ("{time},hm,0,Read,{offset},4096,9", "100ns", "ms"),
        ("7,R,{offset},4096,{time}", "us", "s"),
    ],
)
def test_a_doubtful_unit_of_time_is_asked_for(line: str, own: str, meant: str, canaletto: Canaletto) -> None:
    """Several requests per tick of the clock."""
    ticks = [5_633_898 + number // 3 for number in range(60)]
    places = [{"time": tick, "lba": n * 8, "offset": n * 4096} for n, tick in enumerate(ticks)]
    (canaletto.folder / "t.csv").write_text("\n".join(line.format(**place) for place in places))
    for words in (("trace", "info", "t.csv"), ("run", DRIVE, "--workload", "t.csv"), ("trace", "fit", "t.csv")):
        said = canaletto.refuses(*words, says=(f"times in {own}", f"--time-unit {own} if that is right", f"{meant} ("))
    assert "million per second" in said
    for unit in (meant, own):
        frame = arrivals(canaletto.folder / "t.csv", time_unit=unit)
        assert frame["arrival_ns"][-1] - frame["arrival_ns"][0] == (ticks[-1] - ticks[0]) * SCALES[unit]
    canaletto.ok("trace", "info", "t.csv", "--time-unit", meant)


@pytest.mark.parametrize(("times", "meant"), [("{:.3f}", "s"), ("{:.3e}", "s"), ("{:.0f}", "s")])
def test_a_csv_without_a_unit_of_time_is_asked_for_it(times: str, meant: str, canaletto: Canaletto) -> None:
    step = 1 if times == "{:.0f}" else 0.001
    lines = [f"{times.format(number * step)},R,{number * 4096},4096" for number in range(COUNT)]
    (canaletto.folder / "t.csv").write_text("\n".join(["ts,rw,offset,len", *lines]))
    columns = ("--columns", "time=ts,offset=offset,size=len,kind=rw")
    canaletto.refuses("trace", "info", "t.csv", *columns, says=("--time-unit ns if that is right", f"{meant} ("))
    found = canaletto.ok("trace", "info", "t.csv", *columns, "--time-unit", meant, "--json").json
    assert found["requests"] == COUNT
    canaletto.ok("run", DRIVE, "--workload", "t.csv", *columns, "--time-unit", meant)
    canaletto.ok("trace", "info", "t.csv", "--columns", f"time=ts:{meant},offset=offset,size=len,kind=rw")


def test_traces_slower_than_a_request_per_minute_are_asked_for_the_unit(canaletto: Canaletto) -> None:
    lines = [f"{number * 10**9},hm,0,Read,0,4096,9" for number in range(COUNT)]
    (canaletto.folder / "t.csv").write_text("\n".join(lines))
    canaletto.refuses(
        "trace", "info", "t.csv", says=("one request in 2 minutes", "--time-unit 100ns if that is right", "ns (")
    )
    canaletto.ok("trace", "info", "t.csv", "--time-unit", "ns")


def test_a_plausible_unit_is_not_asked_for(tmp_path: Path) -> None:
    """Bursts, single instants and few requests are usual."""
    for times in ([0] * 50, [0] * 9 + [10**9], [number // 40 * 10**7 for number in range(200)], range(5)):
        (tmp_path / "t.csv").write_text("".join(f"{time},hm,0,Read,0,4096,9\n" for time in times))
        assert arrivals(tmp_path / "t.csv").height == len(times)


@pytest.mark.parametrize("queue", [False, True])
@pytest.mark.parametrize("leading", [False, True])
def test_biosnoop_is_read(queue: bool, leading: bool, canaletto: Canaletto) -> None:
    lines = ["Tracing block device I/O... Hit Ctrl-C to end."] if leading else []
    lines.append(f"TIME(s)     COMM           PID     DISK    T SECTOR     BYTES  {'QUE(ms) ' * queue}LAT(ms)")
    for number, (time, kind, offset, size) in enumerate(rows("WR")):
        command = ("fio", "Chrome IO", "kworker/u8:1", "jbd2/nvme0n1-8")[number % 4]
        where = f"nvme0n1 {kind}{'S' * (number % 3 == 0)} {offset // 512:<10} {size}"
        lines.append(f"{time:<11.6f} {command:<14} {number + 1:<6} {where} {'9.99 ' * queue}0.10")
    (canaletto.folder / "b.txt").write_text("\n".join(lines) + "\n")
    assert told(arrivals(canaletto.folder / "b.txt")) == expected("WR")
    assert canaletto.ok("trace", "info", "b.txt", "--json").json["format"] == "biosnoop"
    canaletto.ok("run", DRIVE, "--workload", "b.txt")
    columns = "time=TIME(s):s,offset=SECTOR:sectors,size=BYTES,kind=T"
    plain = [line.replace("Chrome IO", "ChromeIO") for line in lines]
    (canaletto.folder / "b.txt").write_text("\n".join(plain) + "\n")
    assert told(arrivals(canaletto.folder / "b.txt", columns=columns)) == expected("WR")


@pytest.mark.parametrize("runs", [2, 3, 5])
@pytest.mark.parametrize("between", ["", "fio version 3 iolog\n", "0 /dev/sda close\n0 /dev/sda open\n"])
def test_runs_of_an_iolog_follow_each_other(runs: int, between: str, canaletto: Canaletto) -> None:
    times = [20, 21, 22, 1_000_001, 1_000_003]
    run = "".join(f"{time} /dev/sda read {time * 4096} 4096\n" for time in times)
    (canaletto.folder / "l.log").write_text("fio version 3 iolog\n0 /dev/sda add\n" + between.join([run] * runs))
    found = canaletto.ok("trace", "info", "l.log", "--json").json
    assert (found["requests"], found["lines"]["clock_restarts"]) == (5 * runs, runs - 1)
    expected_us = [number * times[-1] + time for number in range(runs) for time in times]
    assert arrivals(canaletto.folder / "l.log")["arrival_ns"].to_list() == [time * 1000 for time in expected_us]
    said = "its clock starts again"
    assert said in canaletto.ok("trace", "info", "l.log").out
    assert said in canaletto.ok("run", DRIVE, "--workload", "l.log").out


def run_job(canaletto: Canaletto, text: str, *words: str) -> dict[str, Any]:
    (canaletto.folder / "j.fio").write_text(text)
    answer: dict[str, Any] = canaletto.ok("run", DRIVE, "--workload", "j.fio", *words, "--json").json
    return answer


@pytest.mark.parametrize("comment", [" ; comment", "\t# comment", ";", " # a=b ; c"])
def test_comments_may_follow_values(comment: str) -> None:
    plain = "[j]\nrw=randread\nbs=4k\nsize=1g\ndirect=1\nnrfiles=1\n"
    commented = "\n".join(line + comment for line in plain.splitlines())
    assert fio.workload(commented, "j.fio") == fio.workload(plain, "j.fio")


def test_one_file_is_no_matter_and_several_are() -> None:
    fio.workload("[j]\nsize=1m\nnrfiles=1\n", "j.fio")
    with pytest.raises(cn.ConfigError, match=r"j\.fio:3: nrfiles: got '2', expected 1: a device has no files"):
        fio.workload("[j]\nsize=1m\nnrfiles=2\n", "j.fio")


@pytest.mark.parametrize(("size", "share"), [("", 1.0), ("size=50%\n", 0.5), ("size=0\n", 1.0)])
@pytest.mark.parametrize("bs", ["64k", "1m"])
def test_a_job_without_size_has_the_drives(size: str, share: float, bs: str, canaletto: Canaletto) -> None:
    job = f"[global]\nfilename=/dev/nvme0n1\ndirect=1\n[fill]\nrw=write\nbs={bs}\nioengine=libaio\niodepth=16\n{size}"
    (canaletto.folder / "j.fio").write_text(job)
    small = ["--set", "geometry.blocks_per_plane=32", "--set", "geometry.pages_per_block=16"]
    dry = canaletto.ok("run", DRIVE, "--workload", "j.fio", *small, "--dry-run", "--json").json
    unit = {"64k": 65536, "1m": 1 << 20}[bs]
    whole = canaletto.ok("run", DRIVE, "--workload", "j.fio", *small, "--json")
    assert "the drive's" in whole.err
    assert abs(whole.json["requests"]["writes"] - dry["logical_bytes"] * share / unit) <= 1
    with pytest.raises(cn.ConfigError, match="no end, expected size, number_ios or runtime"):
        fio.workload(job, "j.fio")


def test_steps_are_chosen_by_name(canaletto: Canaletto) -> None:
    jobs = "[a]\nrw=read\nsize=1m\n{}[b]\nrw=randwrite\nsize=2m\n{}[c]\nrw=randwrite\nsize=1m\n{}"
    for first, second, third in itertools.product(("", "stonewall\n"), repeat=3):
        (canaletto.folder / "j.fio").write_text(jobs.format(first, second, third))
        run = ("run", DRIVE, "--workload", "j.fio")
        steps = [["a"]]
        for name, waits in (("b", second), ("c", third)):
            steps = [*steps, [name]] if waits else [*steps[:-1], [*steps[-1], name]]
        if len(steps) > 1:
            canaletto.refuses(*run, says=("stonewall", *(f"--job {','.join(step)}" for step in steps)))
        for step in steps:
            found = canaletto.ok(*run, "--job", ",".join(step), "--json").json
            assert [flow["name"] for flow in found["flows"]] == step
            with pytest.warns(UserWarning, match="page cache"):
                work = cn.workload(canaletto.folder / "j.fio", job=",".join(step))
            assert [flow["name"] for flow in work.to_dict()["flow"]] == step
    canaletto.refuses(*run, "--job", "aa", says=("no job 'aa'", "did you mean 'a'?", "a, b, c"))
    canaletto.refuses("run", DRIVE, "--workload", "hm_0", "--job", "a", says=("hm_0", "expected a fio job file"))


@pytest.mark.parametrize("count", [65, 128, 200])
def test_many_processes_are_one_flow(count: int, canaletto: Canaletto) -> None:
    job = f"[j]\nrw=randread\nsize=1m\ndirect=1\nioengine=libaio\niodepth=2\nnumber_ios=10\nnumjobs={count}\n"
    found = run_job(canaletto, job)
    assert (found["requests"]["reads"], len(found["flows"])) == (10 * count, 1)
    text, notes = fio.workload(job, "j.fio")
    assert f"queue_depth = {2 * count}" in text
    assert any(f"{count} processes" in note for note in notes)
    with pytest.raises(cn.ConfigError, match="cannot be joined"):
        fio.workload(job.replace("randread", "read"), "j.fio")
    two = "[a]\nrw=randread\nsize=1m\nnumjobs=40\n[b]\nrw=randread\nsize=1m\nnumjobs=40\n"
    assert fio.workload(two, "j.fio")[0].count("[[flow]]") == 2


@pytest.mark.parametrize("line", ["size=${SIZE}", "bs=$pagesize", "rw=${RW}", "iodepth=${D}", "ioengine=${E}"])
def test_variables_are_not_expanded(line: str) -> None:
    with pytest.raises(cn.ConfigError, match=r"j\.fio:4: \w+: got .* variables are not expanded: expected the value"):
        fio.workload(f"[j]\nsize=1m\nrw=randread\n{line}\n", "j.fio")
    fio.workload("[j]\nsize=1m\nfilename=${DEV}\n", "j.fio")


@pytest.mark.parametrize("runtime", ["1ms", "1s", "60s", "1h"])
def test_a_closed_loop_that_ends_by_the_clock_is_looked_at_in_part(runtime: str, canaletto: Canaletto) -> None:
    job = f"[j]\nrw=randread\nioengine=libaio\niodepth=16\ntime_based\nruntime={runtime}\nsize=1g\ndirect=1\n"
    (canaletto.folder / "j.fio").write_text(job)
    found = canaletto.ok("trace", "info", "j.fio", "--json").json
    assert found["requests"] == min(20_000 if runtime == "1ms" else 10**12, traces.CLOSED)
    if runtime != "1ms":
        assert "ends by the clock" in found["bounded"]
        assert "ends by the clock" in canaletto.ok("trace", "info", "j.fio").out


OPTIONS = {"rw": "randread", "bs": "4k", "iodepth": 4, "ioengine": "libaio", "direct": 1}


@pytest.mark.parametrize("step", [10, 100, 500, 1000, 5000])
@pytest.mark.parametrize("size", [0, 4096])
@pytest.mark.parametrize("jitter", [0, 1])
def test_averaged_logs_are_no_distribution(step: int, size: int, jitter: int) -> None:
    rng = random.Random(step)
    times = [number * step + rng.randint(0, jitter) for number in range(1, 201)]
    log = "\n".join(f"{time}, {80_000 + number * 10}, 0, {size}, 0, 0" for number, time in enumerate(times))
    with pytest.raises(cn.ConfigError, match="log_avg_msec"):
        latency_log.points(log, "a_lat.log", OPTIONS)


@pytest.mark.parametrize("mean_us", [80, 500, 8000])
def test_single_latencies_are_a_distribution(mean_us: int) -> None:
    rng = random.Random(mean_us)
    for spread in (0.0, 0.5):
        now, lines = 0.0, []
        for _ in range(300):
            latency = mean_us * (1 + spread * rng.uniform(-1, 1))
            now += latency / 4
            lines.append(f"{int(now / 1000)}, {round(latency * 1000)}, 0, 4096, {rng.randrange(1000) * 4096}, 0")
        (point,) = latency_log.points("\n".join(lines), "a_lat.log", OPTIONS)
        assert len(point.latencies_us) == 300


def fio_result(**changes: Any) -> dict[str, Any]:
    lat = {"min": 10050, "max": 39208, "mean": 14819.0} | changes.get("lat", {})
    cuts = {"10.000000": 14000, "50.000000": 14200, "90.000000": 15000, "99.000000": 39000} | changes.get("cuts", {})
    clat = {"mean": 14500.0, "max": 38900} | changes.get("clat", {})
    side = {"total_ios": 1000, "iops": 264672.0, "lat_ns": lat, "clat_ns": {**clat, "percentile": cuts}}
    options = {"rw": "randwrite", "bs": "4k", "iodepth": "4", "ioengine": "io_uring", "direct": "1", "size": "1g"}
    return {"jobs": [{"jobname": "q4", "error": 0, "job options": options, "write": side}]}


@pytest.mark.parametrize(
    "changes",
    [
        {"clat": {"mean": 25188040749.0}},
        {"clat": {"mean": 15_900.0}},
        {"clat": {"max": 39_208_000}},
        {"cuts": {"99.000000": 17112760320}},
        {"cuts": {"90.000000": 13_000}},
        {"lat": {"max": 10**9}, "cuts": {"50.000000": 40_000, "90.000000": 40_000, "99.000000": 40_000}},
    ],
)
def test_latencies_that_contradict_each_other_are_refused(changes: dict[str, Any]) -> None:
    assert fio_results.points(json.dumps(fio_result()), "r.json")
    with pytest.raises(cn.ConfigError, match=r"^r\.json: job 'q4': write: .* fio 3\.32"):
        fio_results.points(json.dumps(fio_result(**changes)), "r.json")


@pytest.mark.parametrize("before", ["", "fio: terminating on signal 2\n", "note: {odd} text\n{\n", '{"other": [1]}\n'])
@pytest.mark.parametrize("after", ["", "\nq4: (groupid=0, jobs=1): err= 0: pid=1\n", "\n}\n", "\n{ cut"])
@pytest.mark.parametrize("indent", [None, 1, 2])
def test_json_is_found_in_text(before: str, after: str, indent: int | None) -> None:
    text = before + json.dumps(fio_result(), indent=indent) + after
    assert fio_results.points(text, "r.json") == fio_results.points(json.dumps(fio_result()), "r.json")


def test_the_last_of_several_results_counts() -> None:
    """Output of --status-interval: each has all until then."""
    first, last = fio_result(), fio_result(lat={"mean": 15_000.0})
    found = fio_results.points("\n".join(json.dumps(each) for each in (first, last)), "r.json")
    assert found[0].statistics["mean_us"] == 15.0
