import math
import re
from typing import Any

import canaletto as cn
import numpy as np
import pytest
from canaletto import Fabric, Transfer
from canaletto._report import colours
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

READS = 'name = "reads"\n[[flow]]\nname = "reads"\n[flow.synthetic]\nrequests = 600\nread_share = 0.7\nsize = "4KiB"\n'


@pytest.fixture
def reads(tmp_path: Any) -> cn.Workload:
    (tmp_path / "reads.toml").write_text(READS + "queue_depth = 32\n")
    return cn.workload(tmp_path / "reads.toml")


class Rows(Fabric):
    @property
    def links(self) -> list[list[tuple[int, int]]]:
        return [[place, *((place[0], c) for c in range(self.array.columns))] for place in self.array.controllers]

    def route(self, transfer: Transfer) -> list[int] | None:
        return None if transfer.chip[0] in self.taken else [transfer.chip[0]]


class Mesh(Fabric):
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
            assert result.to_dict()["fabric"] == fabric.__name__
            assert result.configuration[0].fabric == "custom"


def test_own_buses_are_as_fast_as_circuits_can_be(reads: cn.Workload) -> None:
    """Rows of a mesh used like buses, but for a cycle per router."""
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
        (breaks(route=lambda self, transfer: [9999]), cn.SimulationError, "no link 9999, expected one from 0 to 119"),
        (breaks(route=lambda self, transfer: [112 + transfer.chip[0]]), cn.SimulationError, "does not reach the chip"),
        (breaks(route=lambda self, transfer: [112, 112]), cn.SimulationError, "link 112 is there twice"),
        (breaks(route=lambda self, transfer: None), cn.SimulationError, "though all links are free"),
        (breaks(route=lambda self, transfer: {}["key"]), KeyError, "key"),
        (breaks(route=lambda self, transfer: ["one"]), cn.SimulationError, r"got \['one'\]"),
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


def asynchronous() -> Any:
    async def route(self: Fabric, transfer: Transfer) -> list[int]:
        return [0]

    return route


def endless() -> Any:
    while True:
        yield (0, 0)


LOOPED: list[Any] = []
LOOPED.append(LOOPED)

NONSENSE = [
    0,
    -1,
    3.5,
    math.nan,
    True,
    "way",
    b"way",
    {112: 0},
    {112},
    object(),
    [None],
    [math.nan],
    [112.0],
    [[112]],
    ["112"],
    [True],
    [-1],
    [2**70],
    LOOPED,
    range(10**12),
    iter([112]),
    (link for link in [112]),
    np.array(3),
    np.array([112.0]),
    np.zeros((2, 2), int),
    Fabric,
]


@pytest.mark.parametrize("answer", NONSENSE, ids=lambda answer: type(answer).__name__)
def test_ways_that_are_none_name_class_and_transfer(reads: cn.Workload, answer: Any) -> None:
    says = r"^fabric Broken: the way of transfer \d+ (from|to) chip \d,\d: .*; expected the numbers of its links"
    with pytest.raises(cn.SimulationError, match=says) as raised:
        cn.run("performance-optimized", reads, fabric=breaks(route=lambda self, transfer: answer))
    assert len(str(raised.value)) < 400


@pytest.mark.filterwarnings("error")
def test_a_coroutine_is_no_way(reads: cn.Workload) -> None:
    with pytest.raises(cn.SimulationError, match="got a coroutine; expected the numbers of its links"):
        cn.run("performance-optimized", reads, fabric=breaks(route=asynchronous()))


@given(way=st.lists(st.integers(-2, 140), max_size=6))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_list_of_numbers_is_a_way_or_says_why_not(reads: cn.Workload, way: list[int]) -> None:
    def route(self: Fabric, transfer: Transfer) -> list[int] | None:
        return way if self.now_ns > 20_000 else Mesh.route(self, transfer)  # type: ignore[arg-type]

    says = r"^fabric Broken: (the way of|no way for) transfer \d+ (from|to) chip \d,\d"
    with pytest.raises(cn.SimulationError, match=says):
        cn.run("performance-optimized", reads, fabric=breaks(route=route))


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_whole_numbers_of_numpy_are_links_and_places(reads: cn.Workload, kind: Any) -> None:
    class Numbers(Rows):
        @property
        def links(self) -> Any:
            return [np.array(places, dtype=np.int16) for places in super().links]

        def route(self, transfer: Transfer) -> Any:
            way = super().route(transfer)
            return way and np.array(way, dtype=kind)

    found = cn.run("performance-optimized", reads, fabric=Numbers)
    assert found.latency_us.all.mean == cn.run("performance-optimized", reads, fabric=Rows).latency_us.all.mean


