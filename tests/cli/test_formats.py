import csv
import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

# A read of 4 KiB at 8 KiB and, 1 s later, a write of 512 bytes at 0, in every format that has a line for it.
LINES = {
    "mqsim": "1000000000 0 16 8 1\n2000000000 0 0 1 0\n",
    "msr": "10000000,h,0,Read,8192,4096,5\n20000000,h,0,Write,0,512,5\n",
    "systor": "Timestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,R,0,8192,4096\n2.0,0.1,W,0,0,512\n",
    "cloudphysics": "version,time,op,size,lbn\n1,1000000,28,4096,16\n1,2000000,2a,512,0\n",
    "spc": "0,16,4096,R,1.0\n0,0,512,W,2.0\n",
    "alibaba": "0,R,8192,4096,1000000\n0,W,0,512,2000000\n",
    "tencent": "1,16,8,0,0\n2,0,1,1,0\n",
    "replayer": "1000.0 0 8192 4096 1\n2000.0 0 0 512 0\n",
    "disksim": "1000.0 0 16 8 1\n2000.0 0 0 1 0\n",
    "blkparse": "0,0 0 1 1.0 7 Q R 16 + 8 [x]\n0,0 0 2 1.0 7 D R 16 + 8 [x]\n0,0 0 3 2.0 7 D W 0 + 1 [x]\n",
    "iolog": "fio version 3 iolog\n0 f add\n1000000 f read 8192 4096\n2000000 f write 0 512\n",
    "biosnoop": "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.0 x 7 sda R 16 4096 0.00\n2.0 x 7 sda W 0 512 0.00\n",
    "fiu": "1000000000 7 x 16 8 R 0 0 00\n2000000000 7 x 0 1 W 0 0 00\n",
    "diskmon": "0\t1.0\t0.1\t0\tRead\t16\t8\n1\t2.0\t0.1\t0\tWrite\t0\t1\n",
    "csv": "arrival_ns,device,offset_bytes,bytes,kind\n1000000000,0,8192,4096,read\n2000000000,0,0,512,write\n",
}
READ_ONLY = {"biosnoop"}
EXPECTED = {
    "arrival_ns": [1_000_000_000, 2_000_000_000],
    "device": [0, 0],
    "offset_bytes": [8192, 0],
    "bytes": [4096, 512],
    "kind": ["read", "write"],
}


def test_every_format_is_tried(canaletto: Any) -> None:
    found = canaletto.ok("trace", "formats", "--json").json
    assert {each["name"] for each in found} == {*LINES, "vscsi"}
    assert {each["name"] for each in found if each["writable"]} == {*LINES} - READ_ONLY
    table = canaletto.ok("trace", "formats").out
    assert all(name in table for name in [*LINES, "vscsi", "parquet"])


@pytest.mark.parametrize("name", LINES)
def test_formats_are_found_read_and_written(name: str, canaletto: Any, tmp_path: Path) -> None:
    from canaletto import traces

    (tmp_path / "t").write_text(LINES[name])
    assert canaletto.ok("trace", "info", "t", "--json").json["format"] == name
    assert traces.frame(tmp_path / "t").to_dict(as_series=False) == EXPECTED
    if name not in READ_ONLY:
        canaletto.ok("trace", "convert", "t", "back", "--to", name)
        assert traces.frame(tmp_path / "back", name).to_dict(as_series=False) == EXPECTED
    result = canaletto.ok("run", "performance-optimized", "--workload", "t", "--json").json
    assert (result["requests"]["reads"], result["requests"]["writes"]) == (1, 1)
    assert "traces" not in result


