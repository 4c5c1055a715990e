"""Text that does nothing to a terminal but appear."""

import re
import sys

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""C0 without tab and line feed, C1, bytes that are no text."""


def printable(text: str) -> str:
    return _CONTROL.sub(lambda found: _code(ord(found[0])), text)


def toml(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _code(character: int) -> str:
    is_wide = character > 0xFF and not 0xDC80 <= character <= 0xDCFF
    return f"\\u{character:04x}" if is_wide else f"\\x{character & 0xFF:02x}"


def say(message: str) -> None:
    sys.stderr.write(f"canaletto: {printable(' '.join(message.split()))}\n")
