"""Quantities of resolved configurations, such as "1.2GB/s", as numbers."""

_TIMES = {"ps": 1e-6, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_SIZES = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40} | {
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "TB": 1e12,
}
_RATES = {"B/s": 1e-6, "kB/s": 1e-3, "MB/s": 1.0, "GB/s": 1e3, "TB/s": 1e6}

_AREAS = {"um2": 1e-6, "mm2": 1.0, "cm2": 1e2}

_LANE_RATES = {
    "gen1": 250.0,
    "gen2": 500.0,
    "gen3": 984.615385,
    "gen4": 1969.230769,
    "gen5": 3938.461538,
    "gen6": 7375.0,
    "gen7": 14750.0,
}
"""Bytes per microsecond after line coding, as in the engine."""


def time_us(text: str) -> float:
    return _number(text, _TIMES)


def size_bytes(text: str) -> float:
    return _number(text, _SIZES)


def rate(text: str) -> float:
    return _number(text, _RATES)


def area_mm2(text: str) -> float:
    return _number(text, _AREAS)


def lane_rate(text: str) -> float:
    return _LANE_RATES[text] if text in _LANE_RATES else rate(text)


def _number(text: str, units: dict[str, float]) -> float:
    unit = max((unit for unit in units if text.endswith(unit)), key=len, default="")
    return float(text.removesuffix(unit)) * units[unit]
