"""The command: runs it and turns whatever goes wrong into one line a mistake and an exit status.

0 done, 1 a run that failed, 2 bad input, 130 Ctrl-C.
"""

import gc
import os
import signal
import sys
from typing import NoReturn

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


def main() -> NoReturn:
    """Entry point of `canaletto` and `python -m canaletto`."""
    # A command keeps nearly all that it loads and makes: looking through it for garbage took an eighth of its time.
    gc.set_threshold(50_000)
    try:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        status = _run()
        sys.stdout.flush()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # It is done: a Ctrl-C while the interpreter closes is too late.
    except KeyboardInterrupt:
        status = _interrupted()
    except BrokenPipeError:
        # The reader has gone and wants no more. Nothing is left to say, nor anyone to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = FAILED
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        from canaletto._io.files import os_error

        status = _complain(os_error(error), BAD_INPUT)
    sys.exit(status)


def _run() -> int:
    signal.signal(signal.SIGTERM, _terminate)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    for word in sys.argv[1:]:
        if not _is_text(word):
            return _complain(f"{word}: got a name that is not UTF-8, expected one that is", BAD_INPUT)
    import typer

    from canaletto._cli.app import app
    from canaletto._engine import ConfigError, SimulationError

    try:
        status = app(prog_name="canaletto", standalone_mode=False)
    except typer.TyperException as error:
        # Typer has values checked by Pydantic, which talks to programmers.
        message = error.format_message().replace("Value error, ", "").replace("Input should", "should")
        return _complain(f"{message} (try --help)", BAD_INPUT)
    except ConfigError as error:
        for mistake in str(error).strip("\n").split("\n"):  # Not at a carriage return, which a name may hold.
            _complain(mistake, BAD_INPUT)
        return BAD_INPUT
    except SimulationError as error:
        for line in str(error).strip("\n").split("\n"):
            _complain(line, FAILED)
        return FAILED
    except (OSError, KeyboardInterrupt):
        raise
    except MemoryError as error:
        return _complain(str(error) or "out of memory", FAILED)
    except UnicodeEncodeError as error:
        if _is_text(error.object):
            raise
        # Of a folder above: those given are looked at first.
        return _complain(f"{error.object}: got a name that is not UTF-8, expected one that is", BAD_INPUT)
    except BaseException as error:
        # The engine's panics are no Exceptions; leaving by SystemExit is no error.
        is_defect = isinstance(error, Exception) or type(error).__name__ == "PanicException"
        if not is_defect or os.environ.get("CANALETTO_TRACEBACK"):
            raise
        from canaletto._run.own_files import raised_in_file

        if (raised := raised_in_file(error)) is not None:
            return _complain(raised, FAILED)
        what = ": ".join([*getattr(error, "__notes__", ()), type(error).__name__, str(error)])
        return _complain(f"internal error, please report it: {what} (CANALETTO_TRACEBACK=1 shows where)", FAILED)
    if status == INTERRUPTED:
        return _interrupted()
    return status if isinstance(status, int) else 0


def _is_text(name: str) -> bool:
    """Bytes of a system's name need not be UTF-8."""
    return not any("\udc80" <= character <= "\udcff" for character in name)


def _complain(message: str, status: int) -> int:
    from canaletto._io.printable import printable

    sys.stderr.write(f"canaletto: {printable(' '.join(message.split()))}\n")
    return status


def _interrupted() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # A second Ctrl-C adds nothing.
    return _complain("interrupted; nothing was written", INTERRUPTED)


def _terminate(number: int, frame: object) -> NoReturn:
    """Like Ctrl-C, so that nothing half-written stays behind."""
    sys.exit(128 + number)


if __name__ == "__main__":
    main()
