"""Colours as people with colour blindness see them, and how far apart they look.

Simulation: Machado, Oliveira and Fernandes (IEEE TVCG 2009), severity 1, on linear RGB. Difference: CIEDE2000 (Sharma,
Wu and Dalal, 2005).
"""

from collections.abc import Mapping
from itertools import combinations
from math import atan2, cos, degrees, exp, hypot, radians, sin

Triple = tuple[float, float, float]

_IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
_DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
VISIONS = {"usual": _IDENTITY, "protanopia": _PROTANOPIA, "deuteranopia": _DEUTERANOPIA}

_TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
_WHITE = (0.95047, 1.0, 1.08883)


def lab(colour: str, vision: str = "usual") -> Triple:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    seen = [min(max(each, 0.0), 1.0) for each in _times(VISIONS[vision], linear)]
    x, y, z = (
        each ** (1 / 3) if each > 216 / 24389 else (24389 / 27 * each + 16) / 116
        for each in (value / white for value, white in zip(_times(_TO_XYZ, seen), _WHITE, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _times(matrix: tuple[Triple, ...], vector: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def difference(first: Triple, second: Triple) -> float:
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    stretch = 1 + (1 - (mean**7 / (mean**7 + 25**7)) ** 0.5) / 2
    c1, c2 = hypot(stretch * a1, b1), hypot(stretch * a2, b2)
    h1, h2 = (degrees(atan2(b, stretch * a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn, grey = h2 - h1, c1 * c2 == 0
    turn = 0 if grey else turn - 360 if turn > 180 else turn + 360 if turn < -180 else turn
    lightness, chroma, hue = l2 - l1, c2 - c1, 2 * (c1 * c2) ** 0.5 * sin(radians(turn / 2))
    middle, between = (l1 + l2) / 2, (c1 + c2) / 2
    around = h1 + h2 if grey else h1 + turn / 2
    weight = (
        1
        - 0.17 * cos(radians(around - 30))
        + 0.24 * cos(radians(2 * around))
        + 0.32 * cos(radians(3 * around + 6))
        - 0.20 * cos(radians(4 * around - 63))
    )
    s_l = 1 + 0.015 * (middle - 50) ** 2 / (20 + (middle - 50) ** 2) ** 0.5
    s_c, s_h = 1 + 0.045 * between, 1 + 0.015 * between * weight
    bend = 30 * exp(-((((around % 360) - 275) / 25) ** 2))
    turned = -2 * (between**7 / (between**7 + 25**7)) ** 0.5 * sin(radians(2 * bend))
    dl, dc, dh = lightness / s_l, chroma / s_c, hue / s_h
    return float((dl * dl + dc * dc + dh * dh + turned * dc * dh) ** 0.5)


def nearest(palette: Mapping[str, str], vision: str) -> tuple[float, str, str]:
    seen = {name: lab(colour, vision) for name, colour in palette.items()}
    return min((difference(seen[a], seen[b]), a, b) for a, b in combinations(seen, 2))
