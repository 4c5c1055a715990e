from pathlib import Path
from typing import Any

import pytest

BASE = 'base = "performance-optimized"\n'
RUN = ["run", "cost-optimized", "--workload", "hm_0"]
COMPARE = ["compare", *RUN[1:]]
SYNTHETIC = 'name = "w"\n[[flow]]\nname = "a"\n[flow.synthetic]\nread_share = 1.0\nsize = "4KiB"\n'

# What follows the base, the line that is wrong, its key, and what the message must say; more rows are in
# crates/canaletto-config/src/load/tests.rs.
DESIGNS = {
    "unknown key": (
        "[flash]\nraed = '5us'\n",
        3,
        "flash.raed",
        ["unknown key", "expected", "did you mean `flash.read`"],
    ),
    "unknown section": ("[flsh]\nread = '5us'\n", 2, "flsh", ["unknown key", "did you mean `flash`"]),
    "wrong unit": ("[flash]\nerase = '5GB/s'\n", 3, "flash.erase", ["5GB/s", "expected a time"]),
    "negative time": ("[flash]\nerase = '-3us'\n", 3, "flash.erase", ["-3us", "expected"]),
    "endless time": ("[flash]\nerase = '1e999s'\n", 3, "flash.erase", ["1e999s", "expected"]),
    "share beyond one": ("[ftl]\noverprovisioning = 1.5\n", 3, "ftl.overprovisioning", ["1.5", "expected"]),
    "too few blocks": ("[geometry]\nblocks_per_plane = 1\n", 3, "geometry.blocks_per_plane", ["got 1", "4"]),
    "unknown interface": ("[fabric]\ninterface = 'sata'\n", 3, "fabric.interface", ["sata", "nv-ddr"]),
    "too many queues": ("[host]\nqueues_per_flow = 65536\n", 3, "host.queues_per_flow", ["65536", "from 1 to 65535"]),
    "weight of zero": ("[host.arbitration]\nlow = 0\n", 3, "host.arbitration.low", ["got 0", "from 1 to 256"]),
    "too many slots": ("[host.sata]\nslots = 33\n", 3, "host.sata.slots", ["got 33", "from 1 to 32"]),
    "unknown protocol": ("[host]\nprotocol = 'sas'\n", 3, "host.protocol", ["sas", "did you mean `sata`"]),
    "generation to come": ("[link]\nlanes = 4\nlane_rate = 'gen9'\n", 4, "link.lane_rate", ["gen9", "gen7"]),
    "rate without a unit": ("[link]\nlane_rate = '2'\n", 3, "link.lane_rate", ["2", "GB/s"]),
    "interface of the other bridge": (
        "[attachment]\nkind = 'sbdp'\ninterface = 'ddr2'\n",
        4,
        "attachment.interface",
        ["ddr2", "expected pata or sata", "south bridge"],
    ),
    "frames over a DRAM interface": (
        "[attachment]\nkind = 'nbdp'\n[host]\nprotocol = 'sata'\n",
        5,
        "host.protocol",
        ["got sata", "expected nvme", "nbdp"],
    ),
    "DRAM interface without its signal": (
        "[attachment]\nkind = 'nbsp'\n[attachment.platform]\ndqs = false\n",
        5,
        "attachment.platform.dqs",
        ["got false", "expected true for nbsp"],
    ),
    "table for a value": ("[flash.erase]\nx = 1\n", 2, "flash.erase", ["expected"]),
}


@pytest.mark.parametrize("case", DESIGNS)
def test_design_files(case: str, canaletto: Any, tmp_path: Path) -> None:
    text, line, key, says = DESIGNS[case]
    (tmp_path / "d.toml").write_text(BASE + text)
    canaletto.refuses("run", "d.toml", "--workload", "hm_0", says=(f"d.toml:{line}: {key}", *says))


TASK = (
    'name = "t"\n[[flow]]\nname = "a"\n[flow.synthetic]\nrequests = 9\nread_share = 1.0\nsize = "4KiB"\n'
    'queue_depth = 1\nworking_set_size = "64KiB"\n[flow.compute]\n'
)

