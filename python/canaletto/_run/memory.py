"""Memory of the machine."""

from canaletto import _engine


def available_bytes() -> int | None:
    """Memory that the machine, its control groups and `ulimit` leave. None where the system does not report it."""
    return _engine.available_memory()
