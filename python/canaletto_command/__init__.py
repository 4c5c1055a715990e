"""The command `canaletto` from its first moment on.

Until it can answer a Ctrl-C it imports only the standard library: importing the package takes a while on a busy
machine.
"""

import _signal  # type: ignore[import-not-found]  # `signal` itself takes a while to be imported.
import os

TYPE_CHECKING = False  # Nor is `typing` there at once.
if TYPE_CHECKING:
    from typing import NoReturn


def _interrupted(*_: object) -> "NoReturn":
    """Ends at once: exceptions may come to grief in a half-imported package."""
    os.write(2, b"canaletto: interrupted; nothing was written\n")
    os._exit(130)


if _signal.getsignal(_signal.SIGINT) != _signal.SIG_IGN:  # A shell starts background jobs with interrupts ignored.
    _signal.signal(_signal.SIGINT, _interrupted)


def main() -> "NoReturn":
    """Entry point of the command."""
    import sys
    from contextlib import suppress

    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Closed: what is opened next would take its place, and be written to by mistake.
            os.open(os.devnull, os.O_RDWR)
            if number == 1:
                with suppress(OSError):  # Standard error is closed, too: the status has to say it.
                    os.write(2, b"canaletto: standard output is closed; expected a file, a pipe or a terminal\n")
                os._exit(2)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    from canaletto.__main__ import main as run

    run()
