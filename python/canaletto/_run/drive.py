"""A drive that a Python program steps."""

import json
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, get_args

from canaletto import _engine
from canaletto._engine import Completion, ConfigError
from canaletto._io.files import awaiting_writers
from canaletto._io.units import number_of, time_us
from canaletto._run.config import Design, Workload, check_whole
from canaletto._run.config import design as load_design
from canaletto._run.config import workload as load_workload
from canaletto._run.links import interconnect
from canaletto._run.shown import Shown
from canaletto.result import DriveResult

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

Operation: TypeAlias = Literal[
    "read",
    "write",
    "trim",
    "flush",
    "write-zeroes",
    "append",
    "zone-reset",
    "zone-finish",
    "zone-open",
    "zone-close",
    "handle-update",
]

OPERATIONS: tuple[Operation, ...] = get_args(Operation)

LATEST_PS = 1 << 63
"""Latest simulated time, in picoseconds: 107 days."""


class Drive(Shown, Iterator[Completion]):
    """A drive with its host link and queues, at some moment of simulated time.

    Requests are submitted, time continues, completions come. Times are whole picoseconds. The same requests complete at
    the same times as in `run`.

    Iterating lets time continue from completion to completion, until no request is outstanding. Requests submitted
    meanwhile count.

    An object serves one thread at a time; the interpreter's lock is released meanwhile.

    Parameters
    ----------
    design
        A drive; or a preset's name or a TOML file, as for `design`.
    workload
        One flow for which a preconditioned drive is prepared, as for `run`; its priority and its mode of the cache are
        those of the program's requests. None of its requests is made. By default the drive was written evenly.
    seed
        Seed of all random streams. Same inputs and seed: same results, to the bit.

    Raises
    ------
    ConfigError
        For what cannot be simulated.

    Examples
    --------
    >>> import canaletto as cn
    >>> drive = cn.Drive("performance-optimized")
    >>> for number in range(4):
    ...     drive.submit("write", lba=8 * number, sectors=8, tag=number)
    >>> sorted(completion.tag for completion in drive)
    [0, 1, 2, 3]
    >>> drive.submit("read", lba=0, sectors=8)
    >>> next(drive).blame_ps["array_read"]  # picoseconds
    3120000
    """

    def __init__(
        self,
        design: Design | str | PathLike[str],
        workload: Workload | str | PathLike[str] | None = None,
        *,
        seed: int = 1,
    ) -> None:
        check_whole("seed", seed, 0, 2**64 - 1)
        drive = design if isinstance(design, Design) else load_design(design)
        flows = workload if workload is None or isinstance(workload, Workload) else load_workload(workload)
        self._design = drive
        with awaiting_writers([] if flows is None else flows.traces()):
            self._engine = _engine.Drive(drive.to_toml(), None if flows is None else flows.to_toml(), seed)

    @property
    def design(self) -> Design:
        """The design that is simulated."""
        return self._design

    @property
    def sectors(self) -> int:
        """Sectors of 512 B that requests can address."""
        return self._engine.sectors

    @property
    def now_ps(self) -> int:
        """The simulated time that the drive has reached, in picoseconds."""
        return self._engine.now_ps

    @property
    def next_event_ps(self) -> int | None:
        """When something happens next inside the drive, in picoseconds, if no request comes before; None if nothing."""
        return self._engine.next_event_ps

    @property
    def outstanding(self) -> int:
        """Requests that are submitted and not complete."""
        return self._engine.outstanding

    def submit(
        self,
        op: Operation,
        lba: int = 0,
        sectors: int = 0,
        *,
        fua: bool = False,
        handle: int | None = None,
        tag: int = 0,
        at_ps: int | None = None,
    ) -> None:
        """Submits a request. Nothing happens before time continues.

        Parameters
        ----------
        op
            "read", "write", "trim" (forget), "flush" (put on flash what was written) or "write-zeroes" (without data
            on the link); of a zone "append", "zone-reset", "zone-finish", "zone-open" or "zone-close"; of a reclaim
            unit handle "handle-update".
        lba
            First sector of 512 B; of a command to a zone, the zone's first.
        sectors
            Number of sectors; none of a flush, of an update, and of a command to a zone but an append.
        fua
            Whether a write is complete only once it is on flash (force unit access).
        handle
            Reclaim unit handle of a write or an update, on a drive with `fdp.handles`; by default the flow's.
        tag
            Number that comes back with the completion. It need not be unique.
        at_ps
            Simulated time at which it arrives, in picoseconds: now or later, by default now. Requests that arrive at
            the same time keep their order.

        Raises
        ------
        ConfigError
            For sectors or handles that the drive does not have, or a time in the past.
        """
        try:
            self._engine.submit(op, lba, sectors, fua, handle, tag, at_ps)
        except OverflowError:
            raise ConfigError(
                f"got lba {lba}, sectors {sectors}, handle {handle}, tag {tag} and at_ps {at_ps}, expected whole "
                "numbers from 0 below 2^64, below 2^32 of sectors, and below 2^16 of a handle"
            ) from None

    def submit_many(
        self,
        ops: "Sequence[Operation] | npt.NDArray[np.str_] | Operation",
        lbas: "npt.ArrayLike",
        sectors: "npt.ArrayLike",
        *,
        at_ps: "npt.ArrayLike | None" = None,
        tags: "npt.ArrayLike | None" = None,
    ) -> None:
        """Submits requests given by columns. A single value stands for all of them.

        Parameters
        ----------
        ops
            Operations as for `submit`.
        lbas
            First sectors.
        sectors
            Numbers of sectors.
        at_ps
            Times of arrival, in picoseconds; by default now.
        tags
            Numbers that come back with the completions; by default 0, 1, 2, ….

        Raises
        ------
        ConfigError
            For the first request that `submit` would refuse; those before it are submitted.
        """
        import numpy as np

        numbers = [_number(ops)] if isinstance(ops, str) else [_number(op) for op in ops]
        given = (self.now_ps if at_ps is None else at_ps, numbers, lbas, sectors)
        columns = [_unsigned(np.asarray(column)) for column in given]
        columns.append(_unsigned(np.asarray(np.arange(max(map(np.size, columns))) if tags is None else tags)))
        rows = np.broadcast_arrays(*columns)
        self._engine.submit_many(*(np.ascontiguousarray(row, "<u8").tobytes() for row in rows))

    def advance_to(self, until_ps: int) -> None:
        """Lets simulated time go on to a moment: everything has happened that is due then or before.

        Parameters
        ----------
        until_ps
            The moment, in picoseconds: now or later.

        Raises
        ------
        ConfigError
            For a moment in the past, or later than 107 days.
        SimulationError
            If nothing is left to happen and requests are unfinished; it explains what they wait for.
        """
        self._engine.advance_to(_moment(until_ps))

    def next_completion(self, limit_ps: int | None = None) -> Completion | None:
        """Returns the next request that is complete, and lets time continue until there is one.

        Parameters
        ----------
        limit_ps
            The moment beyond which time does not continue, in picoseconds; without one it continues while requests are
            outstanding.

        Returns
        -------
        Completion or None
            None if there is none by then.

        Raises
        ------
        SimulationError
            If nothing is left to happen and requests are unfinished.
        """
        return self._engine.next_completion(None if limit_ps is None else _moment(limit_ps))

    def __iter__(self) -> "Drive":
        return self

    def __next__(self) -> Completion:
        completion = self._engine.next_completion(None)
        if completion is None:
            raise StopIteration
        return completion

    def take(self) -> "pl.DataFrame":
        """Takes the requests that are complete and that iterating has not handed out.

        Returns
        -------
        polars.DataFrame
            One row a request in order of completion: `tag`, and what `Result.requests` has of it, with times as whole
            picoseconds.
        """
        from canaletto._io import frames

        return frames.completions(self._engine.take())

    @property
    def results(self) -> DriveResult:
        """Results so far: the fields of `run`'s, without `cost`, as if the run had ended now."""
        found = json.loads(self._engine.results())
        return DriveResult({**found, "interconnect": interconnect(self.design.to_dict(), found)})

    def snapshot(self) -> bytes:
        """The drive at this moment, from which `restore` continues exactly as this drive does.

        Submitted requests and completions not taken are part of it.

        Returns
        -------
        bytes
            Design, requests so far (some twelve bytes each) and a digest. For the version of canaletto that made them.

        Raises
        ------
        ConfigError
            Where several requests were complete at the same moment and iterating has handed out some of them only.

        Examples
        --------
        >>> import canaletto as cn
        >>> drive = cn.Drive("performance-optimized")
        >>> drive.submit("read", lba=0, sectors=8, tag=7)
        >>> again = cn.Drive.restore(drive.snapshot())
        >>> next(again).latency_ps == next(drive).latency_ps
        True
        """
        return self._engine.snapshot()

    @classmethod
    def restore(cls, snapshot: bytes) -> "Drive":
        """The drive of a snapshot.

        It repeats the drive's requests, and takes as long as they took: about a second per million. Traces of the
        workload are read again.

        Parameters
        ----------
        snapshot
            Bytes of `snapshot`.

        Returns
        -------
        Drive
            At the moment at which the snapshot was made.

        Raises
        ------
        ConfigError
            For bytes that are no snapshot, are damaged, or come from another version of canaletto. Also if a trace of
            the workload has changed.
        """
        drive = cls.__new__(cls)
        drive._engine, toml = _engine.Drive.restore(snapshot)
        drive._design = Design.from_toml(toml, "snapshot")
        return drive

    def __reduce__(self) -> NoReturn:
        # Else a copy would share the engine's drive: each would continue where the other one is.
        raise TypeError("a Drive is neither copied nor pickled; Drive.restore(drive.snapshot()) makes another one")

    def __repr__(self) -> str:
        outstanding = number_of(self.outstanding, "request")
        return f"<drive {self._design.name} at {time_us(self.now_ps / 1e6)}, {outstanding} outstanding>"


def _number(op: Any) -> int:
    if op not in OPERATIONS:
        raise ConfigError(f"got operation {op!r}, expected one of {', '.join(OPERATIONS)}")
    return OPERATIONS.index(op)


def _moment(time_ps: int) -> int:
    if not 0 <= time_ps <= LATEST_PS:
        raise ConfigError(f"got {time_ps} ps, expected a moment from 0 to {LATEST_PS} ps")
    return time_ps


def _unsigned(column: "npt.NDArray[Any]") -> "npt.NDArray[np.uint64]":
    # Without numbers a column is one of floats, as NumPy has it.
    if column.size and (column.dtype.kind not in "ui" or column.min() < 0):
        raise ConfigError(f"got a column of {column.dtype}, expected whole numbers from 0")
    return column.astype("u8")
