"""`cn.Search`."""

from functools import cached_property
from typing import TYPE_CHECKING

from canaletto._run.config import Design
from canaletto._sweeping.points import Points

if TYPE_CHECKING:
    import polars as pl


class Search(Points):
    """A search that was carried out."""

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per point: values, pins, area, feasibility, results."""
        from canaletto._sweeping.folder import TABLE

        return self._folder.table(TABLE)

    @property
    def front(self) -> "pl.DataFrame":
        """Feasible points that none is better than, the first objective's best first."""
        return self.table.filter(self.table["front"].is_not_null()).sort("front")

    def design(self, point: int) -> Design:
        """The design of a point.

        Parameters
        ----------
        point
            Its number, from 0: the column `point` of `table`.

        Returns
        -------
        Design
            With every default spelt out.

        Raises
        ------
        ConfigError
            For a point that there is not.
        """
        row = self._planned(point)
        return Design(row["design_toml"], row["design"])

    def __repr__(self) -> str:
        return f"<search among {self.table.height} points in {self.path}>"

    def _repr_html_(self) -> str:
        return self.front._repr_html_()
