import random
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import canaletto as cn
import numpy as np
import pytest
from conftest import REPOSITORY

Requests: TypeAlias = list[tuple[int, int, int, int]]
"""Arrival in picoseconds, operation, first sector, sectors."""

Compiler: TypeAlias = Callable[..., Path]

Completed: TypeAlias = list[tuple[int, int]]
"""Number of the request and its completion in picoseconds."""

KINDS = ("read", "write", "trim", "flush")
SMALL = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 16,
    "geometry.pages_per_block": 8,
    "ftl.overprovisioning": 0.3,
    "gc.threshold": 0.2,
    "gc.hard_threshold": 0.1,
}
"""A drive so small that collection is at work soon."""

CASES = {
    "bus": {"fabric.kind": "bus"},
    "venice": {"fabric.kind": "venice"},
    "mesh": {"fabric.kind": "mesh"},
    "cache": {"cache.capacity": "64KiB"},
    "table": {"mapping.cache_capacity": "512B"},
    "queues": {"host.queue_entries": 4, "host.command_limit": 3},
}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
INTEGRATIONS = REPOSITORY / "integrations"
STANDINS = Path(__file__).parent / "standins"


def some_requests(kinds: int = 4) -> Requests:
    draw = random.Random(5)
    requests, arrival_ps = [], 0
    for _ in range(800):
        kind = draw.randrange(kinds) if draw.random() < 0.1 else draw.randrange(2)
        lba, sectors = (0, 0) if kind == 3 else (draw.randrange(2300), draw.randint(1, 24))
        requests.append((arrival_ps, kind, lba, sectors))
        arrival_ps += draw.choice([0, 0, 1_000_000, 37_000, 20_000_000])
    return requests


def in_a_run(folder: Path, design: cn.Design, requests: Requests) -> Completed:
    rows = "".join(f"{at // 1000},0,{lba * 512},{sectors * 512},{KINDS[kind]}\n" for at, kind, lba, sectors in requests)
    (folder / "trace.csv").write_text("arrival_ns,device,offset_bytes,bytes,kind\n" + rows)
    frame = cn.run(design, cn.workload(folder / "trace.csv")).requests
    completed = (frame["completed_us"] * 1e6).round().cast(int)
    return list(zip(frame["request"].to_list(), completed.to_list(), strict=True))


def in_a_drive(design: cn.Design, requests: Requests) -> Completed:
    drive = cn.Drive(design)
    for number, (at_ps, kind, lba, sectors) in enumerate(requests):
        while (due := drive.next_event_ps) is not None and due < at_ps:
            drive.advance_to(due)
        drive.submit(KINDS[kind], lba, sectors, tag=number, at_ps=at_ps)
    return [(done.tag, done.completed_ps) for done in drive]


def in_columns(design: cn.Design, requests: Requests) -> Completed:
    drive = cn.Drive(design)
    at_ps, kinds, lbas, sectors = (np.array(column) for column in zip(*requests, strict=True))
    drive.submit_many([KINDS[kind] for kind in kinds], lbas, sectors, at_ps=at_ps)
    drive.advance_to(10**12)
    assert drive.outstanding == 0
    return drive.take().select("tag", "completed_ps").rows()


@pytest.fixture(scope="session")
def library() -> Path:
    # As the tests of the workspace are: by itself the package has other features, and the engine is compiled anew.
    what = ["--lib", "--example", "venice_cycles", "--profile", "test"]
    subprocess.run(["cargo", "build", "--locked", "--quiet", *what], cwd=REPOSITORY, check=True)
    return REPOSITORY / "target/debug"


