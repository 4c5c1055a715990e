from pathlib import Path
from typing import Any

import pytest

ROWS = """
import canaletto as cn

class Rows(cn.Fabric):
    @property
    def links(self):
        return [(at, *((at[0], column) for column in range(self.array.columns))) for at in self.array.controllers]

    def route(self, transfer):
        return None if transfer.chip[0] in self.taken else [transfer.chip[0]]

class Late(Rows):
    def route(self, transfer):
        raise RuntimeError("nobody knows")

class NoFabric:
    pass

def function(): ...

class First(cn.GcPolicy):
    def choose(self, candidates):
        return candidates.blocks[0]

class Oldest(cn.Scheduler):
    def choose(self, lun, ready):
        return min(ready, key=lambda t: t.since_ns)
"""
WORK = ["performance-optimized", "--workload", "hm_0", "--requests", "300"]


@pytest.fixture
def folder(canaletto: Any) -> Path:
    (canaletto.folder / "mine.py").write_text(ROWS)
    return Path(canaletto.folder)


def test_a_class_of_a_file_runs_and_is_compared(canaletto: Any, folder: Path) -> None:
    alone = canaletto.ok("run", *WORK, "--fabric", "mine.py:Rows", "--out", "alone", "--json").json
    assert alone["fabric"] == "Rows"
    assert alone["requests"]["completed"] == 300
    found = canaletto.ok(
        "compare", *WORK, "--fabrics", "venice,mine.py:Rows", "--seeds", 2, "--out", "both", "--json"
    ).json
    assert [run["fabric"] for run in found["runs"]] == ["venice", "Rows"]
    assert found["runs"][1]["latency_us"] == alone["latency_us"]
    page = (folder / "both" / "report.html").read_text(encoding="utf-8")
    assert "var(--fabric-Rows" in page
    assert "mine.py:Rows" in page
    for command in (["rerun", "alone"], ["rerun", "both/venice"], ["explain", "alone", "--slowest", 1]):
        canaletto.ok(*command)
    # A class that is not what it was would repeat another run.
    (folder / "mine.py").write_text(ROWS + "\n# changed\n")
    for command in (["rerun", "alone"], ["rerun", "both/Rows"], ["explain", "alone"]):
        canaletto.refuses(*command, says=("options.fabric_class: ", "mine.py has changed since the run"))
    (folder / "mine.py").unlink()
    canaletto.refuses("rerun", "alone", says=("options.fabric_class: ", "mine.py is missing"))


PARTS = {
    "fabric": ("--fabric", "mine.py:Rows", "fabric.kind"),
    "gc_policy": ("--gc-policy", "mine.py:First", "gc.policy"),
    "scheduler": ("--scheduler", "mine.py:Oldest", "scheduler.policy"),
}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_works_in_every_command_or_is_refused_with_a_reason(canaletto: Any, folder: Path, part: str) -> None:
    option, given, key = PARTS[part]
    work = ["performance-optimized", "--workload", "few.toml"]
    flow = 'synthetic = { requests = 100, read_share = 0.5, size = "4KiB", inter_arrival = "5us" }'
    (folder / "few.toml").write_text(f'name = "few"\n[[flow]]\nname = "few"\n{flow}\n')
    canaletto.ok("run", *work, option, given, "--out", "run", "--no-report")
    canaletto.ok("rerun", "run")
    canaletto.ok("explain", "run", "--slowest", 1)
    compared = canaletto.ok("compare", *work, option, given, *([] if part == "fabric" else ["--fabrics", "bus,sca"]))
    assert compared
    curves = canaletto.ok("load", *work, option, given, "--loads", 2, "--out", "curves", "--json").json["curves"]
    assert curves[0]["fabric"] == "Rows" or part != "fabric"
    # Kept results are those of the class: with another one they are made anew.
    kept = len(list((folder / "curves" / "runs").iterdir()))
    (folder / "mine.py").write_text(ROWS + "\n# changed\n")
    canaletto.ok("load", *work, option, given, "--loads", 2, "--out", "curves")
    assert len(list((folder / "curves" / "runs").iterdir())) == 2 * kept
    says = (f"got {given}, expected a name of the engine's: other processes", "run, compare and load accept classes")
    for table in ("grid", "set"):
        value = f'["{given}"]' if table == "grid" else f'"{given}"'
        text = f'design = "performance-optimized"\nworkload = "few.toml"\nseeds = 2\n[{table}]\n"{key}" = {value}\n'
        (folder / "sweep.toml").write_text(text)
        canaletto.refuses("sweep", "sweep.toml", "--out", "swept", says=says)
    for command in (["run", *work], ["load", *work], ["bound", "performance-optimized"]):
        canaletto.refuses(*command, "--set", f"{key}={given}", says=(f"got {given}, expected a name", "accept classes"))


