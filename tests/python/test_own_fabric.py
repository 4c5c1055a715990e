"""Fabrics in Python: buses against the engine's own, ways that are refused, exceptions that come through."""

from typing import Any

import canaletto as cn
import pytest
from canaletto import Fabric, Transfer

READS = 'name = "reads"\n[[flow]]\nname = "reads"\n[flow.synthetic]\nrequests = 600\nread_share = 0.7\nsize = "4KiB"\n'


@pytest.fixture
def reads(tmp_path: Any) -> cn.Workload:
    (tmp_path / "reads.toml").write_text(READS + "queue_depth = 32\n")
    return cn.workload(tmp_path / "reads.toml")


class Rows(Fabric):
    """A bus for each row."""

    @property
    def links(self) -> list[list[tuple[int, int]]]:
        return [[place, *((place[0], c) for c in range(self.array.columns))] for place in self.array.controllers]

    def route(self, transfer: Transfer) -> list[int] | None:
        return None if transfer.chip[0] in self.taken else [transfer.chip[0]]


class Mesh(Fabric):
    """Along the row from its own controller."""

    def route(self, transfer: Transfer) -> list[int] | None:
        row, column = transfer.chip
        own = len(self.array.mesh) - self.array.rows + row
        way = [own, *(row * (self.array.columns - 1) + c for c in range(column))]
        return way if self.taken.isdisjoint(way) else None


def test_every_cycle_of_a_class_passes_the_checker(reads: cn.Workload) -> None:
    for fabric in (Rows, Mesh):
        for seed in (1, 2):
            result = cn.run("performance-optimized", reads, seed=seed, fabric=fabric, check_wires=True)
            assert result.request_counts.completed == 600
            assert result.to_dict()["fabric"] == "custom"


def test_own_buses_are_as_fast_as_circuits_can_be(reads: cn.Workload) -> None:
    """A bus a row, and a mesh whose rows are used like buses, but for a cycle for each router: within 2 %."""
    buses, mesh = (cn.run("performance-optimized", reads, fabric=fabric).latency_us.all.mean for fabric in (Rows, Mesh))
    shortest = cn.run(cn.design("performance-optimized", fabric="custom"), reads).latency_us.all.mean
    assert buses == pytest.approx(mesh, rel=0.02)
    assert shortest < buses


def test_runs_of_a_class_repeat_themselves(reads: cn.Workload) -> None:
    first, second = (cn.run("performance-optimized", reads, fabric=Mesh).to_dict() for _ in range(2))
    del first["cost"], second["cost"]
    assert first == second


def breaks(**members: Any) -> type[Fabric]:
    return type("Broken", (Mesh,), members)


@pytest.mark.parametrize(
    ("fabric", "error", "says"),
    [
        (breaks(route=lambda self, transfer: [0]), cn.SimulationError, "its first link has no controller"),
        (breaks(route=lambda self, transfer: [9999]), cn.SimulationError, "no link 9999, expected one below 120"),
        (breaks(route=lambda self, transfer: [112 + transfer.chip[0]]), cn.SimulationError, "does not reach the chip"),
        (breaks(route=lambda self, transfer: [112, 112]), cn.SimulationError, "link 112 is there twice"),
        (breaks(route=lambda self, transfer: None), cn.SimulationError, "though all links are free"),
        (breaks(route=lambda self, transfer: {}["key"]), KeyError, "key"),
        (breaks(route=lambda self, transfer: ["one"]), TypeError, "'str' object"),
        (breaks(__init__=lambda self, array: {}["made"]), KeyError, "made"),
        (breaks(links=[[(0, -1), (0, 0)]]), cn.ConfigError, "no link leads from a controller to chip 0,1"),
        (breaks(links=[[(0, -1)]]), cn.ConfigError, "expected two places or more"),
        (Fabric, NotImplementedError, "route, or decide"),
        (int, cn.ConfigError, "expected a class derived from canaletto.Fabric"),
        (Mesh(cn.Array(1, 1, ())), cn.ConfigError, "expected a class derived from canaletto.Fabric"),
    ],
)
def test_what_cannot_be_is_an_error(reads: cn.Workload, fabric: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        cn.run("performance-optimized", reads, fabric=fabric)


def test_slowdowns_need_a_fabric_of_the_engine(reads: cn.Workload) -> None:
    with pytest.raises(cn.ConfigError, match="slowdowns"):
        cn.run("performance-optimized", reads, fabric=Mesh, slowdowns=True)


def test_a_folder_of_a_class_is_not_rerun(reads: cn.Workload, tmp_path: Any) -> None:
    from canaletto._run.repeat import rerun

    cn.run("performance-optimized", reads, fabric=Mesh).save(tmp_path / "run")
    with pytest.raises(cn.ConfigError, match="Mesh"):
        rerun(tmp_path / "run")
