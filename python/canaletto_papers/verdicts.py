"""Verdicts on published numbers. `RULE` is the rule."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from canaletto._io.units import bare, listing, number_of

from canaletto_papers.figure import Figure, Row, Settings

NEAR, NEARLY = 0.15, 0.25
"""As shares of a number's effect."""
TIE = 0.01
"""Smaller differences have no order."""

REPRODUCED = "reproduced"
CHANGED = "reproduced under a stated change"
CONTRADICTS = "contradicts another figure of the paper"
UNEXPLAINED = "unexplained"
ABSENT = "no value of ours"
GIVEN = "input or arithmetic"

EFFECTS = "effects"

RULE = (
    "The effect of a ratio is its distance from 1; a time or a rate is its own effect, and a share of conflict-free "
    f"requests counts by what is missing from 100 %. A number is reproduced if ours has its effect to within "
    f"{NEAR * 100:.0f} % of the effect, with the same sign, where the paper's own setting is repeated. It is "
    "reproduced under a stated change if another setting gives it and, with the same setting, more than half of the "
    "numbers tried that the paper prints beside it: no setting is picked number by number. It contradicts another "
    "figure where the tables show it with the same traffic, the same count and the same metric on both sides. What is "
    "left is unexplained. A number printed as the most is reproduced if ours is no more. Inputs, and what follows from "
    "inputs by arithmetic alone, are listed and not counted. An order is reproduced if every pair that the paper ranks "
    "is ranked the same way; values of ours within "
    f"{TIE * 100:.0f} % of each other have no order. Where a set-up is not known, orders alone are judged, and whether "
    "what is printed as a gain is one of ours."
)

SPOKEN = {
    REPRODUCED: "reproduced",
    CHANGED: "reproduced under a stated change",
    CONTRADICTS: "contradicted by another figure of the paper",
    UNEXPLAINED: "unexplained",
    ABSENT: "without a value of ours",
}

Tables = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Finding:
    figures: tuple[str, ...]
    concerns: Callable[[Row], bool]
    shown: Callable[[Tables], str | None]
    """None where the tables do not show it, or are not at hand."""


@dataclass(frozen=True)
class Verdict:
    figure: str
    what: str
    ours: float | None
    published: float
    verdict: str
    because: str
    changed: float | None = None
    is_order: bool = False
    """A count of ranked pairs or of effects, which no paper prints."""

    @property
    def ratio(self) -> float | None:
        return None if self.ours is None else self.ours / self.published

    @property
    def words(self) -> str:
        if self.changed is None:
            return self.verdict
        return f"{self.verdict}: {bare(self.changed)} ({bare(self.changed / self.published)} of it)"

    def row(self) -> Row:
        return {
            "figure": self.figure,
            "what": self.what,
            "ours": self.ours,
            "published": self.published,
            "ratio": self.ratio,
            "changed": self.changed,
            "verdict": self.verdict,
            "because": self.because,
        }


def in_short(verdicts: Sequence[Verdict], would: str = "") -> str:
    if not verdicts:
        return "Nothing is published that these figures could be compared with."
    judged = [each for each in verdicts if each.verdict != GIVEN and not each.is_order]
    counts = Counter(each.verdict for each in judged)
    parts = [
        f"{counts[verdict]} {'would be ' * bool(would)}{spoken}"
        for verdict, spoken in SPOKEN.items()
        if counts[verdict]
    ]
    said = [f"{number_of(len(judged), 'published number')}: {listing(parts)}"] if judged else []
    if orders := [each.verdict == REPRODUCED for each in verdicts if each.is_order]:
        counted = number_of(len(orders), "order")
        if any(each.what.startswith(EFFECTS) for each in verdicts):
            counted = f"{len(orders)} orders and effects"
        said.append(f"{sum(orders)} of {counted} of systems as printed")
    if given := len([each for each in verdicts if each.verdict == GIVEN]):
        said.append(f"{number_of(given, 'line')} of inputs and arithmetic, not counted")
    return "; ".join([f"{would}: {said[0]}" if would else said[0], *said[1:]])