@pytest.mark.parametrize("ending", ["", ".gz", ".zst", ".xz"])
def test_what_is_written_may_be_packed(ending: str, canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t").write_text(LINES["mqsim"])
    canaletto.ok("trace", "convert", "t", f"o.csv{ending}", "--to", "csv")
    found = canaletto.ok("trace", "info", f"o.csv{ending}", "--json").json
    packing = {"": "plain", ".gz": "gzip", ".zst": "zstd", ".xz": "xz"}[ending]
    assert (found["compression"], found["requests"]) == (packing, 2)


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_a_file_that_is_there_is_replaced_if_that_is_asked_for(to: str, tmp_path: Path) -> None:
    from canaletto import ConfigError, traces

    (tmp_path / "t").write_text(LINES["mqsim"])
    (tmp_path / "o").write_text("mine")
    with pytest.raises(ConfigError, match="o: exists already"):
        traces.convert(tmp_path / "t", tmp_path / "o", to)
    assert (tmp_path / "o").read_text() == "mine"
    assert traces.convert(tmp_path / "t", tmp_path / "o", to, force=True)["requests"] == 2


def test_parquet_is_written(canaletto: Any, tmp_path: Path) -> None:
    lines = "".join(f"{i * 10} {i % 3} {i * 8} 8 {i % 2}\n" for i in range(200_000))
    (tmp_path / "t").write_text(lines)
    found = canaletto.ok("trace", "convert", "t", "o.parquet", "--to", "parquet", "--json").json
    assert (found["requests"], found["from"], found["to"]) == (200_000, "mqsim", "parquet")
    frame = pl.read_parquet(tmp_path / "o.parquet")
    assert frame.height == 200_000
    assert frame["arrival_ns"].is_sorted()
    assert frame.row(5) == (50, 2, 40 * 512, 4096, "read")


def test_rounding_has_to_be_asked_for(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("17,h,0,Read,513,100,0\n")
    canaletto.refuses("trace", "convert", "t", "o", "--to", "alibaba", says=("1700", "multiple of 1000"))
    canaletto.ok("trace", "convert", "t", "o", "--to", "tencent", "--round")
    assert (tmp_path / "o").read_text() == "0,1,1,0,0\n"


def test_trims_and_flushes_reach_the_drive(canaletto: Any, tmp_path: Path) -> None:
    lines = ["8,0 0 1 0.1 7 D W 0 + 8 [x]", "8,0 0 2 0.2 7 D DS 0 + 8 [x]", "8,0 0 3 0.3 7 D FN [x]"]
    (tmp_path / "t").write_text("\n".join(lines) + "\n")
    result = canaletto.ok("run", "performance-optimized", "--workload", "t", "--json").json
    assert [result["requests"][kind] for kind in ("reads", "writes", "trims", "flushes")] == [0, 1, 1, 1]


def test_options_of_reading_reach_every_way_in(canaletto: Any, tmp_path: Path) -> None:
    import canaletto as cn

    (tmp_path / "t").write_text(LINES["blkparse"] + "rubbish\n")
    read = {"events": "Q", "on_error": "skip"}
    (tmp_path / "w.toml").write_text(
        'name = "w"\n[[flow]]\nname = "f"\n[flow.trace]\nfile = "t"\nread = { events = "Q", on_error = "skip" }\n'
    )
    run = ["run", "performance-optimized", "--json", "--workload"]
    by_words = canaletto.ok(*run, "t", "--events", "Q", "--on-error", "skip").json
    by_file = canaletto.ok(*run, "w.toml").json
    by_call = cn.run(cn.design("performance-optimized"), cn.workload(tmp_path / "t", read=read)).to_dict()
    for result in (by_words, by_file, by_call):
        assert result["requests"]["completed"] == 1
        assert result["traces"][0]["skipped_lines"] == 1
        assert ":4:" in result["traces"][0]["first_skipped"]
    merged = canaletto.ok(*run, "w.toml", "--events", "D").json
    assert (merged["requests"]["completed"], merged["traces"][0]["skipped_lines"]) == (2, 1)
    shown = canaletto.ok("run", "performance-optimized", "--workload", "w.toml").out
    assert "1 bad line left out" in " ".join(shown.split())


def test_columns_can_be_named(canaletto: Any, tmp_path: Path) -> None:
    from canaletto import traces

    (tmp_path / "t").write_text("op;at;lba;len\n1;1000;16;8\n0;2000;0;1\n")
    columns = "time=at:ms,offset=lba:sectors,size=len:sectors,kind=op:read=1"
    canaletto.ok("trace", "convert", "t", "o.csv", "--to", "csv", "--columns", columns)
    assert traces.frame(tmp_path / "o.csv").to_dict(as_series=False) == EXPECTED


def test_figures_of_a_trace(canaletto: Any, tmp_path: Path) -> None:
    # Eight pages in a row, read twice, all on one of eight channels in the order of CWDP.
    lines = [f"{i * 1000} 0 {i % 8 * 8 * 8} 8 1\n" for i in range(16)]
    (tmp_path / "t").write_text("".join(lines))
    found = canaletto.ok("trace", "info", "t", "--json", "--design", "performance-optimized").json
    assert found["footprint_bytes"] == 8 * 4096
    assert found["reuse"]["share"] == 0.5
    assert found["reuse"]["distances"] == [[8, 8]]
    assert found["inter_arrival_us"]["variation"] == pytest.approx(0, abs=1e-6)
    channels = found["channels"]
    assert channels["design"] == "performance-optimized"
    assert sum(read + written for read, written in channels["pages"]) == 16
    assert channels["imbalance"] == max(map(sum, channels["pages"])) * len(channels["pages"]) / 16


def test_the_picture(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(LINES["mqsim"])
    canaletto.ok("trace", "info", "t.trace", "--out", "t.html", "--design", "performance-optimized")
    page = (tmp_path / "t.html").read_text()
    for name in ("sizes", "gaps", "addresses", "channels"):
        assert f'id="{name}-spec"' in page
    assert 'id="reuse-spec"' not in page, "nothing comes back"
    canaletto.refuses("trace", "info", "t.trace", "--out", "t.html", says=("exists already",))


def test_a_trace_that_moves_no_data_has_a_picture_too(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t").write_text("8,0 0 1 0.1 7 D FN [x]\n")
    canaletto.ok("trace", "info", "t", "--out", "t.html", "--design", "performance-optimized")
    assert "spec" not in (tmp_path / "t.html").read_text().split("<footer>")[0].replace("channels-spec", "")
    found = canaletto.ok("trace", "info", "t", "--json").json
    assert (found["flushes"], found["read_share"], found["size_bytes"]["mean"]) == (1, None, None)


SHARED = {
    "msr/hm_0-sample1000.csv.gz": "msr",
    "msr/msr.cut.per_10k.most_thpt_rand_iops.1006.trace.gz": "replayer",
    "msr/msr.cut.per_10k.rw_20_80.105.trace.gz": "replayer",
    "ycsb_rocksdb/ssdtrace-sample10k.blkparse.gz": "blkparse",
    "systor17/systor17-traces-sample.csv.gz": "systor",
    "tencent/cbs-sample50k.csv.gz": "tencent",
    "umass_spc/Financial1-first10k.ascii.gz": "mqsim",
    "cloudphysics/cloudPhysicsIO-2h.csv.gz": "cloudphysics",
    "heimdall/traceB.trace.gz": "replayer",
    "mqsim/tpcc-small.trace": "mqsim",
    "mqsim/wsrch-small.trace": "mqsim",
}


@pytest.mark.parametrize("file", SHARED)
def test_every_shared_trace_reads_and_replays(file: str, canaletto: Any, shared: Path) -> None:
    from canaletto import traces

    path = shared / "traces" / file
    found = traces.info(path)
    assert found["format"] == SHARED[file]
    assert found["lines"]["skipped_lines"] == 0
    with open(shared / "traces" / "MANIFEST.tsv") as manifest:
        (row,) = (row for row in csv.DictReader(manifest, delimiter="\t") if row["file"] == file)
    assert found["requests"] == int(row["requests"])
    assert f"{100 * found['read_share']:.1f}" == row["read%"]
    assert f"{found['size_bytes']['mean'] / 1024:.1f}" == row["avgKB"]
    if file.startswith(("cloudphysics", "heimdall")):  # The manifest counts each request of others from a page on.
        assert round(found["footprint_bytes"] / 2**20, 1) == float(row["footprint_MiB_4K"])
    words = "--requests 500 --queue-depth 16 --fit --json"
    run = ["run", "performance-optimized", "--workload", path, *words.split()]
    assert canaletto.ok(*run).json["requests"]["completed"] == 500


def test_times_survive_a_window_between_windows(canaletto: Any, tmp_path: Path) -> None:
    # Sorted by completion: each request is written up to 100 lines late.
    from canaletto import traces

    arrivals = [block + 100 - place for block in range(0, 20_000, 100) for place in range(100)]
    with gzip.open(tmp_path / "t.gz", "wt") as out:
        out.writelines(f"{arrival} 0 {arrival * 8} 8 1\n" for arrival in arrivals)
    frame = traces.frame(tmp_path / "t.gz", read={"sort_window": 200})
    assert frame["arrival_ns"].to_list() == sorted(arrivals)
    canaletto.refuses("trace", "info", "t.gz", "--sort-window", "10", says=("backwards", "window of 10 requests"))


VARIANTS = {
    "msr": "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n"
    "10000000, h, 0, R, 8192, 4096, 5\n20000000, h, 0, W, 0, 512, 5\n",
    "systor": "Timestamp,Response,IOType,LUN,Offset,Size\n1.0,0.1,R,0,8192,4096\n"
    "1.5,0.1,,0,8192,4096\n1.6,,,0,8192,4096\n2.0,0.1,W,0,0,512\n",
    "spc": "ASU,LBA,Size,Opcode,Timestamp\n0,16,4096,R,1.0\n0,0,512,W,2.0\n",
    "tencent": "Timestamp,Offset,Size,IOType,VolumeID\n1,16,8,0,0\n2,0,1,1,0\n",
    "mqsim": "\ufeff1000000000 0 16 8 1\n2000000000 0 0 1 0\n",
}
"""The same requests as copies of real traces have them: with headings, a byte order mark, blanks, letters."""


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_of_formats_are_found_and_read(name: str, canaletto: Any, tmp_path: Path) -> None:
    from canaletto import traces

    (tmp_path / "t").write_text(VARIANTS[name])
    assert canaletto.ok("trace", "info", "t", "--json").json["format"] == name
    assert traces.frame(tmp_path / "t").to_dict(as_series=False) == EXPECTED


def test_completions_without_data_are_no_requests(canaletto: Any, tmp_path: Path) -> None:
    lines = "0,0 0 1 1.0 7 C R 16 + 8 [0]\n0,0 0 2 1.5 0 C WS 34360 [0]\n0,0 0 3 2.0 7 C W 0 + 1 [0]\n"
    (tmp_path / "t").write_text(lines)
    assert canaletto.ok("trace", "info", "t", "--events", "C", "--json").json["requests"] == 2
    canaletto.refuses("trace", "info", "t", says=("no event D", "3 of C", "--events C"))


def test_gzip_may_be_padded(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(gzip.compress(LINES["mqsim"].encode()) + bytes(10_240))
    assert canaletto.ok("trace", "info", "t", "--json").json["requests"] == 2
