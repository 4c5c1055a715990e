"""A ring for each row of chips: a transfer takes the shorter way around that is free."""

from itertools import pairwise

import canaletto as cn


class Ring(cn.Fabric):
    """A ring per row: controller, chips, and back to the controller."""

    @property
    def links(self):
        """Links of one row after the other, in the order around."""
        found = []
        for at in self.array.controllers:
            around = [at, *((at[0], column) for column in range(self.array.columns)), at]
            found += pairwise(around)
        return found

    def route(self, transfer):
        """The shorter of the two ways whose links are free."""
        row, column = transfer.chip
        links = self.array.columns + 1
        first = row * links
        ways = [range(first, first + column + 1), range(first + links - 1, first + column, -1)]
        free = [way for way in ways if self.taken.isdisjoint(way)]
        return min(free, key=len, default=None)
