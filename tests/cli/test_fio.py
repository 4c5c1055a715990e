import re
import tomllib
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto._io import fio

JOB = """
; what all jobs share
[global]
ioengine=libaio
direct=1
filename=/dev/nvme0n1
group_reporting
size=64m

[readers]
rw=randread
bssplit=4k/60:64k/40
iodepth=8
numjobs=2
norandommap
random_distribution=zipf:1.1
number_ios=300

[log]
rw=write
bs=16k
offset=1g
fsync=10
number_ios=100
"""


def mix(shares: dict[int, float]) -> list[dict[str, Any]]:
    return [{"size": f"{size}B", "share": share} for size, share in shares.items()]


def keys(job: str) -> dict[str, Any]:
    text, _ = fio.workload(f"[job]\ndirect=1\nioengine=libaio\nnorandommap\n{job}", "job.fio")
    (flow,) = tomllib.loads(text)["flow"]
    cn.Workload.from_toml(text, "job.fio")
    return dict(flow["synthetic"])


def test_a_job_file_runs(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(JOB)
    answer = canaletto.ok("run", "performance-optimized", "--workload", "job.fio", "--json")
    flows = {flow["name"]: flow["requests"] for flow in answer.json["flows"]}
    assert set(flows) == {"readers.0", "readers.1", "log"}
    assert (flows["readers.0"]["reads"], flows["log"]["writes"] + flows["log"]["flushes"]) == (300, 110)
    assert 0 < flows["log"]["flushes"] < 30
    assert "no effect on a device: filename, group_reporting" in answer.err
    assert answer.err.count("\n") == 1
    found = canaletto.ok("trace", "info", "job.fio", "--json").json
    assert found["requests"] == 710
    canaletto.ok("compare", "performance-optimized", "--workload", "job.fio", "--fabrics", "bus,ideal")


def test_zones_and_handles() -> None:
    zoned = "zonemode=zbd\nsize=64m\nnumber_ios=9\niodepth=4\n"
    appends = keys(f"rw=randwrite\nzone_append=1\nmax_open_zones=3\n{zoned}")
    assert (appends["zone_work"], appends["zones"], appends["read_share"]) == ("append", 3, 0.0)
    assert keys(f"rw=randwrite\n{zoned}")["zone_work"] == "write"
    assert keys(f"rw=trim\n{zoned}")["zone_work"] == "reset"
    assert "zone_work" not in keys(f"rw=randread\n{zoned}")
    with pytest.raises(cn.ConfigError, match="expected two jobs with zonemode=zbd"):
        keys(f"rw=randrw\n{zoned}")
    text, _ = fio.workload("[job]\nrw=write\nsize=1m\nfdp=1\nfdp_pli=3\n", "job.fio")
    assert tomllib.loads(text)["flow"][0]["handle"] == 3


def test_what_is_not_as_in_fio_is_a_warning_in_python(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text("[j]\nrw=randread\nsize=1m\niodepth=4\n")
    with pytest.warns(UserWarning, match="iodepth counts for nothing with ioengine=psync") as warned:
        work = cn.workload(tmp_path / "job.fio")
    assert len(warned) == 1
    assert work.to_dict()["flow"][0]["synthetic"]["queue_depth"] == 1
    assert any("page cache" in note for note in work.notes)


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ("rw=randread\nsize=1m", {"read_share": 1.0, "size": "4096B", "requests": 256, "working_set_size": "1048576B"}),
        ("rw=write\nsize=1m\nbs=8k", {"read_share": 0.0, "addresses": "sequential", "size": "8192B", "requests": 128}),
        ("rw=randrw\nrwmixread=70\nsize=50%\nruntime=2", {"working_set": 0.5, "stop": "2000000000000ps"}),
        ("rw=randrw\nrwmixwrite=70\nnumber_ios=9\nloops=3", {"read_share": 0.3, "requests": 9}),
        ("rw=randtrim\nnumber_ios=9\nbs=4k,8k,64k", {"trim_share": 1.0, "size": "65536B"}),
        ("rw=randrw\nnumber_ios=9\nbs=4k,8k", {"size": "4096B", "write_sizes": [{"size": "8192B", "share": 1.0}]}),
        ("rw=randread\nnumber_ios=9\nbsrange=4k-12k", {"sizes": mix({4096: 1.0, 8192: 1.0, 12288: 1.0})}),
        ("rw=randread\nnumber_ios=9\nbssplit=4k/60:8k/:16k/", {"sizes": mix({4096: 60.0, 8192: 20.0, 16384: 20.0})}),
        ("rw=randread\nnumber_ios=9\nrandom_distribution=pareto:0.2", {"addresses": "pareto", "hot_share": 0.2}),
        ("rw=randread\nnumber_ios=9\nrandom_distribution=zoned:80/20:20/80", {"hot_share": 0.2}),
        ("rw=randread\nnumber_ios=9\npercentage_random=25", {"sequential_share": 0.75}),
        ("rw=randread\nnumber_ios=9\nrate_iops=1k", {"inter_arrival": f"{10**12 // 1024}ps", "arrivals": "fixed"}),
        (
            "rw=randread\nnumber_ios=9\nrate_iops=1k\niodepth=8",
            {"inter_arrival": f"{10**12 // 1024}ps", "queue_depth": 8},
        ),
        ("rw=randread\nnumber_ios=9\nrate=4m\nrate_process=poisson", {"inter_arrival": f"{10**12 // 1024}ps"}),
        (
            "rw=randrw\nrwmixread=20\nnumber_ios=9\nrate_iops=2k,8k\nrate_process=poisson\niodepth=8",
            {"inter_arrival": "97656250ps", "read_share": 0.2, "queue_depth": 8, "arrivals": None},
        ),
        ("rw=randrw\nnumber_ios=9\nrate_iops=500\nrate_process=poisson", {"inter_arrival": f"{10**9}ps"}),
        ("rw=randread\nnumber_ios=9\nthinktime=20", {"queue_depth": 1, "think_time": f"{20 * 10**6}ps"}),
        ("rw=randwrite\nnumber_ios=9\nsync=1\nstartdelay=500ms", {"fua_share": 1.0, "start": f"{5 * 10**11}ps"}),
        ("rw=randwrite\nnumber_ios=100\nfsync=4", {"flush_share": 0.2, "requests": 125}),
        ("rw=randread\nsize=1m\nio_size=3m", {"requests": 768}),
        ("rw=randread\nsize=1m\ntime_based\nruntime=1ms", {"stop": f"{10**9}ps", "requests": 20_000}),
        ("rw=randread\nsize=1m\nba=64k\nbs=4k", {"alignment": "65536B"}),
        ("rw=randread\nsize=1m\nnumber_ios=0\nio_size=0\nruntime=0\nloops=2", {"requests": 512, "stop": None}),
        ("rw=randread\nsize=0\nnumber_ios=1e2\nfsync=0", {"requests": 100, "working_set_size": None}),
    ],
)
def test_options_become_keys(job: str, expected: dict[str, Any]) -> None:
    found = keys(job)
    assert {key: found.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ("[j]\nrw=write\nsize=4z\n", ("job.fio:3: size: got '4z'", "sizes in zones need zonemode=zbd")),
        ("[j]\nrw=write\nzonemode=zbd\nsize=4m\n", ("job.fio:3: zonemode: got 'zbd'", "the drive has no zones")),
        ("[j]\nrw=write\nzonemode=strided\nsize=4m\n", ("job.fio:3: zonemode", "none or zbd")),
        ("[j]\nrw=write\nzonesize=1m\nsize=4m\n", ("job.fio:3: zonesize", "with zonemode=zbd")),
        ("[j]\nrw=randread\nsize=1m\niodepth_low=3\n", ("job.fio:4", "iodepth_low", "no counterpart")),
        ("[j]\nrw=randsomething\nsize=1m\n", ("job.fio:2", "rw", "randread")),
        ("[j]\nsize=1m\n[k]\nstonewall\nsize=1m\n", ("job.fio:3", "stonewall", "--job j, --job k")),
        ("rw=read\n", ("job.fio:1", "before any section")),
        ("[j\n", ("job.fio:1", "[job1]")),
        ("; nothing\n[global]\nrw=read\n", ("no job",)),
        ("[j]\nsize=1m\nbs=1000\n", ("job.fio:3", "bs", "multiple of 512")),
        ("[j]\nsize=1x\n", ("job.fio:2", "size", "such as 4k")),
        ("[j]\nrw=randread\nsize=1m\nrandom_distribution=normal:5\n", ("job.fio:4", "zipf:THETA")),
        ("[j]\nrw=randrw\nsize=1m\nrate_iops=500\n", ("job.fio:4", "rate_iops", "counts reads and writes apart")),
        (
            "[j]\nrw=randrw\nsize=1m\nrate_process=poisson\nrate_iops=500,700\n",
            ("job.fio:5", "rate_iops", "expected 50% of it as reads"),
        ),
        ("[j]\nrw=read\nsize=1m\nioengine=libaio\niodepth=4\nthinktime=5\n", ("job.fio:6", "thinktime", "iodepth=1")),
        ("[j]\nread_iolog=x\nsize=1m\n", ("job.fio:2", "read_iolog", "as traces")),
        ("[j]\nsize=1m\nverify=crc32c\n", ("job.fio:3", "verify", "reads back")),
        ("[j]\nsize=1m\n[j]\nsize=1m\n", ("job.fio", "different names")),
        ("[j]\nsize=1m\nrandom_distribution=zipf:99\nrw=randread\n", ("zipf_exponent", "from 0 to 10")),
        ("[j]\nsize=1m\nruntime=soon\n", ("job.fio:3", "runtime", "30s")),
        ("include other.fio\n", ("job.fio:1", "include")),
        ("[j]\nsize=1m\nnumjobs=99999999999999999999\n", ("job.fio:3", "numjobs", "a whole number from 1 to 65536")),
        ("[j]\nsize=1m\nnumjobs=40\n[k]\nsize=1m\nnumjobs=40\n", ("job.fio:4", "got 80 processes", "at most 64")),
    ],
)
def test_what_has_no_counterpart_is_refused(job: str, says: tuple[str, ...], canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(job)
    canaletto.refuses("run", "performance-optimized", "--workload", "job.fio", says=says)


LONG = "9" * 400
NO_NUMBERS = ("inf", "nan", "1e400", "-1", "1_0", "٣", "x", LONG)


@pytest.mark.parametrize(
    ("key", "values", "allowed"),
    [
        ("numjobs", ("1.5", "0", "65537", *NO_NUMBERS), "a whole number from 1 to 65536"),
        ("iodepth", ("1.5", "0", "2m", *NO_NUMBERS), "a whole number from 1 to 1048576"),
        ("number_ios", ("1.5", "1e-320", *NO_NUMBERS), "a whole number from 0 to 1"),
        ("loops", ("1.5", "1e18", *NO_NUMBERS), "a whole number from 0 to "),
        ("fsync", ("1.5", "1e-320", *NO_NUMBERS), "a whole number from 0 to "),
        ("rwmixread", ("101", "99999999999999999999", *NO_NUMBERS), "a number from 0 to 100"),
        ("rwmixwrite", ("101", "1e300", *NO_NUMBERS), "a number from 0 to 100"),
        ("percentage_random", ("101", *NO_NUMBERS), "a number from 0 to 100"),
        ("random_distribution", ("zipf:nan", "zipf:1_0", "zoned:٨٠/20:20/٨٠"), "expected random, zipf:THETA"),
        ("rate", (LONG, "nan", "-1"), "a size such as 4k, below 8 EiB"),
        ("bs", (LONG, "8192p", "٤k"), "a size such as 4k, below 8 EiB"),
        ("size", (LONG, "nan"), "a size such as 4k, below 8 EiB"),
        ("size", ("٥%", "nan%"), "a percentage above 0"),
        ("offset", (LONG, "-1"), "a size such as 4k, below 8 EiB"),
        ("offset", ("1000",), "a multiple of 512"),
        ("io_size", (LONG,), "a size such as 4k, below 8 EiB"),
        ("runtime", (LONG, "2d", "-1", "٣"), "a time such as 30s or 500us, up to a day"),
        ("thinktime", (LONG, "inf"), "a time such as 30s or 500us, up to a day"),
        ("bssplit", ("4k/0", "4k/0:8k/0", "4k/200", "4k/60:8k/41"), "percentages whose sum is above 0 and up to 100"),
        ("bsrange", ("512-8000p", "8k-4k"), "up to 1024 multiples of its least"),
    ],
)
def test_numbers_out_of_bounds(key: str, values: tuple[str, ...], allowed: str) -> None:
    for value in values:
        job = f"[j]\nrw={'randrw' if 'mix' in key else 'randwrite'}\nsize=1m\n{key}={value}"
        with pytest.raises(cn.ConfigError, match=rf"^job\.fio:4: {key}: got '{re.escape(value)}', .*{allowed}"):
            fio.workload(job, "job.fio")


@pytest.mark.parametrize("value", ["nan", "1e-320", "1e13", "0", "-1"])
def test_rates_out_of_bounds(value: str) -> None:
    with pytest.raises(cn.ConfigError, match=rf"^job\.fio:3: rate_iops: got '{value}', expected a "):
        fio.workload(f"[j]\nsize=1m\nrate_iops={value}", "job.fio")
