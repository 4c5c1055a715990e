"""Memory of the machine."""

from pathlib import Path

_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def available_bytes() -> int | None:
    """Memory that a run may take without swapping; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None
    for limit in _LIMITS:
        try:
            free = min(free, int(limit.read_text()))
        except (OSError, ValueError):  # no such limit, or "max"
            continue
    return free
