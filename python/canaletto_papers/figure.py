"""Parts of a figure: runs, table, chart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from canaletto._run.laboratory import Data, Run, Simulation, seconds

__all__ = ["Data", "Figure", "Grid", "Label", "Row", "Run", "Scale", "Settings", "Simulation", "of_modules", "seconds"]

if TYPE_CHECKING:
    from canaletto._report.charts import Spec  # Altair takes longer than `canaletto --help`.

Label: TypeAlias = tuple[str, ...]

Row: TypeAlias = dict[str, Any]
"""`ours` was measured, `published` is printed, if anything."""


@dataclass(frozen=True)
class Scale:
    quick: bool = False
    seeds: int = 3

    def of(self, full: int, quick: int) -> int:
        return quick if self.quick else full


@dataclass(frozen=True)
class Settings:
    """Columns with the setting of a line."""

    columns: tuple[str, ...]
    stated: tuple[str, ...] = ()
    """As far as the paper states one. None: the figure tries others for another figure's numbers."""
    of: str = ""
    """Figure whose numbers stand next to these; empty: this one."""
    beside: tuple[str, ...] = ()
    """Columns within which numbers are printed together, such as a drive; empty: all."""
    figure: str = ""
    """Column with the figure of a line's number, if there are several."""
    spelt: "Callable[[Row], str] | None" = None
    """A number's name in that figure; None: as `verdicts.quantity` has it."""
    against: str = ""
    """Column with what the paper prints against a setting; empty: none."""


@dataclass(frozen=True)
class Grid:
    """Short form of a long table, published numbers in their own line."""

    line: str
    column: str
    where: Mapping[str, str]
    """Values of other columns."""
    across: bool = False
    notes: tuple[str, ...] = ()
    """Columns whose parts, separated by semicolons, are notes at the column or line that shares them."""
    spread: str = ""
    """Column with half widths of intervals, which stand next to the numbers; empty: none."""

    def parts(self, rows: Sequence[Row]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """Parts that all columns share stand at the columns."""
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
        """Column names, and every line's name and numbers; published ones first."""
        kept = [row for row in rows if all(row[column] == value for column, value in self.where.items())]
        columns = list(dict.fromkeys(str(row[self.column]) for row in kept))
        names = list(dict.fromkeys(str(row[self.line]) for row in kept))
        at = {(str(row[self.line]), str(row[self.column])): row["ours"] for row in kept}
        if self.spread:
            about = {
                (str(row[self.line]), f"± {row[self.column]}"): row[self.spread] for row in kept if row[self.spread]
            }
            columns = [
                each
                for column in columns
                for each in (column, f"± {column}")
                if any(key[1] == each for key in (*at, *about))
            ]
            at |= about
        lines = [(name, [at.get((name, column)) for column in columns]) for name in names]
        of = self.line if self.across else self.column
        known = {str(row[of]): row["published"] for row in kept if row["published"] is not None}
        if self.across:
            return ["published", *columns], [(name, [known.get(name), *numbers]) for name, numbers in lines]
        first = [("published", [known.get(column) for column in columns])] if known else []
        return columns, first + lines


ShortTable: TypeAlias = tuple[list[str], list[tuple[str, list[float | None]]]]


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    about: str
    """The module's docstring: title, method, assumptions."""
    runs: Callable[[Scale], Mapping[Label, Simulation]]
    table: Callable[[Mapping[Label, Data]], list[Row]]
    chart: "Callable[[list[Row]], Spec | dict[str, Spec] | None]"
    """One or several by caption; None for what the paper prints as a table."""
    settings: Settings | None = None
    """None: every line is measured as the paper states."""
    grids: Mapping[str, Grid] = field(default_factory=dict)
    """By caption; none: the published numbers."""
    is_counted: bool = False
    """Published numbers are counted, not judged: inputs, or another simulator's results."""
    is_given: bool = False
    """Published numbers are inputs, or follow from inputs by arithmetic."""
    follows: "Callable[[Row], bool]" = lambda _: False
    """Published numbers that follow from others next to them by arithmetic."""
    by_effect: bool = False
    """Set-ups are not known: published numbers are judged by effect and order."""
    is_bound: bool = False
    """Published numbers are the most that ours may be."""
    neutral: float = 1.0
    """1 for ratios, 0 for times and rates, 100 for shares in percent that a loss lowers."""
    flat: str = ""
    """Why its charts are flat."""
    ordered: tuple[str, ...] = ("system",)
    """Lines that differ in one of these alone are ranked."""

    def short_tables(self, rows: Sequence[Row]) -> tuple[list[ShortTable], list[str]]:
        """Headings, lines, and notes."""
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
    """In the order of module names: each has a `FIGURE`, or several `FIGURES`."""
    modules = [import_module(f"{package}.{name}") for name in names.split()]
    return [figure for module in modules for figure in getattr(module, "FIGURES", None) or [module.FIGURE]]


CAPTION = "bars: ours; red: what was published"
