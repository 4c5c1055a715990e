"""Answers are judged by running the simulator, so they stay true when a model changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import canaletto as cn

Judge = Callable[[Any], str | None]
"""The mistake in an answer, or None."""


@dataclass(frozen=True)
class Exercise:
    judge: Judge
    hint: str


def workload(name: str, **flows: Mapping[str, Any]) -> cn.Workload:
    parts = [f'name = "{name}"']
    for flow, keys in flows.items():
        body = ", ".join(f"{key} = {value}" for key, value in keys.items())
        parts.append(f'[[flow]]\nname = "{flow}"\nsynthetic = {{ {body} }}')
    return cn.Workload.from_toml("\n".join(parts), name)


def reads(**keys: Any) -> cn.Workload:
    return workload("reads", reads={"requests": 8000, "read_share": "1.0", "size": '"4KiB"'} | keys)


def number(expected: Callable[[], float], tolerance: float) -> Judge:
    def judge(answer: Any) -> str | None:
        if isinstance(answer, bool) or not isinstance(answer, Real):
            return f"got {answer!r}, expected a number"
        right, given = expected(), float(answer)
        if abs(given - right) <= tolerance * abs(right):
            return None
        return f"{given:.4g} is {'more' if given > right else 'less'} than what the simulator gives"

    return judge


def least(holds: Callable[[float], bool], step: float, low: float, high: float) -> Judge:
    def judge(answer: Any) -> str | None:
        if isinstance(answer, bool) or not isinstance(answer, Real) or not low <= float(answer) <= high:
            return f"got {answer!r}, expected a number from {low:g} to {high:g}"
        if not holds(float(answer)):
            return f"{float(answer):g} is too small"
        if float(answer) - step >= low and holds(float(answer) - step):
            return f"{float(answer):g} is more than needed"
        return None

    return judge


def word(right: Callable[[], str], choices: tuple[str, ...]) -> Judge:
    def judge(answer: Any) -> str | None:
        if answer not in choices:
            return f"got {answer!r}, expected one of {', '.join(choices)}"
        return None if answer == right() else f"another one does better than {answer}"

    return judge


def design(base: cn.Design, allowed: tuple[str, ...], measured: Callable[[cn.Design], str | None]) -> Judge:
    """Differs in allowed keys alone, and a run shows what was asked for."""

    def judge(answer: Any) -> str | None:
        if not isinstance(answer, cn.Design):
            return f"got {answer!r}, expected a design: cn.design(…)"
        before, after = flat(base.to_dict()), flat(answer.to_dict())
        changed = [key for key in before | after if before.get(key) != after.get(key)]
        wrong = [key for key in changed if not key.startswith(("name", "about", *allowed))]
        if wrong:
            return f"changes {', '.join(sorted(wrong))}; allowed: {', '.join(allowed)}"
        return measured(answer)

    return judge


def flat(table: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in table.items():
        found |= flat(value, f"{path}{key}.") if isinstance(value, Mapping) else {path + key: value}
    return found
