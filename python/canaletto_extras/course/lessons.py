"""The exercises of the four lessons."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import canaletto as cn

from canaletto_extras.course.exercises import Exercise, design, least, number, reads, word, workload

DRIVE = "performance-optimized"
FABRICS = ("bus", "packetized", "omnibus", "mesh", "mesh-2bit", "venice")

SMALL: Mapping[str, Any] = {
    "geometry.channels": 2,
    "geometry.chips_per_channel": 2,
    "geometry.blocks_per_plane": 128,
    "geometry.pages_per_block": 64,
    "precondition.kind": "steady",
}
"""Collection is at work from the first write."""

PAIR = workload(
    "pair",
    reader={"requests": 1000000, "stop": '"10ms"', "read_share": "1.0", "size": '"4KiB"', "queue_depth": 1},
    writer={"requests": 1000000, "stop": '"10ms"', "read_share": "0.0", "size": '"16KiB"', "queue_depth": 32},
)
SHARED: Mapping[str, Any] = {"geometry.channels": 4, "geometry.chips_per_channel": 2}


def _run(drive: cn.Design, work: cn.Workload, **more: Any) -> cn.Result:
    return cn.run(drive, work, records=False, progress=False, **more)


def _mean(measured: Any) -> float:
    return float(measured.latency_us.all.mean)


def _alone(drive: cn.Design) -> float:
    return _mean(_run(drive, reads(requests=200, queue_depth=1)))


def _quick_read(drive: cn.Design) -> str | None:
    mean = _alone(drive)
    return None if mean < 6 else f"a read takes {mean:.3g} µs"


def _serves_a_million(depth: float) -> bool:
    return (_run(cn.design(DRIVE), reads(queue_depth=int(depth))).iops or 0.0) >= 1e6


@cache
def _hot(drive: cn.Design, share: float) -> cn.Result:
    skew = f"{{ share = {share}, channels = 8 }}"
    return _run(drive, reads(queue_depth=32, channel_skew=skew))


def _conflicts_percent() -> float:
    found = _hot(cn.design(DRIVE), 0.5)
    causes = found.to_dict()["root_cause_us"]["all"]
    return 100 * float(causes.get("path_conflict", 0.0)) / _mean(found)


def _fastest_with_eight_pins() -> str:
    runs = [_hot(cn.design(DRIVE, fabric=fabric), 0.8) for fabric in FABRICS]
    few = [run for run in runs if run.to_dict()["interconnect"]["data_pins_per_controller"] <= 8]
    return min(few, key=_mean).fabric


def _half_the_latency(drive: cn.Design) -> str | None:
    if drive.fabric != "bus":
        return f"the interconnect is {drive.fabric}, expected bus"
    before, after = (_mean(_hot(each, 0.8)) for each in (cn.design(DRIVE), drive))
    return None if after <= before / 2 else f"the mean is {after:.3g} µs, expected at most {before / 2:.3g} µs"


def _writes(addresses: str = '"uniform"', **keys: Any) -> cn.Workload:
    made = {"requests": 30000, "read_share": "0.0", "size": '"4KiB"', "queue_depth": 16, "addresses": addresses}
    return workload("writes", writes=made | keys)


def _amplification(drive: cn.Design, work: cn.Workload) -> float:
    return float(_run(drive, work).flash.write_amplification or 0.0)


def _spare(share: float) -> cn.Design:
    return cn.design(DRIVE, **SMALL, **{"ftl.overprovisioning": share})


def _writes_little(drive: cn.Design) -> str | None:
    found = _amplification(drive, _writes('"hot-cold"', hot_share=0.1))
    return None if found < 3.2 else f"write amplification is {found:.3g}"


def _shared(drive: cn.Design) -> tuple[float, float]:
    reader, writer = _run(drive, PAIR).flows
    return _mean(reader), float(writer.iops or 0.0)


def _reader_slowdown() -> float:
    return float(_run(cn.design(DRIVE, **SHARED), PAIR, slowdowns=True).flows[0].slowdown or 0.0)


def _is_fair(drive: cn.Design) -> str | None:
    (mean, rate), (_, before) = _shared(drive), _shared(cn.design(DRIVE, **SHARED))
    if mean >= 20:
        return f"a read takes {mean:.3g} µs on average, expected less than 20 µs"
    return None if rate >= 0.8 * before else f"the writer keeps {rate / before:.0%} of its rate, expected 80%"


LESSONS: Mapping[str, Sequence[Exercise]] = {
    "drive": (
        Exercise(
            number(lambda: _alone(cn.design(DRIVE, **{"fabric.link_rate": "600MT/s"})), 0.03),
            "Only the transfers depend on the rate of the bus. A byte crosses eight pins at once.",
        ),
        Exercise(
            least(_serves_a_million, 1, 1, 256),
            "IOPS are the queue depth over the mean latency, which rises with the depth. Try depths around ten.",
        ),
        Exercise(
            design(cn.design(DRIVE), ("fabric.link_rate", "flash.read"), _quick_read),
            "The largest parts are the array's time (flash.read) and the data's on the bus (fabric.link_rate).",
        ),
    ),
    "paths": (
        Exercise(
            number(_conflicts_percent, 0.05),
            'run.root_cause_us.all.path_conflict over run.latency_us.all.mean, in percent, with "share = 0.5".',
        ),
        Exercise(
            word(_fastest_with_eight_pins, FABRICS),
            "run.interconnect.data_pins_per_controller leaves three. Compare their mean latencies under the hot row.",
        ),
        Exercise(
            design(cn.design(DRIVE), ("fabric.",), _half_the_latency),
            "Most of it is waiting for the hot channel. A transfer holds it for its data over fabric.link_rate.",
        ),
    ),
    "collection": (
        Exercise(
            number(lambda: _amplification(_spare(0.12), _writes()), 0.05),
            "Run the drive of the lesson with ftl.overprovisioning = 0.12, and look at flash.write_amplification.",
        ),
        Exercise(
            least(lambda share: _amplification(_spare(share), _writes()) <= 2.5, 0.01, 0.05, 0.5),
            "Amplification falls with spare capacity. Try shares between 0.2 and 0.25, in steps of 0.01.",
        ),
        Exercise(
            design(_spare(0.15), ("gc.",), _writes_little),
            "Greedy collection copies cold pages again and again. Another gc.policy weighs the age of a block.",
        ),
    ),
    "queues": (
        Exercise(
            number(lambda: _mean(_run(cn.design(DRIVE), reads(queue_depth=24))), 0.03),
            "Little's law: requests outstanding = rate times latency.",
        ),
        Exercise(
            number(_reader_slowdown, 0.05),
            "cn.run(…, slowdowns=True) also runs each flow alone: run.flows[0].slowdown.",
        ),
        Exercise(
            design(cn.design(DRIVE, **SHARED), ("flash.suspend.", "scheduler.", "host."), _is_fair),
            "A program keeps its chip for 100 µs. flash.suspend.operations lets reads interrupt it; look at its times.",
        ),
    ),
}
