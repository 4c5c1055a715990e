"""Builds each top once and runs every test in it."""

import os
from pathlib import Path

import pytest
from cocotb_tools.runner import get_results, get_runner

import tools

HERE = Path(__file__).parent


@pytest.mark.parametrize(("name", "folders", "least"), [("units", ["venice"], 12), ("others", ["nossd", "omnibus"], 2)])
def test_modules(name: str, folders: list[str], least: int) -> None:
    """All tests of a file pass."""
    os.environ.update(tools.environment())
    runner = get_runner("verilator")
    folder = tools.BUILD / name
    runner.build(
        sources=[*(path for each in folders for path in tools.sources(tools.RTL / each)), HERE / f"{name}_top.sv"],
        hdl_toplevel=f"{name}_top",
        build_args=["--assert", "+define+VENICE_ASSERT", "-Wno-fatal"],
        build_dir=folder,
    )
    results = runner.test(
        hdl_toplevel=f"{name}_top",
        test_module=name,
        test_dir=HERE,
        build_dir=folder,
        results_xml=str(folder / "results.xml"),
    )
    tests, failed = get_results(results)
    assert tests >= least and failed == 0, f"{failed} of {tests} failed"
