import time
from typing import Any

import canaletto as cn
import numpy as np
import pytest
from canaletto import bounds
from canaletto._run import names
from canaletto._run.bound_fabrics import FABRICS

# "Five-Minute Rule 40 Years Later" (arXiv 2511.03944), Table II: channels, dies a channel, us a command; millions of
# requests per second of 512 B and of 4 KiB.
TABLE_II = {
    "pessimistic": (16, 3, 0.2, 39.4, 8.5),
    "baseline": (20, 4, 0.15, 57.4, 11.1),
    "optimistic": (24, 5, 0.1, 79.3, 13.8),
}

FAST = {"fabric.interface": "nv-ddr3", "link.lane_rate": "63GB/s"}

FLOW = """name = "reads"
[[flow]]
name = "a"
[flow.synthetic]
requests = {requests}
read_share = 1.0
size = "512B"
alignment = "512B"
queue_depth = {depth}
"""


def published(channels: Any, dies: Any, command_us: Any) -> bounds.Drive:
    return bounds.Drive(
        fabric="bus",
        rows=channels,
        columns=dies,
        planes=6,
        page_bytes=4096,
        read_us=5,
        program_us=50,
        program_planes=6,
        independent_planes=True,
        reads_overlap=True,
        programs_overlap=True,
        link_rate=3600,
        read_command_us=command_us,
        program_command_us=6 * np.asarray(command_us),
    )


def asked(size: int) -> bounds.Work:
    return bounds.Work(size=size, read_share=0.9, write_amplification=3, programmed_bytes=size)


@pytest.mark.parametrize("drive", TABLE_II)
def test_published_peaks_come_out(drive: str) -> None:
    channels, dies, command_us, *expected = TABLE_II[drive]
    for size, millions in zip((512, 4096), expected, strict=True):
        found = float(bounds.peak_iops(published(channels, dies, command_us), asked(size), mix="rates")) / 1e6
        assert found == pytest.approx(millions, rel=0.02)
        # Where times add up instead there is never more.
        assert float(bounds.peak_iops(published(channels, dies, command_us), asked(size))) / 1e6 <= found * (1 + 1e-9)


def test_published_percentiles_come_out() -> None:
    """99th percentiles at 512 B for loads of 70, 80, 90 and 99 %, printed in whole microseconds."""
    drive = published(20, 4, 0.15)
    service = 20 / float(bounds.peak_iops(drive, asked(512), mix="rates")) * 1e6
    found = bounds.percentile_us(service, np.array([0.7, 0.8, 0.9, 0.99]), 0.99, 5.0)
    assert np.ceil(found).tolist() == [7, 9, 13, 85]


def test_every_fabric_has_its_wires() -> None:
    assert list(FABRICS) == list(names.fabrics())


@pytest.mark.parametrize("sequences", ["short", "full"])
@pytest.mark.parametrize("fabric", FABRICS)
def test_a_single_read_takes_what_the_engine_says(fabric: str, sequences: str) -> None:
    drive = cn.design("performance-optimized", fabric=fabric, **FAST, **{"fabric.sequences": sequences})
    work = cn.Workload.from_toml(FLOW.format(requests=300, depth=1), "reads")
    simulated = cn.run(drive, work, records=False, progress=False).latency_us.all.mean
    assert cn.bound(drive, work).unloaded_us == pytest.approx(simulated, rel=0.005)


@pytest.mark.parametrize("read_share", [1.0, 0.0])
@pytest.mark.parametrize("size", ["4KiB", "16KiB"])
def test_firmware_counts_writes_and_mapping_units(size: str, read_share: float) -> None:
    parts = {"request": "1us", "write": "8us", "page": "3us"}
    keys = {f"controller.firmware_per_{part}": time for part, time in parts.items()}
    units = {"geometry.page": "16KiB", "ftl.mapping_unit": "4KiB", "controller.write_latency": "5us"}
    drive = cn.design("performance-optimized", **FAST, **keys, **units, **{"flash.program": "10us"})
    text = FLOW.format(requests=300, depth=1).replace("read_share = 1.0", f"read_share = {read_share}")
    work = cn.Workload.from_toml(text.replace('"512B"', f'"{size}"'), "units")
    result = cn.run(drive, work, records=False, progress=False)
    found = cn.bound(drive, work, write_amplification=1)
    assert found.unloaded_us == pytest.approx(result.latency_us.all.mean, rel=0.03)
    pages = 4 if size == "16KiB" else 1
    busy_us = 1 + 3 * pages + (0 if read_share else 8)
    assert found.limits_iops["processor"] == pytest.approx(1e6 / busy_us)


