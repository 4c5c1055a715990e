"""A package of a stranger adds parts and commands: examples/plugin, installed."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"
INSTALL = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
WORK = ("ring-drive", "--workload", "hm_0", "--requests", "300")


def installed(source: Path, target: Path) -> Path:
    pytest.importorskip("flit_core")
    subprocess.run([*INSTALL, "--target", str(target), str(source)], check=True)
    return target


@pytest.fixture(scope="session")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(PLUGIN, tmp_path_factory.mktemp("ring"))


@pytest.fixture
def ok(canaletto: Any, ring: Path) -> Callable[..., Any]:
    return lambda *words: canaletto.ok(*words, PYTHONPATH=str(ring))


def test_its_command_is_listed_and_runs(ok: Callable[..., Any], canaletto: Any) -> None:
    assert "ring-length  Print the links of a design's rings." in ok("--help").out
    assert ok("ring-length", "ring-drive").out == "20\n"
    canaletto.refuses("ring-length", "ring-drive", says=("No such command 'ring-length'",))


def test_its_parts_are_listed(ok: Callable[..., Any]) -> None:
    found = ok("presets", "--json").json
    assert {"name": "ring-drive", "about": "Four rings of four chips"} in found["designs"]
    assert {"name": "Ring", "about": "A ring per row: controller, chips, and back to the controller."} in found[
        "fabrics"
    ]


def test_its_fabric_runs_is_compared_explained_and_repeated(ok: Callable[..., Any], canaletto: Any) -> None:
    alone = ok("run", *WORK, "--fabric", "Ring", "--out", "alone", "--check-wires", "--json").json
    assert (alone["fabric"], alone["requests"]["completed"]) == ("Ring", 300)
    compared = ok("compare", *WORK, "--fabrics", "bus,Ring", "--json").json
    assert compared["runs"][1]["latency_us"] == alone["latency_us"]
    # Two ways to each chip: fewer conflicts than with a bus.
    bus, rings = (run["path_conflicts"]["free_transaction_share"] for run in compared["runs"])
    assert rings > bus
    assert ok("rerun", "alone", "--json").json["identical"]
    assert ok("explain", "alone", "--slowest", 1, "--json").json
    canaletto.refuses("rerun", "alone", says=("options.fabric_class: got 'canaletto_ring.fabric.Ring'", "a plug-in"))


def test_its_policy_collects(ok: Callable[..., Any]) -> None:
    greedy, emptiest = (
        ok("run", *WORK, "--gc-policy", policy, "--json=summary").json["flash"] for policy in ("greedy", "Emptiest")
    )
    assert greedy["programs"] == emptiest["programs"] > 0


def test_what_is_broken_is_told_and_hides_nothing(canaletto: Any, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "canaletto_broken").mkdir(parents=True)
    (source / "canaletto_broken" / "__init__.py").write_text('"""Broken."""\n__version__ = "1"\nimport nowhere\n')
    (source / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["flit_core"]\nbuild-backend = "flit_core.buildapi"\n'
        '[project]\nname = "canaletto-broken"\nversion = "1"\ndescription = "Broken"\n'
        '[project.entry-points."canaletto.plugins"]\n'
        '"command.fall" = "canaletto_broken:app"\n"fabric.Fallen" = "json:JSONDecoder"\n'
    )
    path = str(installed(source, tmp_path / "broken"))
    said = (
        "canaletto: plug-in command.fall of package canaletto-broken: ModuleNotFoundError: No module named 'nowhere'\n"
    )
    listed = canaletto.ok("--help", PYTHONPATH=path)
    assert listed.err == said
    assert "reproduce" in listed.out
    answer = canaletto("fall", PYTHONPATH=path)
    assert (answer.status, answer.err) == (2, said)
    work = ("performance-optimized", "--workload", "hm_0", "--requests", "10")
    answer = canaletto("run", *work, "--fabric", "Fallen", PYTHONPATH=path)
    assert answer.status == 2
    assert "plug-in fabric.Fallen: got <class 'json.decoder.JSONDecoder'>, expected a class Fallen" in answer.err
