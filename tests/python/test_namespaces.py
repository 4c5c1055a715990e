import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import canaletto as cn
import polars as pl
import pytest
from canaletto._io import fio
from canaletto._run.explain import Place, Places

SHARED = """
base = "performance-optimized"
name = "shared"
[geometry]
channels = 2
chips_per_channel = 2
blocks_per_plane = 64
pages_per_block = 32
[cache]
capacity = "2MiB"
power_loss_protection = true
[ftl]
superblock = "drive"
[fdp]
handles = 2
[zns]
zone_size = "1MiB"
max_open = 4
max_active = 4
[[namespace]]
name = "data"
kind = "placed"
[[namespace]]
name = "log"
kind = "zoned"
size = "8MiB"
"""
FLOWS = """
name = "both"
[[flow]]
name = "objects"
handle = 1
synthetic = { requests = 3000, read_share = 0.3, size = "4KiB", queue_depth = 8 }
[[flow]]
name = "log"
namespace = "log"
synthetic = { requests = 100, read_share = 0.0, size = "4KiB", queue_depth = 2, zone_work = "append" }
"""


def files(folder: Path) -> tuple[str, str]:
    (folder / "shared.toml").write_text(SHARED)
    (folder / "both.toml").write_text(FLOWS)
    return str(folder / "shared.toml"), str(folder / "both.toml")


def test_explanations_name_namespaces_zones_and_handles(tmp_path: Path, canaletto: Any) -> None:
    drive, work = files(tmp_path)
    canaletto.ok("run", drive, "--workload", work, "--out", str(tmp_path / "run"))
    rows = pl.read_parquet(tmp_path / "run" / "requests.parquet")
    for flow, op, said in (
        ("log", "append", "of zone 0 in namespace log"),
        ("objects", "write", "by handle 1 in namespace data"),
    ):
        of = rows.filter((pl.col("flow").cast(pl.String) == flow) & (pl.col("op").cast(pl.String) == op))
        number = str(of["request"][0])
        found = json.loads(canaletto.ok("explain", str(tmp_path / "run"), "--request", number, "--json").out)[
            "requests"
        ][0]
        assert (found["flow"], found["op"]) == (flow, op)
        assert said in " ".join(canaletto.ok("explain", str(tmp_path / "run"), "--request", number).out.split())


def test_places_are_those_of_the_flows() -> None:
    design = cn.Design.from_toml(SHARED, "shared.toml").to_dict()
    flows = {"flow": [{"name": "a", "handle": 1}, {"name": "b", "namespace": "2"}, {"name": "c", "namespace": "log"}]}
    places = Places(design, flows)
    assert places.of({"flow": "a.1", "op": "write", "lba": 9, "stream": 1}) == Place("data", None, 1)
    for name in "bc":
        assert places.of({"flow": name, "op": "append", "lba": 2048 * 3 + 1}) == Place("log", 3, None)


def test_results_have_the_namespaces(tmp_path: Path) -> None:
    drive, work = files(tmp_path)
    result = cn.run(drive, work)
    assert [each["kind"] for each in result["namespaces"]] == ["placed", "zoned"]
    assert result["namespaces"][1]["flows"] == ["log"]
    assert result["flash"]["fdp"]["handles"][1]["host_pages"] > 100
    assert result["flash"]["zones"]["count"] == 8


def test_jobs_name_their_namespace() -> None:
    text, _ = fio.workload("[job]\nrw=write\nsize=1m\nfilename=/dev/nvme0n2\n", "job.fio")
    assert tomllib.loads(text)["flow"][0]["namespace"] == "2"
    text, _ = fio.workload("[job]\nrw=write\nsize=1m\nfilename=/dev/nvme1n1\n", "job.fio")
    assert "namespace" not in tomllib.loads(text)["flow"][0]


def test_a_drive_takes_commands_to_zones(tmp_path: Path) -> None:
    design = cn.Design.from_toml(
        SHARED.replace('name = "data"\nkind = "placed"', 'name = "first"\nkind = "zoned"\nsize = "2MiB"')
        .replace("[fdp]\nhandles = 2\n", "")
        .replace('superblock = "drive"', ""),
        "z.toml",
    )
    drive = cn.Drive(design)
    ends = []
    for op in ("append", "append", "zone-finish", "append", "zone-reset"):
        drive.submit(op, lba=2048, sectors=8 if op == "append" else 0)
        end = drive.next_completion()
        assert end is not None
        ends.append((end.lba, end.status))
    assert ends == [(2048, 0), (2056, 0), (2048, 0), (2048, 0xB9), (2048, 0)], "appends get their address"
    assert drive.results["flash"]["zones"]["refused"] == {"zone_is_full": 1}
    assert drive.take().is_empty()


