"""User-defined GC policies: a class that says which block of a plane is collected next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Candidates:
    """Blocks of a plane that can be collected, in columns.

    They are full, no program is in flight, and each has a page to reclaim. They may be superblocks. Columns are
    buffers, of which `numpy.asarray` makes arrays without copying.
    """

    plane: int | None
    """Number of the plane, or of the first of a superblock's group. None for the plane that is written before the run
    to find the drive's state (`precondition.kind = "steady"`).
    """
    pages_per_block: int
    """Pages of a block."""
    blocks: Sequence[int]
    """Numbers of the blocks, rising."""
    valid: Sequence[int]
    """Pages of each that collecting does not reclaim: valid ones."""
    age: Sequence[int]
    """Pages written in the plane since a page of each was last written or became invalid."""
    since_opened: Sequence[int]
    """Pages written in the plane, or in all planes of the group, since each was opened."""
    erases: Sequence[int]
    """Times that each was erased."""


class GcPolicy:
    """Base class of a GC policy: `choose` says which block of a plane is collected next.

    The engine makes an object per run, and one per plane that it writes before the run to find the drive's state. It
    asks whenever a plane must collect and can. The keys `gc.*` decide when; copies and erases are the engine's.

    Examples
    --------
    >>> import canaletto as cn
    >>> class Greedy(cn.GcPolicy):
    ...     '''The fewest valid pages.'''
    ...
    ...     def choose(self, candidates):
    ...         return candidates.blocks[min(range(len(candidates.blocks)), key=candidates.valid.__getitem__)]
    >>> cn.run("performance-optimized", cn.workload("hm_0", requests=500), gc_policy=Greedy).request_counts.completed
    500
    """

    def choose(self, candidates: Candidates) -> int:
        """The block to collect next. To be defined.

        Parameters
        ----------
        candidates
            Blocks of a plane that can be collected: one at least.

        Returns
        -------
        int
            One of `candidates.blocks`. Anything else ends the run with an error that names the plane, the block and
            what is allowed.
        """
        raise NotImplementedError("a GC policy defines choose")

    def _choose(self, plane: int | None, pages_per_block: int, columns: tuple[bytes, ...]) -> int:
        buffers = (memoryview(raw).cast(kind) for raw, kind in zip(columns, _KINDS, strict=True))
        return self.choose(Candidates(plane, pages_per_block, *buffers))


_KINDS: tuple[Literal["I", "Q"], ...] = ("I", "I", "Q", "Q", "I")
