"""The command `canaletto` from its first moment on.

It imports nothing but the interpreter's own until it can answer a Ctrl-C: that may come while the package is still
being imported, which takes a while on a busy machine.
"""

import os
import signal
import sys
from typing import NoReturn


def _interrupted(*_: object) -> NoReturn:
    """Ends at once: nothing has been begun, and exceptions may come to grief in a half-imported package."""
    os.write(2, b"canaletto: interrupted; nothing was written\n")
    os._exit(130)


if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # A shell starts background jobs with interrupts ignored.
    signal.signal(signal.SIGINT, _interrupted)


def main() -> NoReturn:
    """Entry point of the command."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Closed: what is opened next would take its place, and be written to by mistake.
            os.open(os.devnull, os.O_RDWR)
            if number == 1:
                os.write(2, b"canaletto: standard output is closed; expected a file, a pipe or a terminal\n")
                os._exit(2)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    from canaletto.__main__ import main as run

    run()
