"""Text that does nothing to a terminal but appear, and words to the user."""

import re
import sys

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that terminals act on (C0 without tab and line feed, C1), and bytes of names that are no text.

Then those that turn the direction of writing, with which a name can look like another one, and breaks of lines.
"""


def printable(text: str) -> str:
    """The text with what a terminal would act on, or cannot show, as a code: names of files may hold anything."""
    return _CONTROL.sub(lambda found: _code(ord(found[0])), text)


def toml(text: str) -> str:
    """TOML with codes for such characters, of the same meaning: where they may stand, in basic strings."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _code(character: int) -> str:
    is_wide = character > 0xFF and not 0xDC80 <= character <= 0xDCFF
    return f"\\u{character:04x}" if is_wide else f"\\x{character & 0xFF:02x}"


def say(message: str) -> None:
    sys.stderr.write(f"canaletto: {printable(' '.join(message.split()))}\n")
