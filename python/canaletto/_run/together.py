"""Runs side by side: each with a name, a bar or its own report."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import TypeAlias, TypeVar

from canaletto._engine import ConfigError, SimulationError
from canaletto._io.progress import Progress, Row
from canaletto._run import parallel

T = TypeVar("T")

NamedProgress: TypeAlias = Callable[[str, int, int, int], object]


def side_by_side(
    what: str,
    names: Sequence[str],
    jobs: Iterable[Callable[[Progress], T]],
    workers: int,
    rows: Sequence[Row | None],
    tell: NamedProgress | None,
) -> list[T]:
    """Does a job per name; reports to the rows, or else to `tell`, from several threads.

    Ctrl-C and the first error stop all; the error names its job.
    """

    def watched(name: str, job: Callable[[Progress], T], row: Row | None) -> Callable[[Event], T]:
        def run(stop: Event) -> T:
            def report(done: int, total: int, simulated_ps: int) -> None:
                if stop.is_set():
                    raise parallel.StoppedError
                if row is not None:
                    row(done, total, simulated_ps)
                elif tell is not None:
                    tell(name, done, total, simulated_ps)

            with naming(f"{what} {name}"):
                found = job(report)
            if row is not None:
                row.finish()
            return found

        return run

    return parallel.in_threads(list(map(watched, names, jobs, rows)), workers)


@contextmanager
def naming(label: str) -> Iterator[None]:
    try:
        yield
    except (ConfigError, SimulationError) as error:
        lines = str(error).splitlines()
        raise type(error)("\n".join(f"{label}: {line.removeprefix(f'{label}: ')}" for line in lines)) from None
    except BaseException as error:
        error.add_note(label)
        raise
