"""Memory of the machine."""

from canaletto import _engine


def available_bytes() -> int | None:
    """Memory that a run may take without swapping: what the machine, its control groups and `ulimit` leave.

    None where the system does not tell.
    """
    return _engine.available_memory()
