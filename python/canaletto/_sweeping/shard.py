"""A part of a sweep, for arrays of jobs."""

from collections.abc import Sequence
from dataclasses import dataclass

from canaletto._engine import ConfigError
from canaletto._sweeping.axes import MOST
from canaletto._sweeping.tasks import Point, Task


@dataclass(frozen=True)
class Shard:
    """Counted from 1, as arrays of jobs are."""

    number: int = 1
    of: int = 1

    @staticmethod
    def parsed(text: str) -> "Shard":
        number, slash, of = text.partition("/")
        if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST):
            raise ConfigError(
                f"--shard {text}: expected I/N, part I of N, from 1/N to N/N with N up to {MOST:,}, for example 2/50"
            )
        return Shard(int(number), int(of))

    def tasks(self, points: Sequence[Point]) -> list[Task]:
        different = {point.task.key: point.task for point in points}
        return list(different.values())[self.number - 1 :: self.of]
