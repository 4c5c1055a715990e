import os
import socket
from pathlib import Path
from typing import Any

import pytest

DRIVE = ["performance-optimized", "--set", "geometry.blocks_per_plane=16"]
RUN = ["--run", "true"]
ZONED = ("zns.zone_size=8MiB", "cache.mode=write", "cache.capacity=256MiB", "cache.power_loss_protection=true")

OPTIONS = {
    "nowhere": ([], ("no place to serve at", "--socket PATH")),
    "two places": (["--socket", "s", "--listen", "127.0.0.1:0"], ("both given",)),
    "no port": (["--listen", "127.0.0.1"], ("--listen 127.0.0.1: expected an IP address and a port",)),
    "a large port": (["--listen", "127.0.0.1:65536"], ("got port 65536", "65535")),
    "a name": (["--listen", "drive.example:1"], ("expected an IP address",)),
    "other machines": (["--listen", "0.0.0.0:0"], ("other machines reach this address", "--remote")),
    "remote alone": (["--remote", *RUN], ("--remote: given without --listen",)),
    "an address that is not here": (["--remote", "--listen", "192.0.2.1:0"], ("192.0.2.1:0: ",)),
    "no factor": (["--clock", "scaled", *RUN], ("--clock scaled: given without --factor",)),
    "a factor alone": (["--factor", "2", *RUN], ("--factor: given without --clock scaled",)),
    "a factor of zero": (["--clock", "scaled", "--factor", "0", *RUN], ("--factor 0: expected a number from",)),
    "a factor that ends time within the hour": (
        ["--clock", "scaled", "--factor", "2563", *RUN],
        ("--factor 2563: expected a number from 1e-9 to 2562, with which the 107 days",),
    ),
    "a factor that is none": (["--clock", "scaled", "--factor", "nan", *RUN], ("--factor nan",)),
    "no time": (["--lose-power-at", "3", *RUN], ("--lose-power-at 3: got 3 without a unit", "1.5ms")),
    "zones": (
        [*(word for key in ZONED for word in ("--set", key)), *RUN],
        ("zns.zone_size", "NBD has no commands for zones"),
    ),
    "a workload's key": (["--set", "workload.read_share=1", *RUN], ("up to the clients",)),
    "no folder for the socket": (["--socket", "no/s"], ("no/s: No such file or directory",)),
    "a path that is too long": (["--socket", "s" * 200], ("s" * 200, "path must be shorter")),
    "no folder for the data": (["--data", "no/d", *RUN], ("no/d: No such file or directory",)),
    "data that are a folder": (["--data", ".", *RUN], (".: ",)),
    "no folder for the trace": (["--trace", "no/t.csv", *RUN], ("no/t.csv: there is no folder",)),
    "a report of nothing": (["--no-report", *RUN], ("--no-report: given without --out",)),
    "a folder named like a file": (["--out", "a.html", *RUN], ("a.html: got a file, expected a new folder",)),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_cannot_be(case: str, canaletto: Any, tmp_path: Path) -> None:
    words, says = OPTIONS[case]
    canaletto.refuses("serve", *DRIVE, *words, says=says)
    assert os.listdir(tmp_path) == []


def test_what_is_there_stays(canaletto: Any, tmp_path: Path) -> None:
    for name in ("s", "t.csv", "d", "out"):
        (tmp_path / name).write_text("years of work")
    canaletto.refuses("serve", *DRIVE, "--socket", "s", says=("s: exists already",))
    canaletto.refuses("serve", *DRIVE, *RUN, "--trace", "t.csv", says=("t.csv: exists already", "--force"))
    canaletto.refuses("serve", *DRIVE, *RUN, "--data", "d", says=("d: has 13 B, expected ", "which the drive has"))
    canaletto.refuses("serve", *DRIVE, *RUN, "--out", "out", says=("out: exists already", "--force"))
    assert {path.read_text() for path in tmp_path.iterdir()} == {"years of work"}
    assert len(os.listdir(tmp_path)) == 4


def test_a_port_that_is_taken(canaletto: Any) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        canaletto.refuses(
            "serve", *DRIVE, "--listen", f"127.0.0.1:{port}", says=(f"127.0.0.1:{port}: the port is taken",)
        )


def test_a_folder_of_nothing(canaletto: Any, tmp_path: Path) -> None:
    answer = canaletto("serve", *DRIVE, *RUN, "--out", "out", "--trace", "t.csv")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.splitlines() == [
        "canaletto: wrote t.csv",
        "canaletto: out: no client has asked for anything, so that there is no run to keep",
    ]
    assert os.listdir(tmp_path) == ["t.csv"]