def with_notes(verdicts: Sequence[Verdict]) -> tuple[list[str], list[str]]:
    notes = list(dict.fromkeys(each.because for each in verdicts if each.because))
    words = [f"{each.words} [{notes.index(each.because) + 1}]" if each.because else each.words for each in verdicts]
    return words, [f"[{number}] {note}" for number, note in enumerate(notes, 1)]


def comes_near(ours: float | None, published: float, limit: float = NEAR, neutral: float = 0.0) -> bool:
    """Within a share of the published effect, its distance from `neutral`."""
    return ours is not None and abs(ours - published) <= limit * abs(published - neutral)


def judged(figures: Sequence[Figure], tables: Tables, findings: Sequence[Finding]) -> list[Verdict]:
    """In the figures' order; inputs are counted."""
    here = [figure for figure in figures if figure.name in tables]
    neutrals = {figure.name: figure.neutral for figure in here}
    tried = [found for figure in here for found in _tried(figure, tables[figure.name], neutrals)]
    verdicts: list[Verdict] = []
    for figure in here:
        if figure.settings and figure.settings.of:
            continue
        known = [row for row in tables[figure.name] if row["published"]]
        stated = [row for row in known if is_stated(figure, row)]
        if figure.by_effect:
            verdicts += [*_effects(figure, stated), *_order(figure, stated)]
        elif figure.is_counted:
            verdicts += _counted(figure, known, tables, findings)
        else:
            for row in stated:
                group = _group(figure.settings, row)
                mine = [each for each in tried if each.figure == figure.name and each.beside in (None, group)]
                beside = sum(_group(figure.settings, other) == group for other in stated)
                verdicts.append(_verdict(figure, row, beside, mine, tables, findings))
            if not figure.is_given:
                verdicts += _order(figure, stated)
    return _merged(verdicts)


def is_stated(figure: Figure, row: Row) -> bool:
    settings = figure.settings
    return settings is None or tuple(row[column] for column in settings.columns) == settings.stated


@dataclass(frozen=True)
class _Tried:
    figure: str
    beside: tuple[object, ...] | None
    setting: str
    against: str
    what: str
    ours: float | None
    near: bool


def _tried(figure: Figure, rows: Sequence[Row], neutrals: Mapping[str, float]) -> Iterator[_Tried]:
    """Numbers measured with settings that the paper does not state."""
    settings = figure.settings
    if settings is None:
        return
    for row in rows:
        if row["published"] and (settings.of or not is_stated(figure, row)):
            setting = ", ".join(str(row[column]) for column in settings.columns)
            source = f"{figure.name}: {setting}" if settings.of else setting
            against = str(row[settings.against] or "") if settings.against else ""
            of = row[settings.figure] if settings.figure else settings.of or figure.name
            near = comes_near(row["ours"], row["published"], neutral=neutrals.get(of, figure.neutral))
            what = settings.spelt(row) if settings.spelt else quantity(figure, row)
            beside = None if settings.figure else _group(settings, row)
            yield _Tried(of, beside, source, against, what, row["ours"], near)


def _group(settings: Settings | None, row: Row) -> tuple[object, ...]:
    return tuple(row[column] for column in settings.beside) if settings else ()


def quantity(figure: Figure, row: Row) -> str:
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
    what = quantity(figure, row)

    def is_(verdict: str, because: str, changed: float | None = None) -> Verdict:
        return Verdict(figure.name, what, row["ours"], float(row["published"]), verdict, because, changed)

    if figure.follows(row):
        return is_(GIVEN, "")
    if row["ours"] is None:
        return is_(ABSENT, "")
    neutral = 0.0 if figure.is_given else figure.neutral
    keeps = figure.is_bound and row["ours"] <= row["published"]
    if keeps or comes_near(row["ours"], row["published"], neutral=neutral):
        return is_(GIVEN if figure.is_given else REPRODUCED, "")
    helpful = [each for each in tried if each.what == what and each.near and _share(each, tried, beside) > 0.5]
    if helpful:
        # Of several settings the one that gives most, first one without anything against it.
        best = max(helpful, key=lambda each: (not each.against, _share(each, tried, beside)))
        return is_(CHANGED, "; ".join(filter(None, (best.setting, best.against))), best.ours)
    if (said := _finding(figure, row, tables, findings)) is not None:
        return is_(CONTRADICTS, said)
    return is_(UNEXPLAINED, "")


