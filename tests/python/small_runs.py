"""Small runs of every fabric for tests of reports, and figures of collection in forms that are easy to recognize."""

import random
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import canaletto as cn
from canaletto._run import gains, names

FABRICS = tuple(names.fabrics())


@cache
def simulated(fabric: str, rows: int = 4, columns: int = 4, load: int = 400) -> cn.Result:
    shape = {"geometry.channels": rows, "geometry.chips_per_channel": columns, "geometry.dies_per_chip": 1}
    design = cn.design("performance-optimized", fabric=fabric, **shape)
    work = cn.workload("hm_0", requests=load, inter_arrival="2us", read_share=0.8)
    return cn.run(design, work, records=False)


@dataclass
class Comparison:
    runs: list[cn.Result]
    equal: None = None
    hot_spots: dict[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> list[cn.Result]:
        return self.runs

    @property
    def gains(self) -> gains.Gains:
        return gains.gains([self.runs])


def result(fabric: str = "bus", without: tuple[str, ...] = (), **changes: Any) -> cn.Result:
    sizes = {key: changes.pop(key) for key in ("rows", "columns", "load") if key in changes}
    run = simulated(fabric, **sizes)
    data = {key: found for key, found in deepcopy(run.to_dict()).items() if key not in without}
    return cn.Result(data | changes, *run.configuration, run.options, None)


def comparison(fabrics: tuple[str, ...] = FABRICS, **changes: Any) -> Comparison:
    return Comparison([result(fabric, **changes) for fabric in fabrics])


@cache
def timeline(fabric: str, from_us: float = 100, to_us: float = 140, **sizes: int) -> Any:
    return simulated(fabric, **sizes).timeline(from_us=from_us, to_us=to_us)


def timelines(fabrics: tuple[str, ...] = FABRICS, start_us: float = 100, end_us: float = 140) -> dict[str, Any]:
    return {fabric: timeline(fabric, start_us, end_us) for fabric in fabrics}


def worn(fabric: str = "bus", **sizes: int) -> dict[str, Any]:
    draw = random.Random(len(fabric))
    data = result(fabric, **sizes).to_dict()
    intervals = 300
    host = [draw.randrange(40) for _ in range(intervals)]
    copied = [0] * 100 + [draw.randrange(30) for _ in range(intervals - 100)]
    erases = [0] * 100 + [draw.randrange(3) for _ in range(intervals - 100)]
    reasons = {"epoch": 40, "space": 300, "wear": 7}
    victims = sum(reasons.values())
    flash = {
        **{"reads": 5000, "programs": sum(host) + sum(copied), "erases": sum(erases), "host_pages": sum(host)},
        "write_amplification": 1 + sum(copied) / sum(host),
        "gc": {
            **{
                "collections": victims,
                "reasons": reasons,
                "pages_copied": sum(copied),
                "pages_copied_to_other_planes": 12,
            },
            **{"pages_copied_chip_to_chip": 0, "valid_share_of_victims": 0.43, "epochs": 2, "job_mean_us": 900.0},
            **{"job_max_us": 2500.0, "epoch_mean_us": 4000.0, "epoch_max_us": 5000.0},
        },
        "wear": {"erases_min": 1, "erases_mean": 4.25, "erases_max": 9, "bad_blocks": 3, "lifetime_bytes": 2.5e12},
        "blocks": {
            **{"total": 800, "free": 100, "open": 50, "full": 647, "bad": 3, "free_in_plane": [2, 5]},
            **{"by_valid_share": [0] * 8 + [47, 100, 200, 150, 50, 40, 30, 20, 5, 3, 1, 1], "valid_pages": 9000},
        },
        "series": {"interval_us": 12.5, "host_pages": host, "pages_copied": copied, "erases": erases},
        **{"suspensions": 17, "copybacks": 0, "read_retries": 5, "uncorrectable": 0},
    }
    collected = {"free_blocks": 0.5, "chip_busy_gc_read": 0.25, "chip_busy_gc_program": 1.0, "chip_busy_erase": 2.0}
    return {
        "flash": flash,
        "last_completion_us": 9000.0,
        **{
            account: {kind: table | collected for kind, table in data[account].items()}
            for account in ("blame_us", "root_cause_us")
        },
        "map": data["map"] | {"chips": [chip | {"erases": 3 + 2.5 * draw.random()} for chip in data["map"]["chips"]]},
        "cache": {
            **{"capacity_pages": 64, "power_loss_protection": True, "dirty_pages": 9},
            "reads": {"hits": 30, "partial": 10, "misses": 60},
            **{"writes": {"merged": 20, "inserted": 80, "waited": 4}, "destaged": 71, "flushes": 0},
        },
        "mapping": {
            "kind": "demand_paged",
            "entries": 4096,
            "hits": 950,
            "misses": 50,
            "shared_misses": 7,
            "translation_reads": 48,
            "merge_reads": 3,
            "translation_writes": 12,
        },
        "precondition": {
            **{"kind": "steady", "occupancy": [0.8, 0.8], "policy": "greedy", "write_amplification": 2.125},
            **{
                "pages_written": 0,
                "free_blocks": {"min": 2, "mean": 3.5, "max": 5},
                "valid_pages": 9000,
                "pages": 15000,
                "blocks": {"total": 800, "free": 100, "open": 0, "full": 697, "bad": 3},
            },
        },
    }
