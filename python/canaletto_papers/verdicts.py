"""Verdicts on published numbers: which of them come out, and what speaks against the others. `RULE` is the rule."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from canaletto._io.units import listing, number_of

from canaletto_papers.figure import Figure, Row, Settings

NEAR, NEARLY = 0.1, 0.25
"""Deviations from a published number that verdicts and summaries count."""

REPRODUCED = "reproduced"
CHANGED = "reproduced under a stated change"
CONTRADICTS = "contradicts another figure of the paper"
UNEXPLAINED = "unexplained"
ABSENT = "no value of ours"

RULE = (
    f"A number is reproduced if ours is within {NEAR * 100:.0f} % of it where the paper's own setting is repeated. It "
    "is reproduced under a stated change if another setting gives it and, with the same setting, more than half of the "
    "numbers tried that the paper prints beside it: no setting is picked number by number. A setting that another "
    "figure of the paper speaks against is no such change: the number then contradicts another figure of the paper, as "
    "it does where a named finding holds in the tables of the same call. What is left is unexplained."
)

SPOKEN = {
    REPRODUCED: "reproduced",
    CHANGED: "reproduced under a stated change",
    CONTRADICTS: "contradicted by another figure of the paper",
    UNEXPLAINED: "unexplained",
    ABSENT: "without a value of ours",
}

Tables = Mapping[str, Sequence[Row]]
"""Rows by the names of figures."""


@dataclass(frozen=True)
class Finding:
    """Published numbers that do not go together with another figure of the same paper."""

    figures: tuple[str, ...]
    """Names of the figures whose numbers it concerns."""
    concerns: Callable[[Row], bool]
    shown: Callable[[Tables], str | None]
    """Contradiction with the tables that show it; None where they do not, or are not at hand."""


@dataclass(frozen=True)
class Verdict:
    """A published number, ours, and what is to be thought of the two."""

    figure: str
    what: str
    ours: float | None
    published: float
    verdict: str
    because: str

    @property
    def ratio(self) -> float | None:
        """Ours over the published one."""
        return None if self.ours is None else self.ours / self.published

    def row(self) -> Row:
        """As a line of a table."""
        return {
            "figure": self.figure,
            "what": self.what,
            "ours": self.ours,
            "published": self.published,
            "ratio": self.ratio,
            "verdict": self.verdict,
            "because": self.because,
        }


def in_short(verdicts: Sequence[Verdict]) -> str:
    """How many published numbers have which verdict."""
    if not verdicts:
        return "Nothing is published that these figures could be compared with."
    counts = Counter(each.verdict for each in verdicts)
    order = (REPRODUCED, CHANGED, CONTRADICTS, UNEXPLAINED, ABSENT)
    parts = [f"{counts[verdict]} {SPOKEN[verdict]}" for verdict in order if counts[verdict]]
    return f"{number_of(len(verdicts), 'published number')}: {listing(parts)}"


def with_notes(verdicts: Sequence[Verdict]) -> tuple[list[str], list[str]]:
    """Verdicts in words, with the number of a note where there is a reason; and the notes, each once."""
    notes = list(dict.fromkeys(each.because for each in verdicts if each.because))
    words = [f"{each.verdict} [{notes.index(each.because) + 1}]" if each.because else each.verdict for each in verdicts]
    return words, [f"[{number}] {note}" for number, note in enumerate(notes, 1)]


def comes_near(ours: float | None, published: float, limit: float = NEAR) -> bool:
    """Whether a number of ours is within a share of a published one."""
    return ours is not None and abs(ours / published - 1) <= limit


def judged(figures: Sequence[Figure], tables: Tables, findings: Sequence[Finding]) -> list[Verdict]:
    """A verdict on every published number in the tables, in the figures' order; of inputs how many are as printed."""
    here = [figure for figure in figures if figure.name in tables]
    tried = [found for figure in here for found in _tried(figure, tables[figure.name])]
    verdicts: list[Verdict] = []
    for figure in here:
        if figure.settings and figure.settings.of:
            continue
        known = [row for row in tables[figure.name] if row["published"]]
        if figure.is_counted:
            verdicts += _counted(figure, known, tables, findings)
        else:
            stated = [row for row in known if is_stated(figure, row)]
            for row in stated:
                group = _group(figure.settings, row)
                mine = [each for each in tried if (each.figure, each.beside) == (figure.name, group)]
                beside = sum(_group(figure.settings, other) == group for other in stated)
                verdicts.append(_verdict(figure, row, beside, mine, tables, findings))
    return _merged(verdicts)


