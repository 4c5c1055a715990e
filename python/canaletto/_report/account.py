"""Accounts of where latency goes: root causes, from which verdicts speak, and blame.

Blame charges a wait to what was waited for. Root causes pass it on to what the holder did or waited for, and so on: a
chip whose data wait for the wires is no cause, the wires are.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

Account: TypeAlias = Literal["root_cause_us", "blame_us"]

TITLES: Mapping[Account, str] = {"root_cause_us": "latency by root cause", "blame_us": "latency by cause"}


def main(run: Mapping[str, Any]) -> Account:
    """The account that verdicts on a run speak from: root causes, where they were followed."""
    return "root_cause_us" if run.get("root_cause_us") else "blame_us"


def table(run: Mapping[str, Any], kind: str, account: Account | None = None) -> dict[str, float]:
    """Microseconds by cause of the mean request (`all`) or of the slowest hundredth (`p99`); causes that occur."""
    found = (run.get(account or main(run)) or {}).get(kind) or {}
    return {cause: float(value) for cause, value in found.items() if value}
