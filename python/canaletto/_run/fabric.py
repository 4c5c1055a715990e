"""Fabrics of one's own: a class that says which links there are, and which transfer gets which of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from canaletto._engine import Transfer

Place: TypeAlias = tuple[int, int]
Way: TypeAlias = Sequence[int]


@dataclass(frozen=True)
class Array:
    """An array of flash chips with the controllers beside it."""

    rows: int
    """Rows of chips: the channels of the drive."""
    columns: int
    """Chips of a row."""
    controllers: tuple[Place, ...]
    """Places of the controllers, one a row: column -1, or one beyond the last where
    `fabric.network.controllers = "alternating"` has them."""

    @cached_property
    def chips(self) -> tuple[Place, ...]:
        """Places of the chips, (row, column), row by row."""
        return tuple((row, column) for row in range(self.rows) for column in range(self.columns))

    @cached_property
    def mesh(self) -> tuple[tuple[Place, Place], ...]:
        """Links of a mesh: between neighbours in rows and columns, and from each controller to the end of its row."""
        along = [((r, c), (r, c + 1)) for r, c in self.chips if c + 1 < self.columns]
        across = [((r, c), (r + 1, c)) for r, c in self.chips if r + 1 < self.rows]
        ends = [((r, c), (r, 0 if c < 0 else self.columns - 1)) for r, c in self.controllers]
        return (*along, *across, *ends)


class Fabric:
    """Base class of an interconnect: `links` says what joins the chips, `route` which way a transfer takes.

    The engine makes an object for each run. It calls `request` for transfers that begin to wait, `done` for links that
    have become free, and then `decide`, once for all that happens at an instant. A way is granted by `grant`: the
    engine checks that its links are free and lead from a controller to the chip, takes them until the transfer has
    crossed, and charges waiting as a path conflict. A link carries one transfer at a time, either way, on eight data
    pins at `fabric.network.link_rate`; a chip has one port.

    Parameters
    ----------
    array
        The chips and controllers to be joined.

    Examples
    --------
    >>> import canaletto as cn
    >>> class Rows(cn.Fabric):
    ...     '''A bus for each row: what a conventional drive has.'''
    ...
    ...     @property
    ...     def links(self):
    ...         return [(c, *((c[0], k) for k in range(self.array.columns))) for c in self.array.controllers]
    ...
    ...     def route(self, transfer):
    ...         bus = transfer.chip[0]
    ...         return None if bus in self.taken else [bus]
    >>> cn.run("performance-optimized", cn.workload("hm_0", requests=500), fabric=Rows).request_counts.completed
    500
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        self.waiting: dict[int, Transfer] = {}
        """Transfers that wait, by `Transfer.id`, the first to come first."""
        self.taken: set[int] = set()
        """Numbers of the links that transfers have."""
        self.now_ns: float = 0.0
        """Simulated time of the decision, in nanoseconds."""
        self._granted: list[tuple[int, Way]] = []

    @cached_property
    def _of_controllers(self) -> list[int]:
        """Links of controllers: every way needs one."""
        places = set(self.array.controllers)
        return [number for number, ends in enumerate(self.links) if places.intersection(ends)]

    @property
    def links(self) -> Sequence[Sequence[Place]]:
        """The places that each link joins, two or (a bus) more; by default those of `Array.mesh`.

        Chips and controllers are where `array` says; any other place is a switch.
        """
        return self.array.mesh

    def route(self, transfer: Transfer) -> Way | None:
        """The way of a transfer. To be defined, unless `decide` is.

        Parameters
        ----------
        transfer
            One that waits.

        Returns
        -------
        Sequence[int] or None
            Its links, by number, from the controller to the chip; none, if it has to wait.
        """
        raise NotImplementedError("a fabric defines route, or decide")

    def decide(self) -> None:
        """Grants ways to transfers that wait: by default to each that has a `route`, the first to come first."""
        for transfer in list(self.waiting.values()):
            way = self.route(transfer)
            if way is not None:
                self.grant(transfer, way)
                if self.taken.issuperset(self._of_controllers):
                    return

    def request(self, transfers: Sequence[Transfer]) -> None:
        """Transfers begin to wait.

        Parameters
        ----------
        transfers
            Those that have come, in their order.
        """
        for transfer in transfers:
            self.waiting[transfer.id] = transfer

    def done(self, links: Sequence[int]) -> None:
        """Transfers have crossed.

        Parameters
        ----------
        links
            Numbers of their links, which are free.
        """
        self.taken.difference_update(links)

    def grant(self, transfer: Transfer, way: Way) -> None:
        """A transfer takes its way now.

        Parameters
        ----------
        transfer
            One that waits.
        way
            Numbers of its links, from the controller to the chip.
        """
        del self.waiting[transfer.id]
        self.taken.update(way)
        self._granted.append((transfer.id, way))

    def _step(self, now_ns: float, arrived: Sequence[Transfer], freed: Sequence[int]) -> Iterator[tuple[int, Way]]:
        """One instant: what the engine calls."""
        self.now_ns = now_ns
        self.done(freed)
        self.request(arrived)
        self.decide()
        granted = iter(self._granted)
        self._granted = []
        return granted
