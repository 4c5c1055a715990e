"""Modules are counted, which gives the same on any machine."""

import json
import os
import subprocess
import sys

import pytest

LIST = """
import json, sys
from contextlib import redirect_stdout, suppress
from io import StringIO

sys.argv = ["canaletto", *sys.argv[1:]]
from canaletto_command import main

with suppress(SystemExit), redirect_stdout(StringIO()):
    main()
print(json.dumps(sorted(sys.modules)))
"""

RUN = ["run", "performance-optimized", "--workload", "hm_0", "--requests", "10"]

HEAVY = {"altair", "asyncio", "jsonschema", "multiprocessing", "narwhals", "numpy", "polars", "pydantic", "vl_convert"}


def loaded(program: str, *words: str) -> set[str]:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", program, *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return set(json.loads(ended.stdout))


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def test_importing_the_package_loads_the_engine_alone() -> None:
    modules = loaded("import canaletto, json, sys; print(json.dumps(sorted(sys.modules)))")
    ours = {name for name in modules if name.startswith("canaletto")}
    assert ours == {"canaletto", "canaletto._engine", "canaletto._run", "canaletto._run.shown"}
    assert not packages(modules) & {*HEAVY, "rich", "typer"}


@pytest.mark.parametrize(
    ("words", "besides", "most"),
    [(["--help"], {"rich"}, 250), ([*RUN, "--json"], {"rich"}, 270), (RUN, set(), 320)],
)
def test_commands_load_what_they_need(words: list[str], besides: set[str], most: int) -> None:
    modules = loaded(LIST, *words)
    assert not packages(modules) & (HEAVY | besides)
    assert len(modules) < most
