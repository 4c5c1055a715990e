"""A calibrated design as text: complete, with a remark at every value that was calibrated."""

from collections.abc import Mapping
from typing import Any

from canaletto._run.config import Design

from canaletto_extras.calibrating.parameters import is_index


def marked(design: Design, report: Mapping[str, Any]) -> str:
    remarks: dict[str, list[str]] = {}
    for each in report["parameters"]:
        for key in each["keys"]:
            above, _, last = key.rpartition(".")
            of_list = is_index(last)
            value = f"[{last}] " if of_list else ""
            bound = f", at its {each['at_bound']} end" if each["at_bound"] else ""
            remarks.setdefault(above if of_list else key, []).append(
                f"{value}calibrated, range {each['low']} to {each['high']}{bound}"
            )
    errors = report["error"]["after"]
    told = ", ".join(f"{half} {value:.1%}" for half, value in errors.items() if value is not None)
    lines = [
        f"# Calibrated by canaletto from {len(report['points'])} measured points; error (root mean square): {told}.",
        *(f"# {note}." for note in report["notes"]),
    ]
    table = ""
    for line in design.to_toml().splitlines():
        if line.startswith("["):
            table = line.strip("[]")
        key, equals, _ = line.partition(" = ")
        full = f"{table}.{key}" if table else key
        remark = remarks.get(full) if equals else None
        lines.append(f"{line}  # {'; '.join(remark)}" if remark else line)
    return "\n".join(lines) + "\n"
