"""Text that does nothing to a terminal but appear."""

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")
"""Characters that terminals act on (C0 without tab and line feed, C1), and bytes of names that are no text."""


def printable(text: str) -> str:
    """The text with what a terminal would act on, or cannot show, as a code: names of files may hold anything."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", text)