@pytest.fixture(scope="session")
def compiled(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    """Compiles each program once."""

    @cache
    def program(*words: str | Path, static: bool = False) -> Path:
        if shutil.which("c++") is None:
            pytest.skip("no C++ compiler")
        built = tmp_path_factory.mktemp("program") / "program"
        include = f"-I{REPOSITORY / 'crates/canaletto-c/include'}"
        shared = [f"-L{library}", "-lcanaletto_c", f"-Wl,-rpath,{library}"]
        linked = [library / "libcanaletto_c.a", "-lpthread", "-ldl", "-lm"] if static else shared
        subprocess.run([words[0], *STRICT, "-g", "-O1", include, *words[1:], *linked, "-o", built], check=True)
        return built

    return program


def printed(program: Path, folder: Path, requests: Requests, *words: str) -> Completed:
    (folder / "requests").write_text("".join(f"{at} {kind} {lba} {n}\n" for at, kind, lba, n in requests))
    own = [word for word in words if "=" not in word]
    settings = [word for word in words if "=" in word]
    command = [program, *own, "performance-optimized", folder / "requests", *settings]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pairs = (line.split() for line in done.stdout.splitlines() if line[:1].isdigit())
    return [(int(number), int(completed)) for number, completed in pairs]


def settings(case: str) -> dict[str, object]:
    return SMALL | CASES[case]


def given(case: str) -> list[str]:
    return [f"{key}={value}" for key, value in settings(case).items()]


def drive_of(case: str) -> cn.Design:
    return cn.design("performance-optimized", **settings(case))


C_REPLAY = ("cc", "-std=c11", REPOSITORY / "examples/c/replay.c")


@pytest.mark.parametrize("case", CASES)
def test_a_drive_completes_as_a_run_does(case: str, tmp_path: Path) -> None:
    requests = some_requests()
    expected = in_a_run(tmp_path, drive_of(case), requests)
    assert in_a_drive(drive_of(case), requests) == expected
    assert in_columns(drive_of(case), requests) == expected


def test_the_c_library_completes_as_a_drive_does(compiled: Compiler, tmp_path: Path) -> None:
    program = compiled(*C_REPLAY)
    for case in CASES:
        assert printed(program, tmp_path, some_requests(), *given(case)) == in_a_drive(drive_of(case), some_requests())


def test_the_static_library_serves_as_well(compiled: Compiler, tmp_path: Path) -> None:
    program = compiled(*C_REPLAY, static=True)
    assert printed(program, tmp_path, some_requests(), *given("venice")) == in_a_drive(
        drive_of("venice"), some_requests()
    )


def test_the_example_in_cpp_runs(compiled: Compiler, tmp_path: Path) -> None:
    program = compiled("c++", "-std=c++17", REPOSITORY / "examples/c/closed_loop.cpp")
    done = subprocess.run([program, "performance-optimized", "8", "500"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("500 reads in ")
    assert "\ndata_transfer 3.413 us\n" in done.stdout
    refused = subprocess.run([program, "performance-optimised", "8", "5"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "performance-optimized" in refused.stderr


def test_valgrind_finds_nothing(compiled: Compiler, tmp_path: Path) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("no valgrind")
    program = compiled(*C_REPLAY)
    (tmp_path / "requests").write_text("0 1 0 8\n0 0 8 16\n1000000 2 0 8\n1000000 3 0 0\n")
    # The schema of configurations, made once and kept, is "possibly lost": only the middle of it is pointed at.
    kinds = "definite,indirect"
    leaks = ["--leak-check=full", f"--show-leak-kinds={kinds}", f"--errors-for-leak-kinds={kinds}"]
    check = ["valgrind", "--quiet", "--error-exitcode=9", *leaks]
    command = [*check, program, "performance-optimized", tmp_path / "requests", *given("cache")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 4


def test_misuse_is_told_and_changes_nothing(compiled: Compiler, tmp_path: Path) -> None:
    program = compiled("cc", "-std=c11", "-pthread", Path(__file__).parent / "misuse.c")
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


MALFORMED = {
    "a word": "10 read 8 8",
    "too few": "10 0 8",
    "too many": "10 0 8 8 8",
    "negative": "10 0 -8 8",
    "too large": f"{2**64 + 10} 0 8 8",
    "empty": "",
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_line_ends_a_replay(line: str, compiled: Compiler, tmp_path: Path) -> None:
    program = compiled(*C_REPLAY)
    (tmp_path / "requests").write_text(f"0 0 0 8\n{line}\n20 0 0 8\n")
    command = [program, "performance-optimized", tmp_path / "requests"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f'line 2: got "{line}", expected' in done.stderr


def test_a_replay_ends_with_an_error_where_text_is_lost(compiled: Compiler, tmp_path: Path) -> None:
    program = compiled(*C_REPLAY)
    (tmp_path / "zero").write_bytes(b"0 0 0 8\n10 0 8 8\0dropped\n20 0 0 8\n")
    (tmp_path / "good").write_text("0 0 0 8\n10 0 8 8")
    for requests, out, said in (
        ("zero", "/dev/null", "line 2: got"),
        (".", "/dev/null", "requests: Is a directory"),
        ("good", "/dev/full", "standard output: No space left"),
    ):
        with open(out, "w") as target:
            command = [program, "performance-optimized", tmp_path / requests]
            done = subprocess.run(command, stdout=target, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert len(printed(program, tmp_path, [(0, 0, 0, 8), (10, 0, 8, 8)])) == 2


def test_the_example_in_cpp_refuses_what_is_no_number(compiled: Compiler, tmp_path: Path) -> None:
    program = compiled("c++", "-std=c++17", REPOSITORY / "examples/c/closed_loop.cpp")
    for word in ("eight", "0", "-1", "1x"):
        done = subprocess.run(
            [program, "performance-optimized", word, "9"], capture_output=True, text=True, check=False
        )
        assert (done.returncode, f'got "{word}"' in done.stderr) == (2, True)


def test_systemc_refuses_what_is_no_command(compiled: Compiler, tmp_path: Path) -> None:
    if not Path("/usr/include/tlm").exists():
        pytest.skip("no SystemC (Debian: libsystemc-dev)")
    parts = [f"-I{INTEGRATIONS / 'systemc'}", Path(__file__).parent / "commands.cpp", "-lsystemc"]
    program = compiled("c++", "-std=c++17", *parts)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "status" in line]) == (0, [])


@pytest.mark.parametrize("form", ["lt", "at"])
def test_systemc_completes_as_a_drive_does(form: str, compiled: Compiler, tmp_path: Path) -> None:
    if not Path("/usr/include/tlm").exists():
        pytest.skip("no SystemC (Debian: libsystemc-dev)")
    systemc = [INTEGRATIONS / "systemc/replay.cpp", "-lsystemc"]
    program = compiled("c++", "-std=c++17", *systemc)
    for case in CASES:
        found = printed(program, tmp_path, some_requests(), form, *given(case))
        expected = in_a_drive(drive_of(case), some_requests())
        # Processes that wait for one moment may continue in any order.
        assert sorted(found) == sorted(expected), case


def test_gem5_wrapper_completes_as_a_drive_does(compiled: Compiler, tmp_path: Path) -> None:
    """With stand-ins for gem5's classes: not tested with gem5 itself."""
    parts = [STANDINS / "gem5/replay.cc", INTEGRATIONS / "gem5/canaletto_drive.cc"]
    includes = [f"-I{STANDINS / 'gem5'}", f"-I{INTEGRATIONS / 'gem5'}"]
    program = compiled("c++", "-std=c++17", *includes, *parts)
    for case in CASES:
        found = printed(program, tmp_path, some_requests(2), *given(case))
        assert found == in_a_drive(drive_of(case), some_requests(2)), case


def test_sst_wrapper_completes_as_a_drive_does(compiled: Compiler, tmp_path: Path) -> None:
    """With stand-ins for SST's classes: not tested with SST itself."""
    parts = [STANDINS / "sst/replay.cc", INTEGRATIONS / "sst/canaletto_drive.cc"]
    includes = [f"-I{STANDINS / 'sst'}", f"-I{INTEGRATIONS / 'sst'}"]
    program = compiled("c++", "-std=c++17", *includes, *parts)
    for case in CASES:
        found = printed(program, tmp_path, some_requests(), *given(case))
        assert sorted(found) == sorted(in_a_drive(drive_of(case), some_requests())), case
