"""Accounts of latency: blame charges a wait to what was waited for, root causes to what its holder did."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

Account: TypeAlias = Literal["root_cause_us", "blame_us"]

TITLES: Mapping[Account, str] = {"root_cause_us": "latency by root cause", "blame_us": "latency by cause"}


def main(run: Mapping[str, Any]) -> Account:
    return "root_cause_us" if run.get("root_cause_us") else "blame_us"


def table(run: Mapping[str, Any], kind: str, account: Account | None = None) -> dict[str, float]:
    """Microseconds by cause that occurs, for the mean request (`all`) or the slowest hundredth (`p99`)."""
    found = (run.get(account or main(run)) or {}).get(kind) or {}
    return {cause: float(value) for cause, value in found.items() if value}
