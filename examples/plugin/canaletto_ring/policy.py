"""A GC policy: the block with the fewest valid pages, the oldest of several."""

import canaletto as cn


class Emptiest(cn.GcPolicy):
    """The fewest valid pages, then the greatest age."""

    def choose(self, candidates):
        """The block to collect next."""
        valid, age = candidates.valid, candidates.age
        best = min(range(len(candidates.blocks)), key=lambda place: (valid[place], -age[place]))
        return candidates.blocks[best]