@pytest.mark.parametrize(
    "links",
    [
        None,
        3,
        "links",
        {(0, 0): (0, 1)},
        range(10**12),
        [None],
        ["ab"],
        [(0, 0)],
        [((0, 0), (0, 1, 2))],
        [((0, 0), (0,))],
        [((0, 0), "01")],
        [((0, 0), (0, 1.5))],
        [((0, 0), (0, math.nan))],
        [((0, 0), (0, None))],
        [((0, 0), (0, 2**31))],
        [((0, 0), (0, -(2**40)))],
        [((0, 0), (False, True))],
        [LOOPED],
        [endless()],
        endless(),
        [((0, 0), (0, 0))],
        [[]],
    ],
    ids=lambda links: type(links).__name__,
)
def test_links_that_are_none_name_class_and_link(reads: cn.Workload, links: Any) -> None:
    with pytest.raises(cn.ConfigError, match=r"^fabric Broken: links: .*expected ") as raised:
        cn.run("performance-optimized", reads, fabric=breaks(links=links))
    assert len(str(raised.value)) < 300


def test_exceptions_keep_their_kind_and_name_class_and_transfer(reads: cn.Workload) -> None:
    def raises(self: Fabric, transfer: Transfer) -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError) as raised:
        cn.run("performance-optimized", reads, fabric=breaks(route=raises))
    assert re.fullmatch(r"\(Broken.route, transfer \d+ (from|to) chip \d,\d\)", raised.value.__notes__[0])
    with pytest.raises(LookupError) as raised:
        cn.run("performance-optimized", reads, fabric=breaks(links=property(lambda self: raises(self, None))))  # type: ignore[arg-type]
    assert raised.value.__notes__ == ["(Broken.links)"]


def test_grants_to_what_does_not_wait_are_refused(reads: cn.Workload) -> None:
    def nobody(self: Fabric) -> None:
        self.grant("somebody", [112])  # type: ignore[arg-type]

    def twice(self: Fabric) -> None:
        for transfer in list(self.waiting.values()):
            way = Mesh.route(self, transfer)  # type: ignore[arg-type]
            if way is not None:
                self.grant(transfer, way)
                self.grant(transfer, [])

    with pytest.raises(cn.SimulationError, match="fabric Broken: grant: got 'somebody', expected a transfer of"):
        cn.run("performance-optimized", reads, fabric=breaks(decide=nobody))
    with pytest.raises(cn.SimulationError, match=r"fabric Broken: a way for transfer \d+, expected one that waits"):
        cn.run("performance-optimized", reads, fabric=breaks(decide=twice))


def test_a_class_that_is_not_begun_is_refused(reads: cn.Workload) -> None:
    with pytest.raises(cn.ConfigError, match=r"fabric Broken: __init__ does not call super\(\).__init__\(array\)"):
        cn.run("performance-optimized", reads, fabric=breaks(__init__=lambda self, array: None))


def test_slowdowns_need_a_fabric_of_the_engine(reads: cn.Workload) -> None:
    with pytest.raises(cn.ConfigError, match="slowdowns"):
        cn.run("performance-optimized", reads, fabric=Mesh, slowdowns=True)


def test_a_folder_of_a_class_is_not_rerun(reads: cn.Workload, tmp_path: Any) -> None:
    from canaletto._run.repeat import rerun

    cn.run("performance-optimized", reads, fabric=Mesh).save(tmp_path / "run")
    with pytest.raises(
        cn.ConfigError,
        match=r"run.json: options.fabric_class: got '.*Mesh', expected a class of a file or of a plug-in: .*repeated",
    ):
        rerun(tmp_path / "run")
    with pytest.raises(cn.ConfigError, match=r"options.fabric_class: .*explained"):
        cn.explain(tmp_path / "run")
    loaded = cn.load(tmp_path / "run")
    assert isinstance(loaded, cn.Result)
    assert loaded["fabric"] == "Mesh"
    with pytest.raises(cn.ConfigError, match=r"options.fabric_class: .*recorded"):
        loaded.timeline()


