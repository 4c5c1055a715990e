import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from canaletto._cli.app import app
from typer.core import TyperGroup


def _commands() -> Iterator[list[str]]:
    def of(group: TyperGroup, words: list[str]) -> Iterator[list[str]]:
        for name in group.list_commands(typer.Context(group)):
            command = group.commands[name]
            inner = [*words, name]
            yield from of(command, inner) if isinstance(command, TyperGroup) else [inner]

    return of(typer.main.get_command(app), [])  # type: ignore[arg-type]


COMMANDS = list(_commands())


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_has_an_example(command: list[str], canaletto: Any) -> None:
    lines = canaletto.ok(*command, "--help").out.splitlines()
    examples = lines[lines.index("Examples:") + 1 :]
    assert examples[0].startswith(f"  canaletto {' '.join(command)}")


@pytest.mark.parametrize("command", [[], ["trace"], ["rtl"], *COMMANDS], ids=" ".join)
def test_help_fits_a_screen_of_100_columns_by_50_lines(command: list[str], canaletto: Any) -> None:
    lines = canaletto.ok(*command, "--help", COLUMNS="100").out.splitlines()
    assert len(lines) <= 50
    assert max(len(line) for line in lines if not line.startswith("  canaletto ")) <= 100
    assert not any(line.endswith(("...", "-")) for line in lines if line.startswith("  "))


def test_without_a_command_five_of_them_are_printed(canaletto: Any) -> None:
    lines = canaletto.ok(COLUMNS="100").out.splitlines()
    assert len([line for line in lines if line.startswith("  canaletto ")]) == 5
    assert max(map(len, lines)) <= 100


def test_common_options_come_first_and_all_can_be_described(canaletto: Any) -> None:
    for command in ("run", "compare"):
        lines = canaletto.ok(command, "--help", COLUMNS="100").out.splitlines()
        groups = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
        assert groups[:4] == ["Examples:", "Arguments:", "Options:", "Drive:"]
        common = lines[lines.index("Options:") : lines.index("Drive:")]
        assert common[1].startswith("  --workload W")
        assert not any("modulo" in line for line in lines)
        described = canaletto.ok(command, "--help-all", COLUMNS="100").out
        assert "modulo its capacity" in described
        assert all(f"{name}:\n" in described for name in ("Drive", "Run", "Output", "Arrivals", "Traces"))


def test_help_lists_common_commands_first_and_cuts_no_sentence(canaletto: Any) -> None:
    lines = canaletto.ok("--help", COLUMNS="80").out.splitlines()
    common, more = (lines.index(f"{title} commands:") for title in ("Common", "More"))
    names = [line.split()[0] for line in lines[common + 1 : more - 1]]
    assert names[:6] == ["run", "compare", "load", "sweep", "search", "bound"]
    assert all(line.endswith(".") and not line.endswith("...") for line in lines[common + 1 :] if line.startswith("  "))
    assert len(lines[more + 1 :]) + more - common - 2 == len({command[0] for command in COMMANDS})


def test_canaletto_alone_shows_five_commands_that_run(canaletto: Any) -> None:
    lines = [line.strip() for line in canaletto.ok().out.splitlines() if line.startswith("  canaletto ")]
    assert len(lines) == 5
    for line in lines:
        _, *words = re.split(r"\s{2,}", line)[0].split()
        few = ("--requests", "200") if words[0] in ("run", "compare") else ()
        canaletto.ok(*words, *few)


COMPLETED = {
    "canaletto run perf": ["performance-optimized"],
    "canaletto compare performance-optimized --workload hm_": ["hm_0"],
    "canaletto compare performance-optimized --fabrics bus,pack": ["bus,packetized"],
    "canaletto run performance-optimized --fabric meshx": [],
    "canaletto run performance-optimized --set flash.era": ["flash.erase="],
    "canaletto run performance-optimized --set workload.read_": ["workload.read_share="],
    "canaletto run a_dri": ["a_drive.toml"],
}


@pytest.mark.parametrize("typed", COMPLETED)
def test_words_are_completed(typed: str, canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "a_drive.toml").touch()
    (tmp_path / "a_drive.txt").touch()
    asked = {"_CANALETTO_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    assert canaletto.ok(**asked).out.split() == COMPLETED[typed]


def test_completion_can_be_installed(canaletto: Any) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_CANALETTO_COMPLETE" in canaletto.ok(_CANALETTO_COMPLETE=f"source_{shell}").out


def test_presets_and_profiles_are_those_of_the_contract(canaletto: Any) -> None:
    found = canaletto.ok("presets", "--json").json
    names = {kind: [entry["name"] for entry in entries] for kind, entries in found.items()}
    assert set(names["designs"]) >= {"performance-optimized", "cost-optimized", "networked-ssd", "mqsim-fast18"}
    assert len(names["profiles"]) >= 19
    assert "bus" in names["fabrics"]
    table = canaletto.ok("presets").out
    assert all(name in table for kind in names.values() for name in kind)


def test_schema_describes_every_key(canaletto: Any) -> None:
    both = canaletto.ok("schema").json
    for kind in ("design", "workload"):
        schema = canaletto.ok("schema", kind).json
        assert schema == both[kind]
        for part in [schema, *schema["$defs"].values()]:
            for key, about in part.get("properties", {}).items():
                assert about.get("description"), key


def test_trace_info_counts(canaletto: Any, tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text("1000 0 0 8 1\n2000 3 8 16 0\n5000 0 80 8 1\n")
    found = canaletto.ok("trace", "info", "t.trace", "--json").json
    expected = {
        "file": "t.trace",
        "format": "mqsim",
        "requests": 3,
        "reads": 2,
        "writes": 1,
        "read_share": 2 / 3,
        "bytes_read": 8192,
        "bytes_written": 8192,
        "size_bytes": {"mean": 16384 / 3, "min": 4096, "p50": 4096, "p99": 8192, "max": 8192},
        "devices": 2,
        "end_bytes": 88 * 512,
        "span_us": 4.0,
        "mean_inter_arrival_us": 2.0,
        "footprint_bytes": 16384,
    }
    assert {key: found[key] for key in expected} == expected
    assert "66.7 % reads" in canaletto.ok("trace", "info", "t.trace").out


def test_trace_info_reads_a_real_trace(canaletto: Any, shared: Path) -> None:
    found = canaletto.ok("trace", "info", shared / "traces" / "msr" / "hm_0-sample1000.csv.gz", "--json").json
    assert found["requests"] == 1000
    assert found["format"] == "msr"


def test_a_reader_that_goes_away_is_no_error_to_talk_about(canaletto: Any, tmp_path: Path) -> None:
    from conftest import COMMAND

    piped = subprocess.run(
        f"{COMMAND} schema | head -c 10", shell=True, capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert piped.stderr == ""
    assert len(piped.stdout) == 10


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["run", "performance-optimized", "--workload", "YCSB_B", "--requests", "10"],
        ["compare", "performance-optimized", "--workload", "YCSB_B", "--requests", "10", "--fabrics", "bus,ideal"],
    ],
    ids=lambda words: words[0],
)
def test_commands_load_only_what_they_need(words: list[str]) -> None:
    # Frames and charts take longer to load than all the rest together.
    script = (
        f"import sys; sys.argv[1:] = {words!r}\n"
        "from canaletto.__main__ import main\n"
        "try: main()\n"
        "except SystemExit as ended: assert not ended.code, ended.code\n"
        "finally: print(*{'polars', 'numpy', 'altair', 'optuna', 'distributed'} & set(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
