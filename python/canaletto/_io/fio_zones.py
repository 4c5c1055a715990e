"""fio's `zonemode=zbd`: sizes in zones, regions of whole zones, zones that are written at the same time.

A flow counts its working set in writable bytes, fio counts its region in bytes of addresses.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from canaletto._io.fio_values import Given

MOST_ZONES = 65_536
SIZES = ("size", "filesize", "io_size", "io_limit", "offset", "offset_increment")
READS = "reads may lie beyond the write pointers of zones, as with read_beyond_wp=1"
RESETS = "zones are reset when all others of the job are full, not at random: expected 0"


@dataclass(frozen=True)
class Zones:
    """Zones of a drive, in bytes. count: None with namespaces, which have their own."""

    size: int
    capacity: int
    count: int | None = None
    max_open: int = 0


class Options(Protocol):
    options: dict[str, Given]

    def get(self, *names: str) -> Given | None: ...
    def flag(self, *names: str) -> bool: ...
    def whole(self, default: int, *names: str, bounds: tuple[int, int] = ...) -> int: ...
    def note(self, text: str) -> None: ...


def are_meant(job: Options) -> bool:
    """Whether a job has `zonemode=zbd`. Raises ConfigError for other modes."""
    given = job.get("zonemode")
    if given is None or given.text == "none":
        return False
    if given.text != "zbd":
        raise given.wrong("expected none or zbd")
    return True


def of(job: Options, drive: Callable[[], Zones | None] | None) -> Zones | None:
    """The zones that a job means: the drive's, or those it states itself without a drive."""
    mode, stated, capacity = job.get("zonemode"), job.get("zonesize"), job.get("zonecapacity")
    job.get("zonerange")
    size = 0 if stated is None else stated.sectors(least=0)
    if drive is None:
        return Zones(size, min(size, capacity.sectors()) if capacity else size) if size else None
    zones = drive()
    if zones is None:
        assert mode is not None
        raise mode.wrong("but the drive has no zones, expected a design with zns.zone_size")
    if stated is not None and size not in (0, zones.size):
        raise stated.wrong(f"expected 0 or the drive's zones of {zones.size} bytes")
    return zones


def in_bytes(job: Options, zones: Zones | None) -> None:
    """Replaces sizes such as `4z`."""
    for key in SIZES:
        given = job.options.get(key)
        if given is None or not given.text.lower().endswith("z"):
            continue
        number = given.text[:-1]
        if not re.fullmatch(r"[0-9]{1,18}", number):
            raise given.wrong("expected a whole number of zones such as 4z")
        if zones is None:
            raise given.wrong("expected bytes, or a design with zones, or zonesize")
        job.options[key] = Given(given.place, key, str(int(number) * zones.size))


def region(job: Options, zones: Zones) -> tuple[int, int | None]:
    """First zone and number of zones, None for all that follow. As fio, whole zones within the given bytes."""
    offset, size = job.get("offset"), job.get("size", "filesize")
    begin = 0 if offset is None else offset.sectors(least=0)
    first = -(-begin // zones.size)
    left = None if zones.count is None else zones.count - first
    if offset is not None and left is not None and left <= 0:
        raise offset.wrong(f"expected an offset below the drive's {zones.count} zones of {zones.size} bytes")
    if size is None or not size.text.strip("0"):
        if left is not None:
            job.note("a job without a size has the drive's zones")
        return first, left
    if size.text.endswith("%"):
        share, count = size.percent(), zones.count
        return first, left if count is None or left is None else max(min(int(share * count), left), 1)
    end = begin + size.sectors()
    number = end // zones.size - first
    if number < 1:
        raise size.wrong(f"expected at least one whole zone of {zones.size} bytes")
    if begin % zones.size or end % zones.size:
        job.note("offset is rounded up and size down to whole zones, as in fio")
    return first, number if left is None else min(number, left)


def keys(job: Options, direction: str, random: bool, zones: Zones | None, count: int | None) -> dict[str, Any]:
    """Keys of a job in zones. count: zones of its region, if known."""
    mode = job.get("zonemode")
    assert mode is not None
    if direction == "mixed":
        raise mode.wrong("got a job that reads and writes, expected two jobs with zonemode=zbd")
    _refuse(job, direction, random)
    open_zones = _open_zones(job, zones)
    beyond, append = job.flag("read_beyond_wp"), job.flag("zone_append")
    if direction == "read":
        if not beyond:
            job.note(READS)
        return {}
    if direction == "trim":
        size = job.options.get("bs", job.options.get("blocksize"))
        if zones is not None and (size is None or size.size(size.text.rpartition(",")[2]) != zones.size):
            raise (size or mode).wrong(f"expected bs={zones.size}, a zone, because a trim resets one")
        return {"zone_work": "reset", "trim_share": 0.0}
    number = open_zones if random else 1
    if count is not None:
        number = min(number or count, count)
    return {"zone_work": "append" if append else "write", "zones": min(max(number, 1), MOST_ZONES)}


def _open_zones(job: Options, zones: Zones | None) -> int:
    """Of each process; 0 is no limit."""
    processes, most = max(job.whole(1, "numjobs"), 1), 0 if zones is None else zones.max_open
    shared, own = job.whole(0, "max_open_zones"), job.whole(0, "job_max_open_zones")
    ignored, given = job.flag("ignore_zone_limits"), job.get("max_open_zones")
    if given is not None and most and shared > most and not ignored:
        raise given.wrong(f"expected at most the drive's {most} (zns.max_open), or ignore_zone_limits=1")
    limits = [own] if own else []
    if shared or most:
        limits.append(max((shared or most) // processes, 1))
    return min(limits, default=1 if zones is None else 0)


def _refuse(job: Options, direction: str, random: bool) -> None:
    skip, reset = job.get("zoneskip"), job.get("zone_reset_frequency")
    job.get("zone_reset_threshold")
    if skip is not None and not random and direction != "trim" and skip.text.strip("0zkmgtZKMGT"):
        raise skip.wrong("zones are used one after the other: expected 0")
    if reset is not None and direction == "write" and reset.number(0, 1) > 0:
        raise reset.wrong(RESETS)