# What follows the base, the task, and the message.
TASKS = {
    "what an array does not combine": (
        "",
        "at = 'array'\nkind = 'scan'\n",
        'w.toml:11: flow.0.compute.at: got "array" with kind = "scan": an array combines operands; expected "gather"',
    ),
    "operands beyond the buffer": (
        "",
        "at = 'chip'\nkind = 'gather'\noperands = 32\n",
        'w.toml:13: flow.0.compute.operands: got 32, expected at most 16: compute.chip.buffer holds "64KiB"',
    ),
    "a buffer without room for a page": (
        "[compute.channel]\nbuffer = '2KiB'\n",
        "at = 'channel'\nkind = 'scan'\n",
        'd.toml:3: compute.channel.buffer: got "2KiB", expected at least a page of "4KiB"',
    ),
    "a rate of nothing": (
        "[compute.chip]\nrate = '0B/s'\n",
        "at = 'chip'\nkind = 'scan'\n",
        'd.toml:3: compute.chip.rate: got "0B/s", expected a rate above 0',
    ),
    "operands that are no pages": (
        "[geometry]\npage = '16KiB'\n",
        "at = 'drive'\nkind = 'gather'\n",
        'w.toml:7: flow.0.synthetic.size: got "4KiB", expected "16KiB" alone',
    ),
    "a distance of half pages": (
        "",
        "at = 'chip'\nkind = 'gather'\ndistance = '6KiB'\n",
        'w.toml:13: flow.0.compute.distance: got "6KiB", expected a multiple of "4KiB", a page',
    ),
    "operands in other planes": (
        "[ftl]\nwrite_placement = 'operands'\n",
        "at = 'array'\nkind = 'gather'\ndistance = '32KiB'\n",
        'w.toml:13: flow.0.compute.distance: got "32KiB", expected a multiple of "512KiB", a page per plane',
    ),
    "fewer pages than operands": (
        "",
        "at = 'array'\nkind = 'gather'\noperands = 17\n",
        "w.toml:13: flow.0.compute.operands: got 17, expected at most 16: the flow's addresses have no more pages",
    ),
    "tasks in zones": (
        "[zns]\nzone_size = '96MiB'\n[cache]\ncapacity = '64MiB'\n",
        "at = 'drive'\nkind = 'scan'\n",
        "w.toml:10: flow.0.compute: got tasks in zones, expected a namespace without zones: tasks read flash",
    ),
    "errors in a chip": (
        "[flash.errors]\nbase = 0.001\n",
        "at = 'chip'\nkind = 'scan'\n",
        'd.toml:2: flash.errors: got errors with flow "a" that computes at "chip": a chip has no ECC engine',
    ),
    "frames of Serial ATA": (
        "[host]\nprotocol = 'sata'\n",
        "at = 'drive'\nkind = 'scan'\n",
        'd.toml:3: host.protocol: got "sata" with flow "a" that computes: tasks are commands of NVM Express',
    ),
}


@pytest.mark.parametrize("case", TASKS)
def test_tasks_that_a_drive_cannot_do(case: str, canaletto: Any, tmp_path: Path) -> None:
    design, task, says = TASKS[case]
    (tmp_path / "d.toml").write_text(BASE + design)
    (tmp_path / "w.toml").write_text(TASK + task)
    canaletto.refuses("run", "d.toml", "--workload", "w.toml", says=(f"canaletto: {says}",))


