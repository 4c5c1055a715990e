import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto_extras.calibrating import document, fio_results
from conftest import Canaletto

pytest.importorskip("optuna", reason="no Optuna (extra search)")

CALIBRATION = """
design = "pcie4-tlc"
trials = 1
requests = 1000

[ranges]
flash.read = ["40us", "60us"]
"""

LONG = "9" * 5000


def result(**job: Any) -> dict[str, Any]:
    reads = {
        "total_ios": 1000,
        "iops": 16_000.0,
        "clat_ns": {"mean": 60_000.0, "percentile": {"50.000000": 60_000, "99.000000": 80_000}},
        "lat_ns": {"mean": 62_000.0},
    }
    options = {"rw": "randread", "bs": "4k", "iodepth": "1", "ioengine": "io_uring"}
    return {"jobname": "one", "error": 0, "job options": options | job.pop("options", {}), "read": reads | job}


@pytest.fixture
def refused(canaletto: Canaletto) -> Callable[..., str]:
    def refuse(given: Any, *says: str, text: str = CALIBRATION, name: str = "fio.json", more: str = "") -> str:
        (canaletto.folder / "c.toml").write_text(more + text)
        content = given if isinstance(given, str) else json.dumps({"fio version": "fio-3.36", "jobs": given})
        (canaletto.folder / name).write_text(content)
        line = canaletto.refuses("calibrate", "c.toml", *([] if more else [name]), "--out", "made.toml", says=says)
        assert not list(canaletto.folder.glob("made*"))
        return line

    return refuse


def test_results_without_percentiles(refused: Callable[..., str]) -> None:
    bare = {"clat_ns": {"mean": 60_000.0}}
    refused([result(**bare)], "fio.json: job 'one': read: clat_ns has no percentiles", "clat_percentiles=0")
    odd = {"clat_ns": {"mean": 60_000.0, "percentile": {"33.000000": 1}}}
    refused([result(**odd)], "percentiles 33.000000, expected some of 10, 50, 90, 99")


def test_another_unit(refused: Callable[..., str]) -> None:
    old = result()
    old["read"] = {"total_ios": 9, "iops": 9.0, "clat": {"mean": 60.0}, "lat": {"mean": 62.0}}
    refused(
        [old], "job 'one': read: lat: got latencies in microseconds, as fio before 3.0", "expected clat_ns and lat_ns"
    )
    refused([result(lat_ns={"mean": 62.0})], "lat_ns.mean: got 62, expected nanoseconds")
    log = "\n".join(f"{number},65,0,4096" for number in range(200))
    options = '[[measured]]\nfile = "x.log"\nrw = "randread"\nbs = "4k"\niodepth = 1\n'
    scalars, ranges = CALIBRATION.split("[ranges]")
    text = f"{scalars}\n[ranges]{ranges}\n{options}"
    refused(log, "x.log: half of the latencies are below 65 ns", "microseconds", text=text, name="x.log", more="# \n")
    for header, what in (
        ("latency", "no unit"),
        ("latency_min", "one of latencies"),
        ("latency (fortnights)", "fortn"),
        ("latency_us,latency_ns", "got columns latency_us, latency_ns, expected one"),
    ):
        lines = "\n".join([header, *["65"] * 200])
        refused(lines, "x.log:1: ", what, text=text, name="x.log", more="# \n")


def test_a_drive_that_does_not_fit_the_geometry(refused: Callable[..., str]) -> None:
    big = result(options={"size": "4t"})
    refused([big, big], "fio.json one: the measured job reaches to 4,398.0 GB, which does not fit", "2,003.2 GB")
    text = f'capacity = "1TB"\n{CALIBRATION}'
    refused([result(), result()], "capacity: the measured drive has 1,000.0 GB", "2,003.2 GB", text=text)
    for capacity in ("5", '"1e400TB"', '"nan TB"'):
        refused([result()], "capacity: got ", "expected a size", text=f"capacity = {capacity}\n{CALIBRATION}")


def test_nothing_left_for_judging(refused: Callable[..., str]) -> None:
    refused([result()], "fio.json one: got one measured point, expected two or more", "--judge none")