@pytest.mark.parametrize("fabric", FABRICS)
def test_pages_on_planes_of_one_lun_follow_each_other(fabric: str) -> None:
    drive = cn.design("performance-optimized", fabric=fabric, **{"ftl.allocation": "PCWD"})
    text = FLOW.format(requests=300, depth=1).replace('"512B"', '"8KiB"')
    work = cn.Workload.from_toml(text, "pairs")
    result = cn.run(drive, work, records=False, progress=False)
    assert cn.bound(drive, work).unloaded_us == pytest.approx(result.latency_us.all.mean, rel=0.07)


@pytest.mark.parametrize("chunk", ["512B", "1KiB", "2KiB"])
@pytest.mark.parametrize("size", ["1KiB", "4KiB", "16KiB"])
@pytest.mark.parametrize("read_share", [1.0, 0.0])
def test_a_page_that_is_split_late_takes_what_the_engine_says(chunk: str, size: str, read_share: float) -> None:
    keys = {"geometry.page": "16KiB", "fabric.omnibus.late_split": chunk, "fabric.omnibus.control.delay": "100ns"}
    keys["controller.ecc.codeword"] = "512B"
    drive = cn.design("performance-optimized", fabric="omnibus", **FAST, **keys, **{"flash.program": "10us"})
    text = FLOW.format(requests=300, depth=1).replace("read_share = 1.0", f"read_share = {read_share}")
    text = text.replace('size = "512B"', f'size = "{size}"').replace('alignment = "512B"', 'alignment = "16KiB"')
    work = cn.Workload.from_toml(text, "pages")
    result = cn.run(drive, work, records=False, progress=False)
    found = cn.bound(drive, work)
    assert found.unloaded_us == pytest.approx(result.latency_us.all.mean, rel=0.005)
    # Where the end of a page is worth the change of column, it is taken; where not, nothing changes.
    whole = cn.bound(drive.replace(**{"fabric.omnibus.late_split": "0B"}), work)
    moved = 16384 if read_share == 0.0 else {"1KiB": 1024, "4KiB": 4096, "16KiB": 16384}[size]
    chunks = moved // {"512B": 512, "1KiB": 1024, "2KiB": 2048}[chunk]
    assert found.unloaded_us <= whole.unloaded_us
    assert found.unloaded_us < 0.995 * whole.unloaded_us or chunks < 4
    assert found.unloaded_us == whole.unloaded_us or chunks > 1
    # At the peak others want the other bus.
    buses = "row and column buses"
    assert found.limits_iops[buses] == whole.limits_iops[buses]
    assert all(found.limits_iops[part] >= limit for part, limit in whole.limits_iops.items())


@pytest.mark.parametrize("fabric", FABRICS)
def test_no_run_is_faster_than_its_bound(fabric: str) -> None:
    drive = cn.design("performance-optimized", fabric=fabric, **FAST, **{"fabric.sequences": "full"})
    drive = drive.replace(**{"flash.multi_plane": "off"})
    work = cn.Workload.from_toml(FLOW.format(requests=10_000, depth=512), "reads")
    served = cn.run(drive, work, records=False, progress=False).iops
    found = cn.bound(drive, work)
    least = {"bus": 0.8, "mesh-2bit": 0.95}.get(fabric, 0.4)
    assert least <= served / found.ceiling_iops <= 1.001
    bounded = ("mesh", "mesh-2bit", "venice", "scheduled-mesh", "clusters", "daisy-chain", "ring", "custom")
    assert found.is_exact == (fabric not in bounded)


