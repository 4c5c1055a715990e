import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest

# 32 zones of 1 MiB, of which 512 KiB are writable.
ZONED = """
base = "performance-optimized"
name = "zoned"
[geometry]
channels = 2
chips_per_channel = 2
blocks_per_plane = 8
pages_per_block = 64
[ftl]
overprovisioning = 0.0
[cache]
capacity = "4MiB"
power_loss_protection = true
[zns]
zone_size = "1MiB"
stripe = { dies = 1, channels = 1 }
max_open = 8
max_active = 16
"""
JOB = """[job]
direct=1
ioengine=libaio
iodepth=4
zonemode=zbd
bs=64k
"""
KIB = 1024
WRITES = ("rw=write\nsize=4z", "rw=write\nsize=3500k\noffset=500k", "rw=write\nsize=4z\noffset=2z")
AGAIN = ("rw=write\nsize=4z\nio_size=6z", "rw=randwrite\nsize=8z\nmax_open_zones=2", "rw=write\nsize=50%")
OTHERS = ("rw=trim\nsize=4z\nbs=1m", "rw=write\nsize=4z\nzonesize=1m\nzonerange=9m\nzoneskip=0", "rw=write\nsize=99z")


@pytest.fixture
def drive(tmp_path: Path) -> cn.Design:
    (tmp_path / "zoned.toml").write_text(ZONED)
    return cn.design(tmp_path / "zoned.toml")


def flows(job: str, drive: cn.Design | None, folder: Path) -> list[dict[str, Any]]:
    (folder / "job.fio").write_text(f"{JOB}{job}\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        work = cn.workload(folder / "job.fio", design=drive)
    return [{"name": flow["name"], **flow["synthetic"]} for flow in work.to_dict()["flow"]]


def size(keys: dict[str, Any], name: str) -> int:
    return (
        int(keys.get(name, "0KiB").removesuffix("KiB"))
        if "MiB" not in keys.get(name, "")
        else int(keys[name][:-3]) * KIB
    )


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        (WRITES[0], (32, 1, 2048, 0)),
        (WRITES[1], (16, 1, 1024, 512)),
        (WRITES[2], (32, 1, 2048, 1024)),
        (AGAIN[0], (96, 1, 2048, 0)),
        (AGAIN[1], (128, 2, 4096, 0)),
        (AGAIN[2], (128, 1, 8192, 0)),
        (OTHERS[0], (4, 1, 2048, 0)),
        (OTHERS[1], (32, 1, 2048, 0)),
        (OTHERS[2], (256, 1, 16384, 0)),
        ("rw=randwrite\nsize=16z", (256, 8, 8192, 0)),
        ("rw=randwrite\nsize=16z\njob_max_open_zones=3\nmax_open_zones=5", (256, 3, 8192, 0)),
        ("rw=randwrite\nsize=20z\nmax_open_zones=10\nignore_zone_limits=1", (320, 10, 10240, 0)),
        ("rw=write\nsize=4z\nmax_open_zones=3\nzone_reset_threshold=0.5", (32, 1, 2048, 0)),
        ("rw=read\nsize=4z\nread_beyond_wp=1", (32, 1, 2048, 0)),
        ("rw=write", (256, 1, 16384, 0)),
    ],
)
def test_regions_are_whole_zones(job: str, expected: tuple[int, ...], drive: cn.Design, tmp_path: Path) -> None:
    (keys,) = flows(job, drive, tmp_path)
    region = size(keys, "working_set_size"), size(keys, "working_set_offset")
    assert (keys["requests"], keys.get("zones", 1), *region) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = cn.run(drive, cn.workload(tmp_path / "job.fio", design=drive)).to_dict()
    assert result["flash"]["zones"]["refused"] == {}


