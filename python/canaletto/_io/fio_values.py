"""Values of fio's options: numbers with suffixes, times, sizes of requests."""

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from canaletto._engine import ConfigError

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_TIMES_PS = {
    **{"us": 10**6, "usec": 10**6, "ms": 10**9, "msec": 10**9, "s": 10**12, "m": 60 * 10**12, "h": 3600 * 10**12},
    "d": 86_400 * 10**12,
}
_DECIMAL = re.compile(r"\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([kmgtp]?)(i?b?)", re.ASCII)
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)", re.ASCII)
SECTOR = 512
MOST_SIZES = 1024
MOST_BYTES = 2**63 - 1
DAY_PS = _TIMES_PS["d"]
MOST = 10**18
PROCESSES = (1, 1 << 16)
FLOWS = 64
DEPTHS = (1, 1 << 20)


def decimal(text: str) -> float:
    if not _DECIMAL.fullmatch(text):
        raise ValueError(text)
    return float(text)


def _bytes(text: str) -> float:
    found = _SIZE.fullmatch(text)
    if not found:
        raise ValueError(text)
    base = 1000 if found[3].startswith("i") else 1024
    return float(found[1]) * float(base ** _POWERS[found[2]])


@dataclass(frozen=True)
class Given:
    place: str
    key: str
    text: str

    def wrong(self, what: str) -> ConfigError:
        got = f"got {self.text!r}, " if self.text else ""
        return ConfigError(f"{self.place}: {self.key}: {got}{what}")

    def number(self, least: float = 0, most: float = MOST) -> float:
        return self._bounded("number", least, most)

    def whole(self, least: int, most: int) -> int:
        return int(self._bounded("whole number", least, most))

    def _bounded(self, kind: str, least: float, most: float) -> float:
        text, found = self.text.lower(), math.nan
        with suppress(ValueError):
            found = _bytes(text) if _SIZE.fullmatch(text) else decimal(text)
        if not least <= found <= most or (kind == "whole number" and found % 1):
            raise self.wrong(f"expected a {kind} from {least} to {most}")
        return found

    def flag(self) -> bool:
        return self.text not in ("0", "false", "no")

    def size(self, text: str | None = None) -> int:
        """With fio's default kb_base, k and kb are 1024 and kib is 1000."""
        found, given = math.nan, (self.text if text is None else text).strip().lower()
        with suppress(ValueError):
            found = _bytes(given)
        if not found <= MOST_BYTES:
            zones = "; sizes in zones need zonemode=zbd" if given.endswith("z") else ""
            raise self.wrong(f"expected a size such as 4k, below 8 EiB{zones}")
        return round(found)

    def sectors(self, text: str | None = None, *, least: int = SECTOR) -> int:
        size = self.size(text)
        if size < least or size % SECTOR:
            raise self.wrong(f"{size} bytes, expected a multiple of {SECTOR}")
        return size

    def percent(self) -> float:
        share = 0.0
        with suppress(ValueError):
            share = decimal(self.text.rstrip("%")) / 100
        if not 0 < share <= 1:
            raise self.wrong("expected a percentage above 0 and up to 100%")
        return share

    def time_ps(self, unit: str) -> int:
        found = _TIME.fullmatch(self.text.lower())
        time = float(found[1]) * _TIMES_PS.get(found[2] or unit, math.nan) if found else math.nan
        if not time <= DAY_PS:
            raise self.wrong("expected a time such as 30s or 500us, up to a day")
        return round(time)


@dataclass(frozen=True)
class Sizes:
    reads: tuple[tuple[int, float], ...]
    others: tuple[tuple[int, float], ...]

    @staticmethod
    def plain(given: Given, trims: bool) -> "Sizes":
        return _apart(given, trims, lambda text: ((given.sectors(text), 1.0),))

    @staticmethod
    def of_range(given: Given, trims: bool) -> "Sizes":
        def mix(text: str) -> tuple[tuple[int, float], ...]:
            least, dash, most = text.partition("-")
            if not dash:
                raise given.wrong("expected a range such as 4k-64k")
            low, high = given.sectors(least), given.sectors(most)
            if not 1 <= high // low <= MOST_SIZES:
                raise given.wrong(f"expected up to {MOST_SIZES} multiples of its least, the least first")
            return tuple((size, 1.0) for size in range(low, high + 1, low))

        return _apart(given, trims, mix)

    @staticmethod
    def of_split(given: Given, trims: bool) -> "Sizes":
        def mix(text: str) -> tuple[tuple[int, float], ...]:
            parts = [part.partition("/") for part in text.split(":")]
            stated = [_percentage(given, share) if share else None for _, _, share in parts]
            left = max(100 - sum(share for share in stated if share is not None), 0)
            each = left / max(stated.count(None), 1)
            shares = [each if share is None else share for share in stated]
            if not 0 < round(sum(shares), 6) <= 100:
                raise given.wrong("expected percentages whose sum is above 0 and up to 100")
            return tuple((given.sectors(size), share) for (size, _, _), share in zip(parts, shares, strict=True))

        return _apart(given, trims, mix)

    def least(self) -> int:
        return min(size for size, share in (*self.reads, *self.others) if share > 0)

    def mean(self, read_share: float) -> float:
        return read_share * _mean(self.reads) + (1 - read_share) * _mean(self.others)

    def keys(self, read_share: float) -> dict[str, Any]:
        first = self.others if read_share == 0 else self.reads
        made: dict[str, Any] = {}
        if len(first) == 1:
            made["size"] = f"{first[0][0]}B"
        else:
            made["sizes"] = _table(first)
        if 0 < read_share < 1 and self.others != self.reads:
            made["write_sizes"] = _table(self.others)
        return made


def _apart(given: Given, trims: bool, mix: Any) -> Sizes:
    """A missing value after a comma is as the one before."""
    parts = given.text.split(",")
    values = [parts[min(number, len(parts) - 1)] or parts[0] for number in range(3)]
    return Sizes(mix(values[0]), mix(values[2 if trims else 1]))


def _percentage(given: Given, text: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        raise given.wrong(f"{text!r}, expected a percentage such as 60")
    return float(text)


def _mean(mix: tuple[tuple[int, float], ...]) -> float:
    return sum(size * share for size, share in mix) / sum(share for _, share in mix)


def _table(mix: tuple[tuple[int, float], ...]) -> list[dict[str, Any]]:
    return [{"size": f"{size}B", "share": share} for size, share in mix]