def test_a_drive_takes_handles(tmp_path: Path) -> None:
    placed = cn.design("performance-optimized", **{"ftl.superblock": "drive", "fdp.handles": 3})
    drive = cn.Drive(placed)
    for number in range(6):
        drive.submit("write", lba=8 * number, sectors=8, handle=number % 3, tag=number)
    again = cn.Drive.restore(drive.snapshot())
    again.submit("handle-update", handle=2, tag=6)
    again.submit("handle-update", handle=9, tag=7)
    assert {end.tag: end.status for end in again} == {**dict.fromkeys(range(7), 0), 7: 0x02}
    handles = again.results["flash"]["fdp"]["handles"]
    assert [(handle["host_pages"], handle["updates"]) for handle in handles] == [(2, 0), (2, 0), (2, 1)]
    with pytest.raises(cn.ConfigError, match="only writes and updates have one"):
        drive.submit("read", sectors=8, handle=1)
    with pytest.raises(cn.ConfigError, match=r"fdp\.handles"):
        cn.Drive("performance-optimized").submit("write", sectors=8, handle=1)
    drive.advance_to(10**12)
    assert drive.take().sort("tag")["handle"].to_list() == [0, 1, 2, 0, 1, 2]


def test_nbd_serves_no_zones(canaletto: Any, tmp_path: Path) -> None:
    zoned = (
        SHARED.replace('[[namespace]]\nname = "data"\nkind = "placed"\n', "")
        + '[[namespace]]\nname = "data"\nkind = "placed"\n'
    )
    (tmp_path / "zoned.toml").write_text(zoned)
    said = ("namespace.0.kind", "NBD has no commands for zones")
    canaletto.refuses("serve", str(tmp_path / "zoned.toml"), "--socket", str(tmp_path / "s"), says=said)


def test_profiles_of_logs_and_caches_run() -> None:
    for name, flows in (("log-structured", 3), ("flash-cache", 3)):
        work = cn.workload(name, requests=2000)
        result = cn.run("performance-optimized", work, root_causes=False)
        assert len(result["flows"]) == flows
        assert result["requests"]["writes"] > 100 < result["requests"]["reads"]
    placed = {"ftl.superblock": "drive", "fdp.handles": 2}
    work = cn.workload("flash-cache", requests=2000, **{"flow.1.handle": 1})
    handles = cn.run(cn.design("performance-optimized", **placed), work)["flash"]["fdp"]["handles"]
    assert all(handle["host_pages"] > 0 for handle in handles)


def test_ten_thousand_zones_and_256_handles_take_less_than_100_mb() -> None:
    script = """
import json, canaletto as cn

keys = {"cache.capacity": "64MiB", "cache.power_loss_protection": True, "zns.zone_size": "12MiB"}
design = cn.design("performance-optimized", **keys, **{"zns.stripe.dies": 2, "geometry.blocks_per_plane": 400})
flow = "requests = 40000, read_share = 0.0, size = '16KiB', queue_depth = 8, zone_work = 'append', zones = 8"
work = cn.Workload.from_toml("name = 'w'\\n[[flow]]\\nname = 'a'\\nsynthetic = { " + flow + " }", "w.toml")
zoned = cn.run(design, work, records=False, root_causes=False)
placed = cn.design("performance-optimized", **{"ftl.superblock": "drive", "fdp.handles": 256})
work = cn.workload("hm_0", requests=20000, **{"flow.0.handle": 255})
handles = cn.run(placed, work, records=False, root_causes=False)
print(json.dumps([zoned.to_dict(), handles.to_dict()]))
"""
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300)
    zoned, placed = json.loads(out.stdout)
    assert zoned["flash"]["zones"]["count"] >= 10_000
    assert len(placed["flash"]["fdp"]["handles"]) == 256
    # With the interpreter and the package.
    assert placed["cost"]["peak_rss_mb"] < 100
