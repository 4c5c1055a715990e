"""User-defined schedulers: a class that says which of a LUN's transactions goes next."""

from collections.abc import Sequence

from canaletto._engine import Transaction


class Scheduler:
    """Base class of a scheduler: `choose` says which of the transactions that wait for a LUN goes next.

    The engine makes an object per run. It asks whenever a LUN (a die, or a chip whose dies do not interleave) can take
    a command and several transactions can be issued: planes and pages are free, and data find a path. Others may join
    the chosen one in its command. A transaction that is passed over for 100,000 commands of its LUN ends the run.

    Examples
    --------
    >>> import canaletto as cn
    >>> class Oldest(cn.Scheduler):
    ...     '''The host's work before the drive's own, and the oldest request first.'''
    ...
    ...     def choose(self, lun, ready):
    ...         return min(ready, key=lambda t: (t.work != "host" and not self.gc_urgent, t.began_ns))
    >>> cn.run("performance-optimized", cn.workload("hm_0", requests=500), scheduler=Oldest).request_counts.completed
    500
    """

    def __init__(self) -> None:
        self.waiting: dict[int, Transaction] = {}
        """Transactions that wait, by `Transaction.id`, the first to come first."""
        self.now_ns: float = 0.0
        """Simulated time of the choice, in nanoseconds."""
        self.gc_urgent: bool = False
        """Whether the LUN is so short of free blocks that collection should go first (`gc.hard_threshold`)."""

    def arrive(self, transactions: Sequence[Transaction]) -> None:
        """Transactions have come to their LUNs since the last call.

        Parameters
        ----------
        transactions
            Those that have come, in their order.
        """
        for transaction in transactions:
            self.waiting[transaction.id] = transaction

    def leave(self, transactions: Sequence[Transaction]) -> None:
        """Transactions have been issued, those included that have joined another one's command.

        Parameters
        ----------
        transactions
            Those that no longer wait.
        """
        for transaction in transactions:
            del self.waiting[transaction.id]

    def choose(self, lun: int, ready: Sequence[Transaction]) -> Transaction:
        """The transaction that goes next. To be defined.

        Parameters
        ----------
        lun
            Number of the LUN that can take a command.
        ready
            Its transactions that can be issued, two at least, in the order in which they came.

        Returns
        -------
        Transaction
            One of `ready`. Anything else ends the run with an error that names the LUN, what was given and what is
            allowed.
        """
        raise NotImplementedError("a scheduler defines choose")

    def _choose(self, now_ns: float, gc_urgent: bool, lun: int, ready: Sequence[Transaction]) -> Transaction:
        self.now_ns = now_ns
        self.gc_urgent = gc_urgent
        return self.choose(lun, ready)
