import os
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

import tools

HERE = Path(__file__).parent
# So many tests there are: a file that is not found would have none.
LEAST = 14


def test_modules() -> None:
    os.environ.update(tools.environment())
    runner = get_runner("verilator")
    folder = tools.BUILD / "units"
    folders = ("venice", "nossd", "omnibus")
    runner.build(
        sources=[*(path for each in folders for path in tools.sources(tools.RTL / each)), *HERE.glob("*.sv")],
        hdl_toplevel="units_top",
        build_args=["--assert", "+define+VENICE_ASSERT", "-Wno-fatal"],
        build_dir=folder,
    )
    results = runner.test(
        hdl_toplevel="units_top",
        test_module=["units", "others"],
        test_dir=HERE,
        build_dir=folder,
        results_xml=str(folder / "results.xml"),
    )
    tests, failed = get_results(results)
    assert tests >= LEAST and failed == 0, f"{failed} of {tests} failed"
