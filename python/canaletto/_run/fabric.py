"""User-defined fabrics: a class that says which links there are, and which transfer gets which of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from inspect import iscoroutine
from itertools import islice
from operator import index
from typing import Any, NoReturn, TypeAlias

from canaletto._engine import ConfigError, SimulationError, Transfer

Place: TypeAlias = tuple[int, int]
Way: TypeAlias = Sequence[int]


@dataclass(frozen=True)
class Array:
    """An array of flash chips with the controllers next to it."""

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

    The engine makes an object per run. It calls `request` for transfers that begin to wait, `done` for links that have
    become free, and then `decide`, once per instant. A way is granted by `grant`. The engine checks that its links are
    free and lead from a controller to the chip, takes them until the transfer has crossed, and charges waiting as a
    path conflict. A link carries one transfer at a time, either way, on eight data pins at `fabric.network.link_rate`;
    a chip has one port.

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
        places = set(self.array.controllers)
        return [number for number, ends in enumerate(self._checked_links()) if places.intersection(ends)]

    @property
    def links(self) -> Sequence[Sequence[Place]]:
        """The places that each link joins, two or (a bus) more; by default `Array.mesh`.

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
            try:
                way = self.route(transfer)
            except Exception as error:
                error.add_note(f"({type(self).__name__}.route, {transfer})")
                raise
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
        if not isinstance(transfer, Transfer):
            raise SimulationError(
                f"fabric {type(self).__name__}: grant: got {_shown(transfer)}, expected a transfer of self.waiting"
            )
        links = self._checked_way(transfer, way)
        self.waiting.pop(transfer.id, None)
        self.taken.update(links)
        self._granted.append((transfer.id, links))

    def _step(self, now_ns: float, arrived: Sequence[Transfer], freed: Sequence[int]) -> Iterator[tuple[int, Way]]:
        self.now_ns = now_ns
        self.done(freed)
        self.request(arrived)
        self.decide()
        granted = iter(self._granted)
        self._granted = []
        return granted

    def _checked_way(self, transfer: Transfer, way: Any) -> list[int]:
        def refuse(problem: str) -> NoReturn:
            raise SimulationError(
                f"fabric {type(self).__name__}: the way of {transfer}: {problem}; expected the numbers of its links, "
                "from a controller to the chip, or None to let it wait"
            )

        if isinstance(way, Iterator | Set):
            refuse(f"got {_shown(way)}, whose links have no order to return to")
        # A way over more links than there are is not looked at.
        items = _listed(way, self._number_of_links)
        links = None if items is None else [_whole(link) for link in items]
        if links is None or None in links:
            refuse(f"got {_shown(way)}")
        whole = [link for link in links if link is not None]
        wrong = [link for link in whole if not 0 <= link < self._number_of_links]
        if wrong:
            refuse(f"there is no link {wrong[0]}, expected one from 0 to {self._number_of_links - 1}")
        return whole

    @cached_property
    def _number_of_links(self) -> int:
        return len(self._checked_links())

    def _checked_links(self) -> list[list[Place]]:
        name = f"fabric {type(self).__name__}"
        if not hasattr(self, "_granted"):
            raise ConfigError(f"{name}: __init__ does not call super().__init__(array), expected it to")
        place = "places (row, column) of whole numbers"
        try:
            given = self.links
        except Exception as error:
            error.add_note(f"({type(self).__name__}.links)")
            raise
        links = _listed(given)
        if links is None:
            problem = f"got {_shown(given)}, expected a sequence of links, each of two {place} or more"
            raise ConfigError(f"{name}: links: {problem}")
        checked = []
        for number, link in enumerate(links):
            ends = _listed(link)
            places = None if ends is None else [_place(end) for end in ends]
            if places is None or None in places:
                raise ConfigError(f"{name}: links: link {number}: got {_shown(link)}, expected two {place} or more")
            checked.append([end for end in places if end is not None])
        return checked


_MOST = 1 << 20
"""Most links of a fabric, and places of a link."""

_LARGEST = 2**31 - 1


def _listed(given: Any, most: int = _MOST) -> list[Any] | None:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return None
    try:
        items = list(islice(given, most + 1))
    except TypeError:
        # An array of NumPy without a dimension only looks like a sequence.
        return None
    return items if len(items) <= most else None


def _place(given: Any) -> Place | None:
    pair = _listed(given)
    if pair is None or len(pair) != 2:
        return None
    row, column = (_whole(number) for number in pair)
    if row is None or column is None or max(abs(row), abs(column)) > _LARGEST:
        return None
    return row, column


def _whole(given: Any) -> int | None:
    try:
        return None if isinstance(given, bool) else index(given)
    except TypeError:
        return None


def _shown(given: Any) -> str:
    if iscoroutine(given):
        given.close()
        return "a coroutine"
    try:
        text = " ".join(repr(given).split())
    except Exception:
        return f"{type(given).__name__} without a text"
    return text if len(text) <= 80 else f"{text[:77]}..."
