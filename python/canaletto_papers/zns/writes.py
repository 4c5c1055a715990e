"""Writes and appends of a zoned drive by size, zones and depth.

Method: one or more zones, each with requests outstanding, by SPDK (`zns-a`, format of 4 KiB). `published` is what was
measured (stonet-research/NVMeBenchmarks 01f40f1c, MIT).

Assumptions: zones share the preset's write buffer of 4 MiB. In NVMeVirt's model each has 960 KiB (ZONE_WB_SIZE), which
is too little for 32 dies that take 96 KiB each. Zones from the 460th on are
written, which are empty before.
"""

from collections.abc import Mapping

from canaletto_papers.figure import Data, Figure, Label, Row, Run, Scale
from canaletto_papers.flows import flow, workload
from canaletto_papers.zns.drive import design, measured


def runs(scale: Scale) -> dict[Label, Run]:
    number = scale.of(12_000, 3_000)
    found: dict[Label, Run] = {}
    for line in _lines():
        depth = int(line["depth"]) * int(line["zones"])
        keys = {
            **{"requests": number, "read_share": 0.0, "size": f"{int(line['bytes']) // 1024}KiB", "queue_depth": depth},
            **{"zone_work": line["kind"], "zones": int(line["zones"]), "working_set_offset": f"{460 * 1077}MiB"},
        }
        found[_label(line)] = Run(design("spdk"), workload("writes", [flow("writes", keys)]))
    return found


def _lines() -> list[Mapping[str, str]]:
    return [line for line in measured() if line["experiment"] == "sweep"]


def _label(line: Mapping[str, str]) -> Label:
    return (line["kind"], line["bytes"], line["zones"], line["depth"])


def table(found: Mapping[Label, Data]) -> list[Row]:
    rows: list[Row] = []
    for line in _lines():
        data = found[_label(line)]
        latencies = data["latency_us"]["write"]
        ours = {"iops": data["iops"], "p50_us": latencies["p50"], "p99_us": latencies["p99"]}
        for what, value in ours.items():
            place = {"kind": line["kind"], "bytes": int(line["bytes"]), "zones": int(line["zones"])}
            rows.append(
                {
                    "system": "zn540-zoned",
                    **place,
                    "depth": int(line["depth"]),
                    "what": what,
                    "ours": value,
                    "published": float(line[what]),
                }
            )
    return rows


def chart(rows: list[Row]) -> None:
    """The table is all."""


FIGURE = Figure("writes", "Writes and appends by size and zones", __doc__, runs, table, chart, is_counted=True)