@pytest.mark.skipif(shutil.which("fio") is None, reason="needs fio")
@pytest.mark.parametrize("job", [*WRITES, *AGAIN, *OTHERS])
def test_as_many_requests_as_fio(job: str, drive: cn.Design, tmp_path: Path) -> None:
    (keys,) = flows(job, drive, tmp_path)
    with open(tmp_path / "zones", "wb") as file:
        file.truncate(32 << 20)
    where = "" if "zonesize" in job else "zonesize=1m\n"
    own = f"filename={tmp_path}/zones\nzonecapacity=512k\n{where}write_iolog={tmp_path}/log\n"
    (tmp_path / "own.fio").write_text(f"{JOB}{job}\n{own}".replace("direct=1\nioengine=libaio", "ioengine=psync"))
    subprocess.run(["fio", tmp_path / "own.fio"], check=True, capture_output=True, timeout=60)
    words = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert sum(len(line) > 3 and line[2] in ("write", "trim") for line in words) == keys["requests"]


def test_processes_and_jobs_have_their_own_zones(drive: cn.Design, tmp_path: Path) -> None:
    shared = flows("rw=randwrite\nsize=8z\nnumjobs=2\nmax_open_zones=4\nnumber_ios=9", drive, tmp_path)
    assert [(each["zones"], size(each, "working_set_size"), size(each, "working_set_offset")) for each in shared] == [
        (2, 2048, 0),
        (2, 2048, 2048),
    ]
    apart = flows("rw=write\nsize=4z\nnumjobs=3\noffset_increment=4z", drive, tmp_path)
    assert [size(each, "working_set_offset") for each in apart] == [0, 2048, 4096]
    several = "rw=write\nsize=4z\n[k]\nzonemode=zbd\nrw=randwrite\nbs=4k\nsize=4z\noffset=4z"
    assert [each["name"] for each in flows(several, drive, tmp_path)] == ["job", "k"]


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ("rw=write\nsize=4z\nzonesize=2m", ("job.fio:9: zonesize: got '2m'", "1048576 bytes")),
        ("rw=write\nsize=512k", ("job.fio:8: size", "one whole zone")),
        ("rw=write\nsize=1.5z", ("job.fio:8: size", "a whole number of zones")),
        ("rw=write\nsize=-1z", ("job.fio:8: size", "a whole number of zones")),
        ("rw=write\nsize=999999999999999999z", ("job.fio:8: size", "below 8 EiB")),
        ("rw=write\nsize=1z\noffset=32z", ("job.fio:9: offset", "32 zones of 1048576 bytes")),
        ("rw=trim\nsize=4z", ("job.fio:6: bs: got '64k'", "bs=1048576")),
        ("rw=write\nsize=4z\nzoneskip=1z", ("job.fio:9: zoneskip: got '1z'", "expected 0")),
        ("rw=randwrite\nsize=4z\nzone_reset_frequency=0.1", ("job.fio:9: zone_reset_frequency", "expected 0")),
        ("rw=randwrite\nsize=16z\nmax_open_zones=9", ("job.fio:9: max_open_zones", "8 (zns.max_open)")),
        ("rw=randrw\nsize=4z", ("job.fio:5: zonemode", "two jobs")),
        ("rw=write\nsize=1z\nnumjobs=2", ("job.fio:9: numjobs", "one process for each zone")),
        ("rw=write\nsize=4z\n[k]\nzonemode=zbd\nrw=write\nsize=4z\noffset=2z", ("job and k write the same zones",)),
    ],
)
def test_what_zones_cannot_do_is_one_line(job: str, says: tuple[str, ...], canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "zoned.toml").write_text(ZONED)
    (tmp_path / "job.fio").write_text(f"{JOB}{job}\n")
    canaletto.refuses("run", "zoned.toml", "--workload", "job.fio", says=says)


def test_without_a_drive_a_job_states_its_zones(tmp_path: Path) -> None:
    (keys,) = flows("rw=write\nsize=4z\nzonesize=1m\nzonecapacity=512k", None, tmp_path)
    assert (keys["requests"], size(keys, "working_set_size")) == (32, 2048)
    (tmp_path / "job.fio").write_text(f"{JOB}rw=write\nsize=4z\n")
    with pytest.raises(cn.ConfigError, match=r"job\.fio:8: size: got '4z', expected bytes, or a design with zones"):
        cn.workload(tmp_path / "job.fio")
