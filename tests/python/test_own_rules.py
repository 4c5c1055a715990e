from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import canaletto as cn
import numpy as np
import pytest
from canaletto import Candidates, GcPolicy, Scheduler, Transaction

MIXED = 'name = "mixed"\n[[flow]]\nname = "mixed"\n[flow.synthetic]\nrequests = 3000\nread_share = 0.3\nsize = "4KiB"\n'
SMALL = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 16,
    "geometry.pages_per_block": 8,
    "ftl.overprovisioning": 0.3,
    "gc.threshold": 0.2,
    "gc.hard_threshold": 0.1,
}


@pytest.fixture
def mixed(tmp_path: Path) -> cn.Workload:
    (tmp_path / "mixed.toml").write_text(MIXED + "queue_depth = 16\n")
    return cn.workload(tmp_path / "mixed.toml")


@pytest.fixture(scope="module")
def small() -> cn.Design:
    return cn.design("performance-optimized", **SMALL)


class Fewest(GcPolicy):
    def choose(self, candidates: Candidates) -> int:
        assert candidates.plane is not None
        assert 0 <= candidates.plane < 8
        assert candidates.pages_per_block == 8
        columns = (candidates.valid, candidates.age, candidates.since_opened, candidates.erases)
        assert all(len(column) == len(candidates.blocks) for column in columns)
        return int(np.asarray(candidates.blocks)[np.asarray(candidates.valid).argmin()])


class Oldest(GcPolicy):
    def choose(self, candidates: Candidates) -> int:
        places = range(len(candidates.blocks))
        return candidates.blocks[max(places, key=candidates.since_opened.__getitem__)]


class LikeEngine(Scheduler):
    def choose(self, lun: int, ready: Sequence[Transaction]) -> Transaction:
        assert all(t.lun == lun and self.waiting[t.id] is t and t.since_ns <= self.now_ns for t in ready)
        order = ("read", "program", "erase")
        return min(ready, key=lambda t: ((t.work == "gc") != self.gc_urgent, order.index(t.kind), t.id))


class Shortest(Scheduler):
    def choose(self, lun: int, ready: Sequence[Transaction]) -> Transaction:
        return min(ready, key=lambda t: (t.service_ns, t.id))


def results(result: cn.Result) -> dict[str, Any]:
    data = result.to_dict()
    del data["cost"]
    return data


def test_classes_like_the_engine_give_its_results(small: cn.Design, mixed: cn.Workload) -> None:
    greedy = results(cn.run(small, mixed))
    assert greedy["flash"]["erases"] > 0
    assert results(cn.run(small, mixed, gc_policy=Fewest, check_wires=True)) == greedy
    assert results(cn.run(small, mixed, scheduler=LikeEngine, check_wires=True)) == greedy
    fifo = results(cn.run(small.replace(**{"gc.policy": "fifo"}), mixed))
    assert results(cn.run(small, mixed, gc_policy=Oldest)) == fifo
    assert fifo != greedy


def test_parts_go_together_and_repeat_themselves(small: cn.Design, mixed: cn.Workload) -> None:
    first, second = (cn.run(small, mixed, gc_policy=Oldest, scheduler=Shortest, seeds=2) for _ in range(2))
    assert results(first) == results(second)
    design, _ = first.configuration
    assert (design.to_dict()["gc"]["policy"], design.to_dict()["scheduler"]["policy"]) == ("custom", "custom")
    assert first.options["gc_policy_class"].endswith("Oldest")
    assert first.options["scheduler_class"].endswith("Shortest")


def test_the_shortest_first_shortens_the_mean(small: cn.Design, mixed: cn.Workload) -> None:
    first_come = cn.run(small.replace(**{"scheduler.policy": "custom"}), mixed).latency_us.all.mean
    assert cn.run(small, mixed, scheduler=Shortest).latency_us.all.mean < 0.9 * first_come


def test_a_drive_is_preconditioned_by_the_class(small: cn.Design, mixed: cn.Workload) -> None:
    class Known(Oldest):
        planes: ClassVar[set[int | None]] = set()

        def choose(self, candidates: Candidates) -> int:
            self.planes.add(candidates.plane)
            return super().choose(candidates)

    steady = small.replace(**{"precondition.kind": "steady"})
    own = cn.run(steady, mixed, gc_policy=Known).to_dict()["flash"]["write_amplification"]
    fifo = cn.run(steady.replace(**{"gc.policy": "fifo"}), mixed).to_dict()["flash"]["write_amplification"]
    assert None in Known.planes
    assert len(Known.planes) > 1
    assert own == pytest.approx(fifo, rel=0.1)


