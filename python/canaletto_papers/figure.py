"""Parts of a figure: the runs it needs, the table they make, and the chart in the form of the paper."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from canaletto._run.laboratory import Data, Run, Simulation, seconds

__all__ = ["Data", "Figure", "Grid", "Label", "Row", "Run", "Scale", "Settings", "Simulation", "of_modules", "seconds"]

if TYPE_CHECKING:
    from canaletto._report.charts import Spec  # Altair takes longer than `canaletto --help`.

Label: TypeAlias = tuple[str, ...]
"""Names a run within its figure."""

Row: TypeAlias = dict[str, Any]
"""A line of a figure's table. `ours` is what was measured, `published` what the paper says of it, if anything."""


@dataclass(frozen=True)
class Scale:
    """Extent of the runs: all requests, or few for an indication."""

    quick: bool = False

    def of(self, full: int, quick: int) -> int:
        return quick if self.quick else full


@dataclass(frozen=True)
class Settings:
    """Columns of a table that say under which setting a line was measured."""

    columns: tuple[str, ...]
    stated: tuple[str, ...] = ()
    """The paper's own setting, as far as it states one. None: the figure tries others for another figure's numbers."""
    of: str = ""
    """The figure whose numbers are printed next to these; empty: this one."""
    beside: tuple[str, ...] = ()
    """Columns within which numbers are printed next to each other, such as a drive; empty: all of the figure's are."""
    figure: str = ""
    """Column that names the figure whose number a line has, where they are several figures'."""
    spelt: "Callable[[Row], str] | None" = None
    """Name of a line's number in that figure; None: as `verdicts.quantity` has it."""
    against: str = ""
    """Column with what the paper prints against a setting; empty: there is none."""


@dataclass(frozen=True)
class Grid:
    """Short form of a long table: `ours` in lines and columns, and what was published in its own line."""

    line: str
    """Column of the table whose values are the lines."""
    column: str
    """Column of the table whose values are the columns."""
    where: Mapping[str, str]
    """Values that other columns must have."""
    across: bool = False
    """Whether lines have a published number each, in a separate column; else columns have, in a separate line."""
    notes: tuple[str, ...] = ()
    """Columns whose parts, separated by semicolons, stand as notes at the column or the line that shares them."""

    def parts(self, rows: Sequence[Row]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Parts of the notes by line and by column; what all columns share stands at the columns."""
        kept = [row for row in rows if all(row[column] == value for column, value in self.where.items())]

        def shared(of: str) -> dict[str, list[str]]:
            found: dict[str, list[str]] = {}
            for row in kept:
                said = [part for column in self.notes for part in str(row[column]).split("; ")]
                before = found.get(str(row[of]), said)
                found[str(row[of])] = [part for part in before if part in said]
            return found

        columns = shared(self.column)
        of_lines = shared(self.line).items()
        everywhere = [part for part in next(iter(columns.values()), []) if all(part in of for of in columns.values())]
        return {name: [part for part in each if part not in everywhere] for name, each in of_lines}, columns

    def cells(self, rows: Sequence[Row]) -> tuple[list[str], list[tuple[str, list[float | None]]]]:
        """Column names, and every line's name and numbers; the published ones first, if there are any."""
        kept = [row for row in rows if all(row[column] == value for column, value in self.where.items())]
        columns = list(dict.fromkeys(str(row[self.column]) for row in kept))
        names = list(dict.fromkeys(str(row[self.line]) for row in kept))
        at = {(str(row[self.line]), str(row[self.column])): row["ours"] for row in kept}
        lines = [(name, [at.get((name, column)) for column in columns]) for name in names]
        of = self.line if self.across else self.column
        known = {str(row[of]): row["published"] for row in kept if row["published"] is not None}
        if self.across:
            return ["published", *columns], [(name, [known.get(name), *numbers]) for name, numbers in lines]
        first = [("published", [known.get(column) for column in columns])] if known else []
        return columns, first + lines


ShortTable: TypeAlias = tuple[list[str], list[tuple[str, list[float | None]]]]
"""Headings, and each line's name and numbers."""


@dataclass(frozen=True)
class Figure:
    """One published figure or table."""

    name: str
    title: str
    about: str
    """The module's docstring: a title, then method and assumptions in paragraphs."""
    runs: Callable[[Scale], Mapping[Label, Simulation]]
    table: Callable[[Mapping[Label, Data]], list[Row]]
    chart: "Callable[[list[Row]], Spec | dict[str, Spec] | None]"
    """A chart, several by their captions, or none for what the paper prints as a table."""
    settings: Settings | None = None
    """None: every line is measured as the paper states."""
    grids: Mapping[str, Grid] = field(default_factory=dict)
    """Short forms of a long table, by their captions; none: its published numbers."""
    is_counted: bool = False
    """Whether its published numbers are counted and not judged one by one: inputs, or another simulator's results."""
    is_given: bool = False
    """Whether its published numbers are inputs of the model, or follow from inputs by arithmetic alone."""
    neutral: float = 1.0
    """Value without an effect: 1 of ratios, 0 of times and rates, 100 of shares in percent that a loss lowers."""
    flat: str = ""
    """Reason why its charts are flat, which stands above them where they are."""
    ordered: tuple[str, ...] = ("system",)
    """Columns whose values the paper ranks: lines that differ in one of them alone are compared with each other."""

    def short_tables(self, rows: Sequence[Row]) -> tuple[list[ShortTable], list[str]]:
        """Its grids as headings and lines, the captions in the first heading; and the notes that they refer to."""
        notes: list[str] = []

        def marked(name: str, parts: Sequence[str]) -> str:
            notes.extend(part for part in parts if part not in notes)
            return f"{name} [{', '.join(str(notes.index(part) + 1) for part in parts)}]" if parts else name

        tables: list[ShortTable] = []
        for caption, grid in self.grids.items():
            columns, lines = grid.cells(rows)
            of_lines, of_columns = grid.parts(rows)
            heading = [f"{grid.line} ({caption})" if caption else grid.line]
            heading += [marked(column, of_columns.get(column, [])) for column in columns]
            tables.append((heading, [(marked(name, of_lines.get(name, [])), numbers) for name, numbers in lines]))
        return tables, [f"[{number}] {note}" for number, note in enumerate(notes, 1)]

    def charts(self, rows: list[Row]) -> "dict[str, Spec]":
        drawn = self.chart(rows)
        if drawn is None:
            return {}
        return drawn if "$schema" not in drawn else {CAPTION: drawn}


def of_modules(package: str, names: str) -> list[Figure]:
    """The figures of a package's modules, in the order of their names: each has a `FIGURE`, or several `FIGURES`."""
    modules = [import_module(f"{package}.{name}") for name in names.split()]
    return [figure for module in modules for figure in getattr(module, "FIGURES", None) or [module.FIGURE]]


CAPTION = "bars: ours; red: what was published"
"""Title of a chart without its own title."""