def test_failed_codewords_are_read_again_with_all_around_them() -> None:
    """As the engine has it: the mean of single reads of 1 KiB."""
    layers = {"controller.ecc.codeword": "512B", "controller.ecc.outer.codeword": "4KiB"}
    layers |= {"controller.ecc.outer.inner_failure": 0.1, "controller.ecc.outer.latency": "2us"}
    drive = cn.design("performance-optimized", **FAST, **layers)
    work = cn.Workload.from_toml(FLOW.format(requests=4000, depth=1).replace('size = "512B"', 'size = "1KiB"'), "reads")
    simulated = cn.run(drive, work, records=False, progress=False).latency_us.all.mean
    found = cn.bound(drive, work)
    assert found.unloaded_us == pytest.approx(simulated, rel=0.02)
    plain = cn.bound(cn.design("performance-optimized", **FAST), work)
    assert found.unloaded_us > plain.unloaded_us
    assert found.limits_iops["dies"] == pytest.approx(plain.limits_iops["dies"] / (2 - 0.9**2), rel=0.2)
    # What comes in whole outer codewords is never read again.
    whole = cn.bound(drive, size="4KiB")
    assert whole.limits_iops == cn.bound(cn.design("performance-optimized", **FAST), size="4KiB").limits_iops


def test_arrays_are_many_drives_at_once() -> None:
    rates = np.linspace(400.0, 4800.0, 100_000)
    drive = bounds.Drive(
        fabric="sca",
        rows=8,
        columns=8,
        page_bytes=4096,
        read_us=3,
        program_us=100,
        link_rate=rates,
        read_command_us=0.2,
    )
    began = time.perf_counter()
    found = bounds.peak_iops(drive, bounds.Work(size=4096))
    assert time.perf_counter() - began < 1.0
    assert found.shape == rates.shape
    for number in (0, 50_000, 99_999):
        one = bounds.Drive(**{**vars(drive), "link_rate": float(rates[number])})
        assert float(bounds.peak_iops(one, bounds.Work(size=4096))) == found[number]


def test_the_part_that_limits_is_named() -> None:
    drive = cn.design("performance-optimized", **FAST, **{"fabric.sequences": "full"})
    assert cn.bound(drive, size="512B").limit == "channels"
    assert cn.bound(drive, size="512B", queue_depth=1).limit == "queue depth"
    assert cn.bound(drive.replace(**{"link.lane_rate": "100MB/s"}), size="4KiB").limit == "host link, to host"
    assert cn.bound(drive.replace(**{"flash.read": "1ms"}), size="4KiB").limit == "dies"
    assert cn.bound(drive.replace(**{"controller.firmware_per_request": "9us"})).limit == "processor"


def test_one_hot_row_is_one_row_of_wires() -> None:
    """A bus has an eighth of its throughput, row and column buses nine of sixteen."""
    hot = FLOW.replace('name = "a"', 'name = "a"\nchannels = [0]').replace(
        "[[flow]]", "partitioned = true\n[[flow]]", 1
    )
    work = cn.Workload.from_toml(hot.format(requests=10, depth=64), "hot")
    ratios = {}
    for fabric, part in (("bus", "channels"), ("omnibus", "row and column buses"), ("venice", "controllers")):
        drive = cn.design("performance-optimized", fabric=fabric, **{"flash.multi_plane": "off"})
        ratios[fabric] = cn.bound(drive, work).limits_iops[part] / cn.bound(drive, size="512B").limits_iops[part]
    assert ratios["bus"] == pytest.approx(1 / 8, rel=1e-3)
    assert ratios["omnibus"] == pytest.approx(9 / 16, rel=0.05)
    assert ratios["venice"] == pytest.approx(1)