def answers(answer: Any) -> type[GcPolicy]:
    return type("Broken", (GcPolicy,), {"choose": lambda self, candidates: answer(candidates)})


def orders(answer: Any) -> type[Scheduler]:
    return type("Broken", (Scheduler,), {"choose": lambda self, lun, ready: answer(self, ready)})


def free(candidates: Candidates) -> int:
    return max(set(range(16)) - set(candidates.blocks))


@pytest.mark.parametrize(
    ("policy", "error", "says"),
    [
        (answers(free), cn.SimulationError, r"gc policy, plane \d: got block 15, which is free, expected one of the "),
        (
            answers(lambda candidates: 999),
            cn.SimulationError,
            "block 999, which does not exist: there are blocks 0 to 15",
        ),
        (answers(lambda candidates: -1), cn.SimulationError, r"plane \d: got -1, expected .*blocks that are full"),
        (answers(lambda candidates: "seven"), cn.SimulationError, r"plane \d: got 'seven', expected"),
        (answers(lambda candidates: 1.5), cn.SimulationError, r"plane \d: got 1.5, expected"),
        (answers(lambda candidates: None), cn.SimulationError, r"plane \d: got None, expected"),
        (answers(lambda candidates: {}["key"]), KeyError, "key"),
        (type("Broken", (GcPolicy,), {"__init__": lambda self: {}["made"]}), KeyError, "made"),
        (
            type("Broken", (GcPolicy,), {"__init__": lambda self, one: None}),
            cn.ConfigError,
            "Broken.__init__.self, one., exp",
        ),
        (GcPolicy, NotImplementedError, "defines choose"),
        (Shortest, cn.ConfigError, r"gc_policy: .*expected a class derived from canaletto.GcPolicy"),
        (Fewest(), cn.ConfigError, "expected a class derived from canaletto.GcPolicy"),
    ],
)
def test_policies_that_cannot_be(
    small: cn.Design, mixed: cn.Workload, policy: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        cn.run(small, mixed, gc_policy=policy)


@pytest.mark.parametrize(
    ("scheduler", "error", "says"),
    [
        (
            orders(lambda self, ready: None),
            cn.SimulationError,
            r"scheduler, LUN \d: got None, expected one of the \d+ that",
        ),
        (
            orders(lambda self, ready: ready[0].id),
            cn.SimulationError,
            r"got \d+, expected one of .*: \d+ \(\w+ in plane",
        ),
        (orders(lambda self, ready: {}["key"]), KeyError, "key"),
        (
            orders(lambda self, ready: next(t for t in self.waiting.values() if t not in ready)),
            cn.SimulationError,
            r"got transaction \d+, expected one of",
        ),
        (type("Broken", (Shortest,), {"arrive": lambda self, transactions: {}["come"]}), KeyError, "come"),
        (Scheduler, NotImplementedError, "defines choose"),
        (Fewest, cn.ConfigError, r"scheduler: .*expected a class derived from canaletto.Scheduler"),
    ],
)
def test_schedulers_that_cannot_be(
    small: cn.Design, mixed: cn.Workload, scheduler: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        cn.run(small, mixed, scheduler=scheduler)


def test_exceptions_say_where_they_were_raised(small: cn.Design, mixed: cn.Workload) -> None:
    with pytest.raises(KeyError) as raised:
        cn.run(small, mixed, gc_policy=answers(lambda candidates: {}["key"]))
    assert raised.value.__notes__[0].startswith("(victims of plane ")
    with pytest.raises(KeyError) as raised:
        cn.run(small, mixed, scheduler=orders(lambda self, ready: {}["key"]))
    assert raised.value.__notes__[0].startswith("(next transaction of LUN ")


def test_slowdowns_need_parts_of_the_engine(small: cn.Design, mixed: cn.Workload) -> None:
    with pytest.raises(
        cn.ConfigError, match="slowdowns: got True together with a user-defined gc_policy and scheduler"
    ):
        cn.run(small, mixed, gc_policy=Fewest, scheduler=Shortest, slowdowns=True)


def test_a_folder_of_a_class_is_not_rerun(small: cn.Design, mixed: cn.Workload, tmp_path: Path) -> None:
    from canaletto._run.repeat import rerun

    cn.run(small, mixed, scheduler=Shortest).save(tmp_path / "run")
    with pytest.raises(cn.ConfigError, match=r"options.scheduler_class: .*Shortest"):
        rerun(tmp_path / "run")