@pytest.mark.usefixtures("folder")
def test_commands_without_classes_say_so(canaletto: Any) -> None:
    canaletto.refuses("bound", "performance-optimized", "--fabric", "mine.py:Rows", says=("accept classes",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gone.py:Rows", ["gone.py: no such file"]),
        ("mine.py", ["got mine.py, expected FILE.py:CLASS"]),
        ("mine.py:", ["expected FILE.py:CLASS"]),
        ("mine.py:Rwos", ["mine.py has no Rwos", "there is Rows, Late"]),
        ("mine.py:NoFabric", ["NoFabric of mine.py is <class", "expected a class derived from canaletto.Fabric"]),
        ("mine.py:function", ["function of mine.py is <function", "expected a class derived"]),
        ("torn.py:Rows", ["torn.py, line 2: SyntaxError"]),
        ("raises.py:Rows", ["raises.py, line 3: NameError: name 'nobody' is not defined"]),
        ("empty.py:Rows", ["empty.py has no Rows", "there is none"]),
    ],
)
@pytest.mark.parametrize("command", ["run", "compare"])
def test_what_is_no_fabric_is_refused(canaletto: Any, folder: Path, command: str, text: str, says: list[str]) -> None:
    (folder / "torn.py").write_text("import canaletto\nclass Rows(canaletto.Fabric:\n")
    (folder / "raises.py").write_text("import canaletto\n\nx = nobody\n")
    (folder / "empty.py").write_text("")
    option = "--fabric" if command == "run" else "--fabrics"
    given = text if command == "run" else f"bus,{text}"
    canaletto.refuses(command, *WORK, option, given, "--out", "out", says=(option, *says))
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("folder")
def test_what_needs_the_engines_fabrics_is_refused(canaletto: Any) -> None:
    canaletto.refuses("run", *WORK, "--fabric", "mine.py:Rows", "--dry-run", says=("--dry-run",))
    canaletto.refuses("run", *WORK, "--fabric", "mine.py:Rows", "--slowdowns", says=("slowdowns: got",))
    both = ["--fabrics", "bus,mine.py:Rows"]
    canaletto.refuses("load", *WORK, *both, "--equal", "pins", says=("--equal pins: got",))
    canaletto.refuses("compare", *WORK, *both, "--equal", "pins", says=("equal: got",))


@pytest.mark.usefixtures("folder")
def test_an_exception_of_a_class_ends_the_command(canaletto: Any) -> None:
    canaletto.refuses(
        "run", *WORK, "--fabric", "mine.py:Late", says=("mine.py, line 14: RuntimeError: nobody knows",), status=1
    )


@pytest.mark.parametrize(
    ("part", "body", "says", "status"),
    [
        ("Fabric", "def route(self): ...", "fabric: got Own.route(self), expected route(self, transfer)", 2),
        ("Fabric", "route = 5", "fabric: got Own.route = 5, expected route(self, transfer)", 2),
        ("Fabric", "def __init__(self): ...", "got Own.__init__(self), expected __init__(self, array)", 2),
        ("Fabric", "pass", "a fabric defines route, or decide", 1),
        ("GcPolicy", "def choose(self): ...", "got Own.choose(self), expected choose(self, candidates)", 2),
        ("Scheduler", "def choose(self, lun): ...", "Own.choose(self, lun), expected choose(self, lun, ready)", 2),
        ("Scheduler", "def __init__(self, *, n): ...", "Own.__init__(self, *, n), expected __init__(self)", 2),
    ],
)
def test_methods_that_cannot_be_called_are_no_internal_error(
    canaletto: Any, folder: Path, part: str, body: str, says: str, status: int
) -> None:
    (folder / "own.py").write_text(f"import canaletto\n\nclass Own(canaletto.{part}):\n    {body}\n")
    option = {"Fabric": "--fabric", "GcPolicy": "--gc-policy", "Scheduler": "--scheduler"}[part]
    assert "internal" not in canaletto.refuses("run", *WORK, option, "own.py:Own", says=(says,), status=status)


CROWDED = ["small.toml", "--workload", "writes.toml"]


@pytest.fixture
def crowded(folder: Path) -> None:
    keys = ["channels = 1", "chips_per_channel = 1", "blocks_per_plane = 16", "pages_per_block = 16"]
    design = ['base = "performance-optimized"', "[ftl]", "overprovisioning = 0.3", "[geometry]", *keys]
    (folder / "small.toml").write_text("\n".join(design))
    flow = 'synthetic = { requests = 3000, read_share = 0.3, size = "4KiB", queue_depth = 16 }'
    (folder / "writes.toml").write_text(f'name = "writes"\n[[flow]]\nname = "writes"\n{flow}\n')


@pytest.mark.usefixtures("crowded")
def test_policies_are_named_or_are_classes(canaletto: Any) -> None:
    def ran(*options: str) -> dict[str, Any]:
        run: dict[str, Any] = canaletto.ok("run", *CROWDED, *options, "--json").json
        return {key: run[key] for key in ("latency_us", "flash")}

    usual, first, oldest = ran(), ran("--gc-policy", "mine.py:First"), ran("--scheduler", "mine.py:Oldest")
    assert len({str(each) for each in (usual, first, oldest)}) == 3
    assert usual["flash"]["write_amplification"] < first["flash"]["write_amplification"]
    assert oldest == ran("--set", "scheduler.policy=custom")
    fifo = ran("--gc-policy", "fifo", "--scheduler", "custom")
    assert fifo == ran("--set", "gc.policy=fifo", "--set", "scheduler.policy=custom")
    both = ["--gc-policy", "mine.py:First", "--scheduler", "mine.py:Oldest"]
    found = canaletto.ok("compare", *CROWDED, "--fabrics", "bus,mine.py:Rows", *both, "--out", "out", "--json").json
    assert found["runs"][0]["flash"] == ran("--fabric", "bus", *both)["flash"]
    canaletto.ok("rerun", "out/bus")
    assert canaletto.ok("run", *CROWDED, *both, "--dry-run", "--json").json["design"]["gc"]["policy"] == "custom"


@pytest.mark.usefixtures("crowded")
def test_what_is_no_policy_is_refused(canaletto: Any) -> None:
    for option, base in [("--gc-policy", "GcPolicy"), ("--scheduler", "Scheduler")]:
        says = (f"{option}: Rows of mine.py is <class", f"expected a class derived from canaletto.{base}")
        canaletto.refuses("run", *CROWDED, option, "mine.py:Rows", says=says)
        canaletto.refuses("compare", *CROWDED, option, "nobody", says=(f"{option} nobody", "expected"))
        canaletto.refuses("run", *CROWDED, option, "gone.py:Rows", says=(f"{option}: gone.py: no such file",))