@pytest.mark.parametrize(
    ("ranges", "says"),
    [
        ("", "ranges: got {}, expected a table of keys with their ranges"),
        ('flash.read = "50us"', "ranges.flash.read: got '50us', expected a range [low, high]"),
        ('flash.read = ["60us", "40us"]', 'ranges.flash.read: got "60us" to "40us", expected from below to'),
        ('flash.read = ["40us", "1GB/s"]', 'ranges.flash.read.to: got "1GB/s", expected a time with its unit'),
        ('flash.raed = ["40us", "50us"]', "did you mean `flash.read`"),
        ('"flash.read.7" = ["40us", "50us"]', "flash.read is a list of 3 in the design"),
        ('"flash.erase.0" = ["40us", "50us"]', "flash.erase is no list in the design"),
        ('"flash.read.0, flash.read.0" = ["40us", "50us"]', "given more than once"),
        ("geometry.channels = [0, 8]", "geometry.channels: got 0"),
        ('"flash.read.²" = ["40us", "50us"]', "flash.read.²"),
        (f'"flash.read.{LONG}" = ["40us", "50us"]', f"flash.read.{LONG}"),
        (f"geometry.channels = [1, {LONG[:400]}]", "expected a number below 1e+19"),
        ('flash.read = ["1.2.3us", "50us"]', 'ranges.flash.read.from: got "1.2.3us"'),
    ],
)
def test_ranges(refused: Callable[..., str], ranges: str, says: str) -> None:
    text = CALIBRATION.partition("[ranges]")[0] + "[ranges]\n" + ranges
    refused([result(), result()], says, text=text)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "fio.json: empty, expected results of fio"),
        ("{", "fio.json: not JSON"),
        ('{"jobs": []}', "fio.json: no list of jobs"),
        ('{"jobs": [{"jobname": "a"}]}', "job 'a': no job options"),
        (json.dumps({"jobs": [result() | {"error": 5}]}), "ended with error 5"),
        (json.dumps({"jobs": [result(options={"zonemode": "zbd"})]}), "zonemode: got 'zbd', expected none"),
        (json.dumps({"jobs": [result(options={"iodepth_batch": "4"})]}), "iodepth_batch: got '4', it may change"),
        (json.dumps({"jobs": [result(total_ios=0)]}), "no job has read or written anything"),
        (json.dumps({"jobs": [result(iops=0)]}), "iops: got 0, expected a number above 0"),
        (json.dumps({"jobs": [result(options={"numjobs": "2"})] * 2}), "2 processes apart, expected one result of all"),
    ],
)
def test_results_that_are_none(refused: Callable[..., str], content: str, says: str) -> None:
    refused(content, says)


def percentiles(**cuts: Any) -> dict[str, Any]:
    return {"clat_ns": {"mean": 60_000.0, "percentile": {"99.000000": 80_000} | cuts}}


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ({"options": {"numjobs": "0"}}, "job 'one': numjobs: got '0', expected a whole number from 1 to 65536"),
        ({"options": {"iodepth": "inf"}}, "job 'one': iodepth: got 'inf', expected a whole number from 1 to 1048576"),
        ({"options": {"iodepth": "nan"}}, "job 'one': iodepth: got 'nan', expected a whole number"),
        ({"iops": 10**400}, "read: iops: got 1000"),
        ({"iops": 10**25}, "read: iops: got 10000000000000000000000000, expected a number above 0 and below 1e+18"),
        ({"lat_ns": {"mean": 10**400}}, "lat_ns: mean: got 1000"),
        (percentiles(**{"50.000000": float("inf")}), "percentile: 50.000000: got inf, expected a number above 0"),
        (percentiles(**{"50.000000": 10**400}), "percentile: 50.000000: got 1000"),
        (percentiles(xyz=60_000), "percentile: got 'xyz', expected a percentage such as 99.000000"),
    ],
)
def test_numbers_that_nobody_measures(job: dict[str, Any], says: str) -> None:
    with pytest.raises(cn.ConfigError) as told:
        fio_results.points(json.dumps({"jobs": [result(**job)]}), "fio.json")
    assert says in str(told.value)
    assert str(told.value).startswith("fio.json: job 'one': ")


