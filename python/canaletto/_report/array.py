"""The chip array with its utilisation.

Arrays with many rows or columns are drawn in blocks, which show means.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from typing import Any, TypeAlias

from canaletto._report.charts import short

Data: TypeAlias = Mapping[str, Any]
Place: TypeAlias = tuple[int, int]

_BUSES = ("channel", "command_channel", "column", "inner_bus", "grant_line")
MAX_SIDE = 16
"""At most that many squares along a side."""


def maps(runs: Sequence[Data]) -> dict[str, Any] | None:
    """Scaled by the square root of the share. None if no run has a map.

    Colours then show 0.5 % and 2 % as different as 50 % and 70 %.
    """
    found = [_map(run["fabric"], run["map"]) for run in runs if run.get("map") and run["map"]["chips"]]
    return {"top": 1, "ticks": [0, 0.02, 0.1, 0.25, 0.5, 1], "power": 0.5, "maps": found} if found else None


def wear(runs: Sequence[Data]) -> dict[str, Any] | None:
    found = []
    for run in runs:
        given = run.get("map")
        if given and any(chip.get("erases") for chip in given["chips"]):
            found.append(_map(run["fabric"], given | {"controllers": [], "wires": []}, erases=True))
    most = max((chip[2] for each in found for chip in each["chips"]), default=0)
    if not most:
        return None
    power = 10.0 ** floor(log10(most))
    top = next(step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= most)
    ticks = [short(top * part / 4) for part in range(5)]
    return {"top": short(top), "ticks": ticks, "power": 1, "maps": found}


def _map(fabric: str, given: Data, *, erases: bool = False) -> dict[str, Any]:
    rows, columns = given["rows"], given["columns"]
    height, width = ceil(rows / MAX_SIDE), ceil(columns / MAX_SIDE)
    blocks = (ceil(rows / height), ceil(columns / width))

    def block(place: Sequence[int]) -> Place:
        row, column = place
        # Controllers stand outside the array, west of it or east.
        return row // height, -1 if column < 0 else blocks[1] if column >= columns else column // width

    chips: dict[Place, list[Data]] = defaultdict(list)
    for chip in given["chips"]:
        chips[block((chip["row"], chip["column"]))].append(chip)
    controllers: dict[Place, list[Data]] = defaultdict(list)
    for controller in given["controllers"]:
        controllers[block((controller["row"], controller["column"]))].append(controller)
    wires: dict[tuple[str, Place, Place], list[Data]] = defaultdict(list)
    for wire in given["wires"]:
        ends = block(wire["from"]), block(wire["to"])
        if ends[0] != ends[1] or wire["kind"] in _BUSES:
            wires[wire["kind"], *ends].append(wire)
    return {
        "fabric": fabric,
        "rows": blocks[0],
        "columns": blocks[1],
        "block": [height, width],
        "chips": [
            [
                *place,
                *((_mean(each, "erases"), None) if erases else (_mean(each, "array"), _mean(each, "port"))),
                _name(each, "chips"),
            ]
            for place, each in sorted(chips.items())
        ],
        "controllers": [
            [*place, _mean(each, "share"), _name(each, "controllers")] for place, each in sorted(controllers.items())
        ],
        "wires": [
            [kind, *start, *end, _mean(each, "share"), _name(each, "wires")]
            for (kind, start, end), each in wires.items()
        ],
    }


def _mean(parts: Sequence[Data], key: str) -> float:
    return short(sum(part[key] for part in parts) / len(parts), 3)


def _name(parts: Sequence[Data], what: str) -> str:
    if len(parts) == 1:
        return str(parts[0]["name"])
    return f"{len(parts)} {what}, {parts[0]['name']} to {parts[-1]['name']}"
