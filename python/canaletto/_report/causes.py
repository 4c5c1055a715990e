"""Causes of latency, as verdicts name them: the main account's (`account.py`)."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from canaletto._io.units import share, words
from canaletto._report import account

Data: TypeAlias = Mapping[str, Any]

DOING = {
    "host_queue": "waiting for room in the host's queue",
    "host_link": "on the host link",
    "device_queue": "waiting for the drive to fetch requests",
    "firmware": "at the controller's processor",
    "system_bus": "on the controller's bus",
    "dram": "at the DRAM",
    "ecc": "correcting errors",
    "cache": "at the data cache",
    "write_buffer": "waiting for room in the write buffer",
    "flush": "waiting for flushes",
    "mapping_miss": "reading mapping entries from flash",
    "same_page_write": "waiting for an earlier write of the same page",
    "read_modify_write": "reading old pages for partial writes",
    "free_blocks": "waiting for free blocks",
    "chip_busy_user": "waiting for chips busy with other requests",
    "chip_busy_gc_read": "waiting for chips busy with reads of garbage collection",
    "chip_busy_gc_program": "waiting for chips busy with programs of garbage collection",
    "chip_busy_erase": "waiting for chips busy with erases",
    "chip_busy_mapping": "waiting for chips busy with mapping tables",
    "chip_busy_folding": "waiting for chips busy with folding the pseudo-SLC cache",
    "chip_busy_parity": "waiting for chips busy with parity",
    "path_conflict": "waiting for a free path",
    "path_reservation": "reserving paths",
    "transfer_of_others": "waiting while data of other requests crossed",
    "operand_transfer": "moving operands to where they are combined",
    "compute": "computing on data, and waiting for it",
    "command_transfer": "sending commands",
    "status": "waiting for the status of chips",
    "array_read": "reading the arrays",
    "array_program": "programming the arrays",
    "suspended": "suspended for other reads",
    "retry": "reading or programming again after failures",
    "data_transfer": "moving data over the wires",
    "completion": "completing",
}


def doing(cause: str) -> str:
    return DOING.get(cause, f"in {words(cause)}")


def differences(slow: Data, fast: Data) -> dict[str, tuple[float, float]]:
    a, b = account.table(slow, "all"), account.table(fast, "all")
    pairs = {cause: (a.get(cause, 0.0), b.get(cause, 0.0)) for cause in {**a, **b}}
    return dict(sorted(pairs.items(), key=lambda item: item[1][1] - item[1][0]))


def largest(run: Data, kind: str) -> list[tuple[str, float]]:
    table = account.table(run, kind)
    total = sum(table.values())
    found = sorted(table.items(), key=lambda item: -item[1])[:2]
    return [(cause, time / total) for cause, time in found if time > 0.1 * total]


def conflict_share(run: Data) -> str:
    table = account.table(run, "all")
    lost = table.get("path_conflict")
    return share(lost / sum(table.values())) if lost else "nothing"