@pytest.mark.parametrize("numbering", ["row-major", "latin"])
@pytest.mark.parametrize("place", ["channel", "chip", "worst-line"])
def test_load_counts_where_the_numbering_puts_it(numbering: str, place: str) -> None:
    """Worst lines and chips have one bus whatever their numbers."""
    hot = FLOW.format(requests=20_000, depth=512) + f'hot_spot = {{ at = "{place}", share = 1.0 }}\n'
    work = cn.Workload.from_toml(hot, "hot")
    drive = cn.design("performance-optimized", **FAST, **{"flash.multi_plane": "off", "ftl.numbering": numbering})
    drive = drive.replace(**{"geometry.page": "512B"})
    found, even = cn.bound(drive, work).limits_iops, cn.bound(drive, size="512B").limits_iops
    across = numbering == "latin" and place == "channel"
    assert found["channels"] == pytest.approx(even["channels"] * (1 if across else 1 / 8))
    assert found["dies"] == pytest.approx(even["dies"] * (1 / 64 if place == "chip" else 1 / 8))
    served = cn.run(drive, work, records=False, progress=False).iops
    # With data first the eight chips of a row wait for each other.
    assert 0.65 <= served / cn.bound(drive, work).peak_iops <= 1.001


def test_what_has_no_closed_form_is_refused() -> None:
    with pytest.raises(cn.ConfigError, match=r"attachment\.kind: got"):
        cn.bound(cn.design("performance-optimized").replace(**{"attachment.kind": "nbdp"}))
    with pytest.raises(cn.ConfigError, match=r'ftl\.mapping: got "in-place"'):
        cn.bound("pcie3-3d-xpoint")
    with pytest.raises(cn.ConfigError, match="mix: got 'rate', expected times or rates"):
        cn.bound("performance-optimized", mix="rate")  # type: ignore[arg-type]
    found = cn.bound("performance-optimized")
    with pytest.raises(cn.ConfigError, match="load: got 1, expected"):
        found.latency_us(1)
    with pytest.raises(cn.ConfigError, match="percentile: got 99, expected"):
        found.latency_us(0.5, 99)


# A small drive, whose flash limits it.
FEW: dict[str, Any] = {"geometry.channels": 2, "geometry.chips_per_channel": 2}
PARTIAL = {**FEW, "geometry.page": "16KiB", "ftl.mapping_unit": "4KiB"}
DIES = {**FEW, "geometry.dies_per_chip": 2, "flash.die_interleaving": False, "flash.independent_plane_reads": True}
NATIVE = {"cache.mode": "off"}
SLOW = {"geometry.page": "16KiB", "flash.read": "60us", "flash.program": "60us", "flash.multi_plane": "off"}
HOST = {"host.submit_time": "5us", "host.complete_time": "2us"}
CASES: dict[str, tuple[str, dict[str, Any], str, float]] = {
    # A preset, keys, keys of the flow, and the least that is simulated of the bound.
    "three entries": ("pcie4-tlc", {"host.queue_entries": 3}, "queue_depth = 64", 0.6),
    "two entries": ("performance-optimized", {"host.queue_entries": 2}, "queue_depth = 64", 0.9),
    "one command": ("pcie4-tlc", {"host.fetch_limit": 1}, "queue_depth = 64", 0.98),
    "one of all commands": ("performance-optimized", {"host.command_limit": 1}, "queue_depth = 64", 0.9),
    "trims": ("performance-optimized", {}, 'size = "1MiB"\nread_share = 0.0\ntrim_share = 1.0', 0.7),
    "trims between reads": ("performance-optimized", {}, "trim_share = 0.5", 0.9),
    "flushes": ("performance-optimized", {}, "read_share = 0.0\nflush_share = 0.9", 0.3),
    "zeroes": (
        "performance-optimized",
        {"flash.program": "10us"},
        'size = "64KiB"\nread_share = 0.0\nwrite_zeroes_share = 1.0',
        0.9,
    ),
    "pseudo-SLC": ("pcie4-tlc", {**NATIVE, "flash.multi_plane": "off"}, 'size = "16KiB"\nread_share = 0.0', 0.8),
    "a run": ("pcie4-tlc", NATIVE, 'addresses = "sequential"', 0.8),
    "zipf": ("pcie4-tlc", NATIVE, 'addresses = "zipf"\nzipf_exponent = 1.2', 0.4),
    "runs": ("pcie4-tlc", NATIVE, "sequential_share = 0.9", 0.6),
    "recent places": ("pcie4-tlc", NATIVE, "recent_share = 0.9", 0.35),
    "few places": ("pcie4-tlc", {**NATIVE, "flash.multi_plane": "off"}, 'working_set_size = "4MiB"', 0.5),
    "a part of a unit": ("performance-optimized", PARTIAL, 'size = "2KiB"\nread_share = 0.0', 0.5),
    "a sector of a unit": (
        "performance-optimized",
        PARTIAL,
        'size = "512B"\nalignment = "512B"\nread_share = 0.0\nqueue_depth = 1',
        0.998,
    ),
    "ends of pages": (
        "performance-optimized",
        {**FEW, **SLOW},
        'size = "64KiB"\nread_share = 0.0\nqueue_depth = 64',
        0.95,
    ),
    "one die at a time": ("performance-optimized", {**DIES, "flash.read": "25us"}, "", 0.5),
    "cache program": (
        "performance-optimized",
        {**FEW, "geometry.page": "16KiB", "flash.program": "50us", "flash.multi_plane": "off"}
        | {"flash.cache_program": True},
        'size = "16KiB"\nalignment = "16KiB"\nread_share = 0.0',
        0.98,
    ),
    "a cache": ("pcie4-tlc", {}, "read_share = 0.0", 0.8),
    "a cache and one write": ("pcie4-tlc", {}, "read_share = 0.0\nqueue_depth = 1", 0.8),
    "a cache for all": ("pcie4-tlc", {}, 'read_share = 0.0\nworking_set_size = "32MiB"', 0.9),
    "safe writes": ("pcie4-tlc", {}, "read_share = 0.0\nfua_share = 1.0\nqueue_depth = 16", 0.7),
    "host cores": ("performance-optimized", HOST, "", 0.998),
    "a host core": ("performance-optimized", HOST, "queue_depth = 1", 0.998),
    "an interrupt": ("performance-optimized", {"host.interrupt_latency": "5us"}, "queue_depth = 4", 0.95),
    "thought": ("performance-optimized", {}, 'queue_depth = 4\nthink_time = "20us"', 0.998),
    "pages in a row": ("performance-optimized", {}, 'size = "1MiB"\nqueue_depth = 1\nrequests = 300', 0.97),
    "a hot chip": (
        "performance-optimized",
        FEW,
        'size = "64KiB"\nhot_spot = { at = "chip", share = 1.0 }',
        0.4,
    ),
    "pages that hold nothing": ("performance-optimized", {**FEW, "ftl.unwritten_reads": "zeroes"}, "", 0.9),
}