def test_a_timeline_is_that_of_the_class(reads: cn.Workload) -> None:
    timeline = cn.run("performance-optimized", reads, fabric=Rows).timeline(from_us=0, to_us=100, progress=False)
    wires = [part["name"] for part in timeline.parts if part["kind"] == "channel"]
    assert wires == [f"bus {row}" for row in range(8)]
    assert timeline.spans.height > 0
    assert "Rows" in timeline.title


def test_classes_stand_beside_fabrics_of_the_engine(reads: cn.Workload, tmp_path: Any) -> None:
    compared = cn.compare("performance-optimized", reads, ["bus", Rows, Mesh], seeds=2, progress=False)
    assert compared.fabrics == ["bus", "Rows", "Mesh"]
    assert set(compared.speedup.to_dict()) == {"bus", "Rows", "Mesh"}
    alone = cn.run("performance-optimized", reads, seeds=2, fabric=Rows).latency_us.all.mean
    assert compared["Rows"].latency_us.all.mean == alone
    assert "Rows" in cn.compare("performance-optimized", reads, ["mesh-2bit", Rows], progress=False).verdict
    compared.save(tmp_path / "compared")
    page = (tmp_path / "compared" / "report.html").read_text(encoding="utf-8")
    colours_of = colours.fabrics(["bus", "Rows", "Mesh"])
    assert len(set(colours_of.values())) == 3
    for name in ("Rows", "Mesh"):
        assert colours_of[name] in colours.OWN
        assert f"--fabric-{name}: {colours_of[name]};" in page
        assert f"var(--fabric-{name}" in page
        # In charts, too.
        assert f'"{colours_of[name]}"' in page
    assert "fabric_class" in page
    loaded = cn.load(tmp_path / "compared")
    assert isinstance(loaded, cn.Comparison)
    assert loaded.fabrics == compared.fabrics
    assert loaded["Mesh"].options["fabric_class"].endswith("Mesh")
    assert repr(loaded) == repr(compared)


def test_colours_of_classes_never_meet() -> None:
    names = [f"Fabric{number}" for number in range(len(colours.OWN))]
    found = colours.fabrics(["venice", *names, "crossbar"])
    assert len(set(found.values())) == len(found)
    assert not set(colours.OWN) & set(colours.FABRICS.values())
    assert colours.fabrics(names[:1])[names[0]] == colours.fabric(names[0])


@pytest.mark.parametrize(
    ("fabrics", "says"),
    [
        ([Mesh, "bus", Mesh], "fabrics: got Mesh 2 times, expected each fabric once"),
        ([type("venice", (Mesh,), {}), "bus"], "got class venice, expected a name that no fabric"),
        ([type("crossbar", (Mesh,), {}), "bus"], "got class crossbar, expected a name that no fabric"),
        (["mesh", Mesh], "fabrics: got mesh 2 times, expected each fabric once"),
        ([type("a/b", (Mesh,), {})], "got a class named 'a/b', expected letters"),
        ([int, "bus"], "fabric: got <class 'int'>, expected a class derived from canaletto.Fabric"),
        ([3, "bus"], "fabrics: got 3, expected a name or a class"),
    ],
)
def test_comparisons_that_cannot_be(reads: cn.Workload, fabrics: Any, says: str) -> None:
    with pytest.raises(cn.ConfigError, match=says):
        cn.compare("performance-optimized", reads, fabrics)


def test_an_equal_budget_needs_links_that_are_counted(reads: cn.Workload) -> None:
    with pytest.raises(cn.ConfigError, match="equal: got a user-defined fabric, expected fabrics of the engine"):
        cn.compare("performance-optimized", reads, ["bus", Mesh], equal="pins")


def test_exceptions_of_a_comparison_name_the_class(reads: cn.Workload) -> None:
    broken = breaks(route=lambda self, transfer: [0])
    with pytest.raises(cn.SimulationError, match=r"^fabric Broken: the way of transfer"):
        cn.compare("performance-optimized", reads, ["bus", broken])
