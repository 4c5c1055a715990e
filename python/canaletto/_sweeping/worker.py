"""Carries simulations out for another process: tasks come as lines, records go with their lengths."""

import contextlib
import json
import os
import signal
import sys

from canaletto._engine import ConfigError
from canaletto._io.files import os_error
from canaletto._io.progress import Progress
from canaletto._sweeping import work
from canaletto._sweeping.tasks import Task


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started it, and ends it.
    parent = os.getppid()

    def watch(*_: int) -> None:
        if os.getppid() != parent:
            os._exit(1)  # Nobody waits for the result of a long run.

    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        sign, content = answer(Task(**json.loads(line)), watch)
        with contextlib.suppress(BrokenPipeError):
            out.write(sign + str(len(content)).encode() + b"\n" + content)
            out.flush()
            continue
        os._exit(1)


def answer(task: Task, watch: Progress | None = None) -> tuple[bytes, bytes]:
    """A record behind a plus, or a reason behind a minus."""
    try:
        return b"+", work.compute(task, watch)
    except OSError as error:
        return b"-", os_error(error).encode(errors="replace")
    except Exception as error:
        known = isinstance(error, ConfigError | MemoryError)
        return b"-", (str(error) if known else f"{type(error).__name__}: {error}").encode(errors="replace")


if __name__ == "__main__":
    main()