def asked_of(flow: str) -> cn.Workload:
    given = {line.split(" = ")[0] for line in flow.splitlines()}
    usual = {"requests": 6000, "size": '"4KiB"', "read_share": 1.0, "queue_depth": 256}
    lines = [f"{key} = {value}" for key, value in usual.items() if key not in given]
    text = "\n".join(['name = "w"', "[[flow]]", 'name = "a"', "[flow.synthetic]", *lines, flow])
    return cn.Workload.from_toml(text, "w")


@pytest.mark.parametrize("case", CASES)
def test_no_run_is_faster_than_its_bound_whatever_it_asks(case: str) -> None:
    preset, keys, flow, least = CASES[case]
    drive, work = cn.design(preset).replace(**keys), asked_of(flow)
    served = cn.run(drive, work, records=False, progress=False).iops
    assert least <= served / cn.bound(drive, work).ceiling_iops <= 1.001


@pytest.mark.parametrize("generation", [1, 2, 3])
@pytest.mark.parametrize("size", ["512B", "4KiB"])
def test_an_answer_of_serial_ata_crosses_while_the_array_reads(generation: int, size: str) -> None:
    drive = cn.design("performance-optimized").replace(**{"host.protocol": "sata", "host.sata.generation": generation})
    work = asked_of(f'size = "{size}"\nqueue_depth = 1\nrequests = 500')
    assert cn.bound(drive, work).unloaded_us == pytest.approx(cn.run(drive, work).latency_us.all.mean, rel=1e-3)
    # Of many at a time it takes its part of the link.
    work = asked_of(f'size = "{size}"\nqueue_depth = 32')
    assert cn.run(drive, work).iops == pytest.approx(cn.bound(drive, work).peak_iops, rel=2e-3)


