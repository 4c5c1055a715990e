"""Numbers for people: three significant digits and the unit that fits. An absent value (None) is a dash."""

from collections.abc import Sequence

ABSENT = "–"

_TIMES = ((1e-3, "ps", 1e-6), (1.0, "ns", 1e-3), (1e3, "µs", 1.0), (1e6, "ms", 1e3), (float("inf"), "s", 1e6))
_THOUSANDS = ("", "k", "M", "G", "T", "P")
_THOUSANDTHS = ((1e-6, "n"), (1e-3, "µ"), (1.0, "m"))
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")

_CAUSES = {
    "chip_busy_user": "chip busy (other requests)",
    "chip_busy_gc_read": "chip busy (GC reads)",
    "chip_busy_gc_program": "chip busy (GC programs)",
    "chip_busy_erase": "chip busy (erases)",
    "chip_busy_mapping": "chip busy (mapping)",
    "chip_busy_folding": "chip busy (folding)",
    "chip_busy_parity": "chip busy (parity)",
    "transfer_of_others": "others' traffic",
}


def time_us(microseconds: float | None) -> str:
    if microseconds is None:
        return ABSENT
    if microseconds == 0:
        return "0"
    for limit, unit, size in _TIMES:
        # The limits are where three digits round up to the next unit.
        if microseconds < limit * 0.9995:
            return f"{digits(microseconds / size)} {unit}"
    raise AssertionError("the last unit has no limit")


def axis_unit(largest_us: float) -> tuple[str, float]:
    for limit, unit, size in _TIMES:
        # Ten times more than in text: 5,000 µs on an axis are easier to read next to 50 than 5 ms.
        if largest_us < limit * 10:
            return unit, size
    raise AssertionError("the last unit has no limit")


def scaled(number: float | None, unit: str = "") -> str:
    """A number with a decimal prefix: `1.25 M`, or with its unit `1.25 MB`."""
    if number is None:
        return ABSENT
    power = 0
    while number >= 999.5 and power < len(_THOUSANDS) - 1:
        number, power = number / 1000, power + 1
    return f"{digits(number)} {_THOUSANDS[power]}{unit}".rstrip()


def count(number: float | None) -> str:
    return ABSENT if number is None else f"{number:,.0f}"


def share(part: float | None) -> str:
    if part is None:
        return ABSENT
    percent = part * 100
    # 99.996 % of requests is not all of them.
    for decimals in (1, 2, 3):
        text = f"{percent:.{decimals}f}"
        if percent in (0, 100) or float(text) not in (0, 100):
            break
    return f"{text} %"


def bare(number: float | None) -> str:
    """A value just below 100 (%) does not round up: `99.98`."""
    if number is None:
        return ABSENT
    text = f"{number:.3g}"
    return text if text != "100" or number >= 100 else f"{min(number, 99.99):.2f}"


def part_of_whole(part: float) -> str:
    """`4.8 %`, or nothing for nothing."""
    if part == 0:
        return ""
    return "<0.1 %" if part < 0.0005 else f"{part * 100:.1f} %"


def change(relative: float | None) -> str:
    if relative is None:
        return ABSENT
    text = f"{relative * 100:+.1f} %"
    return "0.0 %" if text in ("+0.0 %", "-0.0 %") else text


def factor(speedup: float | None) -> str:
    if speedup is None:
        return ABSENT
    if speedup < 0.0005:
        return "<0.001×"
    decimals = 3 if speedup < 0.0995 else 2 if speedup < 99.995 else 0
    return f"{speedup:,.{decimals}f}×"


def digits(number: float) -> str:
    size = abs(number)
    decimals = 2 if size < 9.995 else 1 if size < 99.95 else 0
    if size < 0.9995 and size > 0:
        decimals = 3
    return f"{number:,.{decimals}f}"


def bar(part: float, width: int) -> str:
    eighths = round(min(max(part, 0.0), 1.0) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + " ▏▎▍▌▋▊▉"[rest].strip()


def number_of(number: float | None, one: str, many: str | None = None) -> str:
    return f"{count(number)} {one if number == 1 else many or f'{one}s'}"


def thousandths(number: float | None, unit: str) -> str:
    """`1.25 mJ`, `2.57 J` from thousandths of a unit."""
    if number is None:
        return ABSENT
    if number == 0:
        return "0"
    for size, prefix in _THOUSANDTHS:
        if number < 999.5 * size:
            return f"{digits(number / size)} {prefix}{unit}"
    return scaled(number / 1e3, unit)


def axis_prefix(largest: float, unit: str) -> tuple[str, float]:
    """Prefixed unit and its size in thousandths."""
    for size, prefix in _THOUSANDTHS:
        if largest < 999.5 * size:
            return f"{prefix}{unit}", size
    return unit, 1e3


def binary(size: float | None) -> str:
    if size is None:
        return ABSENT
    power = 0
    # The next prefix begins where four digits would be needed.
    while size >= 999.5 and power < len(_BINARY) - 1:
        size, power = size / 1024, power + 1
    return f"{digits(size) if power else f'{size:.0f}'} {_BINARY[power]}"


def cause_label(cause: str) -> str:
    """The name of a cause in tables and charts: `path_conflict` is `path conflict`."""
    return _CAUSES.get(cause, words(cause))


def words(name: str) -> str:
    return name.replace("_", " ")


def listing(parts: Sequence[str]) -> str:
    return " · ".join(part for part in parts if part)