FEW = 3
"""A setting must have been tried on this many, if the paper prints as many."""


def _share(one: _Tried, among: Sequence[_Tried], published: int) -> float:
    same = {each.what: each.near for each in among if each.setting == one.setting}
    return sum(same.values()) / max(len(same), min(published, FEW))


def _counted(figure: Figure, known: Sequence[Row], tables: Tables, findings: Sequence[Finding]) -> Iterator[Verdict]:
    if not known:
        return
    near = sum(comes_near(row["ours"], row["published"]) for row in known)
    what = f"numbers that come within {NEAR * 100:.0f} %"
    ours = [row for row in known if row["ours"] is not None]
    said, verdict = "", GIVEN if figure.is_given else REPRODUCED
    if not ours:
        verdict = ABSENT
    elif near < len(known):
        apart = max(ours, key=lambda row: abs(row["ours"] / row["published"] - 1))
        found = _finding(figure, apart, tables, findings)
        verdict = CONTRADICTS if found else UNEXPLAINED
        said = found or f"farthest: {quantity(figure, apart)}"
    yield Verdict(figure.name, what, float(near), float(len(known)), verdict, said)


def _order(figure: Figure, rows: Sequence[Row]) -> Iterator[Verdict]:
    pairs = [pair for pair in combinations(rows, 2) if _is_ranked(figure, *pair)]
    if not pairs:
        return
    kept = sum(
        (one["ours"] - other["ours"]) * (one["published"] - other["published"]) > 0
        for one, other in pairs
        if not _is_tie(one, other)
    )
    verdict = REPRODUCED if kept == len(pairs) else UNEXPLAINED
    what = f"order by {', '.join(figure.ordered)}: pairs as printed"
    yield Verdict(figure.name, what, float(kept), float(len(pairs)), verdict, "", is_order=True)


def _effects(figure: Figure, rows: Sequence[Row]) -> Iterator[Verdict]:
    kept = sum((row["ours"] - figure.neutral) * (row["published"] - figure.neutral) > 0 for row in rows)
    verdict = REPRODUCED if kept == len(rows) else UNEXPLAINED
    yield Verdict(
        figure.name, f"{EFFECTS}: gains as printed", float(kept), float(len(rows)), verdict, "", is_order=True
    )


def _is_ranked(figure: Figure, one: Row, other: Row) -> bool:
    if None in (one["ours"], other["ours"]) or one["published"] == other["published"]:
        return False
    apart = [key for key, value in one.items() if isinstance(value, str) and value != other[key]]
    if len(apart) != 1 or apart[0] not in figure.ordered:
        return False
    # "Venice over pSSD" ranks with "Venice over NoSSD", and not with "pSSD", which is over the baseline.
    first, second = (str(row[apart[0]]).rpartition(" over ")[0] for row in (one, other))
    return first == second


def _is_tie(one: Row, other: Row) -> bool:
    return bool(abs(one["ours"] - other["ours"]) <= TIE * abs(other["ours"]))


def _finding(figure: Figure, row: Row, tables: Tables, findings: Sequence[Finding]) -> str | None:
    for finding in findings:
        if figure.name in finding.figures and finding.concerns(row) and (said := finding.shown(tables)) is not None:
            return said
    return None


def _merged(verdicts: Sequence[Verdict]) -> list[Verdict]:
    found: dict[tuple[str, float | None, float], Verdict] = {}
    for each in verdicts:
        same = (each.what, each.ours, each.published)
        before = found.get(same)
        if before is None:
            found[same] = each
        else:
            found[same] = replace(before, figure=f"{before.figure}, {each.figure}")
    return list(found.values())