def test_what_the_cache_keeps_from_flash_is_no_limit() -> None:
    drive = cn.design("pcie4-tlc")
    few, many = (
        cn.bound(drive, asked_of(f'read_share = 0.5\nrequests = 100000000\nworking_set_size = "{size}"'))
        for size in ("32MiB", "1TiB")
    )
    assert "dies" not in few.limits_iops
    assert "dies" in many.limits_iops
    assert many.limits_iops["dies"] == pytest.approx(
        cn.bound(drive, size="4KiB", read_share=0.5).limits_iops["dies"], rel=0.5
    )


WRITTEN = {"geometry.blocks_per_plane": 64, "geometry.pages_per_block": 32, "geometry.channels": 2}
WRITTEN |= {"geometry.chips_per_channel": 2, "ftl.overprovisioning": 0.2, "precondition.kind": "steady"}


def test_the_peak_of_writes_is_what_a_run_serves() -> None:
    drive = cn.design("performance-optimized").replace(**WRITTEN)
    found = cn.bound(drive, size="4KiB", read_share=0.5)
    work = asked_of('read_share = 0.5\nrequests = 40000\nqueue_depth = 1024\nalignment = "4KiB"')
    run = cn.run(drive, work, seed=5, warmup=20_000, records=False, progress=False)
    assert found.peak_iops == pytest.approx(run.iops, rel=0.1)
    assert found.write_amplification == pytest.approx(run.flash.write_amplification, rel=0.1)
    assert found.peak_iops < found.ceiling_iops < 0.6 * cn.bound(drive, read_share=0.5, write_amplification=1).peak_iops
    assert found.knee_iops < found.peak_iops
    assert found.simulated_requests >= 8_000
    # Same state as from the one that is really written.
    assert cn.bound(drive.replace(**{"precondition.kind": "replay"}), read_share=0.5).peak_iops == found.peak_iops


def test_pseudo_slc_counts_as_far_as_it_has_room() -> None:
    """Endless writing goes to native blocks."""
    drive = cn.design("pcie4-tlc", **{"precondition.kind": "steady", "cache.capacity": "0B"})
    found = cn.bound(drive, size="16KiB", read_share=0.0)
    assert found.sustained_iops is not None
    assert found.sustained_write_amplification is not None
    assert found.sustained_iops < found.peak_iops / found.sustained_write_amplification
    fresh = cn.bound("pcie4-tlc", size="16KiB", read_share=0.0)
    assert fresh.sustained_iops is None
    assert cn.bound("pcie4-tlc").simulated_requests == 0


def test_idle_latencies_are_of_reads_and_of_writes() -> None:
    drive = cn.design("performance-optimized")
    found = cn.bound(drive, read_share=0.5, write_amplification=1)
    assert found.unloaded_read_us == cn.bound(drive).unloaded_us
    assert found.unloaded_write_us == cn.bound(drive, read_share=0.0, write_amplification=1).unloaded_us
    assert found.mean_unloaded_us == pytest.approx((found.unloaded_read_us + found.unloaded_write_us) / 2)
    assert cn.bound(drive).unloaded_write_us is None


def test_a_run_stays_within_a_pseudo_slc_cache_or_goes_far_beyond_it() -> None:
    keys = {
        "geometry.channels": 4,
        "geometry.chips_per_channel": 4,
        "geometry.planes_per_die": 2,
        "geometry.blocks_per_plane": 128,
        "geometry.pages_per_block": 128,
        "geometry.page": "16KiB",
        "ftl.mapping_unit": "4KiB",
        "ftl.overprovisioning": 0.28,
        "flash.cell": "tlc",
        "flash.pslc.program": "40us",
        "flash.pslc.read": "3us",
        "precondition.kind": "steady",
    }
    found = {
        size: cn.bound(
            cn.design("performance-optimized").replace(**keys, **{"flash.pslc.static_size": size}), read_share=0.4
        )
        for size in ("160MiB", "20MiB")
    }
    assert found["160MiB"].simulated_requests < 20_000
    assert found["20MiB"].simulated_requests == 100_000
    assert found["20MiB"].peak_iops < 0.7 * found["160MiB"].peak_iops