def is_stated(figure: Figure, row: Row) -> bool:
    """Whether a line was measured with the setting that the paper states."""
    settings = figure.settings
    return settings is None or tuple(row[column] for column in settings.columns) == settings.stated


@dataclass(frozen=True)
class _Tried:
    """One number under one setting."""

    figure: str
    beside: tuple[object, ...]
    """Values of the columns within which numbers are printed beside each other."""
    setting: str
    against: str
    what: str
    near: bool


def _tried(figure: Figure, rows: Sequence[Row]) -> Iterator[_Tried]:
    """Numbers of a figure that were measured with settings that the paper does not state."""
    settings = figure.settings
    if settings is None:
        return
    for row in rows:
        if row["published"] and (settings.of or not is_stated(figure, row)):
            setting = ", ".join(str(row[column]) for column in settings.columns)
            source = f"{figure.name}: {setting}" if settings.of else setting
            against = str(row[settings.against] or "") if settings.against else ""
            near = comes_near(row["ours"], row["published"])
            yield _Tried(
                settings.of or figure.name, _group(settings, row), source, against, quantity(figure, row), near
            )


def _group(settings: Settings | None, row: Row) -> tuple[object, ...]:
    return tuple(row[column] for column in settings.beside) if settings else ()


def quantity(figure: Figure, row: Row) -> str:
    """The name of a number: the words of its line, without those of the setting."""
    settings = figure.settings
    left_out = (*settings.columns, settings.against) if settings else ()
    return ", ".join(str(value) for key, value in row.items() if isinstance(value, str) and key not in left_out)


def _verdict(
    figure: Figure,
    row: Row,
    beside: int,
    tried: Sequence[_Tried],
    tables: Tables,
    findings: Sequence[Finding],
) -> Verdict:
    """tried: the numbers beside this one under other settings; beside: how many are printed there."""
    what = quantity(figure, row)

    def is_(verdict: str, because: str) -> Verdict:
        return Verdict(figure.name, what, row["ours"], float(row["published"]), verdict, because)

    if row["ours"] is None:
        return is_(ABSENT, "")
    if comes_near(row["ours"], row["published"]):
        return is_(REPRODUCED, "")
    helpful = [each for each in tried if each.what == what and each.near and _share(each, tried, beside) > 0.5]
    if helpful:
        # Of several settings the one that gives most, first one without anything against it.
        best = max(helpful, key=lambda each: (not each.against, _share(each, tried, beside)))
        if best.against:
            return is_(CONTRADICTS, f"comes out with {best.setting}; {best.against}")
        return is_(CHANGED, best.setting)
    if (said := _finding(figure, row, tables, findings)) is not None:
        return is_(CONTRADICTS, said)
    return is_(UNEXPLAINED, "")


FEW = 3
"""Numbers that a setting must have been tried on, where the paper prints as many."""


def _share(one: _Tried, among: Sequence[_Tried], published: int) -> float:
    """Share of the numbers beside one that its setting gives. It need not have been tried on all of them."""
    same = {each.what: each.near for each in among if each.setting == one.setting}
    return sum(same.values()) / max(len(same), min(published, FEW))


def _counted(figure: Figure, known: Sequence[Row], tables: Tables, findings: Sequence[Finding]) -> Iterator[Verdict]:
    """One line for numbers that are inputs, or other simulators'; it is about the number that is farthest."""
    if not known:
        return
    near = sum(comes_near(row["ours"], row["published"]) for row in known)
    what = f"numbers that come within {NEAR * 100:.0f} %"
    ours = [row for row in known if row["ours"] is not None]
    said, verdict = "", REPRODUCED
    if not ours:
        verdict = ABSENT
    elif near < len(known):
        apart = max(ours, key=lambda row: abs(row["ours"] / row["published"] - 1))
        found = _finding(figure, apart, tables, findings)
        verdict = CONTRADICTS if found else UNEXPLAINED
        said = found or f"farthest: {quantity(figure, apart)}"
    yield Verdict(figure.name, what, float(near), float(len(known)), verdict, said)


def _finding(figure: Figure, row: Row, tables: Tables, findings: Sequence[Finding]) -> str | None:
    """Figures of the paper that contradict a number, if the tables show it."""
    for finding in findings:
        if figure.name in finding.figures and finding.concerns(row) and (said := finding.shown(tables)) is not None:
            return said
    return None


def _merged(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Numbers that a paper prints in several of its figures, once."""
    found: dict[tuple[str, float | None, float], Verdict] = {}
    for each in verdicts:
        same = (each.what, each.ours, each.published)
        before = found.get(same)
        if before is None:
            found[same] = each
        else:
            found[same] = Verdict(f"{before.figure}, {each.figure}", *same, before.verdict, before.because)
    return list(found.values())
