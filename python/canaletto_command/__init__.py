"""The command `canaletto` from its first moment on.

It imports nothing but the interpreter's own until it can answer a Ctrl-C: that may come while the package is still
being imported, which takes a while on a busy machine.
"""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Entry point of the command."""
    try:
        from canaletto.__main__ import main as run
    except KeyboardInterrupt:
        sys.stderr.write("canaletto: interrupted; nothing was written\n")
        sys.exit(130)
    run()
