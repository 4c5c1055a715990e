import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import COMMAND


@pytest.fixture
def files(shared: Path, tmp_path: Path) -> Callable[..., None]:
    case = shared / "reference" / "mqsim" / "perf-randread-4k-qd1"

    def write(device: tuple[str, str] = ("", ""), workload: tuple[str, str] = ("", "")) -> None:
        for name, (old, new) in (("ssdconfig.xml", device), ("workload.xml", workload)):
            text = (case / name).read_text()
            assert old in text
            (tmp_path / name).write_text(text.replace(old, new, 1) if old else text)

    return write


PAIR = ["-i", "ssdconfig.xml", "-w", "workload.xml"]

DEVICES = {
    "unknown tag": (("<Seed>", "<Sead>1</Sead>\n<Seed>"), ["<Sead>"]),
    "bad number": (("<Flash_Channel_Count>8<", "<Flash_Channel_Count>eight<"), ["<Flash_Channel_Count>", "eight"]),
    "no channel": (("<Flash_Channel_Count>8<", "<Flash_Channel_Count>0<"), ["<Flash_Channel_Count>", "0"]),
    "negative": (("<Flash_Channel_Count>8<", "<Flash_Channel_Count>-8<"), ["<Flash_Channel_Count>", "-8"]),
    "bad word": (("<Flash_Technology>SLC<", "<Flash_Technology>PLC<"), ["<Flash_Technology>", "PLC", "SLC"]),
    "trailing rubbish": (("<Flash_Channel_Count>8<", "<Flash_Channel_Count>8abc<"), ["<Flash_Channel_Count>", "8abc"]),
    "not closed": (("</Device_Parameter_Set>", ""), ["ssdconfig.xml:"]),
    "entity": (("<Device_Parameter_Set>", "<!DOCTYPE x [<!ENTITY a 'b'>]><Device_Parameter_Set>"), ["ssdconfig.xml:"]),
    "entity reference": (("<Flash_Channel_Count>8<", "<Flash_Channel_Count>&lol;<"), ["ssdconfig.xml:"]),
}


@pytest.mark.parametrize("case", DEVICES)
def test_device_files(case: str, canaletto: Any, files: Any) -> None:
    change, says = DEVICES[case]
    files(device=change)
    line = canaletto.refuses("mqsim", *PAIR, says=tuple(says))
    assert line.startswith("canaletto: ssdconfig.xml:")
    assert line.split(":")[2].isdigit()


WORKLOADS = {
    "unknown tag": (("<Seed>", "<Sead>1</Sead>\n<Seed>"), ["<Sead>"]),
    "share beyond all": (("<Read_Percentage>100<", "<Read_Percentage>101<"), ["<Read_Percentage>", "101"]),
    "plane that is not there": (("<Plane_IDs>0,1<", "<Plane_IDs>0,9<"), ["<Plane_IDs>", "9"]),
    "no flow": (("<IO_Flow_Parameter_Set_Synthetic>", "<Nothing>"), ["workload.xml:"]),
}


@pytest.mark.parametrize("case", WORKLOADS)
def test_workload_files(case: str, canaletto: Any, files: Any) -> None:
    change, says = WORKLOADS[case]
    files(workload=change)
    line = canaletto.refuses("mqsim", *PAIR, says=tuple(says))
    assert line.startswith("canaletto: workload.xml:")


def test_files_that_are_no_xml(canaletto: Any, files: Any, tmp_path: Path) -> None:
    files()
    canaletto.refuses("mqsim", "-i", "none.xml", "-w", "workload.xml", says=("none.xml: No such file",))
    for content in (b"", b"name = 1\n", b"\xff\xfe<\x00", b"<" * 1_000_000, b"<a>" * 100_000):
        (tmp_path / "ssdconfig.xml").write_bytes(content)
        canaletto.refuses("mqsim", *PAIR, says=("ssdconfig.xml",))


def test_a_trace_that_is_not_there(canaletto: Any, shared: Path, tmp_path: Path) -> None:
    case = shared / "reference" / "mqsim" / "cost-trace-tpcc-small"
    for name in ("ssdconfig.xml", "workload.xml"):
        (tmp_path / name).write_text((case / name).read_text())
    canaletto.refuses("mqsim", *PAIR, says=("tpcc-small.trace", "No such file"))


def test_a_drive_that_memory_does_not_suffice_for(files: Any, tmp_path: Path) -> None:
    files(device=("<Page_No_Per_Block>768<", "<Page_No_Per_Block>1000000000<"))
    done = subprocess.run(
        [COMMAND, "mqsim", *PAIR],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000)),
        timeout=60,
        check=False,
    )
    (line,) = done.stderr.splitlines()
    assert line.startswith("canaletto: ssdconfig.xml, workload.xml: out of memory: ")
    assert line.endswith("expected a smaller drive (<Page_No_Per_Block>, <Block_No_Per_Plane>), or fewer requests")
    assert (done.returncode, done.stdout) == (2, "")


def test_completions_that_cannot_be_written(canaletto: Any, files: Any, tmp_path: Path) -> None:
    files()
    before = sorted(tmp_path.iterdir())
    pair = ["mqsim", *PAIR, "--completions"]
    canaletto.refuses(*pair, "nowhere/log.csv", says=("nowhere/log.csv",))
    canaletto.refuses(*pair, tmp_path, says=("is a folder",))
    answer = canaletto(*pair, "/dev/full")
    assert answer.status == 2
    assert "/dev/full: No space left on device" in answer.err.splitlines()[-1]
    assert sorted(tmp_path.iterdir()) == before
