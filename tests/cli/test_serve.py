"""The clients are Debian's (fio, qemu-utils, libnbd-bin, e2fsprogs); tests whose programs are missing are skipped."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from conftest import COMMAND

# 238 MB for the host: small enough to be written more than once.
SMALL = [
    "performance-optimized",
    *("--set", "geometry.channels=4", "--set", "geometry.chips_per_channel=2"),
    *("--set", "geometry.blocks_per_plane=64", "--set", "geometry.pages_per_block=64"),
]
CACHED = ["--set", "cache.capacity=4MiB", "--set", "cache.power_loss_protection=false"]


def needs(*programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


def served(canaletto: Any, command: str, *words: object) -> Any:
    return canaletto.ok("serve", *SMALL, "--json", "--run", f"set -e; {command}", *words).json


def completed(statistics: Any) -> dict[str, int]:
    return {kind: found["completed"] for kind, found in statistics["requests"].items()}


def failed(statistics: Any) -> int:
    return sum(found["failed"] for found in statistics["requests"].values()) + statistics["refused_requests"]


@pytest.fixture
def image(tmp_path: Path) -> Path:
    needs("mkfs.ext4")
    random, files = Random(1), tmp_path / "files"
    files.mkdir()
    for number in range(50):
        (files / f"{number}").write_bytes(random.randbytes(random.randrange(200_000)))
    path = tmp_path / "ext4.img"
    with open(path, "wb") as file:
        file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-d", files, path], check=True)
    return path


def assert_sound(path: Path) -> None:
    checked = subprocess.run(["fsck.ext4", "-f", "-n", path], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


FIO = (
    "fio --ioengine=nbd --uri=$uri --bs=4k --rw=randwrite --randrepeat=1 --iodepth=8 --verify=crc32c --verify_fatal=1 "
    "--output=fio.txt "
)


def test_fio_verifies_what_several_jobs_write_while_collection_is_at_work(canaletto: Any, tmp_path: Path) -> None:
    needs("fio")
    # Most of the drive, twice over.
    jobs = "--numjobs=3 --size=64m --offset_increment=64m --loops=2 --norandommap=0 --trim_percentage=2 --name=jobs"
    found = served(canaletto, FIO + jobs, "--clock", "free", "--data", "data.img")
    assert failed(found) == 0
    assert "err= 0" in (tmp_path / "fio.txt").read_text()
    assert completed(found)["write"] >= 2 * 3 * (64 << 20) // 4096
    assert found["drive"]["flash"]["erases"] > 100
    assert found["connections"]["cut_off"] == 0


@pytest.mark.parametrize("cache", [[], CACHED], ids=["plain", "cached"])
def test_the_folder_is_that_of_what_the_client_did(cache: list[str], canaletto: Any, tmp_path: Path) -> None:
    needs("fio")
    job = FIO.replace("randwrite", "randrw").replace("--verify=crc32c --verify_fatal=1", "--fsync=16")
    job = job.replace("--iodepth=8", "--iodepth=1") + "--size=4m --name=one"
    found = served(canaletto, job, "--clock", "free", "--out", "run", *cache)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    requests = completed(found)
    assert result["requests"]["completed"] == sum(requests.values())
    assert result["requests"]["reads"] == requests["read"]
    assert requests["flush"] > 0
    # The client saw the latencies of the run that the folder holds.
    for kind in ("read", "write"):
        live, again = found["requests"][kind]["latency_us"], result["latency_us"][kind]
        # p99 of fewer than 1,000 requests is None in both.
        told = [name for name in ("mean", "p50", "p99", "max") if again[name] is not None]
        assert told == [name for name in ("mean", "p50", "p99", "max") if live[name] is not None]
        assert [live[name] for name in told] == pytest.approx([again[name] for name in told], rel=1e-9)
    assert canaletto.ok("rerun", "run", "--json").json["identical"]
    assert canaletto.ok("explain", "run", "--slowest", "2", "--json").json["requests"]
    assert (tmp_path / "run" / "report.html").exists()


def test_a_trace_of_the_client_can_be_replayed(canaletto: Any) -> None:
    needs("fio")
    found = served(canaletto, FIO + "--size=1m --name=one", "--clock", "free", "--trace", "client.csv.gz")
    again = canaletto.ok("run", *SMALL, "--workload", "client.csv.gz", "--json").json
    assert again["requests"]["completed"] == sum(completed(found).values())


def test_a_client_s_own_clock_shows_no_less_than_the_drive_s_times(canaletto: Any, tmp_path: Path) -> None:
    needs("fio")
    job = "fio --ioengine=nbd --uri=$uri --bs=4k --rw=randread --iodepth=4 --size=512k --name=one "
    found = served(canaletto, job + "--output=fio.json --output-format=json", "--set", "flash.read=2ms")
    measured = json.loads((tmp_path / "fio.json").read_text())["jobs"][0]["read"]
    assert measured["total_ios"] == completed(found)["read"] == 128
    simulated = found["requests"]["read"]["latency_us"]
    assert simulated["p50"] > 2000
    assert measured["lat_ns"]["mean"] / 1000 >= simulated["mean"]
    assert found["wall_s"] >= found["simulated_s"] > 128 / 4 * 0.002


def test_qemu_img_finds_what_it_has_written(image: Path, canaletto: Any) -> None:
    needs("qemu-img")
    commands = [
        f"qemu-img convert -n -f raw -O raw {image} $uri",
        f"qemu-img compare -f raw -F raw {image} $uri",
        "qemu-img convert -f raw -O raw $uri out.img",
    ]
    found = served(canaletto, "; ".join(commands), "--clock", "free")
    assert failed(found) == 0
    assert found["requests"]["write"]["bytes"] > 0
    out = image.with_name("out.img")
    assert out.read_bytes()[: image.stat().st_size] == image.read_bytes()
    assert_sound(out)


def test_nbdinfo_reads_what_the_drive_is(canaletto: Any, tmp_path: Path) -> None:
    needs("nbdinfo")
    served(canaletto, "nbdinfo --json $uri > info.json; nbdinfo --list --json $uri > list.json")
    (info,) = json.loads((tmp_path / "info.json").read_text())["exports"]
    assert info["export-size"] % 4096 == 0
    assert (info["block_size_minimum"], info["block_size_preferred"], info["block_size_maximum"]) == (
        512,
        4096,
        32 << 20,
    )
    able = ("can_flush", "can_fua", "can_trim", "can_zero", "can_multi_conn", "can_df")
    assert all(info[name] for name in able)
    assert not info["is_read_only"]
    assert json.loads((tmp_path / "list.json").read_text())["exports"][0]["export-name"] == "performance-optimized"


def test_programs_that_copy_skip_what_nobody_wrote(image: Path, canaletto: Any, tmp_path: Path) -> None:
    needs("nbdinfo", "nbdcopy", "qemu-img")
    commands = [
        "nbdinfo --map --json $uri > empty.json",
        f"qemu-img convert -n -f raw -O raw {image} $uri",
        "nbdinfo --map --json $uri > map.json",
        "qemu-img map -f raw --output=json $uri > qemu.json",
        "nbdcopy $uri out.img",
    ]
    found = served(canaletto, "; ".join(commands), "--clock", "free")
    assert failed(found) == 0
    maps = [json.loads((tmp_path / f"{name}.json").read_text()) for name in ("empty", "map", "qemu")]
    (empty,), parts, told = maps
    assert empty["description"] == "hole,zero"
    size, held = empty["length"], sum(part["length"] for part in parts if part["type"] == 0)
    assert sum(part["length"] for part in parts) == size
    assert held == sum(part["length"] for part in told if part["data"]) < size // 2
    assert found["requests"]["read"]["bytes"] < size // 2, "holes are not read"
    assert (tmp_path / "out.img").read_bytes()[: image.stat().st_size] == image.read_bytes()


def test_nbdcopy_over_several_connections(image: Path, canaletto: Any, tmp_path: Path) -> None:
    needs("nbdcopy")
    commands = f"nbdcopy --flush {image} $uri; nbdcopy $uri out.img"
    found = served(canaletto, commands, "--clock", "free", "--data", "data.img")
    assert found["connections"]["accepted"] > 2
    assert failed(found) == 0
    for name in ("out.img", "data.img"):
        assert (tmp_path / name).read_bytes()[: image.stat().st_size] == image.read_bytes()


def test_a_file_system_is_made_and_checked_on_the_drive(canaletto: Any, tmp_path: Path) -> None:
    needs("nbdfuse", "fusermount3", "mkfs.ext4", "debugfs")
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("no /dev/fuse")
    (tmp_path / "file").write_bytes(Random(2).randbytes(300_000))
    (tmp_path / "mounted").mkdir()
    commands = [
        "nbdfuse mounted $uri & i=0",
        "until [ -e mounted/nbd ]; do sleep 0.1; i=$((i+1)); [ $i -lt 100 ] || exit 77; done",
        "trap 'fusermount3 -u mounted' EXIT",
        "mkfs.ext4 -q -F mounted/nbd",
        "debugfs -w -R 'write file file' mounted/nbd",
        "fsck.ext4 -f -n mounted/nbd",
        "debugfs -R 'dump file again' mounted/nbd",
    ]
    answer = canaletto("serve", *SMALL, "--clock", "free", "--json", "--run", "set -e; " + "; ".join(commands))
    if "fusermount" in answer.err or "status 77" in answer.err:
        pytest.skip("FUSE is not to be had here")
    assert answer.status == 0, answer.err
    assert failed(answer.json) == 0
    assert (tmp_path / "again").read_bytes() == (tmp_path / "file").read_bytes()


@contextmanager
def running(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [COMMAND, "serve", *SMALL, "--socket", "s", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while process.poll() is None and not (folder / "s").exists():
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.communicate()


def test_what_was_flushed_is_there_after_the_server_was_killed(image: Path, canaletto: Any, tmp_path: Path) -> None:
    needs("nbdcopy", "fio")
    uri = f"nbd+unix:///?socket={tmp_path}/s"
    with running(tmp_path, "--data", "data.img", "--clock", "free") as server:
        subprocess.run(["nbdcopy", "--flush", image, uri], check=True)
        words = [*FIO.replace("$uri", uri).split(), "--offset=64m", "--size=128m", "--loops=100", "--name=on"]
        with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL) as fio:
            written = tmp_path / "data.img"
            before = written.stat().st_blocks
            while written.stat().st_blocks < before + 20_000:
                assert fio.poll() is None
                time.sleep(0.01)
            server.kill()
            server.wait()
    (tmp_path / "s").unlink()
    served(canaletto, "nbdcopy $uri out.img", "--data", "data.img", "--clock", "free")
    assert (tmp_path / "out.img").read_bytes()[: image.stat().st_size] == image.read_bytes()
    assert_sound(tmp_path / "out.img")


@pytest.mark.parametrize("cache", [[], CACHED], ids=["plain", "cached"])
def test_a_file_system_that_was_flushed_survives_a_loss_of_power(
    cache: list[str], image: Path, canaletto: Any, tmp_path: Path
) -> None:
    needs("nbdcopy", "fio")
    on = FIO + "--offset=64m --size=128m --loops=100 --name=on"
    commands = f"set -e; nbdcopy --flush {image} $uri; touch flushed; {on}"
    words = ["--clock", "free", "--data", "data.img", "--lose-power-at", "400ms"]
    answer = canaletto("serve", *SMALL, *cache, "--json", "--run", commands, *words)
    assert (tmp_path / "flushed").exists(), answer.err
    assert answer.json["simulated_s"] == 0.4
    assert answer.json["power_loss"]["unsafe_writes"] > 0
    assert (tmp_path / "data.img").read_bytes()[: image.stat().st_size] == image.read_bytes()
    assert_sound(tmp_path / "data.img")


@pytest.mark.parametrize("at", ["20ms", "50ms", "120ms"])
def test_a_virtual_disk_survives_a_loss_of_power(at: str, canaletto: Any, tmp_path: Path) -> None:
    """QEMU orders its metadata by flushes."""
    needs("qemu-img", "qemu-io")
    writes = " ".join(f"-c 'write -P {n % 255 + 1} {n * 192}k 64k' -c flush" for n in range(300))
    commands = f"qemu-img create -q -f qcow2 $uri 128M; qemu-io -f qcow2 {writes} $uri > io.txt"
    words = ["--clock", "free", "--data", "data.img", "--lose-power-at", at, "--seed", at.removesuffix("ms")]
    answer = canaletto("serve", *SMALL, *CACHED, "--json", "--run", f"set -e; {commands}", *words)
    assert answer.status in (0, 1), answer.err
    loss = answer.json["power_loss"]
    assert loss is not None
    checked = subprocess.run(
        ["qemu-img", "check", "--output=json", "-f", "qcow2", tmp_path / "data.img"], capture_output=True, check=False
    )
    told = json.loads(checked.stdout)
    assert not told.get("corruptions"), told
    # Of each write that a later one was begun after, the flush between them had ended.
    wrote = (tmp_path / "io.txt").read_text().count("wrote 65536/65536")
    assert wrote > 3
    reads = [word for n in range(wrote - 1) for word in ("-c", f"read -P {n % 255 + 1} {n * 192}k 64k")]
    found = subprocess.run(
        ["qemu-io", "-r", "-f", "qcow2", *reads, tmp_path / "data.img"], capture_output=True, text=True
    )
    assert found.stdout.count("read 65536/65536") == wrote - 1
    assert "verification failed" not in found.stdout


def test_power_that_would_be_lost_later_is_said_not_to_be_lost(canaletto: Any) -> None:
    answer = canaletto.ok("serve", *SMALL, "--clock", "free", "--lose-power-at", "9999s", "--json", "--run", "true")
    assert answer.json["power_loss"] is None
    assert "power was not lost: --lose-power-at 9999s is later" in answer.err


def test_real_time_and_ctrl_c(canaletto: Any, tmp_path: Path) -> None:
    def asked(_: int) -> bool:
        if not (tmp_path / "s").exists():
            return False
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / "s"))
            talk(client)
        return True

    began = time.monotonic()
    words = ["serve", *SMALL, "--socket", "s", "--json", "--out", "run"]
    answer = canaletto.interrupt(*words, when=asked)
    assert answer.status == 0, answer.err
    assert sorted(os.listdir(tmp_path)) == ["run", "run.csv.zst"]
    found = answer.json
    assert completed(found) == {"read": 1, "write": 1, "trim": 0, "flush": 1}
    assert found["lateness_us"]["max"] > 0
    assert 0 < found["simulated_s"] < time.monotonic() - began
    assert "serving performance-optimized" in answer.err


def talk(client: socket.socket) -> None:
    stream = client.makefile("rwb")
    assert stream.read(18).startswith(b"NBDMAGICIHAVEOPT")
    stream.write((3).to_bytes(4) + b"IHAVEOPT" + (1).to_bytes(4) + (0).to_bytes(4))
    stream.flush()
    stream.read(10)
    for kind, length, data in ((1, 4096, b"x" * 4096), (3, 0, b""), (0, 4096, b"")):
        stream.write(
            bytes.fromhex("25609513") + bytes(2) + kind.to_bytes(2) + bytes(8) + bytes(8) + length.to_bytes(4) + data
        )
        stream.flush()
        assert stream.read(16)[4:8] == bytes(4)
    assert stream.read(4096) == b"x" * 4096
    stream.write(bytes.fromhex("25609513") + bytes(2) + (2).to_bytes(2) + bytes(20))
    stream.flush()


def test_scaled_time_and_a_port(canaletto: Any, tmp_path: Path) -> None:
    needs("nbdinfo", "nbdcopy")
    words = ["--listen", "127.0.0.1:0", "--clock", "scaled", "--factor", "100", "--trace", "t.csv"]
    found = served(canaletto, "nbdinfo --size $uri; truncate -s 1M m; nbdcopy --destination-is-zero m $uri", *words)
    assert found["uri"].startswith("nbd://127.0.0.1:")
    assert found["simulated_s"] > found["wall_s"]
    assert (tmp_path / "t.csv").exists()


def test_sigterm_ends_it_like_ctrl_c(canaletto: Any, tmp_path: Path) -> None:
    words = ["serve", *SMALL, "--socket", "s", "--json"]
    answer = canaletto.interrupt(*words, when=lambda _: (tmp_path / "s").exists(), number=signal.SIGTERM)
    assert answer.status == 0
    assert answer.json["connections"]["accepted"] == 0
    assert os.listdir(tmp_path) == []


def test_the_status_of_the_command_is_told(canaletto: Any) -> None:
    answer = canaletto("serve", *SMALL, "--run", "exit 3")
    assert answer.status == 1
    assert answer.err.splitlines()[-1] == "canaletto: --run exit 3: ended with status 3"
