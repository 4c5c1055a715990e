"""Slowdown of flows by each other, and fairness, as MQSim defines them.

FAST 2018, slides: "Defining Slowdown and Fairness for I/O Flows".
"""

from collections.abc import Callable, Sequence
from typing import Any

from canaletto._io.progress import Progress, Row
from canaletto._run import parallel, simulate
from canaletto._run.config import Design, Workload
from canaletto._run.together import side_by_side

ALONE = "alone, flow"


def add(
    data: dict[str, Any],
    design: Design,
    workload: Workload,
    seed: int,
    rows: Sequence[Row | None],
    tell: Progress | None,
) -> list[dict[str, Any]]:
    """Runs each flow alone, and adds `slowdown` to each flow of a result and `fairness` to all of it.

    Alone, a flow makes the same requests on a drive in the same state. Returns the results of the runs.
    """
    flows = data["flows"]
    alone = _run_alone(flows, design, workload, seed, rows, tell) if len(flows) > 1 else [data]
    for number, (flow, run) in enumerate(zip(flows, alone, strict=True)):
        flow["slowdown"] = ratio(_mean_us(flow), _mean_us(run["flows"][number]))
    data["fairness"] = fairness([flow["slowdown"] for flow in flows])
    return alone if len(flows) > 1 else []


def fairness(slowdowns: Sequence[float | None]) -> float | None:
    known = [each for each in slowdowns if each is not None]
    return ratio(min(known), max(known)) if known else None


def ratio(shared: float | None, alone: float | None) -> float | None:
    return shared / alone if shared is not None and alone else None


def workers(design: Design, workload: Workload, records: bool) -> int:
    """Flows at a time that processors and memory allow."""
    most = min(len(workload.to_dict()["flow"]), parallel.processors())
    needs = [simulate.memory_needed([design] * count, workload, records) for count in range(most, 0, -1)]
    return most - simulate.check_memory(f"{design.name}, {workload.name}: {most} flows alone", needs)


def _run_alone(
    flows: Sequence[dict[str, Any]],
    design: Design,
    workload: Workload,
    seed: int,
    rows: Sequence[Row | None],
    tell: Progress | None,
) -> list[dict[str, Any]]:
    def job(number: int) -> Callable[[Progress], dict[str, Any]]:
        requests = flows[number]["requests"]
        counted = sum(requests.get(kind, 0) for kind in ("reads", "writes", "trims", "flushes", "zone_commands"))
        left_out = requests["completed"] - counted
        return lambda report: simulate.run_once(design, workload, seed, left_out, False, report, alone=number)[0]

    names = [flow["name"] for flow in flows]
    told = None if tell is None else lambda _, *so_far: tell(*so_far)
    at_a_time = workers(design, workload, records=False)
    return side_by_side(ALONE, names, map(job, range(len(flows))), at_a_time, rows, told)


def _mean_us(flow: dict[str, Any]) -> float | None:
    mean: float | None = (flow["latency_us"]["all"] or {}).get("mean")
    return mean