def test_what_was_set_by_an_option_is_named_by_it(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(TASK + "at = 'chip'\nkind = 'gather'\noperands = 4\n")
    words = ("performance-optimized", "--workload", "w.toml", "--requests", "5")
    assert canaletto("run", *words, "--json").status == 0
    buffer = "--set compute.chip.buffer=8KiB"
    says = (
        'canaletto: w.toml:13: flow.0.compute.operands: got 4, expected at most 2: compute.chip.buffer holds "8KiB"',
    )
    canaletto.refuses("run", *words, *buffer.split(), "--dry-run", says=says)
    says = (f': {buffer.replace("8", "1")}: compute.chip.buffer: got "1KiB", expected at least two pages',)
    canaletto.refuses("compare", *words, *buffer.replace("8", "1").split(), "--fabrics", "bus,venice", says=says)


def test_mistakes_are_told_together(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text(BASE + "[geometry]\nchannels = 0\n[flash]\nraed = '5us'\nerase = 3\n")
    answer = canaletto("run", "d.toml", "--workload", "hm_0", "--set", "gc.threshold=lots")
    assert (answer.status, answer.out) == (2, "")
    starts = ("d.toml:3: geometry.channels: got 0", "d.toml:5: flash.raed", "d.toml:6: flash.erase: got 3 without")
    lines = answer.err.splitlines()
    assert len(lines) == 4
    for line, start in zip(lines, (*starts, "--set gc.threshold=lots: gc.threshold: got"), strict=True):
        assert line.startswith(f"canaletto: {start}"), line


WORKLOADS = {
    "no loop": (SYNTHETIC + "requests = 5\n", ["w.toml:4: flow.0.synthetic", "queue_depth", "inter_arrival"]),
    "two kinds of arrivals": (
        SYNTHETIC + "requests = 5\ninter_arrival = '1us'\narrivals = 'fixed'\nburstiness = 2.0\n",
        ["flow.0.synthetic.burstiness", "got 2", "fixed"],
    ),
    "no request": (SYNTHETIC + "requests = 0\nqueue_depth = 1\n", ["w.toml:7: flow.0.synthetic.requests", "got 0"]),
    "share beyond one": (
        SYNTHETIC.replace("1.0", "1.1") + "requests = 5\nqueue_depth = 1\n",
        ["w.toml:5: flow.0.synthetic.read_share", "1.1"],
    ),
    "nothing to do": ('name = "w"\n[[flow]]\nname = "a"\n', ["w.toml:2: flow.0", "synthetic", "trace"]),
    "no flow": ('name = "w"\nflow = []\n', ["w.toml:2: flow", "empty"]),
    "flow missing": ('name = "w"\n', ["w.toml", "flow"]),
    "flow without resources": (
        'name = "w"\npartitioned = true\n[[flow]]\nname = "a"\nchannels = []\n'
        + SYNTHETIC.split("\n", 3)[3]
        + "requests = 5\nqueue_depth = 1\n",
        ["channels", "empty list", "at least one"],
    ),
    "plane that is not there": (
        'name = "w"\npartitioned = true\n[[flow]]\nname = "a"\nplanes = [9]\n'
        + SYNTHETIC.split("\n", 3)[3]
        + "requests = 5\nqueue_depth = 1\n",
        ["planes", "9"],
    ),
}


@pytest.mark.parametrize("case", WORKLOADS)
def test_workload_files(case: str, canaletto: Any, tmp_path: Path) -> None:
    text, says = WORKLOADS[case]
    (tmp_path / "w.toml").write_text(text)
    canaletto.refuses("run", "performance-optimized", "--workload", "w.toml", says=tuple(says))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"x = [1,\n2\n", "d.toml:"),
        (b"name = 'a'\nname = 'b'\n", "d.toml:2"),
        (b"\xff\xfe\x00", "d.toml:1: byte 0xff is not UTF-8"),
        (b"x = 1\n" * 4 + b"\x00", "d.toml:5"),
        (b"#" * ((16 << 20) + 1), "d.toml: larger than 16 MiB"),
        (b"x = " + b"[" * 100_000, "d.toml:"),
    ],
    ids=["torn", "twice", "binary", "nul", "huge", "deep"],
)
def test_files_that_are_no_toml(content: bytes, says: str, canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_bytes(content)
    canaletto.refuses("run", "d.toml", "--workload", "hm_0", says=(says,))


def test_all_that_a_file_lacks_is_named(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_bytes(b"")
    answer = canaletto("run", "d.toml", "--workload", "hm_0")
    missing = [line.removeprefix("canaletto: d.toml: ") for line in answer.err.splitlines()]
    assert missing == [f"missing key `{key}`" for key in ("name", "geometry", "flash", "fabric", "link")]
    assert answer.status == 2


def test_files_that_cannot_be_read(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    run = ["run", "performance-optimized", "--workload"]
    canaletto.refuses("run", "none.toml", "--workload", "hm_0", says=("none.toml: No such file",))
    canaletto.refuses("run", "folder.toml", "--workload", "hm_0", says=("folder.toml: Is a directory",))
    canaletto.refuses(*run, "none.toml", says=("none.toml: No such file",))
    canaletto.refuses(*run, "folder.toml", says=("folder.toml: Is a directory",))
    canaletto.refuses(*run, "none.trace", says=("none.trace: No such file",))
    canaletto.refuses(*run, tmp_path, says=("Is a directory",))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["run", "cost-optimised", "--workload", "hm_0"], ["cost-optimised", 'did you mean "cost-optimized"']),
        (["run", "cost-optimized", "--workload", "hm0"], ["hm0", 'did you mean "hm_0"']),
        ([*RUN, "--fabric", "buss"], ["canaletto: --fabric buss: ", "did you mean `bus`"]),
        (
            [*RUN, "--set", "channels=4"],
            ["--set channels=4: channels: unknown key", "did you mean `geometry.channels`"],
        ),
        (
            [*RUN, "--set", "workload.raed_share=1"],
            ["--set workload.raed_share=1: workload.raed_share: unknown key; did you mean `workload.read_share`?"],
        ),
        (
            ["run", "cost-optimized", "--workload", "mix1", "--set", "workload.read_share=1"],
            ["--set workload.read_share=1: workload.read_share: unknown key; this workload has 2 flows"],
        ),
        ([*RUN, "--occupancy", "120%"], ["--occupancy", "120%", "from 0 to 1"]),
        ([*RUN, "--requests", "1e-5"], ["--requests", "whole number"]),
        ([*RUN, "--requests", "1e999999999"], ["--requests", "whole number"]),
        ([*RUN, "--no-report"], ["--no-report", "--out"]),
        ([*RUN, "--json=lean"], ["--json", "lean", "summary"]),
        ([*COMPARE, "--seeds", "0"], ["--seeds", "from 1 to 10000"]),
        ([*RUN, "--set", "flash"], ["--set flash", "KEY=VALUE"]),
        ([*RUN, "--set", "=1"], ["--set =1", "KEY=VALUE"]),
        ([*RUN, "--set", "flash.raed=1us"], ["--set flash.raed=1us", "did you mean `flash.read`"]),
        ([*RUN, "--set", "flash.erase=2"], ["erase", "without a unit"]),
        ([*RUN, "--set", "name.x=1"], ["name.x"]),
        ([*RUN, "--set", "workload.flow.7.name=x"], ["flow.7", "expected 0"]),
        ([*RUN, "--set", "geometry.blocks_per_plane=4294967295"], ["4294967295"]),
        ([*RUN, "--seed", "x"], ["--seed"]),
        ([*RUN, "--seed", "-1"], ["--seed"]),
        ([*RUN, "--seed", str(2**64)], ["seed", str(2**64)]),
        ([*RUN, "--requests", "0"], ["--requests"]),
        ([*RUN, "--requests", str(2**63)], [str(2**63)]),
        ([*RUN, "--queue-depth", "9999999"], ["queue_depth", "9999999"]),
        ([*RUN, "--devices", "none"], ["--devices", "none", "offset"]),
        ([*RUN, "--wrap"], ["wrap", "trace"]),
        ([*RUN, "--wrap", "--fit"], ["--wrap", "--fit"]),
        ([*RUN, "--nope"], ["--nope"]),
        (["run", "cost-optimized"], ["--workload"]),
        (["run"], ["DESIGN"]),
        ([*COMPARE, "--fabrics", "bus,buss"], ["buss", "did you mean `bus`"]),
        ([*COMPARE, "--fabrics", "bus,,ideal"], ["``", "`ideal`"]),
        ([*COMPARE, "--fabrics", " "], ["fabrics: got none", "bus"]),
        ([*COMPARE, "--fabrics", "bus,bus"], ["fabrics: got bus 2 times"]),
        ([*COMPARE, "--set", "fabric.kind=bus"], ["--set", "--fabrics"]),
        (
            [*COMPARE, "--set", "fabric.hold_path=reads"],
            ["fabric omnibus-split: --set fabric.hold_path=reads", 'expected "never"'],
        ),
        (["compare", "cost-optimised", "--workload", "hm_0"], ['did you mean "cost-optimized"']),
        ([*COMPARE, "--wrap", "--fit"], ["--wrap", "--fit"]),
        ([*COMPARE, "--seed", str(2**64)], ["seed", str(2**64)]),
        (["compare", "cost-optimized"], ["--workload"]),
        (["walk"], ["walk"]),
        (["schema", "drive"], ["drive", "design", "workload"]),
        (["rerun", "nowhere"], ["nowhere", "no such folder"]),
        (["diff", ".", "nowhere"], ["run.json"]),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, list) else None,
)
def test_words_of_commands(words: list[str], says: list[str], canaletto: Any) -> None:
    canaletto.refuses(*words, says=tuple(says))