def test_names_and_depths_of_logs_that_cannot_be(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("1,60000,0,4096\n" * 100)
    options = {"file": str(log), "rw": "read", "bs": "4k", "iodepth": 1}
    given = {"design": "pcie4-tlc", "ranges": {"flash.read": ["40us", "60us"]}, "measured": [options]}
    for change, says in (
        ({"measured": ["a\0.log"]}, r"^'a\\x00\.log': got a name with a zero byte"),
        ({"measured": [{**options, "iodepth": float("nan")}]}, "a.log: iodepth: got 'nan', expected a whole number"),
        ({"set": {"flash.read": None}}, r"^flash\.read: got None, expected a value that TOML can express"),
    ):
        with pytest.raises(cn.ConfigError, match=says):
            document.checked("c.toml", {**given, **change})


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("1,60000", "x.log:2: got '1,60000', expected a line of fio's latency log"),
        ("1,-5,0,4096", "x.log:2: got '-5', expected a latency above 0"),
        ("1,60000,x,4096", "x.log:2: got 'x', expected a whole number"),
        (f"1,60000,{LONG},4096", f"x.log:2: got '{LONG}', expected a whole number"),
    ],
)
def test_lines_of_a_log(refused: Callable[..., str], line: str, says: str) -> None:
    scalars, ranges = CALIBRATION.split("[ranges]")
    options = '[[measured]]\nfile = "x.log"\nrw = "randread"\nbs = "4k"\niodepth = 1\n'
    text = f"{scalars}\n[ranges]{ranges}\n{options}"
    refused(f"0,60000,0,4096\n{line}\n", says, text=text, name="x.log", more="# \n")
    few = text.replace("iodepth = 1\n", "")
    refused(
        "0,60000,0,4096\n", "x.log: iodepth: missing, expected rw, bs and iodepth", text=few, name="x.log", more="#\n"
    )
    refused("0,60000,0,4096\n", "x.log: 1 latencies of reads, expected 100", text=text, name="x.log", more="#\n")


def test_other_keys_and_files(canaletto: Canaletto) -> None:
    file = canaletto.folder / "c.toml"
    file.write_text(f"trails = 3\n{CALIBRATION}")
    canaletto.refuses("calibrate", "c.toml", says=("c.toml: trails: unknown key, expected one of design",))
    file.write_text(CALIBRATION)
    canaletto.refuses("calibrate", "c.toml", says=("measured: got none, expected results of fio",))
    canaletto.refuses("calibrate", "c.toml", "missing.json", says=("missing.json",))
    canaletto.refuses("calibrate", "c.toml", "none-*.json", says=("none-*.json: no file of such a name",))
    canaletto.refuses("calibrate", "c.toml", "--out", "x.json", says=("expected the name of a TOML file",))
    file.write_text(CALIBRATION.replace("pcie4-tlc", "pcie4-tcl"))
    Path(canaletto.folder / "fio.json").write_text(json.dumps({"jobs": [result()]}))
    canaletto.refuses("calibrate", "c.toml", "fio.json", says=("did you mean",))
    file.write_text(f'judge = "all"\n{CALIBRATION}')
    canaletto.refuses("calibrate", "c.toml", "fio.json", says=("judge: got 'all', expected one of half, none",))


CURVE = '[[measured]]\nfile = "x.csv"\nrw = "randread"\nbs = "4k"\niodepth = 64\ndata_sheet_iops = 60_000\n'
SOUND = "10000,10000,60,90\n20000,20000,62,95\n"


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("30000,30000,90,60\n", "x.csv:4: p99_us: got 60, below p50_us, 90"),
        ("30000,60000,60,90\n", "x.csv:4: iops: got 60000, above rate_iops, 30000"),
        ("90000,90000,60,90\n", "x.csv:4: iops: got 90000, above data_sheet_iops, 60000"),
        ("30000,30000,none,90\n", "x.csv:4: p50_us: got 'none', expected a number above 0"),
        ("30000,30000,60\n", "x.csv:4: got 3 values, expected 4"),
    ],
)
def test_curves_that_cannot_have_been_measured(refused: Callable[..., str], lines: str, says: str) -> None:
    text = f"{CALIBRATION}\n{CURVE}"
    refused(f"rate_iops,iops,p50_us,p99_us\n{SOUND}{lines}", says, text=text, name="x.csv", more="# \n")


def test_curves_without_job_or_numbers(refused: Callable[..., str]) -> None:
    text = f"{CALIBRATION}\n{CURVE}"
    refused("rate_iops\n10000\n", "x.csv:1: got rate_iops alone", text=text, name="x.csv", more="# \n")
    refused("rate_iops,p42_us\n1,2\n", "x.csv:1: p42_us: unknown or twice", text=text, name="x.csv", more="# \n")
    mixed = text.replace("randread", "randrw")
    both = "rate_iops,read_p50_us,write_p50_us,write_p99_us\n10000,60,9,8\n"
    refused(both, "rate_process: got 'linear', expected 'poisson'", text=mixed, name="x.csv", more="# \n")
    mixed = mixed.replace("iodepth", 'rate_process = "poisson"\niodepth')
    refused(both, "x.csv:2: write_p99_us: got 8, below write_p50_us, 9", text=mixed, name="x.csv", more="# \n")
    alone = f"rate_iops,iops,p50_us,p99_us\n{SOUND}"
    refused(alone, "p50_us: unknown", "read_p50_us", text=mixed, name="x.csv", more="# \n")
