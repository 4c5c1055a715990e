"""The wheel in an environment without Rust or our tools. Skipped unless `make wheel` has built one."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import canaletto as cn
import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEELS = sorted((ROOT / "dist").glob(f"canaletto-{cn.__version__}-cp311-abi3-*.whl"))

pytestmark = pytest.mark.skipif(not WHEELS, reason="no wheel; `make wheel` builds and tries one")


def test_a_wheel_holds_the_package_and_nothing_else() -> None:
    names = zipfile.ZipFile(WHEELS[-1]).namelist()
    assert {"canaletto/py.typed", "canaletto/result.py", "canaletto/_report/assets/page.js"} <= set(names)
    assert {name.split("/")[0] for name in names} <= {
        "canaletto",
        "canaletto_command",
        "canaletto_extras",
        "canaletto_papers",
        f"canaletto-{cn.__version__}.dist-info",
        "canaletto.libs",
    }
    assert [name for name in names if name.endswith(".pyc")] == []


def test_it_installs_into_an_empty_environment_and_runs(tmp_path: Path) -> None:
    home = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    subprocess.run([home / "bin/pip", "install", "--quiet", WHEELS[-1]], check=True)
    bare = {"PATH": f"{home / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    command = ["canaletto", "run", "performance-optimized", "--workload", "hm_0", "--requests", "500"]
    ended = subprocess.run(
        [*command, "--json", "--out", tmp_path / "run"], env=bare, cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["requests"]["completed"] == 500
    assert (tmp_path / "run/report.html").stat().st_size > 100_000
    for words, status in (
        (["reproduce", "venice", "fig3", "--quick"], 0),
        (["rtl", "trace", "run", "--out", "a.vcd"], 2),
    ):
        ended = subprocess.run(["canaletto", *words], env=bare, cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == status, ended.stderr
    assert "rtl/ is not part of the installed package, expected a checkout" in ended.stderr
    cells = json.loads((ROOT / "docs/tutorial/tutorial.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    ended = subprocess.run([home / "bin/python", "-c", code], env=bare, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    for words in (["copy", "--solutions"], ["check", "course/solutions/1-drive.py"]):
        ended = subprocess.run(["canaletto", "course", *words], env=bare, cwd=tmp_path, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
    program = "import canaletto as cn; print(cn.load('run').latency_us.all.p90 > 0)"
    ended = subprocess.run([home / "bin/python", "-c", program], env=bare, cwd=tmp_path, capture_output=True, text=True)
    assert ended.stdout == "True\n", ended.stderr
