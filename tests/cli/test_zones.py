import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ZONED = """
base = "performance-optimized"
name = "zoned"
[geometry]
blocks_per_plane = 160
[zns]
zone_size = "6MiB"
stripe = { dies = 1, channels = 1 }
max_open = 64
max_active = 128
[ftl]
overprovisioning = 0.0
[cache]
capacity = "8MiB"
power_loss_protection = true
"""
LOG = """
name = "log"
[[flow]]
name = "a"
[flow.synthetic]
requests = 20000
read_share = 0.0
size = "64KiB"
queue_depth = 64
zone_work = "append"
zones = 64
"""
PLACED = """
base = "performance-optimized"
name = "placed"
geometry = { channels = 4, chips_per_channel = 4, pages_per_block = 256 }
[ftl]
superblock = "drive"
overprovisioning = 0.4
[fdp]
handles = 256
isolation = "initial"
"""
HEADER = "arrival_ns,device,offset_bytes,bytes,kind,handle\n"


def alone(folder: Path, *words: str) -> Any:
    """The result of a run in a process that has loaded nothing before."""
    command = [str(Path(sys.executable).with_name("canaletto")), "run", *words, "--json"]
    return json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout)


MANY = ("geometry.blocks_per_plane=1024", "zns.zone_size=3MiB", "zns.stripe.planes=1")


@pytest.mark.parametrize(("settings", "count"), [((), 10_240), (MANY, 131_072)])
def test_many_zones_need_little_memory(settings: tuple[str, ...], count: int, tmp_path: Path) -> None:
    (tmp_path / "zoned.toml").write_text(ZONED)
    (tmp_path / "log.toml").write_text(LOG)
    given = [word for setting in settings for word in ("--set", setting)]
    result = alone(tmp_path, "zoned.toml", "--workload", "log.toml", *given)
    assert result["flash"]["zones"]["count"] == count
    assert result["cost"]["peak_rss_mb"] < 100


def test_many_handles_of_a_large_drive_need_little_memory(tmp_path: Path) -> None:
    """On 412 GB: blocks that have begun cost little, and no handle waits for another one's die."""
    (tmp_path / "placed.toml").write_text(PLACED.replace("geometry = {", "# {"))
    writes = [f"{i * 2000},0,{i * 4096},4096,write,{i % 256}\n" for i in range(40_000)]
    (tmp_path / "t.csv").write_text(HEADER + "".join(writes))
    result = alone(tmp_path, "placed.toml", "--workload", "t.csv")
    assert sum(handle["units_opened"] for handle in result["flash"]["fdp"]["handles"]) == 256
    assert result["cost"]["peak_rss_mb"] < 100


def test_a_trace_names_many_handles(tmp_path: Path) -> None:
    (tmp_path / "placed.toml").write_text(PLACED)
    writes = [f"{i * 100_000},0,{i * 4096},4096,write,{i % 256}\n" for i in range(20_000)]
    (tmp_path / "t.csv").write_text(HEADER + "".join(writes) + "3000000000,0,0,0,U,7\n3000001000,0,0,4096,read,\n")
    result = alone(tmp_path, "placed.toml", "--workload", "t.csv")
    handles = result["flash"]["fdp"]["handles"]
    assert {handle["host_pages"] for handle in handles} == {78, 79}
    assert (handles[7]["updates"], handles[7]["units_not_full"], sum(handle["updates"] for handle in handles)) == (
        1,
        1,
        1,
    )
    assert result["cost"]["peak_rss_mb"] < 100


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("0,0,0,4096,write,256\n", ("t.csv:2:", "256", "0 to 255")),
        ("0,0,0,4096,write,x\n", ("t.csv:2:", "x", "0 to 255")),
        ("0,0,0,4096,write,-1\n", ("t.csv:2:", "-1")),
        ("0,0,0,4096,write,1\n", ("reclaim unit handles", "fdp.handles")),
    ],
)
def test_handles_that_there_are_not(canaletto: Any, tmp_path: Path, line: str, says: tuple[str, ...]) -> None:
    (tmp_path / "t.csv").write_text(HEADER + line)
    canaletto.refuses("run", "performance-optimized", "--workload", "t.csv", says=says)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("zns.zone_size=100KiB", "zns.zone_capacity"),
        ("zns.zone_capacity=6100KiB", "zns.zone_capacity"),
        ("zns.zone_size=1TiB", "zns.zone_size"),
        ("zns.stripe.dies=3", "zns.stripe"),
        ("zns.pages_per_program=5", "zns.pages_per_program"),
        ("zns.pages_per_program=0", "zns.pages_per_program"),
        ("zns.max_open=200", "zns.max_open"),
        ("zns.append_limit=1B", "zns.append_limit"),
        ("workload.flow.0.synthetic.trim_share=0.5", "trim_share"),
        ("fdp.handles=257", "fdp.handles"),
    ],
)
def test_designs_that_do_not_fit(canaletto: Any, tmp_path: Path, setting: str, says: str) -> None:
    (tmp_path / "zoned.toml").write_text(ZONED)
    (tmp_path / "log.toml").write_text(LOG)
    canaletto.refuses("run", "zoned.toml", "--workload", "log.toml", "--set", setting, says=(says,))


def test_violations_end_with_the_standard_s_status(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "zoned.toml").write_text(ZONED)
    zone = 6 * 2**20
    kinds = [(0, "W"), (8192, "W"), (zone, "A"), (2 * zone, "A"), (3 * zone, "A"), (0, "F"), (0, "A"), (4 * zone, "C")]
    lines = [f"{i * 10**9},0,{at},{4096 if kind in 'WA' else 0},{kind},\n" for i, (at, kind) in enumerate(kinds)]
    (tmp_path / "t.csv").write_text(HEADER + "".join(lines))
    (tmp_path / "failing.csv").write_text(HEADER + f"0,0,0,{2**20},A,\n900000000,0,0,0,Z,\n1000000000,0,0,4096,A,\n")
    limits = ("--set", "zns.max_open=2", "--set", "zns.max_active=3")
    result = alone(tmp_path, "zoned.toml", "--workload", "t.csv", *limits)
    assert result["flash"]["zones"]["refused"] == {
        **{"zone_is_full": 1, "zone_invalid_write": 1, "too_many_active_zones": 1},
        "zone_invalid_state_transition": 1,
    }
    said = canaletto.ok("run", "zoned.toml", "--workload", "t.csv", *limits).out
    said = " ".join(said.split())
    assert "refused: 1 too many active zones" in said
    assert "1 zone is full" in said
    result = alone(tmp_path, "zoned.toml", "--workload", "failing.csv", "--set", "flash.failures.program=0.9")
    assert result["flash"]["zones"]["states"]["read_only"] == 1
    assert set(result["flash"]["zones"]["refused"]) == {"zone_invalid_state_transition", "zone_is_read_only"}
